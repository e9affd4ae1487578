"""compare, as a user meets it."""

import copy
import itertools
import math
import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.impute import KNNImputer, SimpleImputer

import iim
from iim import comparing
from made_up_imputers import (
    Constant,
    DropsAColumn,
    Exits,
    LeavesHoles,
    Noise,
    Raises,
    RaisesLater,
    RaisesUnspeakable,
    SlowAtFirst,
    Warns,
    WarnsOfNumbers,
)
from strategies import holed, untied

HOSTILE = "<script>alert('x')</script>"


def compare(table, methods=("mean", "knn"), **settings):
    return iim.compare(table, methods, **{"progress": False, **settings})


def timeless(records):
    """The records without what differs from run to run."""
    return [replace(record, fit_seconds=0.0, transform_seconds=0.0) for record in records]


class TestHiding:
    def test_the_error_is_that_of_the_cells_hidden(self):
        table = holed()
        zero = Constant()
        result = compare(table, {"zero": zero}, repeats=2)
        assert len(zero.seen) == 2
        for record in result.records:
            column = int(record.column[1])
            hidden = np.isnan(zero.seen[record.repeat][:, column]) & ~np.isnan(table[:, column])
            assert record.n_cells == hidden.sum() == round(0.05 * np.isfinite(table[:, column]).sum())
            assert record.rms_error == pytest.approx(np.sqrt(np.mean(table[hidden, column] ** 2)))
            assert record.normalised_error == pytest.approx(record.rms_error / np.nanstd(table[:, column]))

    def test_holes_stay_holes_and_the_rest_is_as_it_was(self):
        table = holed()
        zero = Constant()
        compare(table, zero)
        for seen in zero.seen:
            assert np.isnan(seen[np.isnan(table)]).all()
            assert (seen[~np.isnan(seen)] == table[~np.isnan(seen)]).all()

    def test_every_method_gets_the_same_cells(self):
        methods = {"a": Constant(0.0), "b": Constant(1.0)}
        compare(holed(), methods, pattern="clusters")
        for one, other in zip(methods["a"].seen, methods["b"].seen, strict=True):
            np.testing.assert_array_equal(one, other)

    def test_a_method_that_spoils_its_table_spoils_no_other(self):
        class Spoils(Constant):
            def fit(self, X):
                X[:] = 7.0

            def transform(self, X):
                X[np.isnan(X)] = self.value
                return X

        alone = {"five": Constant(5.0), "two": Constant(2.0)}
        spoilt = {"five": Spoils(5.0), "two": Constant(2.0)}
        assert timeless(compare(holed(), spoilt).records) == timeless(compare(holed(), alone).records)

    def test_one_more_column_or_repeat_changes_no_other_cell(self):
        few = compare(holed(), columns=["x1"], repeats=2, pattern="attribute")
        more = compare(holed(), columns=["x1", "x3"], repeats=3, pattern="attribute")
        kept = [record for record in more.records if record.column == "x1" and record.repeat < 2]
        assert timeless(kept) == timeless(few.records)

    def test_an_attribute_is_incomplete_alone(self):
        table = untied(100, 3)
        zero = Constant()
        compare(table, zero, pattern="attribute", repeats=2)
        assert [np.isnan(seen).sum(axis=0).tolist() for seen in zero.seen] == [
            [5, 0, 0],
            [0, 5, 0],
            [0, 0, 5],
        ] * 2

    def test_an_attribute_loses_the_same_cells_as_among_others(self):
        alone, among = Constant(), Constant()
        compare(untied(100, 3), alone, pattern="attribute", repeats=1)
        compare(untied(100, 3), among, repeats=1)
        joined = np.logical_or.reduce([np.isnan(seen) for seen in alone.seen])
        assert (joined == np.isnan(among.seen[0])).all()

    def test_clusters_are_harder_for_neighbours(self):
        rng = np.random.default_rng(0)
        place = rng.normal(size=(300, 2))
        table = np.column_stack([place, np.sin(3 * place).sum(axis=1)])
        errors = {
            pattern: compare(table, "knn", columns=2, pattern=pattern, cluster_size=12, hide=0.2)
            .overall[0]
            .normalised_error
            for pattern in ("cells", "clusters")
        }
        assert errors["clusters"] > 1.1 * errors["cells"]

    def test_a_number_of_cells(self):
        assert {record.n_cells for record in compare(holed(), hide=3).records} == {3}

    def test_the_table_is_not_changed(self):
        frame = pd.DataFrame(holed(), columns=list("abcd")).assign(e=range(80))
        before = frame.copy(deep=True)
        compare(frame)
        pd.testing.assert_frame_equal(frame, before)


