"""PmmImputer: only values that occur, from donors with close predictions."""

import numpy as np
import pytest

from iim import PmmImputer
from iim.core.methods.mean_matching import draw_matches
from strategies import holed, with_hole_column


def test_by_hand():
    # An exact law leaves the draw nothing open: the prediction at 2.2 is 5.4, closest is 5 (then 7, 3).
    table = np.array([[0, 1.0], [1, 3], [2, 5], [3, 7], [2.2, np.nan]])
    assert PmmImputer(matches=1).fit_transform(table)[4, 1] == 5
    seen = {
        PmmImputer(matches=2, random_state=seed).fit_transform(table)[4, 1].item() for seed in range(40)
    }
    assert seen == {5.0, 7.0}


def test_only_observed_values_are_filled_in():
    table = holed(200, 4, share=0.1)
    filled = PmmImputer().fit_transform(table)
    for column in range(4):
        assert set(filled[:, column]) <= set(table[~np.isnan(table[:, column]), column])


def test_rows_that_know_nothing_get_an_observed_value_too():
    rng = np.random.default_rng(0)
    table = np.column_stack([rng.integers(1, 6, 50), rng.normal(size=50)]).astype(float)
    table[7] = np.nan
    seen = {PmmImputer(random_state=seed).fit_transform(table)[7, 0].item() for seed in range(60)}
    assert seen == {1.0, 2.0, 3.0, 4.0, 5.0}


def test_one_column_is_drawn_from_itself():
    filled = PmmImputer().fit_transform(np.array([[1.0], [2], [4], [np.nan]]))
    assert filled[3, 0] in {1, 2, 4}


def test_values_come_back_to_the_last_digit_in_columns_of_any_range():
    rng = np.random.default_rng(0)
    table = np.column_stack([rng.normal(size=40), 1e-20 * np.arange(40) + 1e-21])
    table[0, 1] = 1e300
    known = set(table[:, 1])
    table[5:25, 1] = np.nan
    assert set(PmmImputer().fit_transform(table)[:, 1]) <= known


def test_several_draws_are_averaged():
    table = np.array([[0, 1.0], [1, 3], [2, 5], [3, 7], [2.5, np.nan]])
    assert PmmImputer(matches=2, draws=2000).fit_transform(table)[4, 1] == pytest.approx(6, abs=0.15)


def test_fills_vary_as_the_column_does():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(2000, 2))
    targets = points @ [1.0, 1.0] + rng.normal(size=2000)
    table, rows = with_hole_column(np.column_stack([points, targets]), 2, 600)
    filled = PmmImputer().fit_transform(table)[rows, 2]
    assert filled.std() == pytest.approx(targets.std(), rel=0.08)
    assert np.corrcoef(filled, targets[rows])[0, 1] == pytest.approx(2 / 3, abs=0.08)


class TestMatches:
    PREDICTED = np.array([0.0, 1, 2, 2, 2, 2, 5, 9])

    def count(self, wanted, n_matches):
        chances = np.random.default_rng(0).random((20000, 2))
        match = draw_matches(
            self.PREDICTED, np.full(20000, float(wanted)), n_matches=n_matches, chances=chances
        )
        return np.bincount(match, minlength=8) / 20000

    def test_the_closest_have_the_same_chance(self):
        np.testing.assert_allclose(self.count(0.4, 2), [0.5, 0.5, 0, 0, 0, 0, 0, 0], atol=0.02)
        one_of_four, third = 1 / 12, 1 / 3
        expected = [0, 0, *[one_of_four] * 4, third, third]
        np.testing.assert_allclose(self.count(8, 3), expected, atol=0.02)

    def test_of_equally_close_ones_none_is_preferred(self):
        np.testing.assert_allclose(self.count(2, 1), [0, 0, 0.25, 0.25, 0.25, 0.25, 0, 0], atol=0.02)

    def test_on_both_sides(self):
        # 3.5 is 1.5 from the four twos and from 5.
        np.testing.assert_allclose(self.count(3.5, 2), [0, 0, 0.2, 0.2, 0.2, 0.2, 0.2, 0], atol=0.02)

    def test_more_matches_than_donors_are_all_of_them(self):
        np.testing.assert_allclose(self.count(4, 50), [0.125] * 8, atol=0.02)

    @pytest.mark.parametrize("wanted", [-100, 100])
    def test_beyond_the_ends(self, wanted):
        ends = self.count(wanted, 2)
        assert ends[[0, 1] if wanted < 0 else [6, 7]].sum() == 1

    def test_equally_close_up_to_rounding_keep_their_chances(self):
        predicted = np.array([-2e-17, -1e-17, 0, 1e-17, 2e-17])
        chances = np.column_stack([np.linspace(0.05, 0.95, 10), np.full(10, 0.5)])
        match = draw_matches(predicted, np.full(10, 0.3), n_matches=5, chances=chances)
        assert np.bincount(match).tolist() == [2, 2, 2, 2, 2]

    def test_against_sorting_all_distances(self):
        rng = np.random.default_rng(1)
        predicted = np.sort(rng.normal(size=60))
        wanted = rng.normal(size=200)
        match = draw_matches(predicted, wanted, n_matches=5, chances=rng.random((200, 2)))
        closest = np.argsort(np.abs(predicted - wanted[:, None]), axis=1)[:, :5]
        assert (closest == match[:, None]).any(axis=1).all()
