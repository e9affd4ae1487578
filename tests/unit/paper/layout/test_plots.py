"""Plots: text stays text, methods look the same everywhere, axes read as people write numbers."""

import math
from xml.etree import ElementTree as ET

import pytest

from iim.paper.layout.plots import MAIN, STYLES, plot_svg, styles_of
from iim.paper.results import Figure, Line, Panel, Ranking
from reproductions import HOSTILE, METHODS

pytest.importorskip("matplotlib")


def drawn(*lines, n_panels=1, **settings):
    panel = Panel("P", "x", "y", lines, **settings)
    return plot_svg(Figure("key", "Title", (panel,) * n_panels))


def texts(svg):
    return [element.text for element in ET.fromstring(svg).iter() if element.tag.endswith("}text")]


@pytest.mark.parametrize("n_panels", [1, 3])
def test_there_is_one_legend(n_panels):
    shown = texts(drawn(Line("kNN", (1, 2), (1, 2)), Line("IIM", (1, 2), (2, 1)), n_panels=n_panels))
    assert shown.count("P") == n_panels
    assert [text for text in shown if text in METHODS] == ["kNN", "IIM"]


def test_labels_of_logarithmic_axes_are_plain():
    line = Line("IIM", (0.1, 1.0, 10.0, 1000.0), (1.0, 10.0, 100.0, 10000.0))
    assert {"0.1", "1", "10", "1,000", "10,000"} <= set(texts(drawn(line, log_x=True, log_y=True)))


@pytest.mark.parametrize(("low", "high"), [(0.8, 1500.0), (8.0, 60.0), (3.0, 4.5), (1e-9, 1e9), (99, 101)])
def test_there_are_labels_on_any_logarithmic_axis_but_not_too_many(low, high):
    shown = texts(drawn(Line("IIM", (1, 2), (low, high)), log_y=True))
    labels = set(shown) - {"P", "x", "y", "IIM", "1", "2"}
    assert 1 <= len(labels) <= 12


def test_what_has_no_logarithm_is_drawn_without():
    line = Line("IIM", (0.0, 1.0, 2.0), (-1.0, 0.0, 1000.0))
    assert {"0", "1", "2", "1,000"} <= set(texts(drawn(line, log_x=True, log_y=True)))


def test_points_without_a_number_leave_gaps():
    svg = drawn(Line("XGB", (1, 2, 3, 4, 5), (1.0, 2.0, math.nan, math.inf, 1.0)))
    marks = [one for one in ET.fromstring(svg).iter() if one.tag.endswith("}use")]
    black = [one for one in marks if STYLES["XGB"][0] in one.get("style", "")]
    # Three points and the legend's.
    assert len(black) == 4


def test_without_any_number_there_are_empty_axes():
    assert "P" in texts(drawn(Line("IIM", (1.0,), (math.nan,))))
    assert "P" in texts(drawn())


@pytest.mark.parametrize(("n_lines", "n_ranges"), [(4, 4), (5, 1)])
def test_ranges_of_all_lines_if_they_are_few(n_lines, n_ranges):
    lines = [Line(name, (1, 2), (1, 2), (0.5, 1), (2, 3)) for name in METHODS[:n_lines]]
    assert drawn(*lines).count("fill-opacity: 0.13") == n_ranges


def test_names_are_text_and_not_formulas():
    name = "a $x^2$ <b>"
    assert name in texts(drawn(Line(name, (1, 2), (1, 2))))
    ET.fromstring(drawn(Line(HOSTILE, (1,), (1,))))


def test_no_two_methods_look_alike():
    styles = [STYLES[name] for name in METHODS]
    assert (
        len({color for color, _, _ in styles}) == len({marker for _, marker, _ in styles}) == len(METHODS)
    )
    assert [style is MAIN for style in styles] == [True] + [False] * 13


def test_others_come_by_order():
    found = styles_of(["straightforward", "adaptive", "incremental", "adaptive"])
    assert list(found) == ["straightforward", "adaptive", "incremental"]
    assert len(set(found.values())) == 3
    assert found["adaptive"] == MAIN
    assert len(styles_of(map(str, range(30)))) == 30


class TestRankings:
    def test_all_names_and_ranks_are_there(self):
        ranks = {name: 1.0 + at for at, name in enumerate(METHODS)}
        shown = texts(plot_svg(Ranking("r", "R", ranks, 2.5, 24)))
        assert "mean rank over 24 cases, 1 is best; bar: critical difference" in shown
        assert {"IIM  1.00", "XGB  14.00"} <= set(shown)

    @pytest.mark.parametrize("ranks", [{}, {"IIM": 1.0}, {"a": 1.0, "b": math.nan}, {"a": 1.5, "b": 1.5}])
    def test_odd_ones_are_drawn(self, ranks):
        ET.fromstring(plot_svg(Ranking("r", "R", ranks, 4.9, 1)))
