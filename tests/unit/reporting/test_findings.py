"""What a report is made of: any table, any imputer, and what was found before."""

import math
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import iim
from iim.reporting import Origin
from iim.table.frames import read_frame
from reports import quick
from strategies import holed, untied
from tables_by_hand import SMALL

NAN = np.nan


def numbers(summary):
    """All of it but times."""
    found = summary.to_dict()
    return {**found, "repeat": {**found["repeat"], "seconds": None}}


def test_columns_are_in_the_order_of_the_table():
    columns = quick(SMALL).columns
    assert [one.name for one in columns] == ["a", "b", "who", "c"]
    assert [one.position for one in columns] == [0, 1, 2, 3]
    assert columns[2].kind == "text: 6 different texts in 6 rows"
    assert {one.kind for one in columns} - {columns[2].kind} == {"numbers"}
    assert [one.n_missing for one in columns] == [2, 1, 0, 0]
    one = columns[0].observed
    assert (one.n, one.low, one.high, one.mean) == (4, 1.0, 4.0, 2.5)
    assert (one.lower_quartile, one.median) == (1.75, 2.5)
    assert one.deviation == pytest.approx(math.sqrt(1.25))


@pytest.mark.parametrize(
    "make", [pd.DataFrame, pl.DataFrame, lambda columns: np.column_stack(list(columns.values()))]
)
@pytest.mark.parametrize("method", ["iim", "pmm"])
def test_any_kind_of_table_gives_the_same_numbers(make, method):
    table = holed()
    columns = {f"x{at}": column for at, column in enumerate(table.T)}
    found = quick(make(columns), method, measure=True)
    assert numbers(found) == numbers(quick(table, method, measure=True))


class TestTablesAtTheEdge:
    def test_nothing_is_filled(self):
        found = quick(SMALL, None)
        assert found.filled is None
        assert found.repeat.settings == {}
        assert found.repeat.seconds == {}
        assert found.sure is None

    def test_nothing_is_missing(self):
        found = quick(untied(20, 2), "iim")
        assert (found.missing.n_missing, found.missing.n_patterns, found.filled.n_filled) == (0, 0, 0)
        assert found.sure is None

    @pytest.mark.parametrize("keep", [True, False])
    def test_a_column_without_a_value(self, keep):
        found = quick(SMALL.assign(empty=NAN), iim.KnnImputer(keep_empty_features=keep, n_jobs=1))
        one = found.columns[4]
        assert (one.n_missing, one.n_known, one.observed) == (6, 0, None)
        assert found.filled.columns[3].n_filled == (6 if keep else 0)
        assert found.filled.n_left == (0 if keep else 6)
        assert any("No value is known" in note for note in found.notes)

    def test_one_row_and_one_column(self):
        assert quick([[1.0, 2.0]], "iim").missing.n_complete == 1
        found = quick([[1.0], [NAN], [3.0]], "iim")
        assert found.filled.columns[0].values.mean == 2.0
        assert found.filled.columns[0].fallbacks == {"column mean": 1}

    def test_whole_numbers_and_booleans(self):
        table = pd.DataFrame(
            {
                "n": pd.array([1, 2, None, 4], dtype="Int64"),
                "yes": pd.array([True, None, False, True], dtype="boolean"),
            }
        )
        found = quick(table, iim.KnnImputer(n_neighbors=1, round_integers=True, n_jobs=1))
        assert [one.kind for one in found.columns] == ["numbers", "numbers"]
        assert found.filled.columns[1].histogram.edges == (0.0, 1.0)
        assert found.filled.columns[1].histogram.observed == (1, 2)

    def test_an_array_with_text_beside_numbers(self):
        table = np.array([["u", 1.0, 2.0], ["v", NAN, 4.0], ["w", 3.0, NAN]], dtype=object)
        found = quick(table, "iim")
        assert [one.name for one in found.columns] == ["x0", "x1", "x2"]
        assert [(one.position, one.n_filled) for one in found.filled.columns] == [(1, 1), (2, 1)]
        assert {one.column for one in found.sure.cells} == {1, 2}

    def test_values_of_any_size(self):
        table = untied(30, 2) * [1e306, 1e-310]
        table[::4, 0], table[1::4, 1] = NAN, NAN
        found = quick(table, "knn")
        for column, one in zip(found.columns, found.filled.columns, strict=True):
            assert math.isfinite(column.observed.mean)
            assert sum(one.histogram.observed) == column.n_known
            assert sum(one.histogram.filled) == one.n_filled

    def test_what_else_means_missing(self):
        table = [[1.0, -200.0], [2.0, 4.0], [-200.0, 6.0], [4.0, 8.0]]
        for found in (
            quick(table, "knn", missing_values=-200),
            quick(table, iim.KnnImputer(missing_values=-200)),
        ):
            assert (found.missing.n_missing, found.filled.n_filled) == (2, 2)


