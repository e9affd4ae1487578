"""From a pattern to the problem that is solved for it."""

import numpy as np
import pytest

import iim
from strategies import untied


@pytest.mark.parametrize("key", ["ills", "eracer"])
def test_donors_that_are_nothing_beside_the_largest_value_are_still_donors(key):
    # On the column's scale they are all the same; in their own unit that scale is beyond all numbers.
    table = untied(60, 3)
    table[:, 2] *= 1e-300
    table[0] = [np.nan, np.nan, 1e300]
    table[5, 2] = np.nan
    filled = iim.METHODS[key]().fit(table).transform(table)[5, 2]
    assert np.abs(filled) <= np.nanmax(np.abs(table[1:, 2]))
