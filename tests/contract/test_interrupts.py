"""Ctrl-C at any moment: a fit leaves the imputer as it was, a transform leaves it working."""

import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import iim
from cases import CASES, as_new, assert_same, every, long
from interrupts import interrupted_at
from strategies import holed

PATIENCE = 300
"""Seconds after which a child is ended; only a hang takes that long."""

at_moments = pytest.mark.parametrize("n_moments", [4, *long(12)])
"""At how many of its calls each method is interrupted, from the first to the last, evenly."""

TABLE, OTHER = holed(60, 4, 0.1, seed=1), holed(40, 3, 0.2, seed=2)
NEW = holed(20, 4, 0.3, seed=3)

# What is interrupted are functions of ours.
pytestmark = pytest.mark.current

every_case = every(CASES)


def moments(work, table, n_moments):
    """Some calls of iim functions that the work makes, the first and the last among them."""
    with interrupted_at(None) as count:
        work(table)
    return sorted({int(moment) for moment in np.linspace(1, count(), n_moments)})


def make(case, **changed):
    # One thread: only this one is traced.
    return case.make(**({"n_jobs": 1} if case.has("n_jobs") else {}), **changed)


@at_moments
@every_case
def test_an_interrupted_fit_leaves_the_imputer_as_it_was(case, n_moments):
    fitted = make(case).fit(OTHER)
    expected = fitted.transform(OTHER)
    attributes = set(vars(fitted))
    for moment in moments(make(case).fit, TABLE, n_moments):
        fresh = make(case)
        for imputer in (fresh, fitted):
            with interrupted_at(moment), pytest.raises(KeyboardInterrupt):
                imputer.fit(TABLE)
        with pytest.raises(NotFittedError):
            fresh.transform(TABLE)
        assert vars(fresh).keys() == make(case).get_params().keys()
        assert set(vars(fitted)) == attributes
        assert_same(fitted.transform(OTHER), expected)


@at_moments
@every_case
def test_an_interrupted_fit_transform_leaves_the_imputer_as_it_was_or_fitted(case, n_moments):
    fitted = make(case).fit(OTHER)
    before, after = fitted.transform(OTHER), make(case).fit(TABLE).transform(NEW)
    for moment in moments(make(case).fit_transform, TABLE, n_moments):
        imputer = as_new(fitted)
        with interrupted_at(moment), pytest.raises(KeyboardInterrupt):
            imputer.fit_transform(TABLE)
        if imputer.n_features_in_ == OTHER.shape[1]:
            assert_same(imputer.transform(OTHER), before)
        else:  # while the filled table was put together
            assert_same(imputer.transform(NEW), after)


@every_case
def test_a_fit_interrupted_at_its_end_leaves_the_imputer_as_it_was(case, monkeypatch):
    fresh, fitted = make(case), make(case).fit(OTHER)
    expected = fitted.transform(OTHER)
    method, learn = iim.METHODS[case.key], iim.METHODS[case.key]._fit

    def learn_all_but(self, matrix):
        learn(self, matrix)
        raise KeyboardInterrupt

    monkeypatch.setattr(method, "_fit", learn_all_but)
    for imputer in (fresh, fitted):
        with pytest.raises(KeyboardInterrupt):
            imputer.fit(TABLE)
    with pytest.raises(NotFittedError):
        fresh.transform(TABLE)
    assert_same(fitted.transform(OTHER), expected)


@at_moments
@every_case
def test_an_interrupted_transform_leaves_the_imputer_working(case, n_moments):
    fitted = make(case).fit(TABLE)
    expected = as_new(fitted).transform(NEW)
    for moment in moments(as_new(fitted).transform, NEW, n_moments):
        imputer = as_new(fitted)
        with interrupted_at(moment), pytest.raises(KeyboardInterrupt):
            imputer.transform(NEW)
        assert_same(imputer.transform(NEW), expected)