class TestTheImputer:
    def test_a_fitted_one_is_used_and_not_changed(self):
        other, table = untied(50, 3, seed=1), untied(20, 3, seed=2)
        table[::4, 2] = NAN
        imputer = iim.KnnImputer(n_jobs=1).fit(other)
        before = {name: id(value) for name, value in vars(imputer).items()}
        found = quick(table, imputer, progress=lambda _: None)
        assert {name: id(value) for name, value in vars(imputer).items()} == before
        filled = imputer.transform(table)[::4, 2]
        assert found.filled.columns[2].values.mean == pytest.approx(filled.mean(), rel=1e-12)
        assert set(found.repeat.seconds) == {"fill"}

    def test_one_that_is_not_fitted_stays_so(self):
        imputer = iim.KnnImputer(n_neighbors=2)
        found = quick(SMALL, imputer)
        assert not hasattr(imputer, "n_features_in_")
        assert found.repeat.settings["n_neighbors"] == 2

    def test_one_that_was_fitted_with_text_beside_the_numbers(self):
        imputer = iim.IIMImputer(columns=["a", "c"], n_jobs=1).fit(SMALL)
        found = quick(SMALL, imputer)
        assert [one.n_filled for one in found.filled.columns] == [2, 0, 0]
        assert found.filled.n_left == 1
        assert {one.column for one in found.sure.cells} == {0}

    def test_warnings_become_notes(self):
        table = SMALL.assign(empty=NAN)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = quick(table, "knn")
        assert len(found.notes) == len(set(found.notes)) >= 1

    def test_progress_goes_from_0_to_1_once(self):
        told = []
        quick(SMALL, "iim", measure=True, compare=["mean", "knn"], progress=told.append)
        assert told == sorted(told)
        assert told[-1] == 1.0

    def test_asking_for_candidates_takes_its_time(self):
        told = []
        assert list(quick(SMALL, "iim", progress=told.append).repeat.seconds) == ["fill", "candidates"]
        assert told[-1] == 1.0


class TestReadyResults:
    def test_those_of_another_table_are_refused(self):
        table = holed()
        for settings in (
            {"measure": iim.diagnose(table[:30], progress=False)},
            {"compare": iim.compare(table[:30], ["mean"], progress=False)},
        ):
            with pytest.raises(iim.InvalidParameter, match="a result of the same table is needed"):
                quick(table, **settings)

    def test_those_of_other_columns_are_refused(self):
        table = pd.DataFrame(holed(), columns=list("abcd"))
        other = table.rename(columns={"b": "bad\nname"})
        for settings in (
            {"measure": iim.diagnose(other, progress=False)},
            {"compare": iim.compare(other, ["mean"], progress=False)},
        ):
            with pytest.raises(iim.InvalidParameter, match="one with other columns, such as bad name"):
                quick(table, None, **settings)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"imputer": "kn"}, "Did you mean 'knn'"),
        ({"imputer": iim.KnnImputer}, r"Give an instance: `KnnImputer\(\)`"),
        ({"imputer": 3}, "`imputer`: a key of iim.METHODS, an imputer of iim, or None, is needed"),
        ({"compare": "knn"}, "`compare`: True, False, a list of methods, or a Comparison, is needed"),
        ({"compare": ["mean", "kn"]}, "Did you mean 'knn'"),
        ({"measure": "yes"}, "`measure`: True, False, or a Diagnosis, is needed"),
        ({"title": 3}, "`title` of summarize: None, or text, is needed"),
        ({"imputer": iim.KnnImputer(), "missing_values": -1}, "`missing_values`: none is needed beside"),
    ],
)
def test_parameters_that_cannot_be(settings, message):
    with pytest.raises(iim.InvalidParameter, match=message):
        iim.summarize(SMALL, **settings)


