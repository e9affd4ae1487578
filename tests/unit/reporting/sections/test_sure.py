"""How sure the fills are, counted by hand."""

import math
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import iim
from iim.reporting import findings
from iim.reporting.sections import sure
from iim.reporting.sections.sure import count_sizes
from reports import key_figures, lead, quick, said
from strategies import holed, untied
from tables_by_hand import SMALL

NAN = np.nan
PATTERNS = {"strategy": "patterns", "shrinkage": "none", "n_jobs": 1}
"""Settings whose candidates lie apart: in rounds, or drawn to the mean, those of noise may all agree."""


def test_the_candidates_of_iim_by_hand():
    # All models say the same but for the last row, of which nothing is known but c.
    table = SMALL[["a", "b"]]
    imputer = iim.IIMImputer(n_neighbors=2, min_donors=1, n_jobs=1).fit(table)
    candidates = imputer.candidates(table)
    found = quick(table, imputer)
    assert found.sure.n_asked == found.sure.n_cells == 3
    by_place = {(one.row, one.column): one for one in found.sure.cells}
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
    assert found.filled.n_fallbacks == 2
    assert found.filled.fallbacks_counted == "cells"
    assert [one.fallbacks for one in found.filled.columns] == [{"column mean": 1}, {"column mean": 1}]
    sizes = candidates.n_learning[candidates.n_learning > 0]
    assert sum(found.sure.learning.counts) == sizes.size
    assert found.sure.columns[0].learning.counts == found.sure.learning.counts


def test_the_least_certain_cells_come_first():
    table = holed()
    found = quick(table, "iim").sure
    spreads = [one.spread for one in found.cells]
    assert spreads == sorted(spreads, reverse=True)
    assert len(spreads) == min(sure.MOST_LISTED, found.n_asked)
    assert found.median <= found.upper <= spreads[0]


@pytest.mark.parametrize("kind", ["array", "pandas", "polars", "pyarrow"])
def test_more_cells_than_are_asked_for_are_sampled_evenly(monkeypatch, kind):
    monkeypatch.setattr(findings, "MOST_ASKED", 8)
    table = holed()
    frame = table if kind == "array" else pd.DataFrame(table, index=range(80, 0, -1), columns=list("abcd"))
    if kind in ("polars", "pyarrow"):
        frame = (
            pl.from_pandas(frame) if kind == "polars" else pa.Table.from_pandas(frame, preserve_index=False)
        )
    imputer = iim.IIMImputer(n_jobs=1).fit(frame)
    found = quick(frame, imputer)
    assert 0 < found.sure.n_asked <= 8 < found.sure.n_cells
    assert found.sure.every > 1
    rows = np.flatnonzero(np.isnan(table).any(axis=1))[:: found.sure.every]
    assert found.sure.n_asked == np.isnan(table[rows]).sum()
    assert {one.row for one in found.sure.cells} <= set(rows.tolist())
    # It was fitted before: who knows on what.
    assert (found.filled.n_fallbacks, found.filled.fallbacks_counted) == (None, "elsewhere")
    again = quick(frame, iim.IIMImputer(n_jobs=1))
    assert (again.filled.n_fallbacks, again.filled.fallbacks_counted) == (0, "fit")


class TestCellsWithoutASpread:
    def test_one_model_does_not_disagree(self):
        found = quick(holed(), iim.IIMImputer(n_neighbors=1, min_donors=1, **PATTERNS))
        assert (found.sure.n_asked, found.sure.n_judged) == (17, 0)
        assert {(one.spread, one.n_models) for one in found.sure.cells} == {(None, 1)}
        assert math.isnan(found.sure.median)
        assert {one.spread for one in found.sure.columns} == {None}
        assert "spread" not in " ".join(lead(found))
        figure = key_figures(found)["Spread of candidates"]
        assert (figure.value, figure.note) == ("\N{EN DASH}", "no cell has candidates of two models")
        assert "Without spread: 17 cells, with one model" in said(found, "sure")
        assert found.to_dict()["sure"]["median"] is None

    def test_a_column_that_does_not_vary_has_no_measure(self):
        table = np.column_stack([holed(), np.ones(80)])
        table[:3, 4] = NAN
        found = quick(table, iim.IIMImputer(**PATTERNS)).sure
        assert (found.n_asked, found.n_judged) == (20, 17)
        assert [(one.row, one.column, one.spread) for one in found.cells[:3]] == [
            (0, 4, None),
            (1, 4, None),
            (2, 4, None),
        ]
        assert found.cells[3].spread == max(one.spread for one in found.cells[3:])
        alone = quick(holed(), iim.IIMImputer(**PATTERNS)).sure
        assert found.median == pytest.approx(alone.median, rel=0.5)
        assert found.median > 0.0

    def test_a_column_of_one_known_value(self):
        table = np.column_stack([holed(), np.full(80, NAN)])
        table[0, 4] = 5.0
        found = quick(table, iim.IIMImputer(n_jobs=1)).sure
        assert found.n_asked - found.n_judged == 79


def test_spreads_at_the_top():
    found = quick(holed(), iim.IIMImputer(**PATTERNS))
    (sentence,) = lead(found)
    assert re.fullmatch(
        r"The candidates of a cell spread by 0\.\d\d standard deviations of the column \(median\), by at "
        r"most \d\.\d\d in nine cells of ten\. This is how far models agree; the error of a fill can be "
        r"larger\.",
        sentence,
    )


def test_a_sample_is_said(monkeypatch):
    monkeypatch.setattr(findings, "MOST_ASKED", 8)
    found = quick(holed(), "iim")
    n_asked = found.sure.n_asked
    assert f"(median of {n_asked} of 17 filled cells)" in lead(found)[0]
    assert key_figures(found)["Spread of candidates"].note.endswith(f"median of {n_asked} of 17 cells")
    assert re.search(
        r"Candidates were computed for \d+ of 17 filled cells: one in \d of the rows", said(found, "sure")
    )


def test_many_donors_are_asked_of_fewer_cells(monkeypatch):
    monkeypatch.setattr(findings, "MOST_CANDIDATES", 80)
    assert quick(holed(), iim.IIMImputer(n_neighbors=10)).sure.n_asked <= 8
    assert quick(holed(), iim.IIMImputer(n_neighbors=2)).sure.n_asked == 17


def test_cells_without_a_vote_are_said():
    table = np.column_stack([holed(), np.full(80, NAN)])
    found = quick(table, iim.IIMImputer(keep_empty_features=True))
    assert "Without candidates: 80 cells in columns without a known value, filled with 0." in said(
        found, "sure"
    )


def test_methods_without_candidates_say_so():
    assert said(quick(holed(), "knn"), "sure").startswith(
        "knn gives one value for each cell and no candidates"
    )
    assert said(quick(untied(20, 2), "iim"), "sure") == "Nothing was filled."


def test_many_l_are_put_together():
    sizes = np.arange(1, 1001)
    found = count_sizes(sizes)
    assert len(found.counts) <= sure.MOST_SIZES
    assert sum(found.counts) == 1000
    assert (found.low[0], found.high[-1]) == (1, 1000)
    assert all(high < low for high, low in zip(found.high[:-1], found.low[1:], strict=True))
    assert count_sizes(np.zeros((3, 2), int)) is None
    assert sum(count_sizes(sizes[:10], found).counts) == 10
