"""Compiled leaves: arrays and scalars in, arrays out.

What happens to one donor, in the order of the modules::

    tree        donors in leaf order, with boxes     built once per set of observed columns
    search      its nearest donors                   places in the tree, exact, in no order
    order       the same, ranked at the grid's steps (distance, row) between steps, row within
    validation  the donors that it is judged on      lists of nearest donors, turned around
    gram        sums of products, grown by steps     Proposition 3; solved at each step
    learn       the driver: costs and choice         Algorithms 1 and 2, then all is forgotten
    votes       candidates and their weights         Algorithm 3

``straightforward`` is beside the way: learning in stages that can be timed, for the paper's experiments.

Nothing on the way keeps more than one donor's neighbours at a time, so memory does not grow with the number
of learning neighbours. Every donor and every receiver is handled by itself: how rows are split into
blocks, and how many threads run them, cannot change a bit of the result.
"""
