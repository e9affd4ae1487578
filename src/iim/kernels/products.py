"""Products of rows with a matrix, one row at a time.

A matrix product of a linear algebra library sums in an order that depends on how many rows there are. A
row's fill must not: here each sum runs in column order, whatever the company.
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
        What each is multiplied with.
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