class TestTables:
    def test_arrays_pandas_and_polars_give_the_same_records(self):
        table = holed()
        names = ["x0", "x1", "x2", "x3"]
        array = compare(table)
        pandas = compare(pd.DataFrame(table, columns=names))
        polars = compare(pl.DataFrame(table, schema=names).fill_nan(None))
        assert timeless(array.records) == timeless(pandas.records) == timeless(polars.records)
        assert timeless(array.records) == timeless(compare(table.tolist()).records)
        masked = np.ma.MaskedArray(np.nan_to_num(table), np.isnan(table))
        assert timeless(array.records) == timeless(compare(masked).records)

    def test_whole_numbers_and_nullable_columns(self):
        whole = np.round(10 * untied(60, 2)).astype(int)
        frame = pd.DataFrame({"a": whole[:, 0], "b": pd.array(whole[:, 1], dtype="Int64")})
        frame.loc[3, "b"] = pd.NA
        result = compare(frame)
        assert result.failures == ()
        assert result.facts["n_missing"] == 1

    def test_marked_values_are_holes(self):
        table = np.nan_to_num(holed(), nan=-999.0)
        assert timeless(compare(table, missing_values=-999).records) == timeless(compare(holed()).records)

    def test_text_is_refused_as_by_the_imputers(self):
        frame = pd.DataFrame({"a": [1.0, 2.0], "b": ["x", 3.0]})
        with pytest.raises(iim.UnusableTable) as refused:
            compare(frame)
        with pytest.raises(iim.UnusableTable) as imputer_refused:
            iim.IIMImputer().fit(frame)
        assert str(refused.value) == str(imputer_refused.value)
        assert "Column 'b' holds text in 1 of 2 rows" in str(refused.value)

    @pytest.mark.parametrize(
        ("table", "message"),
        [
            (np.arange(4.0), r"received ndarray with 1 dimension\(s\)"),
            (pd.Series([1.0, 2.0]), r"received Series with 1 dimension\(s\).*`to_frame\(\)`"),
            ([[1.0, 2.0], [3.0]], "rows of equal length"),
            ([[1j, 2.0]], "Complex data not supported"),
        ],
    )
    def test_what_is_no_table_is_refused(self, table, message):
        with pytest.raises(iim.UnusableTable, match=message):
            compare(table)

    @pytest.mark.parametrize(
        ("table", "message"),
        [
            (np.empty((0, 2)), "0 rows and 2 columns: there is nothing to hide"),
            (pd.DataFrame(index=range(3)), "3 rows and 0 columns"),
            ([[1.0, 2.0]], r"two known values, one to hide.*'x0': only one value is known"),
            (np.full((4, 2), np.nan), r"'x0': no value is known.*Give a table with more known values"),
        ],
    )
    def test_nothing_to_hide(self, table, message):
        with pytest.raises(iim.UnusableTable, match=message):
            compare(table)

    def test_columns_with_too_little_are_listed(self):
        table = np.column_stack([untied(50, 2), np.full((50, 2), np.nan)])
        table[7, 3] = 1.0
        result = compare(table, ["mean", SimpleImputer(), "iim"])
        assert result.columns == ("x0", "x1")
        assert result.not_scored == {"x2": "no value is known", "x3": "only one value is known"}
        assert result.failures == ()
        assert "only one value is known" in str(result)

    def test_one_column(self):
        result = compare([[1.0], [2.0], [3.0], [np.nan]], list(iim.METHODS), pattern="clusters")
        assert result.columns == ("x0",)
        assert result.failures == ()

    def test_two_rows(self):
        result = compare([[1.0, 5.0], [2.0, 7.0]], ["mean"], repeats=4, pattern="attribute")
        assert {record.rms_error for record in result.records} == {1.0, 2.0}

    def test_a_constant_column_is_not_scored(self):
        class Rounds(Constant):
            def transform(self, X):
                return np.where(np.isnan(X), np.nanmean(X, axis=0), X).astype(np.float32)

        table = np.column_stack([np.full(40, 0.1), untied(40, 2)])
        table[3, 0] = np.nan
        result = compare(table, {"mean": "mean", "rounds": Rounds()})
        assert result.not_scored == {"x0": "all known values are equal"}
        assert result.columns == ("x1", "x2")
        assert all(score.normalised_error < 2.0 for score in result.overall)
        assert "all known values are equal" in str(result)

    @pytest.mark.parametrize("columns", [None, 0])
    def test_constant_columns_only(self, columns):
        table = np.full((30, 2), 0.1)
        if columns is not None:
            table[:, 1] = np.arange(30)
        with pytest.raises(iim.UnusableTable, match=r"No column can be scored.*'x0': all known values are"):
            compare(table, columns=columns)

    @pytest.mark.parametrize("unit", [1e300, 1e-300])
    def test_huge_and_tiny_columns(self, unit):
        table = holed()
        table[:, 1] *= unit
        plain, scaled = compare(holed()), compare(table)
        for one, other in zip(plain.records, scaled.records, strict=True):
            assert one.normalised_error == pytest.approx(other.normalised_error)


