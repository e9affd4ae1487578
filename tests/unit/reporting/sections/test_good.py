"""How good: the comparison and the measures of columns, as they were found."""

import re
from dataclasses import replace

import numpy as np

import iim
from iim.reporting import square
from iim.reporting.marks import LEFT, PLOT
from iim.reporting.sections import good
from reports import key_figures, lead, parts, quick, said, tables
from strategies import holed

OTHER_SETTINGS = "The compared knn has its default settings; the fills were made with others."


def test_the_method_that_filled_is_named():
    table = holed()
    comparison = iim.compare(table, ["mean", "knn", "iim"], progress=False)
    best, worst = comparison.overall[0].method, comparison.overall[-1].method
    own = quick(table, worst, compare=comparison)
    assert own.good.comparison.filler.method == worst
    assert f"{worst}, which filled this table, has an error of" in lead(own)[-1]
    assert f"Best of 3 methods is {best} with" in lead(own)[-1]
    assert (
        f"{best}, which filled this table, is best of 3 methods"
        in lead(quick(table, best, compare=comparison))[-1]
    )
    assert key_figures(own)["Best method"].value == best


def test_other_settings_are_not_those_that_were_compared():
    table = holed()
    found = quick(table, iim.KnnImputer(n_neighbors=3), compare=["mean", "knn"])
    assert (found.good.comparison.own, found.good.comparison.filler) == ("knn", None)
    assert OTHER_SETTINGS in lead(found)
    assert OTHER_SETTINGS in said(found, "good")
    named = quick(table, iim.KnnImputer(n_jobs=1), compare={"mine": "knn", "other": iim.KnnImputer()})
    assert named.good.comparison.filler.method == "mine"
    assert quick(table, "glr", compare=["mean"]).good.comparison.own is None


def test_it_holds_the_records_of_the_comparison():
    table = holed()
    diagnosis = iim.diagnose(table, progress=False)
    comparison = iim.compare(table, ["mean", "knn"], progress=False)
    found = quick(table, None, measure=diagnosis, compare=comparison)
    assert found.repeat.seconds == {}
    assert found.good.comparison.overall == comparison.overall
    assert found.good.comparison.recommended == comparison.recommended
    assert [one.r2_neighbors for one in found.good.measured] == [
        one.r2_neighbors for one in diagnosis.columns
    ]
    shown = tables(found, "good")
    assert list(shown) == [
        "Methods on hidden cells, best first",
        "The best method for each column",
        "How well columns can be predicted",
    ]
    assert "statistical tie" in shown["The best method for each column"]


def test_what_was_not_done_is_said():
    found = said(quick(holed(), "knn"), "good")
    assert "Methods were not compared on this table" in found
    assert "R2_S and R2_H were not measured" in found


def test_a_square_without_a_dot_is_left_out():
    found = quick([[1.0, np.nan], [2.0, np.nan], [3.0, np.nan]], "mean", measure=True)
    assert good.NOT_MEASURED in said(found, "good")
    assert not any(isinstance(one, good.Picture) for one in parts(found, "good"))


def test_without_candidates_the_medians_are_at_the_top():
    figures = key_figures(quick(holed(), "knn", measure=True))
    assert re.fullmatch(r"-?\d\.\d\d, -?\d\.\d\d", figures["R2_S, R2_H"].value)
    assert "R2_S, R2_H" not in key_figures(quick(holed(), "iim", measure=True))


def test_ticks_are_round_and_few():
    for end in (0.013, 0.9, 1.0, 1.4, 7.0, 250.0):
        ticks = good.ticks(end)
        assert 2 <= len(ticks) <= 8
        assert ticks[-1] <= end


def test_a_method_far_off_is_drawn_at_the_edge():
    compared = quick(holed(), "mean", compare=["mean", "knn", "glr"]).good.comparison
    far = replace(compared.overall[-1], normalised_error=1e6)
    drawn = good.score_picture(replace(compared, overall=(*compared.overall[:-1], far)))
    assert "1e+06 →" in drawn
    assert max(float(x) for x in re.findall(r'cx="([^"]+)"', drawn)) <= LEFT + PLOT


def test_values_below_zero_are_drawn_at_the_edge_and_said():
    rng = np.random.default_rng(1)
    summary = iim.summarize(rng.normal(size=(60, 3)), None, n_jobs=1)
    assert min(one.r2_regression for one in summary.good.measured) < 0
    (drawn,) = (one.svg for one in parts(summary, "good") if isinstance(one, good.Picture))
    assert "below 0 are at the edge" in drawn
    places = [float(one) for one in re.findall(r'c[xy]="([^"]+)"', drawn)]
    assert min(places) >= square.TOP
    assert max(places) <= square.LEFT + square.SIZE
