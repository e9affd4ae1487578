"""IIM on donors that one machine does not hold: the model is a folder of parts.

::

    partitions of a table -> numbers, in files of the folder          table, storage
                          -> scaling, patterns, fallbacks             table, model
                          -> parts: split, lend, judge, learn         part_learning
    partitions to fill    -> queries -> answers of parts -> fills     part_queries

Everything here works on one partition or one part, and knows no engine: it reads files of the folder, and
what an engine has brought to it from elsewhere. Which runs when is decided in :mod:`iim.cluster.dask`.
A file is written whole or not at all, and the same input gives the same bytes: what an engine does twice,
after a machine was lost, does no harm.
"""
