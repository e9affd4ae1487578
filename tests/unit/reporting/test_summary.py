"""The numbers of a summary, on tables small enough to count by hand."""

import json
import math
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import iim
from iim.reporting import Origin, certainty, holes, words
from iim.reporting.certainty import count_sizes
from iim.reporting.distributions import MOST_BINS, count_in_bins, describe
from iim.table._frames import read_frame
from strategies import holed, untied

NAN = np.nan
SMALL = pd.DataFrame(
    {
        "a": [1.0, 2.0, 3.0, 4.0, NAN, NAN],
        "b": [2.0, 4.0, 6.0, 8.0, 10.0, NAN],
        "who": list("uvwxyz"),
        "c": [0.0, 0.0, 1.0, 1.0, 1.0, 0.0],
    }
)


def quick(table, imputer="mean", **settings):
    return iim.summarize(table, imputer, **{"measure": False, "n_jobs": 1, **settings})


def numbers(summary):
    """All of it but times."""
    return {**summary.to_dict(), "seconds": None}


class TestByHand:
    found = quick(SMALL)

    def test_the_table(self):
        facts = self.found.table
        assert (facts.n_rows, facts.n_columns, facts.n_set_aside) == (6, 3, 1)
        assert (facts.n_missing, facts.n_complete, facts.n_patterns) == (3, 4, 2)
        assert facts.share == 3 / 18

    def test_its_columns_are_in_the_order_of_the_table(self):
        assert [one.name for one in self.found.columns] == ["a", "b", "who", "c"]
        assert [one.position for one in self.found.columns] == [0, 1, 2, 3]
        assert [one.kind for one in self.found.columns] == [
            "numbers",
            "numbers",
            "text: 6 different texts in 6 rows",
            "numbers",
        ]
        assert [one.n_missing for one in self.found.columns] == [2, 1, 0, 0]
        assert [one.n_filled for one in self.found.columns] == [2, 1, 0, 0]
        assert self.found.columns[2].histogram is None

    def test_a_column(self):
        one = self.found.columns[0]
        assert (one.observed.n, one.observed.low, one.observed.high) == (4, 1.0, 4.0)
        assert (one.observed.lower_quartile, one.observed.median) == (1.75, 2.5)
        assert one.observed.mean == 2.5
        assert one.observed.deviation == pytest.approx(math.sqrt(1.25))
        assert (one.filled.n, one.filled.low, one.filled.high) == (2, 2.5, 2.5)
        assert one.outside == 0.0
        assert one.histogram.single
        assert one.histogram.edges == (1.0, 2.0, 2.5, 3.0, 4.0)
        assert one.histogram.observed == (1, 1, 0, 1, 1)
        assert one.histogram.filled == (0, 0, 2, 0, 0)

    def test_holes_and_patterns(self):
        found = self.found.holes
        assert found.columns == (0, 1, 3)
        assert found.starts == (0, 1, 2, 3, 4, 5, 6)
        assert found.missing == ((0, 0, 0, 0, 1, 1), (0, 0, 0, 0, 0, 1), (0, 0, 0, 0, 0, 0))
        assert [(one.columns, one.n_rows) for one in found.patterns] == [((0,), 1), ((0, 1), 1)]
        # Of a and b, four rows know a with c, and five know b with it.
        assert [(one.least_donors, one.most_donors) for one in found.patterns] == [(4, 4), (4, 5)]

    def test_the_filling(self):
        filling = self.found.filling
        assert (filling.method, filling.imputer, filling.n_filled, filling.n_left) == (
            "mean",
            "MeanImputer",
            3,
            0,
        )
        assert (filling.n_fallbacks, filling.fallbacks_counted) == (None, "never")
        assert self.found.certainty is None
        assert self.found.settings["missing_values"] == "nan"
        assert set(self.found.seconds) == {"fill"}
        assert self.found.versions["iim"] == iim.__version__


