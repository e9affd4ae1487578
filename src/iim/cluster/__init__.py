"""Tables larger than one machine: filled partition by partition, and learned from in parts.

A row's fill depends on the model and on the row, never on other rows. So a table filled partition by
partition is bit-identical to the result of ``imputer.transform``. Everything else has to be made equal:
types that do not depend on whether a partition has missing values, partitions without rows, errors that
name the place. That is done once, for all engines::

    description of the table ─► plan: checks, types of the result        _plans, _types
    model ─► itself, or the path of its file; loaded once per worker     _models
    partition ─► filled, in the types of the plan; errors say where      _plans, _places
    all partitions, lazily                                               dask, spark

To *learn* from more donors than a machine holds, space is divided into regions. A part owns the donors of
one region, and gets copies of the donors of other parts that its models depend on. The model is a folder of
parts::

    donors ─► regions ─► copies for other parts ─► models ─► votes       partition: arrays only
    partitions ─► files of the folder ─► queries ─► answers              parted: one step, one part
    order of the steps, and what is shuffled in between                  dask

``iim cluster`` does both for folders of Parquet files::

    folder ─► columns of numbers ─► fit, impute ─► files with fills      parquet
    processes on this machine, or an existing cluster                    workers
    options ─► one of the above ─► result                                command

No other package imports this one, since its engines are optional. The command line finds ``command`` by its
name.
"""
