"""IIM on more donors than one machine holds: the model is a folder of parts.

::

    partitions of a table -> numbers, in files of the folder          table, storage
                          -> scaling, patterns, fallbacks             table, model
                          -> parts: split, exchange, validate, learn  part_learning
    partitions to fill    -> queries -> answers of parts -> fills     part_queries

Everything here works on one partition or one part, independently of the engine: it reads files of the
folder, and rows that the engine has brought from elsewhere. :mod:`iim.cluster.dask` decides the order.
Files are written atomically, and the same input gives the same bytes, so an engine may repeat a step after
a machine was lost.
"""
