"""Quartiles and histograms."""

import numpy as np

from iim.reporting.distributions import MOST_BINS, count_in_bins, describe


def test_a_few_values_far_out_are_counted_in_the_outer_bins():
    values = np.concatenate([np.linspace(0, 1, 400), [1e6]])
    found = count_in_bins(values, np.array([-1e6]))
    assert (found.open_low, found.open_high) == (True, True)
    assert len(found.observed) == MOST_BINS
    assert (found.observed[-1] >= 1, found.filled[0]) == (True, 1)
    assert sum(found.observed) == 401
    assert -1 < found.edges[0] < found.edges[-1] < 2


def test_nothing_is_described_as_nothing():
    assert describe(np.empty(0)) is None
    assert count_in_bins(np.empty(0), np.empty(0)) is None
