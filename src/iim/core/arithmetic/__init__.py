"""Arithmetic in a fixed order, so that threads, blocks and machines cannot change a bit.

::

    exact_sums     the exact sum of a column, rounded once, however its rows are divided
    column_means   the mean of each column's known values: the last fallback of every method
    row_products   products and averages of one row at a time
"""
