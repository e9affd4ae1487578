"""Learning from donors that no machine holds: space is divided, each part gets all that its models need.

::

    space_partition   boxes of space with about equally many donors each
    parts             what a part needs from others, and the models of its own donors
    part_answers      candidates of each part for a receiver, and the vote over all of them
"""