class TestMethods:
    def test_none_is_every_method(self):
        result = compare(holed(60, 3), None, repeats=1)
        assert result.methods == tuple(iim.METHODS)
        assert result.failures == ()

    def test_keys_and_objects_and_names_of_one_s_own(self):
        assert compare(holed(), ["mean", KNNImputer(), KNNImputer(n_neighbors=2)]).methods == (
            "mean",
            "KNNImputer",
            "KNNImputer (2)",
        )
        assert compare(holed(), {"plain": "mean", "near": KNNImputer()}).methods == ("plain", "near")
        assert compare(holed(), "mean").methods == ("mean",)
        assert compare(holed(), KNNImputer()).methods == ("KNNImputer",)

    def test_pairs_are_named_as_in_a_pipeline(self):
        pairs = [("plain", "mean"), ("near", KNNImputer()), "knn", ("near", KNNImputer(n_neighbors=2))]
        result = compare(holed(), pairs)
        assert result.methods == ("plain", "near", "knn", "near (2)")
        mapped = compare(holed(), {"plain": "mean", "near": KNNImputer()})
        assert timeless(result.records)[: len(mapped.records)] == timeless(mapped.records)

    def test_an_imputer_that_can_be_iterated_over_is_one_imputer(self):
        class Listed(Constant):
            def __iter__(self):
                return iter("ab")

        assert compare(holed(), Listed()).methods == ("Listed",)

    @pytest.mark.parametrize(
        ("name", "key"),
        [
            ("KNNImputer", "knn"),
            ("IIMImputer", "iim"),
            ("IIMImputers", "iim"),
            ("kNN", "knn"),
            ("kNNE", "knne"),
            ("XgbImputer", "xgb"),
            ("Loess", "loess"),
            ("svdimputer", "svd"),
            (b"pmm", "pmm"),
        ],
    )
    def test_other_names_of_a_method_suggest_its_key(self, name, key):
        with pytest.raises(iim.InvalidParameter) as refused:
            compare(holed(), name)
        assert str(refused.value).endswith(f"is needed; received {name!r}. Did you mean {key!r}?")
        with pytest.raises(iim.InvalidParameter, match=f"Did you mean '{key}'"):
            compare(holed(), ["mean", name])

    def test_scikit_learn_s_mean_is_ours(self):
        result = compare(holed(), ["mean", SimpleImputer()])
        ours, theirs = result.overall
        assert ours.normalised_error == pytest.approx(theirs.normalised_error, rel=1e-12)

    def test_an_object_that_returns_a_frame(self):
        frame = compare(holed(), {"f": SimpleImputer().set_output(transform="pandas")})
        array = compare(holed(), {"f": SimpleImputer()})
        assert timeless(frame.records) == timeless(array.records)

    def test_objects_stay_as_they_were(self):
        imputer, own = KNNImputer(), Constant()
        before = copy.deepcopy(vars(imputer))
        compare(holed(), [imputer, own])
        assert vars(imputer) == before
        assert not hasattr(own, "fitted_")

    def test_methods_that_draw_get_seeds(self):
        first = compare(holed(), ["pmm", "blr"], repeats=2)
        assert timeless(first.records) == timeless(compare(holed(), ["pmm", "blr"], repeats=2).records)
        own = iim.METHODS["pmm"](random_state=0)
        assert timeless(first.records)[:8] != timeless(compare(holed(), {"pmm": own}, repeats=2).records)

    @pytest.mark.parametrize(
        ("methods", "message"),
        [
            (["mean", "knm"], r"`methods`: one of 'mean', 'knn'.*or an imputer, is needed; received 'knm'"),
            ("knm", r"Did you mean 'knn'\?"),
            ({"mine": "IIM"}, r"received 'IIM'\. Did you mean 'iim'\?"),
            (["zzzzzz"], r"received 'zzzzzz'\.$"),
            ([SimpleImputer], r"Give an instance: `SimpleImputer\(\)`\."),
            ([None], "objects with `fit` and `transform`, are needed; received None"),
            ([("near", None)], "objects with `fit` and `transform`, are needed; received None"),
            ([("a", "b", "c")], r"are needed; received \('a', 'b', 'c'\)"),
            (b"knn", "`methods`: text, one of 'mean'.*received b'knn'"),
            (3, "received 3"),
            ([], "at least one method is needed"),
            ({}, "at least one method is needed"),
        ],
    )
    def test_what_is_no_method_is_refused(self, methods, message):
        with pytest.raises(iim.InvalidParameter, match=message):
            compare(holed(), methods)