def test_the_candidates_of_iim_by_hand():
    # All models say the same but for the last row, of which nothing is known but c.
    table = SMALL[["a", "b"]]
    imputer = iim.IIMImputer(n_neighbors=2, min_donors=1, n_jobs=1).fit(table)
    candidates = imputer.candidates(table)
    found = quick(table, imputer)
    assert found.certainty.n_asked == found.certainty.n_cells == 3
    by_place = {(one.row, one.column): one for one in found.certainty.cells}
    assert set(by_place) == {(4, 0), (5, 0), (5, 1)}
    voted = by_place[4, 0]
    weights, values = candidates.weights[0], candidates.values[0]
    mean = (weights * values).sum()
    spread = math.sqrt((weights * (values - mean) ** 2).sum()) / math.sqrt(1.25)
    assert voted.spread == pytest.approx(spread, abs=1e-12)
    assert (voted.low, voted.high) == (values.min(), values.max())
    # A column mean is as uncertain as the known values, which it stands for.
    by_mean = by_place[5, 0]
    assert (by_mean.fallback, by_mean.spread, by_mean.low, by_mean.high) == ("column mean", 1.0, 1.0, 4.0)
    assert found.filling.n_fallbacks == 2
    assert found.filling.fallbacks_counted == "cells"
    assert [one.fallbacks for one in found.columns] == [{"column mean": 1}, {"column mean": 1}]
    sizes = candidates.n_learning[candidates.n_learning > 0]
    assert sum(found.certainty.learning.counts) == sizes.size
    assert found.columns[0].learning.counts == found.certainty.learning.counts


def test_the_least_certain_cells_come_first():
    table = holed()
    found = quick(table, "iim").certainty
    spreads = [one.spread for one in found.cells]
    assert spreads == sorted(spreads, reverse=True)
    assert len(spreads) == min(certainty.MOST_LISTED, found.n_asked)
    assert found.median <= found.upper <= spreads[0]


@pytest.mark.parametrize("kind", ["array", "pandas", "polars", "pyarrow"])
def test_more_cells_than_are_asked_for_are_sampled_evenly(monkeypatch, kind):
    monkeypatch.setattr(certainty, "MOST_ASKED", 8)
    table = holed()
    frame = table if kind == "array" else pd.DataFrame(table, index=range(80, 0, -1), columns=list("abcd"))
    if kind in ("polars", "pyarrow"):
        frame = (
            pl.from_pandas(frame) if kind == "polars" else pa.Table.from_pandas(frame, preserve_index=False)
        )
    imputer = iim.IIMImputer(n_jobs=1).fit(frame)
    found = quick(frame, imputer)
    assert 0 < found.certainty.n_asked <= 8 < found.certainty.n_cells
    assert found.certainty.every > 1
    rows = np.flatnonzero(np.isnan(table).any(axis=1))[:: found.certainty.every]
    assert found.certainty.n_asked == np.isnan(table[rows]).sum()
    assert {one.row for one in found.certainty.cells} <= set(rows.tolist())
    # It was fitted before: who knows on what.
    assert (found.filling.n_fallbacks, found.filling.fallbacks_counted) == (None, "elsewhere")
    again = quick(frame, iim.IIMImputer(n_jobs=1))
    assert (again.filling.n_fallbacks, again.filling.fallbacks_counted) == (0, "fit")


class TestCellsWithoutASpread:
    def test_one_model_does_not_disagree(self):
        found = quick(holed(), iim.IIMImputer(n_neighbors=1, min_donors=1, n_jobs=1))
        assert (found.certainty.n_asked, found.certainty.n_judged) == (17, 0)
        assert {(one.spread, one.n_models) for one in found.certainty.cells} == {(None, 1)}
        assert math.isnan(found.certainty.median)
        assert {one.spread for one in found.columns} == {None}
        assert "spread" not in " ".join(words.lead(found))
        figure = next(one for one in words.key_figures(found) if one.label == "Spread of candidates")
        assert (figure.value, figure.note) == ("\N{EN DASH}", "no cell has two models that were asked")
        assert "17 cells have none, because one model was asked" in words.sure(found)
        assert found.to_dict()["certainty"]["median"] is None

    def test_a_column_that_does_not_vary_has_no_measure(self):
        table = np.column_stack([holed(), np.ones(80)])
        table[:3, 4] = NAN
        found = quick(table, "iim").certainty
        assert (found.n_asked, found.n_judged) == (20, 17)
        assert [(one.row, one.column, one.spread) for one in found.cells[:3]] == [
            (0, 4, None),
            (1, 4, None),
            (2, 4, None),
        ]
        assert found.cells[3].spread == max(one.spread for one in found.cells[3:])
        alone = quick(holed(), "iim").certainty
        assert found.median == pytest.approx(alone.median, rel=0.5)
        assert found.median > 0.0

    def test_a_column_of_one_known_value(self):
        table = np.column_stack([holed(), np.full(80, NAN)])
        table[0, 4] = 5.0
        found = quick(table, iim.IIMImputer(n_jobs=1)).certainty
        assert found.n_asked - found.n_judged == 79


