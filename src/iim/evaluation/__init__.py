"""What a method is worth on cells whose value is known: hide them, let it fill them, score.

::

    hiding        which known cells: at random, in clusters, or like the table's own holes
    attempts      one try: what came of it, how long it took, what was warned of, what went wrong
    scoring       how far fills are from the truth
    calibration   IIM's own errors on hidden cells: standard deviations, intervals and draws come from them

Comparisons, diagnoses, the choice of ``AutoImputer``, calibration and the paper's experiments stand on
these. What is tried comes as callables, or as the core's own loop: nothing here knows of imputers.
"""