class TestParameters:
    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"hide": 0.0}, "`hide` of compare: a share between 0 and 1, both excluded, or a whole number"),
            ({"hide": 1.0}, "received 1.0"),
            ({"hide": 0}, "received 0"),
            ({"hide": True}, "received True"),
            ({"hide": math.nan}, "received nan"),
            ({"repeats": 0}, "`repeats` of compare: a whole number, 1 or more, is needed; received 0"),
            ({"random_state": -1}, "`random_state` of compare"),
            ({"pattern": "rows"}, "'cells' or 'attribute' or 'clusters' is needed; received 'rows'"),
            ({"cluster_size": 0}, "received 0"),
            ({"n_jobs": 0}, "received 0"),
            ({"progress": "yes"}, "received 'yes'"),
            ({"missing_values": {}}, "received {}"),
            ({"columns": ["x9"]}, r"`columns`: one of 'x0', 'x1', 'x2', 'x3', or a position, is needed"),
            ({"columns": 4}, "received 4"),
            ({"columns": -1}, "received -1"),
            ({"columns": []}, "at least one column is needed"),
        ],
    )
    def test_impossible_values_are_refused(self, parameters, message):
        with pytest.raises(iim.InvalidParameter, match=message):
            compare(holed(), **parameters)

    def test_the_nearest_column_is_suggested(self):
        frame = pd.DataFrame(holed(), columns=["temperature", "humidity", "wind", "rain"])
        with pytest.raises(iim.InvalidParameter, match=r"received 'humdity'. Did you mean 'humidity'\?"):
            compare(frame, columns=["rain", "humdity"])

    @pytest.mark.parametrize(
        "columns", [["b", "a"], [1, 0], ["b", 0], ("a", "b", "a"), np.array(["a", "b"])]
    )
    def test_columns_by_name_or_position(self, columns):
        frame = pd.DataFrame(holed(), columns=list("abcd"))
        result = compare(frame, columns=columns)
        assert result.columns == ("a", "b")
        assert {record.column for record in result.records} == {"a", "b"}

    def test_a_name_comes_before_a_position(self):
        frame = pd.DataFrame(holed(), columns=[3, 2, 1, 0])
        assert compare(frame, columns=0).columns == (0,)
        assert compare(frame, columns=[3]).columns == (3,)


FAILING = {
    "mean": "mean",
    "raises": Raises(),
    "later": RaisesLater(),
    "holes": LeavesHoles(),
    "drops": DropsAColumn(),
}