class TestFallbacks:
    def test_those_of_another_table_are_not_told(self):
        other = [[1.0, 2.0, 3.0], [NAN, NAN, NAN], [2.0, 3.0, 4.0]]
        imputer = iim.KnnImputer(n_jobs=1).fit(other)
        assert sum(sum(one.values()) for one in imputer.fallbacks_.values()) == 3
        found = quick([[1.0, NAN, 3.0]], imputer)
        assert (found.filling.n_fallbacks, found.filling.fallbacks_counted) == (None, "elsewhere")
        assert {len(one.fallbacks) for one in found.columns} == {0}
        figure = next(one for one in words.key_figures(found) if one.label == "Fallbacks")
        assert figure.note == "not counted: the imputer was fitted before"

    @pytest.mark.parametrize("method", [iim.IIMImputer, iim.KnnImputer])
    def test_zeros_of_an_empty_column_are_some(self, method):
        table = np.column_stack([holed(), np.full(80, NAN)])
        found = quick(table, method(keep_empty_features=True, n_jobs=1))
        assert found.columns[4].fallbacks == {"no known value: 0": 80}
        assert found.filling.n_fallbacks == 80

    def test_methods_that_do_not_count_tell_of_zeros_too(self):
        found = quick(SMALL.assign(empty=NAN), iim.MeanImputer(keep_empty_features=True))
        assert found.columns[4].fallbacks == {"no known value: 0": 6}
        assert found.filling.n_fallbacks is None

    def test_nothing_filled_is_not_as_asked_for(self):
        figures = words.key_figures(quick(untied(20, 2), "iim"))
        assert ("\N{EN DASH}", "nothing was filled") in [(one.value, one.note) for one in figures]
        assert "as asked for" not in str(figures)


class TestTheLead:
    def test_it_does_not_promise_too_much(self):
        said = " ".join(words.lead(quick(holed(), "iim")))
        assert said.startswith("Half of the cells have candidates whose spread is ")
        assert "standard deviations of the column or less, nine of ten" in said
        assert "a fill can be further off than its candidates are from each other." in said
        assert "agree" not in said

    def test_it_says_of_how_many_cells(self, monkeypatch):
        monkeypatch.setattr(certainty, "MOST_ASKED", 8)
        found = quick(holed(), "iim")
        n_asked = found.certainty.n_asked
        assert words.lead(found)[0].startswith(f"Of {n_asked} of 17 filled cells, half have candidates")
        assert any(f"of {n_asked} of 17 cells" in one.note for one in words.key_figures(found))

    def test_it_rounds_nothing_away(self):
        certain = replace(quick(holed(), "iim").certainty, median=2e-6, upper=0.0)
        said = words._agreement(certain)
        assert "is under 0.01 standard deviations of the column, nine of ten 0;" in said

    def test_the_method_that_filled_is_named(self):
        table = holed()
        comparison = iim.compare(table, ["mean", "knn", "iim"], progress=False)
        best, worst = comparison.overall[0].method, comparison.overall[-1].method
        own = quick(table, worst, compare=comparison)
        assert own.contest.filler.method == worst
        assert f"{worst}, which filled this table, is off by" in words.lead(own)[-1]
        assert f"best of 3 methods is {best} with" in words.lead(own)[-1]
        assert (
            f"{best}, which filled this table, does best"
            in (words.lead(quick(table, best, compare=comparison))[-1])
        )

    def test_other_settings_are_not_those_that_were_compared(self):
        table = holed()
        found = quick(table, iim.KnnImputer(n_neighbors=3), compare=["mean", "knn"])
        said = "The compared knn has its default settings; the fills were made with others."
        assert (found.contest.own, found.contest.filler) == ("knn", None)
        assert said in words.lead(found)
        assert said in words.good(found)
        named = quick(table, iim.KnnImputer(n_jobs=1), compare={"mine": "knn", "other": iim.KnnImputer()})
        assert named.contest.filler.method == "mine"
        assert quick(table, "glr", compare=["mean"]).contest.own is None


def test_numbers_as_text_and_json():
    found = quick(SMALL.assign(empty=NAN), "knn", measure=True, compare=["mean", "knn"])
    plain = found.to_dict()
    assert next(iter(plain)) == "format"
    assert plain["format"] == 1
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert plain["columns"][0]["observed"]["mean"] == 2.5
    assert plain["columns"][4]["observed"] is None


