"""Truth 1, 2, 3; filled 1, 2, 5: squared errors 0, 0, 4; the known mean is 2."""

import math

import pytest

from iim.paper.records import Found, Store
from iim.paper.results import Number
from iim.paper.scoring import (
    determination,
    error,
    line,
    measured,
    normalised_error,
    number,
    place_of,
    seconds,
)
from iim.paper.tasks import Task

RECORD = {
    "truth": [1.0, 2.0, 3.0],
    "filled": [1.0, 2.0, 5.0],
    "mean": 2.0,
    "spread": 0.5,
    "seconds": {"fill": 0.25},
}


def test_metrics_by_hand():
    assert error(RECORD) == pytest.approx(math.sqrt(4 / 3))
    assert normalised_error(RECORD) == pytest.approx(2 * math.sqrt(4 / 3))
    assert determination(RECORD) == pytest.approx(1 - 4 / 2)
    assert seconds("fill")(RECORD) == 0.25


@pytest.fixture
def found(tmp_path):
    """Seeds 0 to 2 have the values 5, 1, 3; seed 3 was not done."""
    store = Store(tmp_path)
    for seed, value in enumerate((5.0, 1.0, 3.0)):
        store.write(task(seed), {"value": value})
    found = Found(store)
    found.miss(task(3), "not installed")
    return found


def task(seed):
    return Task("count", {"seed": seed})


def value(record):
    return record["value"]


def test_a_number_is_the_median_with_the_worst_beside(found):
    several = [task(seed) for seed in range(3)]
    assert measured(found, several, value) == [5.0, 1.0, 3.0]
    assert number(found, several, value, paper=2.0) == Number(3.0, 5.0, 2.0)
    assert number(found, several, value, worst=min) == Number(3.0, 1.0)
    # A single one is its own worst: nothing to tell.
    assert number(found, several[:1], value) == Number(5.0)


def test_what_was_not_done_is_left_out_or_says_why(found):
    assert number(found, [task(0), task(3)], value) == Number(5.0, why="1 of 2 draws")
    assert number(found, [task(3)], value, paper=2.0) == Number(None, None, 2.0, "not installed")


def test_a_line_has_medians_and_ranges_and_gaps(found):
    drawn = line(found, "IIM", {10: [task(0), task(1)], 20: [task(3)], 30: [task(2)]}, value)
    assert drawn.x == (10, 20, 30)
    assert drawn.y[0] == 3.0
    assert math.isnan(drawn.y[1])
    assert drawn.low[0] == 1.0
    assert drawn.high[0] == 5.0
    assert line(found, "IIM", {20: [task(3)]}, value) is None


def test_places_are_shared_by_equals():
    values = {"IIM": 2.0, "kNN": 1.0, "GLR": 2.0, "XGB": 3.0}
    assert [place_of(name, values) for name in values] == ["2 to 3", "1", "2 to 3", "4"]
    assert place_of("XGB", values, best="high") == "1"
    assert place_of("IIM", values, best="high") == "2 to 3"


def test_how_far_ours_is_from_the_papers():
    assert Number(1.1, paper=1.0).off("ratio") == pytest.approx(0.1)
    assert Number(-0.9, paper=-1.0).off("ratio") == pytest.approx(0.1)
    assert Number(0.8, paper=0.9).off("absolute") == pytest.approx(-0.1)
    assert Number(None, paper=1.0).off("ratio") is None
    assert Number(1.0).off("ratio") is None
    assert Number(1.0, paper=0.0).off("ratio") is None
    assert Number(1.0, paper=1.0).off("none") is None
