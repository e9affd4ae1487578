"""How a call runs, whatever it computes.

::

    context         threads over blocks of rows, progress, the end before time: one value, handed down
    thread_budget   threads that calls at the same time share
    model_cache     what ``fit`` has learned, and what was needed since
"""
