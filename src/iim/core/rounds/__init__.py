"""Rounds: fill the rows to learn from first, for tables in which few rows know all columns.

Patterns learn from the rows that know all columns of a pattern; where almost every row has holes of its
own, these are few. Here every row that knows a column is its donor. Its own holes are filled first, then
filled again from the filled rows, and so on; at last the completed rows are frozen::

    table with holes ─► one Gaussian ─► first fills ─► rounds of votes ─► completed rows
    row to fill ─► nearest donors on its known columns ─► their models on these columns ─► vote

    gaussian          the first fills, for each column without its own value, and one regression for all
    known_votes       nearest donors on what a row knows, and their models on the same columns
    completed_table   the training rows, their missing cells filled: the Source of rounds
    completion        chooses these rows and completes them, round by round
    choices           how each column is filled in each round
    rehearsal         makes these choices, by filling known cells that are hidden for it
    round_loop        learns from the completed rows and fills; replaces the loop over patterns

A fill uses what its row knows, and no other fill of the row, so it needs no rounds itself. Tuning, index,
validation rows, and the number of learning neighbours are those of ``core/iim.py``, with all other columns;
for the vote, the models are learned again on the columns that the row knows. A donor's target is always
observed, so no row is its own donor.
"""
