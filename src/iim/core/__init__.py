"""The method, a module per step; arrays in, arrays out. Start with ``iim``: the method on one page.

::

    table ─► matrix + missing ─► patterns (F, A) ─► donors ─► scaled and learned coordinates ─► neighbours
          ─► individual models over l ─► l chosen per donor ─► candidates ─► vote ─► filled cells

The story, in the order of its steps:

::

    iim             the three steps of the method: solve, ask, predict
    pattern_loop    the loop over patterns that IIM and the regression methods share
    strategy        patterns or rounds: decided here, and begun here
    settings        all decisions, with names: the paper's and ours
    source          the table learned from, and the numbers of its problems
    patterns        which columns a row knows, and which one is to be filled
    donors          the problem: which rows a pattern is learned from, and what is given up
    scaling         columns on one scale
    tuning          how a column is filled best: distances, level and weights, by trial
    distances       learned distances: a metric from the slopes of the models
    neighbors       nearest donors, by (distance, row)
    learning_size   choosing l: the candidates, and who judges them; the choice is in kernels/learn
    learning        the models: a ridge regression for each donor
    voting          what the nearest donors' models say, and how it is weighed
    fills           filled cells, with the votes they come from

Beside it, in rooms of their own:

::

    rounds          the same story over a table that is completed meanwhile
    methods         the arithmetic of the other methods
    uncertainty     calibration on hidden cells; intervals and draws
    execution       threads, progress and cancellation; what has been learned
    arithmetic      sums and products in a fixed order
"""
