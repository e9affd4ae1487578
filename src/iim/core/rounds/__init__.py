"""Rounds: each column from all the others, for tables with too many patterns to learn one by one.

If almost every row has its own pattern, patterns need as many sets of models as there are rows. Rounds need
one set per column. The training rows are first completed, then frozen::

    table with holes ─► training rows ─► first fills ─► rounds ─► completed rows ─► one model per donor
    row to fill ─► nearest donors on its known columns ─► first fills ─► rounds of votes ─► filled row

    completed_table   the training rows, their missing cells filled: the Source of rounds
    known_neighbors   nearest donors of a missing cell, on the known columns of its row
    completion        chooses these rows and completes them, column by column, until convergence
    round_loop        learns from them and fills; replaces the loop over patterns

Differences to patterns:

- The source is a completed table, and a problem is a column from *all* others.
- Neighbours are found on the observed values of a row only. The models also need the row's missing columns;
  they use its current fills, so votes are repeated.
- Distances are the scaled ones and nothing is tuned by held-out error.
- The ridge weight grows with the share of missing cells (``make_plan`` in ``core/strategy.py``).

Index, validation rows, models and vote are those of ``core/iim.py``. A donor's target is always observed,
so no row is its own donor.
"""
