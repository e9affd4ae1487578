"""How a call runs: its threads, its progress function, and its cancellation.

Each block of rows writes only its own rows, and no row's arithmetic depends on the block. So any number of
threads and any block size give the same bits. The thread pool lives for one step, because a pool that
outlives it would break in a forked process.

An exception in the calling thread cancels the call: Ctrl-C, or one raised by the progress function. Waiting
blocks are dropped; running blocks finish.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from queue import SimpleQueue

from iim.core.execution.thread_budget import this_process

BLOCK_SIZE = 256
"""Rows per block: enough to hide the cost of a call, few enough to share the work evenly."""

Progress = Callable[[int, int], None]
"""Called with the number of rows done so far and the number of all rows."""


@dataclass(frozen=True)
class Context:
    """How a call runs; passed from the estimator to every step.

    Attributes
    ----------
    n_threads : int
        Most threads.
    block_size : int
        Rows per block.
    shared : bool
        Whether simultaneous calls in this process share one budget of threads.
    progress : callable or None
        Called with the work done, in the calling thread. An exception that it raises cancels the call.
    one_blas_thread : callable
        Gives a context manager for steps with numpy's matrix products: inside, their digits do not depend
        on the number of cores.
    """

    n_threads: int = 1
    block_size: int = BLOCK_SIZE
    shared: bool = False
    progress: Progress | None = None
    one_blas_thread: Callable[[], AbstractContextManager[None]] = field(default=nullcontext, compare=False)

    def run(self, work: Callable[[int, int], object], n_rows: int) -> None:
        """Call ``work(first, stop)`` for every block of ``n_rows`` rows.

        Parameters
        ----------
        work : callable
            Handles the rows from ``first`` to ``stop``; releases the GIL while it computes.
        n_rows : int
            Number of rows.
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
                    if self.progress is not None:
                        self.progress(stop, n_rows)
            else:
                self._side_by_side(work, blocks, given)

    def _side_by_side(
        self, work: Callable[[int, int], object], blocks: list[tuple[int, int]], n_threads: int
    ) -> None:
        pool = ThreadPoolExecutor(n_threads, thread_name_prefix="iim")
        try:
            futures: dict[Future[object], int] = {
                pool.submit(work, first, stop): stop - first for first, stop in blocks
            }
            self._follow(futures, blocks[-1][1])
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def _follow(self, futures: dict[Future[object], int], n_rows: int) -> None:
        # Callbacks, because waiting on all remaining futures after each block is quadratic in their number.
        finished: SimpleQueue[Future[object]] = SimpleQueue()
        for future in futures:
            future.add_done_callback(finished.put)
        done = 0
        for _ in range(len(futures)):
            future = finished.get()
            future.result()
            done += futures[future]
            if self.progress is not None:
                self.progress(done, n_rows)

    @property
    def silent(self) -> Context:
        """The same without progress, for a step that takes little time."""
        return self if self.progress is None else replace(self, progress=None)

    def report(self, done: int, total: int) -> None:
        """Report that ``done`` of ``total`` equal steps are done."""
        if self.progress is not None:
            self.progress(done, total)

    def part(self, at: int, n_parts: int) -> Context:
        """The same for one of several equal parts: its progress counts towards the whole."""
        progress = self.progress
        if progress is None:
            return self
        return replace(self, progress=lambda done, total: progress(at * total + done, n_parts * total))
