"""Products and means of rows, each by itself."""

import numpy as np

from iim.core.arithmetic.row_products import averaged, times
from strategies import untied


def test_times_is_the_matrix_product():
    rows, matrix = untied(40, 5), untied(5, 3, seed=1)
    np.testing.assert_allclose(times(rows, matrix), rows @ matrix, rtol=1e-12)
    np.testing.assert_allclose(times(rows, matrix[:, 0]), rows @ matrix[:, 0], rtol=1e-12)


def test_a_row_does_not_know_of_others():
    rows, matrix = untied(40, 17), untied(17, 9, seed=1)
    alone = np.vstack([times(row[None], matrix) for row in rows])
    assert times(rows, matrix).tobytes() == alone.tobytes()
    assert times(rows[:, ::-1], matrix).tobytes() == times(rows[:, ::-1].copy(), matrix).tobytes()


def test_averaged_by_hand():
    values = np.array([[1.0, 2, 6], [5, 5, 5]])
    assert averaged(values).tolist() == [3, 5]
    assert averaged(values, np.array([[1.0, 1, 0], [0.2, 0.3, 0.1]])).tolist() == [1.5, 5]


def test_a_mean_is_never_outside_of_its_values():
    # 0.1 three times, summed and divided, is a little more than 0.1.
    assert averaged(np.full((1, 3), 0.1)).tolist() == [0.1]
