"""Compiled leaves: arrays and scalars in, arrays out.

What happens to one donor, in the order of the modules::

    tree             donors in leaf order, with boxes: built once per set of observed columns
    search           its nearest donors: places in the tree, exact, in no order
    order            the same, ranked at the grid's steps: (distance, row) between steps, row within
    validation       the donors that it is judged on: lists of nearest donors, turned around
    gram             sums of products, grown by steps and solved at each (Proposition 3)
    held_out         errors on donors as if the model had not learned from them: leverage
    learn            the driver: costs and choice of l, then all is forgotten (Algorithms 1 and 3)
    votes            candidates and their weights (Algorithm 2)

Beside the way::

    decision_trees   sums of the leaves that rows come to
    trials           every known value predicted as if it were missing, for the tuning of a column
    known            nearest donors on what a row knows, for rounds
    local            one regression: over all donors, or around each row to fill
    products         rows times a matrix, one row at a time
    sums             sums without rounding
    boxes            which donors lie in which boxes, for learning over parts
    straightforward  learning in stages that can be timed, for the paper's experiments
    compiling        tells who compiles, and when: why a first call takes longer
    _jit             the one switch of the compiler

Nothing on the way keeps more than one donor's neighbours at a time, so memory does not grow with the number
of learning neighbours. Every donor and every receiver is handled by itself: how rows are split into
blocks, and how many threads run them, cannot change a bit of the result.
"""
