"""What was filled, counted by hand."""

import re

import numpy as np
import pytest

import iim
from iim.reporting.sections.filled import values_picture
from reports import key_figures, lead, quick, said, tables
from strategies import holed, untied
from tables_by_hand import SMALL

NAN = np.nan


class TestByHand:
    found = quick(SMALL).filled

    def test_a_column(self):
        one = self.found.columns[0]
        assert (one.values.n, one.values.low, one.values.high) == (2, 2.5, 2.5)
        assert one.outside == 0.0
        assert one.histogram.single
        assert one.histogram.edges == (1.0, 2.0, 2.5, 3.0, 4.0)
        assert one.histogram.observed == (1, 1, 0, 1, 1)
        assert one.histogram.filled == (0, 0, 2, 0, 0)

    def test_all_of_it(self):
        found = self.found
        assert (found.method, found.imputer, found.n_filled, found.n_left) == ("mean", "MeanImputer", 3, 0)
        assert (found.n_fallbacks, found.fallbacks_counted) == (None, "never")
        # Of the columns of numbers, named by their place in the table.
        assert [(one.position, one.n_filled) for one in found.columns] == [(0, 2), (1, 1), (3, 0)]

    def test_in_words_and_tables(self):
        summary = quick(SMALL)
        assert said(summary, "filled") == "MeanImputer (Mean in the paper) filled 3 cells."
        found = tables(summary, "filled")
        assert found["Filled cells"].endswith("| a | 2 | 2 | 0 % |  |\n| b | 1 | 1 | 0 % |  |")
        assert (
            "| a | filled | 2 | 2.5 | 2.5 | 2.5 | 2.5 | 2.5 | 2.5 |" in found["Observed and filled values"]
        )


class TestFallbacks:
    def test_those_of_another_table_are_not_told(self):
        other = [[1.0, 2.0, 3.0], [NAN, NAN, NAN], [2.0, 3.0, 4.0]]
        imputer = iim.KnnImputer(n_jobs=1).fit(other)
        assert sum(sum(one.values()) for one in imputer.fallbacks_.values()) == 3
        found = quick([[1.0, NAN, 3.0]], imputer)
        assert (found.filled.n_fallbacks, found.filled.fallbacks_counted) == (None, "elsewhere")
        assert {len(one.fallbacks) for one in found.filled.columns} == {0}
        assert key_figures(found)["Fallbacks"].note == "not counted: the imputer was fitted before"

    @pytest.mark.parametrize("method", [iim.IIMImputer, iim.KnnImputer])
    def test_zeros_of_an_empty_column_are_some(self, method):
        table = np.column_stack([holed(), np.full(80, NAN)])
        found = quick(table, method(keep_empty_features=True, n_jobs=1))
        assert found.filled.columns[4].fallbacks == {"no known value: 0": 80}
        assert found.filled.n_fallbacks == 80

    def test_methods_that_do_not_count_tell_of_zeros_too(self):
        found = quick(SMALL.assign(empty=NAN), iim.MeanImputer(keep_empty_features=True))
        assert found.filled.columns[3].fallbacks == {"no known value: 0": 6}
        assert found.filled.n_fallbacks is None

    def test_nothing_filled_is_not_as_asked_for(self):
        figure = key_figures(quick(untied(20, 2), "iim"))["Fallbacks"]
        assert (figure.value, figure.note) == ("\N{EN DASH}", "nothing was filled")

    def test_they_are_said(self):
        table = [[1.0, 2.0, 3.0], [NAN, NAN, NAN], [2.0, 3.0, 4.0]]
        found = quick(table, "iim")
        assert "Filled by a fallback: 3 cells with too few donor rows." in lead(found)
        assert "Filled by a fallback: 3 cells with too few donor rows." in said(found, "filled")
        assert "| x0 | 1 | 1 | 0 % | column mean (1) |" in tables(found, "filled")["Filled cells"]
        at_fit = quick(table, "knn")
        assert key_figures(at_fit)["Fallbacks"].note == "cells had too few donor rows, at fit"
        assert "3 cells with too few donor rows, counted at fit." in said(at_fit, "filled")


def test_what_is_out_of_range_and_what_is_left_is_said():
    table = np.column_stack([np.arange(40.0), 2.0 * np.arange(40.0), np.full(40, NAN)])
    table[39, 1] = NAN
    with pytest.warns(iim.ImputationWarning):
        imputer = iim.GlrImputer().fit(table)
    found = quick(table, imputer)
    assert found.filled.columns[1].outside == 1.0
    assert "Out of range: 1 value," in said(found, "filled")
    assert "Left missing: 40 cells, in columns" in said(found, "filled")


def test_each_half_of_a_histogram_has_its_own_scale():
    table = holed()
    table[np.isnan(table)] = 0.0
    table[5, 2] = NAN
    summary = quick(table, "iim")
    drawn = values_picture(summary.columns[2], summary.filled.columns[2])
    heights = {
        kind: max(map(float, re.findall(r"v([\d.]+)", path)))
        for kind, path in re.findall(r'class="(observed|filled)" d="([^"]+)"', drawn)
    }
    assert heights == {"observed": 44.0, "filled": 44.0}


@pytest.mark.parametrize("method", iim.METHODS)
def test_every_method_fills_as_by_itself(method):
    table = untied(40, 3)
    table[::5, 1] = NAN
    found = quick(table, method).filled
    assert (found.method, found.n_filled) == (method, 8)
    one, imputer = found.columns[1], iim.METHODS[method]()
    if "random_state" not in imputer.get_params():
        expected = imputer.fit_transform(table)[::5, 1]
        assert (one.values.low, one.values.high) == pytest.approx(
            (expected.min(), expected.max()), rel=1e-12
        )
