"""Numbers as text, and ours against the paper's."""

import math

import pytest

from iim.paper.numerals import figure, written_difference
from iim.paper.results import Number, Table


def difference(ours, paper, **settings):
    return written_difference(Number(ours, None, paper), Table("t", "T", "row", (), (), {}, **settings))


def test_a_number_is_never_rounded_before_its_point():
    assert [figure(value, 3) for value in (9.996, 99.96, 123456.0, -0.5, 0.0, 1e15)] == [
        "10.0",
        "100",
        "123,456",
        "\N{MINUS SIGN}0.500",
        "0",
        "1.00e+15",
    ]


def test_differences():
    minus = "\N{MINUS SIGN}"
    assert difference(8.405, 8.08) == "+4 %"
    assert difference(1.0, 2.0) == f"{minus}50 %"
    assert difference(1.001, 1.0) == difference(0.999, 1.0) == "0 %"
    assert difference(1200.0, 100.0) == "12 times"
    assert difference(0.8, 0.85, difference="absolute", digits=2) == f"{minus}0.05"
    assert difference(0.8, 0.8, difference="absolute", digits=2) == "0.00"
    assert difference(1.0, 2.0, difference="none") == ""


@pytest.mark.parametrize(
    ("ours", "paper"), [(1.0, 0.0), (math.inf, 1.0), (math.nan, 1.0), (1.0, math.nan), (None, 1.0)]
)
def test_without_two_numbers_there_is_no_difference(ours, paper):
    assert difference(ours, paper) == ""
