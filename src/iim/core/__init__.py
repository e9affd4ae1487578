"""The method, a module per step; arrays in, arrays out. Start with ``iim``: the method on one page.

::

    table ─► matrix + missing ─► patterns (F, A) ─► donors ─► scaled and learned coordinates ─► neighbours
          ─► individual models over l ─► l chosen per donor ─► candidates ─► vote ─► filled cells

The story, in the order of its steps:

::

    iim             the three steps of the method: solve, ask, predict
    pattern_loop    the loop over patterns that IIM and the regression methods share
    strategy        patterns or rounds: chooses one and starts it
    settings        all parameters: the paper's defaults and ours
    source          the training table, and the arrays of its problems
    patterns        which columns a row has, and which one is to be filled
    donors          the problem of a pattern: its donor rows, its columns, its fallback
    scaling         columns on one scale
    distances       learned distances: a metric from the slopes of the models
    neighbors       nearest donors, by (distance, row)
    learning_size   choosing l: the candidates and their validation rows; the choice is in kernels/learn
    learning        the models: a ridge regression for each donor
    voting          the predictions of the nearest donors' models, and their weights
    fills           filled cells, with the candidates they come from

Sub-packages:

::

    held_out        distances, level, weights and shrinkage of a column, chosen by held-out error
    rounds          the same steps over a table that is completed meanwhile
    methods         the arithmetic of the other methods
    uncertainty     calibration on hidden cells; intervals and draws
    execution       threads, progress, cancellation; the cache of models
    arithmetic      sums and products in a fixed order
"""
