"""Blocks on threads, progress in parts, and the end before time."""

import threading
import time

import pytest

from iim.core.execution.context import Context


@pytest.mark.parametrize("n_threads", [1, 2, 5])
@pytest.mark.parametrize(("n_rows", "block_size"), [(0, 4), (1, 4), (4, 4), (17, 4), (17, 100)])
def test_every_row_is_worked_on_once(n_threads, n_rows, block_size):
    seen, lock = [], threading.Lock()

    def work(first, stop):
        with lock:
            seen.extend(range(first, stop))

    Context(n_threads, block_size).run(work, n_rows)
    assert sorted(seen) == list(range(n_rows))


@pytest.mark.parametrize("n_threads", [1, 3])
def test_progress_ends_with_all_rows(n_threads):
    told = []
    Context(n_threads, 4, progress=lambda *done: told.append(done)).run(lambda *_: None, 18)
    assert told[-1] == (18, 18)
    assert told == sorted(told)


def test_progress_of_a_part_is_told_as_progress_of_the_whole():
    told = []
    whole = Context(progress=lambda done, total: told.append(done / total))
    whole.part(0, 4).report(1, 2)
    whole.part(3, 4).part(1, 2).report(1, 1)
    assert told == [0.125, 1.0]


def test_a_silent_step_is_not_told_and_runs_alike():
    told = []
    silent = Context(2, 4, shared=True, progress=lambda *done: told.append(done)).silent
    silent.run(lambda *_: None, 18)
    silent.part(1, 2).report(1, 1)
    assert told == []
    assert silent == Context(2, 4, shared=True)
    assert silent.silent is silent
    assert silent.part(1, 2) is silent


def own_threads():
    # Not all threads of the process: those of tests before, such as a cluster's, end when they like.
    return [thread for thread in threading.enumerate() if thread.name.startswith("iim")]


@pytest.mark.parametrize("n_threads", [1, 3])
def test_raising_in_the_progress_function_cancels_what_waits(n_threads):
    begun, lock = [], threading.Lock()

    def work(first, stop):
        with lock:
            begun.append(first)
        if first:
            time.sleep(0.05)  # all of them would take half a minute: the first one is heard of before

    def cancel(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Context(n_threads, 1, progress=cancel).run(work, 2000)
    assert 1 <= len(begun) < 2000
    assert not own_threads()


@pytest.mark.parametrize("n_threads", [1, 3])
def test_an_error_in_a_block_is_raised_and_no_thread_is_left(n_threads):
    def work(first, stop):
        if first >= 8:
            raise RuntimeError("in block 2")

    with pytest.raises(RuntimeError, match="in block 2"):
        Context(n_threads, 4).run(work, 100)
    assert not own_threads()
