"""The parameter ``n_jobs``: its check, and its number of threads."""

from __future__ import annotations

import multiprocessing
import os

import joblib

from iim._checks import WHOLE, Check, exactly
from iim.core.execution.context import Context, Progress
from iim.imputers._blas import one_blas_thread

NUMBER_OF_JOBS = exactly(None) | Check(
    "a whole number other than 0", lambda value: WHOLE.accepts(value) and value != 0
)

THREAD_LIMITS = ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS")
"""Environment variables that limit the threads of a process.

joblib, Dask and Spark set them for their worker processes, so that not each of them uses every core."""


def context_for(n_jobs: int | None, progress: Progress | None = None) -> Context:
    """The context of a call with ``n_jobs`` threads: one for None, all but some for a negative number.

    -1 is all that this process may use, -2 all but one, as in scikit-learn. Simultaneous calls with a
    negative number share the threads; see :mod:`iim.core.execution.thread_budget`.
    """
    if n_jobs is None or n_jobs > 0:
        n_threads, shared = 1 if n_jobs is None else int(n_jobs), False
    else:
        n_threads, shared = max(1, usable_threads() + 1 + int(n_jobs)), True
    return Context(n_threads, shared=shared, progress=progress, one_blas_thread=one_blas_thread)


def usable_threads() -> int:
    """How many threads this process may use.

    The minimum of joblib's count (the machine's cores, those that the process is bound to, the limit of its
    container, ``LOKY_MAX_CPU_COUNT``) and ``THREAD_LIMITS``. One in the worker processes of
    :mod:`multiprocessing`, because their number is not known.
    """
    if multiprocessing.current_process().daemon:
        return 1
    # OMP_NUM_THREADS may be a list, one number for each level of nesting.
    said = [os.environ[name].partition(",")[0].strip() for name in THREAD_LIMITS if name in os.environ]
    limits = [int(text) for text in said if text.isdecimal() and int(text) > 0]
    return min([int(joblib.cpu_count()), *limits])