class TestFailures:
    def test_each_is_shown_with_its_reason_and_the_others_go_on(self):
        result = compare(untied(40, 3), FAILING)
        assert result.methods == tuple(FAILING)
        assert len(result.records) == 5 * 3 * 3
        reasons = {(record.method, record.column): record.failure for record in result.records}
        assert reasons["mean", "x0"] is None
        assert reasons["raises", "x0"] == "ZeroDivisionError: cannot do that"
        assert reasons["later", "x2"] == "RuntimeError: nor that"
        assert reasons["holes", "x1"] == "2 of 2 hidden cells came back without a finite value."
        assert reasons["holes", "x0"] is None
        assert "shape (40, 2); (40, 3) is needed" in reasons["drops", "x0"]
        assert all(math.isnan(record.rms_error) for record in result.failures)
        assert len(result.failures) == 9 + 9 + 3 + 9
        failed = {score.method: score.n_failed for score in result.overall}
        assert failed == {"mean": 0, "raises": 3, "later": 3, "holes": 1, "drops": 3}
        for text in (
            "raises failed in all 3 columns: ZeroDivisionError: cannot do that",
            "holes failed in x1: 2 of 2 hidden cells",
            "1 of 3",
            "3 of 3",
        ):
            assert text in str(result)

    def test_times_end_where_it_failed(self):
        result = compare(untied(40, 3), FAILING)
        by_method = {record.method: record for record in result.records}
        assert math.isnan(by_method["raises"].fit_seconds)
        assert by_method["later"].fit_seconds >= 0
        assert math.isnan(by_method["later"].transform_seconds)
        assert by_method["holes"].transform_seconds >= 0

    def test_all_failed(self):
        result = compare(untied(40, 2), {"raises": Raises(), "again": Raises()})
        assert [best.method for best in result.recommended] == [None, None]
        assert [score.mean_rank for score in result.overall] == [1.5, 1.5]
        assert "all failed" in str(result)
        assert result.plot() is not None

    def test_infinity_is_no_fill(self):
        result = compare(untied(40, 2), {"far": Constant(np.inf)})
        assert all("without a finite value" in record.failure for record in result.records)

    def test_an_object_that_cannot_be_copied_fails_by_itself(self):
        class Stubborn(Constant):
            def __deepcopy__(self, memo):
                raise TypeError("one of a kind")

        result = compare(untied(40, 2), {"stubborn": Stubborn(), "mean": "mean"})
        assert {record.failure for record in result.failures} == {"TypeError: one of a kind"}

    def test_an_exit_is_a_failure(self):
        result = compare(untied(40, 2), {"exits": Exits(), "mean": "mean"})
        assert {record.failure for record in result.failures} == {"SystemExit: had enough"}

    def test_an_error_without_words_is_a_failure(self):
        result = compare(untied(40, 2), {"mute": RaisesUnspeakable(), "mean": "mean"})
        (reason,) = {record.failure for record in result.failures}
        assert reason == "Unspeakable: (its text cannot be shown: RuntimeError)"
        assert reason in str(result)

    def test_ctrl_c_is_not_swallowed(self):
        class Interrupted(Constant):
            def fit(self, _):
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            compare(untied(40, 2), {"mean": "mean", "interrupted": Interrupted()})

    def test_warnings_become_notes(self):
        result = compare(untied(40, 2), {"warns": Warns(), "mean": "mean"})  # warnings are errors here
        (note,) = result.notes
        assert (note.method, note.message, note.times) == ("warns", "RuntimeWarning: shaky ground", 3)
        assert result.failures == ()
        assert "warns warned 3 times: RuntimeWarning: shaky ground" in str(result)

    def test_warnings_that_differ_in_numbers_are_one_note(self):
        result = compare(holed(), {"warns": WarnsOfNumbers()}, repeats=4)
        steps, omen, rows = result.notes
        assert steps.message.startswith("RuntimeWarning: no convergence after ")
        assert (steps.times, omen.times, rows.times) == (4, 4, 8)
        assert (omen.message, rows.message) == ("RuntimeWarning: a bad omen", "RuntimeWarning: rows [1 2]")


