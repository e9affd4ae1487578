import numpy as np
from hypothesis import given

from iim.core.patterns import Pattern, group_patterns
from strategies import tables_with_holes


def test_by_hand():
    missing = np.array([[0, 1, 0], [0, 0, 0], [1, 0, 1], [0, 1, 0], [1, 1, 1]], bool)
    first, second, third = group_patterns(missing)
    assert (first.observed, first.targets, first.rows.tolist()) == ((0, 2), (1,), [0, 3])
    assert (second.observed, second.targets, second.rows.tolist()) == ((1,), (0, 2), [2])
    assert (third.observed, third.targets, third.rows.tolist()) == ((), (0, 1, 2), [4])
    assert second.patterns == (Pattern((1,), 0), Pattern((1,), 2))


@given(table=tables_with_holes(max_columns=12))
def test_every_hole_is_in_one_pattern(table):
    missing = np.isnan(table)
    seen = np.zeros(missing.shape, int)
    for group in group_patterns(missing):
        for target in group.targets:
            seen[group.rows, target] += 1
        assert (missing[group.rows][:, list(group.targets)]).all()
        assert not (missing[group.rows][:, list(group.observed)]).any()
        assert (np.diff(group.rows) > 0).all()
    assert (seen == missing).all()
