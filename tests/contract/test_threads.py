"""As many threads as asked for, and no more when calls run within or beside each other."""

import os
import threading
from dataclasses import replace
from pathlib import Path

import joblib
import numpy as np
import pytest

import iim
from cases import CASES, VARIANTS, assert_same, every, fit_quietly
from iim.core.execution import context
from iim.imputers import _jobs
from iim.imputers._jobs import usable_threads

TASKS = Path("/proc/self/task")
"""A folder for each thread of this process, whichever library started it; on Linux."""

MANY = 4
"""Cores that this machine pretends to have."""


@pytest.fixture(scope="module")
def table():
    """Rows for several blocks."""
    random = np.random.default_rng(11)
    values = random.normal(size=(300, 4))
    values[::3, 0] = values[1::3, 2] = np.nan
    return values


@pytest.fixture
def busy(monkeypatch):
    """How many of our threads were there in each block of rows, and how many of anyone's."""
    seen = {"ours": [0], "all": [0]}
    run = context.Context.run

    def watched_run(self, work, n_rows, **options):
        def watched(first, stop):
            work(first, stop)
            seen["ours"].append(sum(one.name.startswith("iim_") for one in threading.enumerate()))
            seen["all"].append(len(list(TASKS.iterdir())) if TASKS.exists() else 0)

        run(replace(self, block_size=min(self.block_size, 16)), watched, n_rows, **options)

    monkeypatch.setattr(context.Context, "run", watched_run)
    monkeypatch.setattr(_jobs, "usable_threads", lambda: MANY)
    return seen


WITH_JOBS = [case for case in CASES + VARIANTS if case.has("n_jobs")]


@every(WITH_JOBS)
@pytest.mark.parametrize(("n_jobs", "most"), [(1, 0), (None, 0), (3, 3), (-1, MANY), (-2, MANY - 1)])
def test_no_more_threads_are_started_than_asked_for(case, n_jobs, most, table, busy):
    fit_quietly(case.make(n_jobs=n_jobs), table).transform(table)
    # One thread is the caller's own.
    assert max(busy["ours"]) <= most


@pytest.mark.skipif(not TASKS.exists(), reason="this system does not show threads as files")
@every([case for case in CASES if case.has("n_jobs")])
def test_one_job_starts_no_thread_in_any_library(case, table, busy):
    imputer = fit_quietly(case.make(n_jobs=1), table)
    before = len(list(TASKS.iterdir()))
    fit_quietly(case.make(n_jobs=1), table).transform(table)
    imputer.transform(table)
    # Besides one that keeps the libraries below numpy from using theirs: it waits, and its last moments may
    # overlap with the first of the next one.
    assert max(busy["all"]) <= before + 2


@pytest.mark.parametrize("key", ["iim", "ills", "xgb"])
def test_calls_beside_each_other_divide_the_threads(key, table, busy):
    n_calls = 5
    method = iim.METHODS[key]
    parallel = joblib.Parallel(n_jobs=n_calls, backend="threading")
    filled = parallel(joblib.delayed(method().fit_transform)(table) for _ in range(2 * n_calls))
    # Not n_calls times as many.
    assert max(busy["ours"]) <= MANY + n_calls - 1
    alone = method(n_jobs=1).fit_transform(table)
    for one in filled:
        assert_same(one, alone)


def test_compare_uses_the_threads_it_is_given(table, busy):
    iim.compare(table, ["knn", "ills", "xgb", "iim"], repeats=1, n_jobs=2, progress=False)
    assert max(busy["ours"]) == 2
    busy["ours"] = [0]
    iim.compare(table, ["knn", "ills", "xgb", "iim"], repeats=1, n_jobs=1, progress=False)
    assert max(busy["ours"]) == 0


def test_diagnose_uses_the_threads_it_is_given(table, busy):
    found = {}
    for n_jobs, most in ((2, 2), (1, 0)):
        busy["ours"] = [0]
        found[n_jobs] = iim.diagnose(table, hide=0.4, n_jobs=n_jobs, progress=False).columns
        assert max(busy["ours"]) == most
    assert found[1] == found[2]


@pytest.mark.slow
def test_processes_of_joblib_divide_the_cores():
    n_processes = max(2, joblib.cpu_count())
    try:
        counts = joblib.Parallel(n_jobs=n_processes, backend="loky")(
            joblib.delayed(usable_threads)() for _ in range(n_processes)
        )
    finally:
        joblib.externals.loky.get_reusable_executor().shutdown(wait=True)
    assert set(counts) == {1}


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system binds nothing to cores")
def test_a_process_bound_to_one_core_uses_one_thread():
    before, found = os.sched_getaffinity(0), []

    def look():
        # Of this thread only: nobody else is moved.
        os.sched_setaffinity(0, {min(before)})
        found.append(usable_threads())

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert found == [1]
    assert os.sched_getaffinity(0) == before
