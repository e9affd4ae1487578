"""A fitted imputer for tables that are in partitions, on one machine or on many.

::

    description of the table ─► plan (checked, types of the result)     once, where the job is written
    model ─► as it travels: itself, or the path of its file             once for each worker
    partition ─► filled, in the types of the plan                       each by itself, lazily

A row's fill depends on the model and on the row, never on the rows beside it; so a table that is filled
partition by partition is, to the last bit, the one that ``imputer.transform`` returns. What has to be made
equal is all around the numbers: types that do not depend on whether a partition has holes, partitions
without rows, errors that say where. That is here, once; :mod:`iim.cluster.dask` and
:mod:`iim.cluster.spark` put it in the words of their engines.
"""
