"""Compiled leaves: arrays and scalars in, arrays out.

The steps for one donor, in the order of the modules::

    tree             donors in leaf order, with bounding boxes: built once per set of observed columns
    search           its nearest donors: places in the tree, exact, unsorted
    order            the same, sorted at the grid's steps: by (distance, row) between steps, by row within
    validation       its validation rows: lists of nearest donors, inverted
    gram             sums of products, grown step by step and solved at each (Proposition 3)
    held_out         leave-one-out errors from the leverage
    learn            the driver: costs and choice of l (Algorithms 1 and 3)
    votes            candidates and their weights (Algorithm 2)

Not part of these steps::

    decision_trees   sums of leaves
    trials           held-out errors of every donor, for the tuning of a column
    known_search     nearest donors on the known columns of a row, for rounds
    known            their models on these columns
    local            one regression: over all donors, or around each row to fill
    products         rows times a matrix, one row at a time
    sums             sums without rounding
    boxes            which rows lie in which boxes, for learning over parts
    straightforward  learning in separately timed stages, for the paper's experiments
    compiling        reports compilations: why a first call takes longer
    _jit             the compiler settings

The steps hold the neighbours of a few donors at a time, so memory does not grow with the number of donors
times learning neighbours. No donor and no receiver depends on others: blocks and threads cannot change a
bit of the result.
"""
