"""Rounds: each column from all the others, for tables with too many patterns to learn one by one.

Where almost every row has a pattern of its own, there are as many sets of models to learn as rows. Here is
one set per column instead, learned from rows that are completed first, then frozen::

    table with holes ─► rows to learn from ─► first fills ─► rounds ─► completed rows ─► a model for each
    row to fill ─► nearest donors on what it knows ─► first fills ─► rounds of votes ─► filled row

    completed_table   the rows learned from, their holes filled: the Source of this way
    known_neighbors   nearest donors of a missing cell, on what its row really knows
    completion        how these rows are chosen and completed, column by column, until little changes
    round_loop        learning and filling over them; stands where the loop over patterns stands

What differs from patterns: the source is a completed table; a problem is a column from *all* others; donors
are asked because they are near on what a row really knows; and what their models need besides are the row's
own fills so far, so that votes are repeated. Distances are the scaled ones, nothing is tuned by trial, and
the ridge weight grows with the share of holes (``make_plan`` in ``core/strategy.py``). Index, judges,
models and vote are those of ``core/iim.py``. A donor really knows the value that it is asked for: no row is
its own donor.
"""
