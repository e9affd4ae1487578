"""How sure a fill is, measured on cells whose value is known.

::

    hidden_cells   known cells to hide, holes like the table's own around them
    calibration    learn and fill again without them; how wrong the fills are, by column
    error_scale    a scale for each cell from the spread of its candidates; intervals and draws from it
    row_draws      random numbers that belong to a row, not to the order in which things are done
"""