class TestRepeatability:
    def test_the_same_seed_gives_the_same_leaderboard(self):
        first, second = (compare(holed(), ["mean", "knn", "iim"]) for _ in range(2))
        times = ["fit_seconds", "transform_seconds"]
        pd.testing.assert_frame_equal(
            first.leaderboard().drop(columns=times), second.leaderboard().drop(columns=times)
        )
        pd.testing.assert_frame_equal(
            first.to_frame().drop(columns=times), second.to_frame().drop(columns=times)
        )
        assert first.recommended == second.recommended
        assert repr(first.settings) == repr(second.settings)  # as text: NaN equals nothing
        assert first.facts == second.facts

    def test_another_seed_hides_others(self):
        assert timeless(compare(holed()).records) != timeless(compare(holed(), random_state=1).records)

    @pytest.mark.parametrize(
        "call",
        [
            {},
            {"hide": np.float32(0.1), "repeats": np.int64(2), "methods": np.array(["mean", "knn"])},
            {
                "hide": 4,
                "repeats": 2,
                "random_state": None,
                "pattern": "clusters",
                "cluster_size": np.int8(2),
            },
            {"columns": [np.int64(2), "x0"], "missing_values": np.array([-999.0, np.nan])},
            {"random_state": np.random.RandomState(3), "missing_values": -999, "columns": "x1"},
            {"methods": {"plain": "mean", "near": "knn"}, "pattern": "attribute"},
        ],
    )
    def test_settings_and_footing_repeat_the_run(self, call):
        table = np.nan_to_num(holed(), nan=-999.0) if "missing_values" in call else holed()
        first = compare(table, **call)
        assert list(first.settings) == [
            *("methods", "columns", "hide", "repeats", "random_state"),
            *("pattern", "cluster_size", "missing_values"),
        ]
        again = iim.compare(table, **first.settings, progress=False)
        assert timeless(again.records) == timeless(first.records)
        printed = " ".join(str(first).rsplit("To repeat: ", 1)[1].split()).removesuffix(
            f" with iim {iim.__version__}."
        )
        assert "np." not in printed
        repeated = eval(printed, {"iim": iim, "table": table})
        assert timeless(repeated.records) == timeless(first.records)

    def test_settings_are_plain_and_facts_apart(self):
        result = compare(holed(), ["mean"], hide=np.float32(0.25), repeats=np.int32(2), columns=np.int64(1))
        del result.settings["missing_values"]  # NaN, which equals nothing
        assert repr(result.settings) == (
            "{'methods': ['mean'], 'columns': ['x1'], 'hide': 0.25, 'repeats': 2, 'random_state': 0, "
            "'pattern': 'cells', 'cluster_size': 3}"
        )
        assert set(result.facts) == {"n_rows", "n_columns", "n_missing", "n_known", "versions"}
        assert result.facts["versions"]["iim"] == iim.__version__
        assert result.facts["n_known"] == {"x1": int(np.isfinite(holed()[:, 1]).sum())}

    def test_objects_stand_as_text_in_the_settings(self):
        result = compare(holed(), ["mean", KNNImputer(), ("near", KNNImputer(n_neighbors=2))])
        assert result.settings["methods"] == {
            "mean": "mean",
            "KNNImputer": "KNNImputer(...)",
            "near": "KNNImputer(...)",
        }
        called = (
            "methods={'mean': 'mean', 'KNNImputer': KNNImputer(...), 'near': KNNImputer(...)}, hide=0.05"
        )
        assert called in " ".join(str(result).split())

    def test_all_methods_need_no_naming(self):
        result = compare(holed(40, 2), None, repeats=1)
        assert result.settings["methods"] == list(iim.METHODS)
        assert "iim.compare(table, hide=0.05, repeats=1," in " ".join(str(result).split())

    def test_threads_change_nothing(self):
        one, two = (compare(holed(300), ["knn", "iim"], n_jobs=n_jobs) for n_jobs in (1, 2))
        assert timeless(one.records) == timeless(two.records)

    def test_it_can_be_pickled(self):
        result = compare(holed())
        assert str(pickle.loads(pickle.dumps(result))) == str(result)


