"""Products of rows with a matrix, one row at a time.

In a linear algebra library, the order of sums depends on the number of rows. A row's fill must not depend
on other rows, so here each sum runs in column order.
"""

from __future__ import annotations

from iim._arrays import Floats
from iim.kernels._jit import kernel


@kernel
def multiply_rows(rows: Floats, matrix: Floats, out: Floats) -> None:
    """``out[i, j] = sum_c rows[i, c] * matrix[c, j]``, summed over c in order. O(n a b).

    Parameters
    ----------
    rows : ndarray of shape (n, a)
        Rows.
    matrix : ndarray of shape (a, b)
        The matrix.
    out : ndarray of shape (n, b)
        Receives the products.
    """
    for row in range(rows.shape[0]):
        for column in range(matrix.shape[1]):
            out[row, column] = 0.0
        for inner in range(matrix.shape[0]):
            value = rows[row, inner]
            for column in range(matrix.shape[1]):
                out[row, column] += value * matrix[inner, column]
