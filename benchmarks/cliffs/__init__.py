"""Tables on which imputers fail: worse than the mean, or much worse than a simple method.

Fifty small tables of known kinds, generated ones and some of scikit-learn: low rank, noise, drift with its
end missing, few rows, heavy tails, codes, copies, and others. Each is a function of a seed::

    generated.py  the values
    holes.py      which cells are hidden
    tables.py     the list: values, holes, kind, half
    scoring.py    records to ratios
    layout.py     tables for the terminal and for the pages
    commands.py   the command line

Half of the tables is for choosing settings. The other half, ``"last"``, has the same kinds, and is run with
new settings only once these have been chosen: so ``run`` takes the first half unless it is told otherwise.
"""
