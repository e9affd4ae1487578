"""How sure a fill is, measured on cells whose value is known.

::

    error_scale    a scale for each cell from the spread of its candidates; intervals and draws from it
    row_draws      random numbers that belong to a row, not to the order in which things are done
"""
