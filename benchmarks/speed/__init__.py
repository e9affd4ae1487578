"""The speed suite: what IIM costs, as ratios, exponents and shares measured in one run.

A topic is a module with two functions: ``measure(plan)`` gives plain data, ``lines(record)`` turns that
into the printed table. ``running.py`` runs topics, prints them, and keeps their records in one JSON file,
from which ``docs/speed.md`` draws its plots::

    ratios       against SciPy's and scikit-learn's own routines
    growth       exponents over rows, columns, learning neighbours and neighbours
    learning     incremental against straightforward learning, on the same neighbour lists
    scalability  the paper's figure: both ways of learning, and imputation, over the number of rows
    stages       where the time goes
    search       boxes first or every donor: the two ways to search, and the rule between them
    memory       the peak of a child process, above the data
    first_call   what compiling costs, once, and loading what was compiled

Seconds of a shared machine say little: only what was measured side by side in one run is compared, and
``history`` keeps ratios of commits, not seconds.
"""