class TestProgress:
    def test_a_callable_hears_of_every_fit(self):
        told = []
        compare(holed(), ["mean", "knn", "iim"], repeats=2, progress=told.append)
        assert told == pytest.approx([at / 6 for at in range(1, 7)])

    def test_what_a_callable_raises_is_not_a_failure_of_a_method(self):
        def enough(_):
            raise ValueError("enough")

        with pytest.raises(ValueError, match="enough"):
            compare(holed(), progress=enough)

    def test_a_line_is_shown_for_long_calls_only(self, capsys, monkeypatch):
        monkeypatch.setattr("iim.imputers._progress.SHOW_AFTER", 1e9)
        compare(holed(), progress=True)
        assert capsys.readouterr() == ("", "")
        monkeypatch.setattr("iim.imputers._progress.SHOW_AFTER", -1.0)
        compare(holed(), progress=True)
        out, err = capsys.readouterr()
        assert out == ""
        assert err.endswith("\riim: comparing 100%\n")
        assert err.count("\n") == 1
        shown = [line for line in err.split("\r") if line.strip()]
        assert shown[0] == "iim: comparing   0% (mean)"  # who runs, before it is done
        assert "iim: comparing  17% (knn)" in shown

    def test_progress_changes_nothing(self):
        loud, silent = (compare(holed(), ["iim"], progress=progress) for progress in (True, False))
        assert timeless(loud.records) == timeless(silent.records)


class TestChance:
    def test_the_same_method_twice_is_rarely_told_apart(self):
        table = np.random.default_rng(1).normal(size=(60, 300))
        result = compare(table, {"one": Noise(1), "two": Noise(2)}, hide=0.2)
        told_apart = np.mean([best.alike == () for best in result.recommended])
        assert 0.01 < told_apart < 0.1  # 0.05 is the level of the test

    def test_a_better_method_is_told_apart(self):
        result = compare(untied(300, 3), {"noise": Noise(1), "mean": "mean"}, repeats=5)
        assert [(best.method, best.alike) for best in result.recommended] == [("mean", ())] * 3

    def test_one_repeat_tells_nothing(self):
        result = compare(holed(), repeats=1)
        assert [best.alike for best in result.recommended] == [None] * 4
        assert str(result).count("unknown: one repeat") == 4

    def test_the_first_time_does_not_count(self):
        result = compare(holed(), {"slow": SlowAtFirst()})
        assert max(record.fit_seconds for record in result.records) >= 0.4
        assert result.overall[0].fit_seconds < 0.1  # the mean would be more


class TestAmount:
    def test_the_hidden_cells_are_counted(self):
        table = holed(200, 3)
        table[100:, 1] = np.nan
        result = compare(table, hide=0.1)
        expected = [round(0.1 * n) for n in np.isfinite(table).sum(axis=0)]
        assert [best.n_cells for best in result.recommended] == expected
        assert [score.n_cells for score in result.by_column] == expected * 2
        text = " ".join(str(result).split())
        assert f"{min(expected)} to {max(expected)} known cells of each scored column (hide=0.1)" in text
        assert f"x1 {expected[1]} " in text

    def test_more_than_there_are(self):
        table = untied(50, 3)
        table[40:, 1] = np.nan
        text = " ".join(str(compare(table, hide=45)).split())
        assert "39 to 45 known cells of each scored column (45 were asked for) hidden" in text
        assert "More than half of the known cells were hidden in x0, x1, x2:" in text

    def test_just_what_was_asked_for(self):
        text = " ".join(str(compare(untied(50, 3), hide=25)).split())
        assert ": 25 known cells of each scored column hidden in all columns" in text
        assert "More than half" not in text
        robbed = compare(untied(50, 3), hide=26, columns=["x2"])
        assert "cells were hidden in x2:" in " ".join(str(robbed).split())


def test_the_name_is_the_function_whatever_is_imported():
    assert iim.compare is comparing.compare
    assert callable(iim.compare)


def test_records_come_in_the_order_of_methods_columns_and_repeats():
    result = compare(holed(), ["knn", "mean"], repeats=2, pattern="attribute")
    expected = itertools.product(["knn", "mean"], ["x0", "x1", "x2", "x3"], range(2))
    assert [(record.method, record.column, record.repeat) for record in result.records] == list(expected)
