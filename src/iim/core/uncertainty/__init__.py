"""The uncertainty of a fill, calibrated on cells whose value is known.

::

    error_scale    a scale for each cell from the spread of its candidates; intervals and draws from it
    row_draws      random numbers that depend on the row, not on the order of computation
"""
