"""What a kept value may be, and sizes that must agree."""

import numpy as np
import pytest

from iim._checks import one_of
from iim.persistence.fields import (
    Refused,
    Sizes,
    booleans,
    floats,
    increasing,
    integers,
    many,
    numbers_or_nan,
    positions,
    real,
    scalar,
    whole,
)

NAN, INF = np.nan, np.inf


def test_the_first_says_how_large_and_the_others_agree():
    sizes = Sizes()
    assert sizes.agree("rows", 5)
    assert sizes.agree("rows", 5)
    assert not sizes.agree("rows", 6)
    assert sizes.agree("rows + 1", 6)
    assert sizes.agree("columns + 1", 3)
    assert sizes.find("columns") == 2
    assert not sizes.agree("none + 1", 0)
    assert sizes.agree(2, 2)
    assert not sizes.agree(2, 3)


def test_inner_sizes_know_the_outer_ones_and_not_the_other_way_round():
    outer = Sizes()
    outer.agree("rows", 5)
    inner = Sizes(outer=outer)
    assert not inner.agree("rows", 4)
    assert inner.agree("donors", 3)
    assert outer.find("donors") is None


def in_five(field, value):
    sizes = Sizes()
    sizes.agree("five", 5)
    return field.fits(value, sizes)


@pytest.mark.parametrize(
    ("field", "good", "bad"),
    [
        (whole(1, 3), [1, 3], [0, 4, 1.0, True, np.int64(1), "1", None]),
        (real(0, INF), [0.0, INF, np.float64(1)], [-0.1, NAN, 1, "1"]),
        (scalar(one_of("a", "b")), ["a"], ["c", 1, None]),
        (many(whole(0, 9), size="five"), [(1, 2, 3, 4, 5)], [(1,), (1, 2, 3, 4, 50)]),
        (many(whole(0, 9), least=1), [(1,)], [()]),
        (
            positions("some", below="five", least=1),
            [(0,), (1, 4), (0, 1, 2, 3, 4)],
            [(), (5,), (-1,), (1, 1), (2, 1), (0.0,), (True,)],
        ),
        (positions("some", below="unknown"), [], [(), (0,)]),
        (
            floats("five"),
            [np.zeros(5), np.full(5, 1e308)],
            [np.zeros(4), np.zeros((5, 1)), np.zeros(5, np.float32), np.full(5, NAN), np.full(5, INF), 0.0],
        ),
        (floats("five", least=0, most=1), [np.ones(5)], [np.full(5, 1.1), np.full(5, -0.1)]),
        (floats("five", finite=False), [np.full(5, -INF)], [np.full(5, NAN)]),
        (floats("five", single=True), [np.zeros(5, np.float32)], [np.zeros(5)]),
        (floats("five", "m"), [np.zeros((5, 2))], [np.asfortranarray(np.zeros((5, 2)))]),
        (floats("five", "m", any_order=True), [np.asfortranarray(np.zeros((5, 2)))], []),
        (
            numbers_or_nan("n", 2),
            [np.array([[1.0, NAN], [NAN, 2.0]])],
            [np.array([[1.0, NAN]]), np.array([[1.0, INF]]), np.empty((0, 2))],
        ),
        (
            integers("n", below="five"),
            [np.array([4, 0, 4]), np.empty(0, np.intp)],
            [np.array([5]), np.array([-1]), np.array([1.0]), np.array([1], np.int32)],
        ),
        (integers("n", below="five + 1"), [np.array([5])], [np.array([6])]),
        (integers("n", below="unknown"), [], [np.array([0])]),
        (
            integers("n", least=-1, most=1, dtype=np.intc),
            [np.array([-1, 1], np.intc)],
            [np.array([2], np.intc)],
        ),
        (booleans("five"), [np.zeros(5, bool)], [np.zeros(5, np.uint8)]),
        (
            increasing("n", below="five"),
            [np.array([0, 4])],
            [np.array([4, 0]), np.array([5]), np.array([1, 1])],
        ),
        (increasing("n", below="unknown"), [], [np.array([0])]),
    ],
)
def test_what_fits_and_what_does_not(field, good, bad):
    assert [in_five(field, value) for value in good] == [True] * len(good)
    assert [in_five(field, value) for value in bad] == [False] * len(bad)


def test_a_refusal_says_what_is_allowed_and_what_came():
    with pytest.raises(Refused, match=r"^a whole number from 1 to 3 is needed; received 7$"):
        whole(1, 3).check(7, Sizes())
    message = r"^a boolean array of shape \(n, 2\) is needed; received float64 array of shape \(3,\)$"
    with pytest.raises(Refused, match=message):
        booleans("n", 2).check(np.zeros(3), Sizes())
