"""Compiled leaves: arrays and scalars in, arrays out.

What happens to one donor, in the order of the modules::

    tree    donors in leaf order, with boxes        built once per set of observed columns
    search  its nearest donors                      places in the tree, exact, in no order
    validation  the donors that it is judged on
    order   the finds, in order at the grid's steps (distance, row) between steps, row within
    gram    sums of products, grown step by step    Proposition 3; solved at each step
    learn   the driver: cost of each step, choice   Algorithms 1 and 2, then everything is forgotten
    votes   candidates and their weights            Algorithm 3

Nothing here keeps more than one donor's neighbours at a time, so memory does not grow with the number
of learning neighbours. Every donor and every receiver is handled by itself: how rows are split into
blocks, and how many threads run them, cannot change a bit of the result.
"""