@pytest.mark.parametrize(
    "make", [pd.DataFrame, pl.DataFrame, lambda columns: np.column_stack(list(columns.values()))]
)
@pytest.mark.parametrize("method", ["iim", "pmm"])
def test_any_kind_of_table_gives_the_same_numbers(make, method):
    table = holed()
    columns = {f"x{at}": column for at, column in enumerate(table.T)}
    found = quick(make(columns), method, measure=True)
    assert numbers(found) == numbers(quick(table, method, measure=True))


@pytest.mark.parametrize("method", iim.METHODS)
def test_every_method_gives_a_summary(method):
    table = untied(40, 3)
    table[::5, 1] = NAN
    found = quick(table, method)
    assert found.filling.method == method
    assert found.filling.n_filled == 8
    expected = iim.METHODS[method]().fit_transform(table)[::5, 1]
    one = found.columns[1]
    if "random_state" not in iim.METHODS[method]().get_params():
        assert (one.filled.low, one.filled.high) == pytest.approx(
            (expected.min(), expected.max()), rel=1e-12
        )


class TestTablesAtTheEdge:
    def test_nothing_is_filled(self):
        found = quick(SMALL, None)
        assert found.filling is None
        assert found.settings == {}
        assert found.seconds == {}
        assert [one.n_filled for one in found.columns] == [0, 0, 0, 0]

    def test_nothing_is_missing(self):
        found = quick(untied(20, 2), "iim")
        assert (found.table.n_missing, found.table.n_patterns, found.filling.n_filled) == (0, 0, 0)
        assert found.certainty is None

    @pytest.mark.parametrize("keep", [True, False])
    def test_a_column_without_a_value(self, keep):
        found = quick(SMALL.assign(empty=NAN), iim.KnnImputer(keep_empty_features=keep, n_jobs=1))
        one = found.columns[4]
        assert (one.n_missing, one.n_known, one.n_filled) == (6, 0, 6 if keep else 0)
        assert one.observed is None
        assert found.filling.n_left == (0 if keep else 6)
        assert any("No value is known" in note for note in found.notes)

    def test_one_row_and_one_column(self):
        assert quick([[1.0, 2.0]], "iim").table.n_complete == 1
        found = quick([[1.0], [NAN], [3.0]], "iim")
        assert found.columns[0].filled.mean == 2.0
        assert found.columns[0].fallbacks == {"column mean": 1}

    def test_whole_numbers_and_booleans(self):
        table = pd.DataFrame(
            {
                "n": pd.array([1, 2, None, 4], dtype="Int64"),
                "yes": pd.array([True, None, False, True], dtype="boolean"),
            }
        )
        found = quick(table, iim.KnnImputer(n_neighbors=1, round_integers=True, n_jobs=1))
        assert [one.kind for one in found.columns] == ["numbers", "numbers"]
        assert found.columns[1].histogram.edges == (0.0, 1.0)
        assert found.columns[1].histogram.observed == (1, 2)

    def test_an_array_with_text_beside_numbers(self):
        table = np.array([["u", 1.0, 2.0], ["v", NAN, 4.0], ["w", 3.0, NAN]], dtype=object)
        found = quick(table, "iim")
        assert [one.name for one in found.columns] == ["x0", "x1", "x2"]
        assert [one.n_filled for one in found.columns] == [0, 1, 1]
        assert {one.column for one in found.certainty.cells} == {1, 2}

    def test_values_of_any_size(self):
        table = untied(30, 2) * [1e306, 1e-310]
        table[::4, 0], table[1::4, 1] = NAN, NAN
        found = quick(table, "knn")
        for one in found.columns:
            assert math.isfinite(one.observed.mean)
            assert sum(one.histogram.observed) == one.n_known
            assert sum(one.histogram.filled) == one.n_filled

    def test_what_else_means_missing(self):
        table = [[1.0, -200.0], [2.0, 4.0], [-200.0, 6.0], [4.0, 8.0]]
        for found in (
            quick(table, "knn", missing_values=-200),
            quick(table, iim.KnnImputer(missing_values=-200)),
        ):
            assert (found.table.n_missing, found.filling.n_filled) == (2, 2)


