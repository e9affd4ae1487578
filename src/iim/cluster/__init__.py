"""Tables that one machine does not hold: filled partition by partition, and learned from in parts.

A row's fill depends on the model and on the row, never on the rows beside it. So a table that is filled
partition by partition is, to the last bit, the one that ``imputer.transform`` returns. What has to be made
equal is everything around the numbers: types that do not depend on whether a partition has holes,
partitions without rows, errors that say where. That is done once, for all engines::

    description of the table ─► plan: checks, types of the result        _plans, _types
    model ─► itself, or the path of its file; opened once by a worker    _models
    partition ─► filled, in the types of the plan; errors say where      _plans, _places
    all partitions, lazily                                               dask, spark

To *learn* from more donors than a machine holds, space is divided. A part owns the donors of its region,
and borrows from other parts what their models depend on. The model is a folder of parts::

    donors ─► regions ─► what a part borrows ─► its models ─► votes      partition: arrays only
    partitions ─► files of the folder ─► queries ─► answers              parted: one step, one part
    which step runs when, and what is shuffled in between                dask

``iim cluster`` does both for folders of Parquet files::

    folder ─► columns of numbers ─► fit, impute ─► files with fills      parquet
    processes on this machine, or a cluster that is there                workers
    options ─► one of the above ─► result                                command

Nothing outside imports this package: it needs engines that others need not have. The command line finds
``command`` by its name.
"""