def test_names_of_methods_are_checked_before_the_work():
    with pytest.raises(iim.InvalidParameter, match="Did you mean 'knn'"):
        iim.summarize(None, compare=(name for name in ["mean", "kn"]))


class TestWhatWasDoneBefore:
    @pytest.mark.parametrize("kind", ["array", "pandas", "polars", "pyarrow"])
    @pytest.mark.parametrize("method", ["iim", "knn", "pmm"])
    def test_what_was_filled_is_not_filled_again(self, monkeypatch, kind, method):
        table = holed()
        frame = table if kind == "array" else pd.DataFrame(table, columns=list("abcd"))
        if kind in ("polars", "pyarrow"):
            frame = (
                pl.from_pandas(frame)
                if kind == "polars"
                else pa.Table.from_pandas(frame, preserve_index=False)
            )
        expected = quick(frame, iim.METHODS[method]())
        imputer = iim.METHODS[method]()
        filled = imputer.fit_transform(frame)
        monkeypatch.setattr(iim.METHODS[method], "_fill", None)
        monkeypatch.setattr(iim.METHODS[method], "_fit_fill", None)
        found = quick(frame, imputer, filled=filled)
        assert numbers(found) == numbers(expected)

    def test_columns_that_were_left_out_or_added(self):
        table = SMALL.assign(empty=NAN)
        imputer = iim.IIMImputer(columns=["a", "c", "empty"], add_indicator=True, n_jobs=1)
        with pytest.warns(iim.ImputationWarning):
            filled = imputer.fit_transform(table)
        found = quick(table, imputer, filled=filled)
        assert [one.n_filled for one in found.filled.columns] == [2, 0, 0, 0]
        assert found.filled == quick(table, imputer).filled

    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            (
                {"imputer": "knn", "filled": SMALL},
                "`filled`: the fitted imputer that returned it is needed",
            ),
            ({"imputer": None, "filled": SMALL}, "`filled`: the fitted imputer that returned it is needed"),
            ({"imputer": iim.KnnImputer(), "filled": SMALL}, "`filled`: the fitted imputer"),
            (
                {"imputer": iim.KnnImputer().fit(holed()), "filled": holed()[:3]},
                r"of 6 rows and 4 columns, is needed; received a table of shape \(3, 4\)",
            ),
        ],
    )
    def test_what_does_not_belong_together_is_refused(self, settings, message):
        with pytest.raises(iim.InvalidParameter, match=message):
            iim.summarize(SMALL, **settings)

    def test_the_name_of_the_file_is_all_it_takes(self):
        found = quick(SMALL, source="a b.csv")
        assert (found.title, found.source) == ("Missing values of a b.csv", "a b.csv")
        assert "table = pandas.read_csv('a b.csv')" in found.repeat.snippet

    def test_whoever_read_the_file_can_say_more_of_it(self):
        origin = Origin("a.csv", ("id", "a", "b", "c"), {"id": "id"}, ["one"], {"read": 1})
        table = SMALL[["a", "b", "c"]]
        found = quick(table, "knn", source=origin)
        assert [(one.name, one.kind) for one in found.columns] == [
            ("id", "id"),
            ("a", "numbers"),
            ("b", "numbers"),
            ("c", "numbers"),
        ]
        assert [one.n_filled for one in found.filled.columns] == [2, 1, 0]
        assert (found.notes, found.missing.n_set_aside) == (("one",), 1)
        assert found.repeat.seconds["read"] == 1.0
        assert list(found.repeat.seconds) == ["read", "fill"]


@pytest.mark.parametrize("settings", [{}, {"filled": True}])
def test_a_frame_is_read_once_to_fill_it_and_once_to_look_at_it(monkeypatch, settings):
    n_read = []

    def count(*given, **more):
        n_read.append(1)
        return read_frame(*given, **more)

    for place in ("iim.table.tables", "iim.imputers._base"):
        monkeypatch.setattr(f"{place}.read_frame", count)
    imputer = iim.IIMImputer(n_jobs=1)
    frame = pd.DataFrame(holed())
    if settings:
        settings = {"filled": imputer.fit_transform(frame)}
    iim.summarize(frame, imputer, n_jobs=1, **settings)
    assert len(n_read) == 2
