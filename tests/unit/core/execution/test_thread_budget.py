import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from iim.core.execution import thread_budget
from iim.core.execution.context import Context
from iim.core.execution.thread_budget import ThreadBudget, this_process


def test_the_first_takes_all_and_the_next_ones_what_is_left():
    ledger = ThreadBudget()
    with ledger.take(3, 4) as first, ledger.take(3, 4) as second, ledger.take(3, 4) as third:
        assert (first, second, third) == (3, 1, 1)
    with ledger.take(4, 4) as again:
        assert again == 4


def test_what_an_error_interrupts_is_given_back():
    ledger = ThreadBudget()
    with pytest.raises(RuntimeError), ledger.take(4, 4):
        raise RuntimeError
    with ledger.take(4, 4) as again:
        assert again == 4


def test_many_at_once_never_have_more_than_one_thread_each_beyond_what_is_there():
    ledger, most, n_calls, seen = ThreadBudget(), 3, 8, []

    def call(_):
        for _ in range(50):
            with ledger.take(most, most):
                seen.append(ledger._taken)

    with ThreadPoolExecutor(n_calls) as pool:
        list(pool.map(call, range(n_calls)))
    assert max(seen) <= most + n_calls - 1
    assert ledger._taken == 0


def test_a_forked_process_begins_with_nothing_taken(monkeypatch):
    monkeypatch.setattr(thread_budget, "_budget", ThreadBudget())
    with this_process().take(4, 4):
        monkeypatch.setattr(os, "getpid", lambda: -1)
        with this_process().take(4, 4) as in_the_child:
            assert in_the_child == 4
    monkeypatch.undo()


@pytest.mark.parametrize(("shared", "given"), [(True, 1), (False, 3)])
def test_only_shared_workers_make_room_for_others(shared, given, monkeypatch):
    monkeypatch.setattr(thread_budget, "_budget", ThreadBudget())
    asked = []

    def pool_of(n_threads, **options):
        asked.append(n_threads)
        return ThreadPoolExecutor(n_threads, **options)

    monkeypatch.setattr("iim.core.execution.context.ThreadPoolExecutor", pool_of)
    with this_process().take(3, 3):
        Context(3, 4, shared=shared).run(lambda *_: None, 100)
    # One thread is the caller's own, and needs no pool.
    assert asked == ([given] if given > 1 else [])