@every_case
def test_an_interrupt_in_the_progress_function_ends_the_call(case):
    def interrupt(_):
        raise KeyboardInterrupt

    told = []
    make(case, progress=told.append).fit(TABLE).transform(NEW)
    if not told:
        return  # nothing to wait for
    imputer = make(case, progress=interrupt)
    with pytest.raises(KeyboardInterrupt):
        imputer.fit(TABLE)
    with pytest.raises(NotFittedError):
        imputer.transform(NEW)
    imputer = make(case).fit(TABLE)
    expected = imputer.transform(NEW)
    with pytest.raises(KeyboardInterrupt):
        imputer.set_params(progress=interrupt).transform(NEW)
    assert_same(imputer.set_params(progress=False).transform(NEW), expected)


CHILD = """
import threading

import numpy as np
from sklearn.exceptions import NotFittedError

import iim

random = np.random.default_rng(0)
small, large = random.normal(size=(300, 3)), random.normal(size=(40_000, 5))
small[::3, 0] = small[1::3, 1] = np.nan
new = large[:, ::-1].copy()
for table in (large, new):
    table[random.random(table.shape) < 0.2] = np.nan


def tell(fraction):
    # Once: only then does the parent press Ctrl-C.
    if not told:
        told.append(fraction)
        print("inside", flush=True)


def interrupted(work):
    told.clear()
    try:
        work()
    except KeyboardInterrupt:
        assert told and told[0] < 1.0
        return
    raise SystemExit("was not interrupted")


told = []
settings = dict(n_jobs={n_jobs}, learning_grid=[1, 10, 100, 1000])
fitted = iim.IIMImputer(**settings).fit(small)
before = fitted.transform(small)

fresh = iim.IIMImputer(**settings, progress=tell)
interrupted(lambda: fresh.fit(large))
try:
    fresh.transform(large)
except NotFittedError:
    pass
else:
    raise SystemExit("is fitted")

interrupted(lambda: fitted.set_params(progress=tell).fit(large))
fitted.set_params(progress=False)
assert fitted.transform(small).tobytes() == before.tobytes()

model = iim.IIMImputer(**settings).fit(large[:, :3][~np.isnan(large).any(axis=1)])
first = model.transform(new[:50, :3])
interrupted(lambda: model.set_params(progress=tell).transform(new[:, :3]))
model.set_params(progress=False)
assert model.transform(new[:50, :3]).tobytes() == first.tobytes()
assert [thread.name for thread in threading.enumerate()] == ["MainThread"]
print("done", flush=True)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="this system cannot send Ctrl-C to one process")
@pytest.mark.parametrize("n_jobs", [2, *long(1)])
def test_ctrl_c_in_the_middle_of_a_long_call(n_jobs, tmp_path):
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD.replace("{n_jobs}", str(n_jobs))],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    # Reading its lines waits as long as it lives.
    end = threading.Timer(PATIENCE, child.kill)
    end.start()
    with child:
        line = ""
        for line in child.stdout:
            if line == "inside\n":
                child.send_signal(signal.SIGINT)
        errors = child.stderr.read()
    end.cancel()
    assert (line, child.returncode) == ("done\n", 0), errors


IN_KERNELS = """
import signal
import numpy as np
from iim.kernels.tree import build_tree
from iim.kernels.validation import judge_lists

class Ended(Exception):
    pass

def end(*_):
    raise Ended

random = np.random.default_rng(0)
points, nearest = random.normal(size=(5000, 3)), random.integers(0, 5000, (5000, 5))
calls = [lambda: build_tree(points, 32), lambda: judge_lists(nearest, np.arange(5000))]
signal.signal(signal.SIGALRM, end)
for call in calls:
    call()
    for _ in range(20):
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.002)
            for _ in range(10**6):
                call()
        except Ended:
            continue
        raise AssertionError("no signal")
"""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timer signals on this system")
def test_a_signal_while_a_kernel_runs_is_an_exception():
    # Compiled code that makes a named tuple does not survive one.
    done = subprocess.run(
        [sys.executable, "-c", IN_KERNELS], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stderr
