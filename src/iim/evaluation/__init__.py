"""Held-out errors: hide known cells, fill them by a method, score.

::

    hiding        choose the cells: at random or in clusters; like the table's own holes: core/held_out
    attempts      run steps that may fail: result, time, warnings, error
    scoring       errors of fills
    calibration   IIM's errors on hidden cells, for standard deviations, intervals and draws

Used by comparisons, diagnoses, ``AutoImputer``, calibration and the paper's experiments. Methods are passed
as callables, or as the core's own loop: nothing here imports imputers.
"""
