"""Learning from donors that no machine holds: space is divided, and each part learns as if all were there.

::

    space_partition   boxes of space that hold about equally many donors each
    parts             what a part needs from others, and the models of its own donors
    part_answers      what parts say of receivers, and the vote over all of it
"""
