"""The parameter ``n_jobs``: what it may be, and how many threads it means."""

from __future__ import annotations

import joblib

from iim._checks import WHOLE, Check, exactly
from iim.core.workers import Workers

NUMBER_OF_JOBS = exactly(None) | Check(
    "a whole number other than 0", lambda value: WHOLE.accepts(value) and value != 0
)


def workers_for(n_jobs: int | None) -> Workers:
    """Threads: all cores for -1, one for None, as everywhere in scikit-learn."""
    return Workers(n_threads=1 if n_jobs is None else joblib.effective_n_jobs(n_jobs))
