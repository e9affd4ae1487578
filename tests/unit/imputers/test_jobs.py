import io
import multiprocessing
import os
import sys
from types import SimpleNamespace

import joblib
import pytest
from joblib.externals.loky.backend import context

from iim.core.execution.context import Context
from iim.imputers import _jobs
from iim.imputers._jobs import THREAD_LIMITS, context_for, usable_threads

CORES = 8
V2 = "/sys/fs/cgroup/cpu.max"
V1 = ("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "/sys/fs/cgroup/cpu/cpu.cfs_period_us")


@pytest.fixture
def machine(monkeypatch):
    """A machine of eight cores without any limit, whatever this one is; returns how to limit it."""
    state = SimpleNamespace(files={}, bound=set(range(CORES)))
    exists = os.path.exists
    for name in (*THREAD_LIMITS, "LOKY_MAX_CPU_COUNT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: CORES)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: state.bound, raising=False)
    monkeypatch.setattr(
        os.path,
        "exists",
        lambda path: path in state.files if str(path).startswith("/sys/fs/cgroup") else exists(path),
    )
    monkeypatch.setattr(context, "open", lambda path: io.StringIO(state.files[path]), raising=False)
    return state


@pytest.mark.parametrize(
    ("n_jobs", "n_threads"), [(None, 1), (1, 1), (3, 3), (20, 20), (-1, 8), (-2, 7), (-8, 1), (-100, 1)]
)
def test_negative_numbers_count_from_the_end_as_in_joblib(n_jobs, n_threads, machine):
    context = context_for(n_jobs)
    assert context.n_threads == n_threads
    assert context.n_threads == (1 if n_jobs is None else joblib.effective_n_jobs(n_jobs))
    # What was named is had; what was left open is divided among those who left it open.
    assert context.shared == (n_jobs is not None and n_jobs < 0)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({V2: "max 100000\n"}, 8),
        ({V2: "200000 100000\n"}, 2),
        ({V2: "150000 100000\n"}, 2),
        ({V2: "50000 100000\n"}, 1),
        ({V2: "9900000 100000\n"}, 8),
        (dict(zip(V1, ("-1\n", "100000\n"), strict=True)), 8),
        (dict(zip(V1, ("300000\n", "100000\n"), strict=True)), 3),
        (dict(zip(V1, ("25000\n", "50000\n"), strict=True)), 1),
    ],
)
def test_the_limit_of_a_container_is_kept(files, expected, machine):
    machine.files = files
    assert usable_threads() == expected
    assert context_for(-1) == Context(n_threads=expected, shared=True)


def test_cores_that_the_process_is_bound_to_are_what_it_may_use(machine):
    machine.bound = {2, 5, 6}
    assert usable_threads() == 3


@pytest.mark.parametrize("name", ["LOKY_MAX_CPU_COUNT", *THREAD_LIMITS])
def test_a_limit_in_the_environment_is_kept(name, machine, monkeypatch):
    monkeypatch.setenv(name, "3")
    assert usable_threads() == 3
    assert context_for(-2).n_threads == 2
    # A number that is named is not an open question.
    assert context_for(5).n_threads == 5


@pytest.mark.parametrize(("text", "expected"), [("4,2,1", 4), ("", 8), ("all", 8), ("0", 8), ("64", 8)])
def test_limits_of_openmp_can_be_lists_and_nonsense(text, expected, machine, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", text)
    assert usable_threads() == expected


def test_the_tightest_limit_counts(machine, monkeypatch):
    machine.files, machine.bound = {V2: "400000 100000"}, set(range(5))
    monkeypatch.setenv("LOKY_MAX_CPU_COUNT", "6")
    assert usable_threads() == 4


def test_worker_processes_whose_number_nobody_tells_use_one_thread_each(machine, monkeypatch):
    monkeypatch.setattr(multiprocessing, "current_process", lambda: SimpleNamespace(daemon=True))
    # joblib would warn here that it can start no processes, which we do not want.
    assert context_for(-1).n_threads == 1


def test_another_backend_of_joblib_does_not_decide(machine):
    # Its workers may be on a cluster; our threads are here.
    with joblib.parallel_config(backend="threading", n_jobs=3):
        assert context_for(-1).n_threads == 8
        assert context_for(None).n_threads == 1


@pytest.mark.skipif(sys.version_info < (3, 13), reason="came with Python 3.13")
def test_python_can_be_told_how_many_cores_there_are(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 1)  # as -X cpu_count=1 does
    assert _jobs.usable_threads() == 1
