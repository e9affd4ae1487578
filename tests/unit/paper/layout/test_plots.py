"""Plots: text stays text, methods look the same everywhere, axes read as people write numbers."""

import math
from xml.etree import ElementTree as ET

import pytest

from iim.paper.layout import looks
from iim.paper.layout.plots import figure_svg, log_ticks
from iim.paper.layout.ranks import groups, ranking_svg
from iim.paper.results import Figure, Line, Panel, Ranking
from reproductions import HOSTILE, LONG, METHODS

pytest.importorskip("matplotlib")


def drawn(*lines, n_panels=1, **settings):
    panel = Panel("P", "x", "y", lines, **settings)
    return figure_svg(Figure("key", "Title", (panel,) * n_panels))


def texts(svg):
    return [element.text for element in ET.fromstring(svg).iter() if element.tag.endswith("}text")]


def shapes_of(svg, color):
    return [one for one in ET.fromstring(svg).iter() if color in (one.get("stroke"), one.get("fill"))]


class TestFigures:
    @pytest.mark.parametrize("n_panels", [1, 2, 3, 4])
    def test_there_is_one_legend(self, n_panels):
        shown = texts(drawn(Line("kNN", (1, 2), (1, 2)), Line("IIM", (1, 2), (2, 1)), n_panels=n_panels))
        assert shown.count("P") == n_panels
        assert [text for text in shown if text in METHODS] == ["IIM", "kNN"]

    def test_labels_of_logarithmic_axes_are_plain(self):
        line = Line("IIM", (0.1, 1.0, 10.0, 1000.0), (1.0, 10.0, 100.0, 10000.0))
        shown = texts(drawn(line, log_x=True, log_y=True))
        assert {"0.1", "1", "10", "1,000", "10,000"} <= set(shown)

    def test_what_has_no_logarithm_is_drawn_without(self):
        line = Line("IIM", (0.0, 1.0, 2.0), (-1.0, 0.0, 1000.0))
        assert {"0", "1", "2", "1,000"} <= set(texts(drawn(line, log_x=True, log_y=True)))

    def test_points_without_a_number_leave_gaps(self):
        svg = drawn(Line("XGB", (1, 2, 3, 4, 5), (1.0, 2.0, math.nan, math.inf, 1.0)))
        marks = [one for one in ET.fromstring(svg).iter() if one.tag.endswith("}use")]
        black = [one for one in marks if one.get("fill") == looks.METHODS["XGB"].color]
        # Three points and the legend's.
        assert len(black) == 4

    def test_without_any_number_there_are_words(self):
        assert "no numbers" in texts(drawn(Line("IIM", (1.0,), (math.nan,))))
        assert "no numbers" in texts(drawn())

    @pytest.mark.parametrize(("n_lines", "n_ranges"), [(4, 4), (5, 1)])
    def test_ranges_of_all_lines_if_they_are_few(self, n_lines, n_ranges):
        lines = [Line(name, (1, 2), (1, 2), (0.5, 1), (2, 3)) for name in METHODS[:n_lines]]
        root = ET.fromstring(drawn(*lines))
        assert sum(one.get("fill-opacity") == "0.13" for one in root.iter()) == n_ranges

    def test_names_are_text_and_not_formulas(self):
        name = "_a $x^2$ <b> 名"
        assert f" {name}" in texts(drawn(Line(name, (1, 2), (1, 2))))
        drawn(Line(HOSTILE, (1,), (1,)), Line(LONG, (1,), (1,)))

    def test_a_file_asks_for_nothing_and_styles_nothing(self):
        svg = drawn(Line("IIM", (1, 2), (1, 2)))
        assert svg.count("://") == svg.count("xmlns=") == 1
        assert "style" not in svg
        assert "matplotlib" not in svg.lower()


class TestLooks:
    def test_no_two_methods_look_alike(self):
        others = [looks.METHODS[name] for name in METHODS]
        assert len({look.color for look in others}) == len({look.marker for look in others}) == len(METHODS)
        assert [look.is_main for look in others] == [True] + [False] * 13

    def test_others_come_by_order_and_look_unlike_methods_beside_them(self):
        found = looks.looks_of(["straightforward", "kNN", "incremental", "kNN"])
        assert list(found) == ["straightforward", "kNN", "incremental"]
        assert len(set(found.values())) == 3
        assert found["kNN"] == looks.METHODS["kNN"]

    def test_there_are_looks_for_any_number_of_names(self):
        assert len(looks.looks_of(map(str, range(30)))) == 30


class TestTicks:
    @pytest.mark.parametrize(
        ("low", "high"), [(0.8, 1500.0), (8.0, 60.0), (3.0, 4.5), (1e-9, 1e9), (99.0, 101.0), (5.0, 5.5)]
    )
    def test_there_are_some_but_not_too_many(self, low, high):
        ticks = log_ticks(low, high)
        assert 2 <= len(ticks) <= 9
        assert all(low <= tick <= high for tick in ticks)


class TestRankings:
    def test_runs_that_cannot_be_told_apart(self):
        assert groups([1.0, 1.5, 2.0], 2.0) == [(0, 2)]
        assert groups([1.0, 2.0, 3.0], 1.0) == []
        assert groups([1.0, 1.9, 2.8, 7.0, 7.0], 1.0) == [(0, 1), (1, 2), (3, 4)]
        assert groups([], 1.0) == groups([1.0], 1.0) == []

    def test_all_names_and_the_ruler_are_there(self):
        ranks = {name: 1.0 + at for at, name in enumerate(METHODS)}
        shown = texts(ranking_svg(Ranking("r", "R", ranks, 2.5, 24)))
        assert "critical difference 2.50, 24 cases" in shown
        assert "IIM  1.00" in shown
        assert "14.00  XGB" in shown
        assert len(shown) == 14 + 14 + 2

    @pytest.mark.parametrize("critical", [0.0, 1e9, math.nan, math.inf, 4.9])
    @pytest.mark.parametrize(
        "ranks", [{}, {"IIM": 1.0}, {"a": 1.0, "b": math.nan}, {"a": 1.5, "b": 1.5, "c": 6.0}]
    )
    def test_odd_ones_are_drawn(self, ranks, critical):
        ET.fromstring(ranking_svg(Ranking("r", "R", ranks, critical, 1)))
