"""Blocks of rows on a pool of threads.

Each block writes only its own rows, and no row's arithmetic knows of blocks: any number of threads and
any block size give the same bits. The pool lives for one call, so that nothing is left to break a fork.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from queue import SimpleQueue

from iim.core.sharing import this_process

BLOCK_SIZE = 256
"""Rows per block: long enough to forget the cost of a call, short enough to share work evenly."""

Progress = Callable[[int, int], None]
"""Called with the number of rows done so far, and of all."""


@dataclass(frozen=True)
class Workers:
    """How many threads, and how large the blocks.

    Attributes
    ----------
    n_threads : int
        Threads at most.
    block_size : int
        Rows per block.
    shared : bool
        Whether the threads are those of the whole process: calls that run at the same time divide them.
    """

    n_threads: int = 1
    block_size: int = BLOCK_SIZE
    shared: bool = False

    def run(
        self,
        work: Callable[[int, int], None],
        n_rows: int,
        *,
        progress: Progress | None = None,
    ) -> None:
        """Call ``work(first, stop)`` for every block of ``n_rows`` rows.

        Parameters
        ----------
        work : callable
            Handles the rows from ``first`` to ``stop``; lets go of the interpreter while it computes.
        n_rows : int
            How many rows there are.
        progress : callable, optional
            Told after each block, in this thread.
        """
        blocks = [
            (first, min(first + self.block_size, n_rows)) for first in range(0, n_rows, self.block_size)
        ]
        n_threads = min(self.n_threads, len(blocks))
        divided = self.shared and n_threads > 1
        with this_process().take(n_threads, self.n_threads) if divided else nullcontext(n_threads) as given:
            if given <= 1:
                for first, stop in blocks:
                    work(first, stop)
                    if progress is not None:
                        progress(stop, n_rows)
            else:
                _side_by_side(work, blocks, given, progress)


def _side_by_side(
    work: Callable[[int, int], None],
    blocks: list[tuple[int, int]],
    n_threads: int,
    progress: Progress | None,
) -> None:
    pool = ThreadPoolExecutor(n_threads, thread_name_prefix="iim")
    try:
        futures: dict[Future[None], int] = {
            pool.submit(work, first, stop): stop - first for first, stop in blocks
        }
        _follow(futures, blocks[-1][1], progress)
    finally:
        # After Ctrl-C, too: blocks that wait are dropped, those that run end by themselves.
        pool.shutdown(wait=True, cancel_futures=True)


def _follow(futures: dict[Future[None], int], n_rows: int, progress: Progress | None) -> None:
    # Each block tells when it ends: to ask all that wait, after each one, takes the square of their number.
    finished: SimpleQueue[Future[None]] = SimpleQueue()
    for future in futures:
        future.add_done_callback(finished.put)
    done = 0
    for _ in range(len(futures)):
        future = finished.get()
        future.result()
        done += futures[future]
        if progress is not None:
            progress(done, n_rows)


def part_of(progress: Progress | None, done: int, total: int) -> Progress | None:
    """Progress within one of several equal parts, as progress of the whole."""
    if progress is None:
        return None

    def report(part_done: int, part_total: int) -> None:
        progress(done * part_total + part_done, total * part_total)

    return report
