import os
import threading
from concurrent.futures import ThreadPoolExecutor

import joblib
import numpy as np
import pytest
from threadpoolctl import ThreadpoolController, threadpool_info

from cases import CASES, COMPILED, VARIANTS, every, fit_quietly
from iim import METHODS
from iim.imputers import _blas
from iim.imputers._blas import Keeper, one_blas_thread
from interrupts import interrupted_at

PATIENCE = 300
"""Seconds; only a hang takes that long."""


def n_blas_threads() -> int:
    return max((one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"), default=1)


def set_blas_threads(n_threads: int) -> None:
    """From a thread that is gone then: one that lives would keep others from changing it."""

    def change():
        ThreadpoolController().limit(limits=n_threads, user_api="blas")

    changing = threading.Thread(target=change)
    changing.start()
    changing.join()


@pytest.fixture
def three_threads(monkeypatch):
    """Libraries below numpy set to three threads, whatever this machine has."""
    monkeypatch.setattr(_blas, "_keeper", Keeper())
    set_blas_threads(3)
    if n_blas_threads() != 3:
        pytest.skip("numpy's library of this machine cannot be told how many threads to use")
    yield
    set_blas_threads(joblib.cpu_count())


def test_there_is_one_thread_inside_and_what_there_was_outside(three_threads):
    with one_blas_thread():
        assert n_blas_threads() == 1
        with one_blas_thread():
            assert n_blas_threads() == 1
        assert n_blas_threads() == 1
    assert n_blas_threads() == 3


def test_an_error_inside_lifts_the_limit(three_threads):
    @one_blas_thread()
    def fail():
        raise RuntimeError

    for _ in range(2):
        with pytest.raises(RuntimeError):
            fail()
        assert n_blas_threads() == 3


def test_ctrl_c_at_any_call_lifts_the_limit(three_threads):
    with interrupted_at(None) as count, one_blas_thread():
        pass
    for moment in range(1, count() + 1):
        with pytest.raises(KeyboardInterrupt), interrupted_at(moment), one_blas_thread():
            pass
        assert n_blas_threads() == 3, moment


def test_the_last_of_several_calls_lifts_the_limit(three_threads):
    entered, go_on = threading.Event(), threading.Event()

    def stay():
        with one_blas_thread():
            entered.set()
            assert go_on.wait(PATIENCE)
            return n_blas_threads()

    with ThreadPoolExecutor(1) as pool:
        staying = pool.submit(stay)
        assert entered.wait(PATIENCE)
        with one_blas_thread():
            pass
        # A limit that each call lifts for itself would be gone now.
        assert n_blas_threads() == 1
        go_on.set()
        assert staying.result(PATIENCE) == 1
    assert n_blas_threads() == 3


def test_a_forked_process_does_not_wait_for_calls_it_has_not(three_threads, monkeypatch):
    parent = _blas._keeper
    with monkeypatch.context() as patch, parent._lock:
        patch.setattr(os, "getpid", lambda: -1)
        with one_blas_thread():
            assert n_blas_threads() == 1
        assert n_blas_threads() == 3


NUMPYS = ["cholesky", "eigh", "inv", "qr", "svd"]


@every(CASES + VARIANTS)
def test_every_method_uses_one_thread_below_numpy(case, three_threads, monkeypatch):
    seen = []

    def watched(function):
        def call(*arguments, **options):
            seen.append((function.__name__, n_blas_threads()))
            return function(*arguments, **options)

        return call

    for name in NUMPYS:
        monkeypatch.setattr(np.linalg, name, watched(getattr(np.linalg, name)))
    random = np.random.default_rng(3)
    table = random.normal(size=(60, 4))
    table[::9, 0] = table[4::9, 2] = np.nan
    imputer = fit_quietly(case.make(), table)
    imputer.transform(table[:20])
    assert [call for call in seen if call[1] != 1] == []
    in_rounds = case.settings.get("strategy") == "iterative"
    assert bool(seen) == (in_rounds or case.key in {"gmm", "svd", "ills", "blr", "pmm", "auto"})
    assert n_blas_threads() == 3


@COMPILED
@pytest.mark.parametrize("key", ["ifc", "gmm", "svd", "ills"])
def test_digits_do_not_depend_on_the_threads_of_the_libraries_below_numpy(key):
    random = np.random.default_rng(5)
    # Large enough that matrix products are divided among threads: IFC's digits did depend on it.
    table = random.normal(size=(90, 40) if key == "ills" else (3000, 30))
    table[::9, 0] = table[1::9, 1] = np.nan
    settings = {} if key == "ills" else {"max_iter": 3}
    fills = []
    for n_threads in (1, 2, 5, joblib.cpu_count()):
        set_blas_threads(n_threads)
        fills.append(METHODS[key](**settings).fit_transform(table))
    np.testing.assert_array_equal(fills[1], fills[0], strict=True)
    np.testing.assert_array_equal(fills[2], fills[0], strict=True)
