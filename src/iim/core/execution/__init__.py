"""How a call runs, whatever it computes.

::

    context         threads over blocks of rows, progress and cancellation, in one value
    thread_budget   threads shared by simultaneous calls
    model_cache     models learned by ``fit``, and models first needed later
"""
