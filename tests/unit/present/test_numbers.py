"""Numbers as text: nothing is rounded to nothing, and no digit is lost to an exponent."""

import math

import pytest

from iim.present.numbers import count, decimals, duration, figure, percent, whole


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (None, 5, "–"), (math.nan, 4, "–"), (math.inf, 4, "inf"), (-math.inf, 5, "-inf"), (-0.0, 4, "0"),
        (9999.4, 4, "9999"), (9999.5, 4, "10,000"), (99999.4, 5, "99999"), (-123456.0, 4, "-123,456"),
        (1e12, 4, "1e+12"), (0.00001234567, 4, "1.235e-05"), (0.72, 4, "0.72"),
    ],
)  # fmt: skip
def test_figures(value, digits, text):
    assert figure(value, digits) == text


def test_decimals_and_shares_are_never_rounded_to_nothing():
    assert [decimals(value, 3) for value in (0.0004, 0.0006, 0.0, 1e6, None)] == [
        *("under 0.001", "0.001", "0.000", "1e+06", "–")
    ]
    assert [percent(share) for share in (0.0, 1e-9, 0.5, 0.9999, 1.0, None)] == [
        *("0 %", "under 0.1 %", "50.0 %", "over 99.9 %", "100 %", "–")
    ]


def test_counts_and_times():
    assert [count(n, "row") for n in (0, 1, 999, 1000)] == ["0 rows", "1 row", "999 rows", "1,000 rows"]
    assert count(2, "repeat of it", "repeats of it") == "2 repeats of it"
    assert whole(1234567) == "1,234,567"
    assert [duration(seconds) for seconds in (0.44, 9.96, 75, 720)] == ["0.4 s", "10.0 s", "75 s", "12 min"]