class TestTheImputer:
    def test_a_fitted_one_is_used_and_not_changed(self):
        other, table = untied(50, 3, seed=1), untied(20, 3, seed=2)
        table[::4, 2] = NAN
        imputer = iim.KnnImputer(n_jobs=1).fit(other)
        before = {name: id(value) for name, value in vars(imputer).items()}
        found = quick(table, imputer, progress=lambda _: None)
        assert {name: id(value) for name, value in vars(imputer).items()} == before
        filled = imputer.transform(table)[::4, 2]
        assert found.columns[2].filled.mean == pytest.approx(filled.mean(), rel=1e-12)
        assert set(found.seconds) == {"fill"}

    def test_one_that_is_not_fitted_stays_so(self):
        imputer = iim.KnnImputer(n_neighbors=2)
        found = quick(SMALL, imputer)
        assert not hasattr(imputer, "n_features_in_")
        assert found.settings["n_neighbors"] == 2

    def test_one_that_was_fitted_with_text_beside_the_numbers(self):
        imputer = iim.IIMImputer(columns=["a", "c"], n_jobs=1).fit(SMALL)
        found = quick(SMALL, imputer)
        assert [one.n_filled for one in found.columns] == [2, 0, 0, 0]
        assert found.filling.n_left == 1
        assert {one.column for one in found.certainty.cells} == {0}

    def test_settings_are_plain_values(self):
        imputer = iim.PmmImputer(
            random_state=np.random.RandomState(0), columns=("a", "b"), min_value={"a": np.float64(0)}
        )
        settings = quick(SMALL, imputer).settings
        assert settings["random_state"] == "(RandomState)"
        assert settings["columns"] == ["a", "b"]
        assert settings["min_value"] == {"a": 0.0}

    def test_the_snippet_runs_and_gives_the_same(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        found = quick(SMALL, iim.KnnImputer(n_neighbors=2, weights="distance"), compare=["mean", "knn"])
        assert "n_neighbors=2, weights='distance'" in found.snippet
        scope = {"table": SMALL}
        exec(found.snippet, scope)
        again = scope["report"].summary
        assert (tmp_path / "report.html").exists()
        assert again.columns == found.columns
        assert [one.error for one in again.contest.leaders] == [one.error for one in found.contest.leaders]

    @pytest.mark.parametrize(
        "settings",
        [
            {"imputer": "pmm", "random_state": 7, "measure": True, "compare": ["mean", "pmm"]},
            {"imputer": "iim", "missing_values": [-200, NAN], "measure": True},
            {"imputer": None, "missing_values": -200, "measure": True, "random_state": 3},
            {"imputer": iim.KnnImputer(max_value=math.inf, min_value={0: 0.5, 1: -math.inf})},
            {"imputer": "knn", "compare": {"near": "knn", "mean": "mean"}, "title": "A 'title'"},
            {"imputer": "mean", "random_state": np.random.RandomState(0), "measure": True},
        ],
    )
    def test_the_snippet_repeats_all_numbers(self, tmp_path, monkeypatch, settings):
        monkeypatch.chdir(tmp_path)
        table = np.where(np.isnan(holed()), -200, holed()) if "missing_values" in settings else holed()
        found = quick(table, **settings)
        scope = {"table": table}
        exec(found.snippet, scope)
        assert "#" not in found.snippet
        again = scope["report"].summary
        assert (again.title, again.table, again.columns) == (found.title, found.table, found.columns)
        assert again.settings == found.settings
        assert again.snippet == found.snippet
        if found.contest:
            errors = [[one.error for one in each.contest.leaders] for each in (again, found)]
            assert errors[0] == errors[1]

    def test_ready_results_are_made_again(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        table = holed()
        comparison = iim.compare(table, ["mean", "knn"], [0, 1], repeats=2, random_state=5, progress=False)
        diagnosis = iim.diagnose(table, columns=[2], n_neighbors=4, progress=False)
        found = quick(table, "knn", compare=comparison, measure=diagnosis)
        scope = {"table": table}
        exec(found.snippet, scope)
        again = scope["report"].summary
        assert again.columns == found.columns
        assert [one.error for one in again.contest.leaders] == [one.error for one in found.contest.leaders]
        assert len(again.contest.best) == 2

    def test_the_snippet_says_what_it_cannot_repeat(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        table = holed()
        imputer = iim.PmmImputer(random_state=np.random.RandomState(0)).fit(table)
        found = quick(table, imputer, compare=["mean", ("my\nown", iim.KnnImputer(n_neighbors=2))])
        comments = [line for line in found.snippet.splitlines() if line.startswith("#")]
        assert comments == [
            "# random_state holds a RandomState, which cannot be written as code.",
            "# It was fitted before the report, maybe on another table; here it is fitted anew.",
            "# Objects that were compared cannot be written as code: 'my\\nown'.",
        ]
        exec(found.snippet, {"table": table})
        only = quick(table, "mean", compare=[iim.KnnImputer(n_neighbors=2)])
        assert "compare" not in only.snippet.splitlines()[-1]

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
        assert list(quick(SMALL, "iim", progress=told.append).seconds) == ["fill", "candidates"]
        assert told[-1] == 1.0


class TestReadyResults:
    def test_they_are_taken(self):
        table = holed()
        diagnosis = iim.diagnose(table, progress=False)
        comparison = iim.compare(table, ["mean", "knn"], progress=False)
        found = quick(table, None, measure=diagnosis, compare=comparison)
        assert found.seconds == {}
        assert [one.r2_neighbors for one in found.columns] == [
            one.r2_neighbors for one in diagnosis.columns
        ]
        assert [one.method for one in found.contest.leaders] == [one.method for one in comparison.overall]
        assert [one.method for one in found.contest.best] == [one.method for one in comparison.recommended]

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
        assert numbers(found) == {**numbers(expected), "seconds": None}

    def test_columns_that_were_left_out_or_added(self):
        table = SMALL.assign(empty=NAN)
        imputer = iim.IIMImputer(columns=["a", "c", "empty"], add_indicator=True, n_jobs=1)
        with pytest.warns(iim.ImputationWarning):
            filled = imputer.fit_transform(table)
        found = quick(table, imputer, filled=filled)
        assert [one.n_filled for one in found.columns] == [2, 0, 0, 0, 0]
        assert found.columns[0].filled == quick(table, imputer).columns[0].filled

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
        assert "table = pandas.read_csv('a b.csv')" in found.snippet

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
        assert [one.n_filled for one in found.columns] == [0, 2, 1, 0]
        assert (found.notes, found.table.n_set_aside) == (("one",), 1)
        assert found.seconds["read"] == 1.0
        assert list(found.seconds) == ["read", "fill"]


@pytest.mark.parametrize("settings", [{}, {"filled": True}])
def test_a_frame_is_read_once_to_fill_it_and_once_to_look_at_it(monkeypatch, settings):
    n_read = []

    def count(*given, **more):
        n_read.append(1)
        return read_frame(*given, **more)

    for place in ("iim.table._tables", "iim.imputers._base"):
        monkeypatch.setattr(f"{place}.read_frame", count)
    imputer = iim.IIMImputer(n_jobs=1)
    frame = pd.DataFrame(holed())
    if settings:
        settings = {"filled": imputer.fit_transform(frame)}
    iim.summarize(frame, imputer, n_jobs=1, **settings)
    assert len(n_read) == 2


class TestPieces:
    def test_a_few_values_far_out_are_counted_in_the_outer_bins(self):
        values = np.concatenate([np.linspace(0, 1, 400), [1e6]])
        found = count_in_bins(values, np.array([-1e6]))
        assert (found.open_low, found.open_high) == (True, True)
        assert len(found.observed) == MOST_BINS
        assert (found.observed[-1] >= 1, found.filled[0]) == (True, 1)
        assert sum(found.observed) == 401
        assert -1 < found.edges[0] < found.edges[-1] < 2

    def test_nothing_is_described_as_nothing(self):
        assert describe(np.empty(0)) is None
        assert count_in_bins(np.empty(0), np.empty(0)) is None

    def test_many_l_are_put_together(self):
        sizes = np.arange(1, 1001)
        found = count_sizes(sizes)
        assert len(found.counts) <= certainty.MOST_SIZES
        assert sum(found.counts) == 1000
        assert (found.low[0], found.high[-1]) == (1, 1000)
        assert all(high < low for high, low in zip(found.high[:-1], found.low[1:], strict=True))
        assert count_sizes(np.zeros((3, 2), int)) is None
        assert sum(count_sizes(sizes[:10], found).counts) == 10

    def test_many_rows_and_columns_are_folded(self):
        rng = np.random.default_rng(0)
        table = np.where(rng.random((1000, 80)) < 0.1, NAN, 1.0)
        found = quick(table, None).holes
        assert len(found.starts) == holes.MOST_STRIPS + 1
        assert len(found.columns) == holes.MOST_COLUMNS
        counts = np.isnan(table).sum(axis=0)
        assert min(counts[list(found.columns)]) >= np.sort(counts)[-holes.MOST_COLUMNS]
        assert [sum(one) for one in found.missing] == counts[list(found.columns)].tolist()
