import threading

import pytest

from iim.core.workers import Workers


@pytest.mark.parametrize("n_threads", [1, 2, 5])
@pytest.mark.parametrize(("n_rows", "block_size"), [(0, 4), (1, 4), (4, 4), (17, 4), (17, 100)])
def test_every_row_is_worked_on_once(n_threads, n_rows, block_size):
    seen, lock = [], threading.Lock()

    def work(first, stop):
        with lock:
            seen.extend(range(first, stop))

    Workers(n_threads, block_size).run(work, n_rows)
    assert sorted(seen) == list(range(n_rows))


@pytest.mark.parametrize("n_threads", [1, 3])
def test_progress_ends_with_all_rows(n_threads):
    told = []
    Workers(n_threads, 4).run(lambda *_: None, 18, progress=lambda *done: told.append(done))
    assert told[-1] == (18, 18)
    assert told == sorted(told)


@pytest.mark.parametrize("n_threads", [1, 3])
def test_an_error_in_a_block_is_raised_and_no_thread_is_left(n_threads):
    def work(first, stop):
        if first >= 8:
            raise RuntimeError("in block 2")

    before = threading.active_count()
    with pytest.raises(RuntimeError, match="in block 2"):
        Workers(n_threads, 4).run(work, 100)
    assert threading.active_count() == before
