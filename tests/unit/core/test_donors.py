import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from iim.core.donors import Fallback, choose_donors, enough_donors
from iim.core.patterns import Pattern

HOLES = np.array(
    [
        [0, 0, 0, 0],
        [0, 0, 0, 0],
        [0, 1, 0, 0],
        [0, 1, 0, 0],
        [0, 1, 0, 0],
        [0, 0, 1, 0],
        [0, 0, 0, 1],
    ],
    bool,
)
"""Column 3 is the target: six rows know it."""

PATTERN = Pattern((0, 1, 2), 3)


def choose(which="available", min_donors=1, pattern=PATTERN, missing=HOLES):
    return choose_donors(missing, pattern, which=which, min_donors=min_donors)


def test_donors_know_the_columns_at_hand():
    choice = choose(pattern=Pattern((0, 2), 3))
    assert choice.rows.tolist() == [0, 1, 2, 3, 4]
    assert choice.fallback is Fallback.NONE


def test_complete_donors_know_everything():
    choice = choose("complete", pattern=Pattern((0, 2), 3))
    assert choice.rows.tolist() == [0, 1]
    assert choice.observed == (0, 2)
    assert choice.fallback is Fallback.NONE


def test_the_column_that_frees_most_donors_is_given_up_first():
    choice = choose(min_donors=3)
    assert choice.observed == (0, 2)
    assert choice.rows.tolist() == [0, 1, 2, 3, 4]
    assert choice.fallback is Fallback.FEWER_COLUMNS


def test_a_small_table_needs_only_half_of_the_rows_that_know_the_value():
    assert enough_donors(6, 20) == 3
    assert enough_donors(100, 20) == 20
    assert enough_donors(0, 20) == 1
    assert choose(min_donors=20).observed == (0, 2)


def test_without_enough_complete_rows_available_ones_serve():
    choice = choose("complete", min_donors=3, pattern=Pattern((0, 2), 3))
    assert choice.rows.tolist() == [0, 1, 2, 3, 4]
    assert choice.fallback is Fallback.AVAILABLE


def test_without_a_known_column_the_mean_is_left():
    for which in ("available", "complete"):
        choice = choose(which, pattern=Pattern((), 3))
        assert choice.fallback is Fallback.MEAN
        assert choice.observed == ()


def test_when_no_single_column_frees_a_donor_the_one_with_most_holes_goes():
    # Every row that knows the target lacks two of the others at once; column 2 is never known.
    missing = np.array([[0, 1, 1, 0], [1, 0, 1, 0], [0, 1, 1, 0]], bool)
    choice = choose(missing=missing, min_donors=2)
    assert choice.observed == (0,)
    assert choice.rows.tolist() == [0, 2]
    assert choice.fallback is Fallback.FEWER_COLUMNS


def test_no_donor_at_all_on_any_column_leaves_the_mean():
    missing = np.array([[1, 1, 1, 0], [1, 1, 1, 0], [0, 0, 0, 1]], bool)
    assert choose(missing=missing).fallback is Fallback.MEAN


def plain_choice(missing, pattern, min_donors):
    """The rule, what frees most donors goes; of equals, what has most holes; then the first."""
    observed = list(pattern.observed)
    known = [row for row in range(len(missing)) if not missing[row, pattern.target]]
    enough = enough_donors(len(known), min_donors)
    while True:
        donors = [row for row in known if not missing[row, observed].any()]
        if len(donors) >= enough or not observed:
            return tuple(observed), donors
        gains = {}
        for column in observed:
            others = [other for other in observed if other != column]
            freed = sum(not missing[row, others].any() for row in known) - len(donors)
            gains[column] = (freed, missing[known, column].sum(), -column)
        observed.remove(max(gains, key=gains.get))


@given(seed=st.integers(0, 10**6), share=st.sampled_from([0.1, 0.3, 0.6]), min_donors=st.integers(1, 12))
def test_columns_are_given_up_by_the_plain_rule(seed, share, min_donors):
    rng = np.random.default_rng(seed)
    missing = rng.random((14, 5)) < share
    missing[0] = False
    pattern = Pattern((0, 1, 3, 4), 2)
    choice = choose_donors(missing, pattern, which="available", min_donors=min_donors)
    observed, donors = plain_choice(missing, pattern, min_donors)
    assert choice.observed == observed
    assert choice.rows.tolist() == donors


@given(
    seed=st.integers(0, 10**6),
    share=st.sampled_from([0.1, 0.4]),
    min_donors=st.integers(1, 30),
    which=st.sampled_from(["available", "complete"]),
)
def test_rows_with_the_same_holes_can_be_counted_instead(seed, share, min_donors, which):
    rng = np.random.default_rng(seed)
    missing = rng.random((40, 4)) < share
    missing[0] = False
    pattern = Pattern((0, 1, 3), 2)
    choice = choose_donors(missing, pattern, which=which, min_donors=min_donors)
    kinds, kind_of, counts = np.unique(missing, axis=0, return_inverse=True, return_counts=True)
    counted = choose_donors(kinds, pattern, which=which, min_donors=min_donors, counts=counts)
    assert (counted.observed, counted.fallback) == (choice.observed, choice.fallback)
    assert np.flatnonzero(np.isin(kind_of.ravel(), counted.rows)).tolist() == choice.rows.tolist()
