"""Many runs, in processes of their own that are stopped when a run takes too long."""

from __future__ import annotations

import multiprocessing
import os
import queue
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from typing import Any

from accuracy.measuring import NOT_FINISHED, about, measure, warm
from iim.paper.records import Store
from iim.paper.tasks import Task


def run_all(
    runs: Sequence[Task], store: Store, *, jobs: int = 1, limit: float | None = None, again: bool = False
) -> int:
    """Do the runs that have no record yet, and keep their records.

    Parameters
    ----------
    runs : sequence of Task
        What to do, in this order.
    store : Store
        Where records are kept.
    jobs : int, default=1
        Processes at the same time. Cores are divided among them. Times of one job are the ones to trust.
    limit : float or None, default=None
        Seconds that a run may take; one that takes longer is stopped, and its record says so.
    again : bool, default=False
        Whether runs that have a record are done again, because the code has changed.

    Returns
    -------
    int
        How many were done.
    """
    waiting: queue.SimpleQueue[Task] = queue.SimpleQueue()
    todo = [run for run in runs if again or store.read(run) is None]
    for run in todo:
        waiting.put(run)
    with ThreadPoolExecutor(jobs) as pool:
        works = [pool.submit(_work, waiting, store, _cores(job, jobs), limit) for job in range(jobs)]
    for work in works:
        work.result()
    return len(todo)


def _work(waiting: queue.SimpleQueue[Task], store: Store, cores: list[int], limit: float | None) -> None:
    """Hand runs to one process until there are none; a thread of the parent."""
    child = _Child(cores)
    try:
        while True:
            try:
                run = waiting.get_nowait()
            except queue.Empty:
                return
            record = child.measured(run.inputs, limit)
            store.write(run, record)
            _tell(run, record, waiting.qsize())
    finally:
        child.stop()


def _tell(run: Task, record: Mapping[str, Any], n_left: int) -> None:
    what = record["failure"] or f"{record['seconds']['total']:.2f} s"
    print(f"{run.name.rpartition('-')[0]}: {what} ({n_left} left)", file=sys.stderr, flush=True)


class _Child:
    """A process that does one run after the other; started when needed, again after it was stopped."""

    def __init__(self, cores: list[int]) -> None:
        self.cores = cores
        self._process: multiprocessing.process.BaseProcess | None = None
        self._pipe: Connection | None = None

    def measured(self, inputs: Mapping[str, Any], limit: float | None) -> dict[str, Any]:
        """The record of a run, or one that says why there is none."""
        if self._process is None:
            self._start()
        assert self._pipe is not None
        self._pipe.send(dict(inputs))
        try:
            # The first answer means that all is loaded: only from then on the clock runs.
            self._pipe.recv()
            if not self._pipe.poll(limit):
                self.stop()
                return {**about(), "failure": f"{NOT_FINISHED} in {limit:g} s"}
            return self._pipe.recv()
        except EOFError:
            self.stop()
            return {**about(), "failure": "the process died"}

    def stop(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process = None
        if self._pipe is not None:
            self._pipe.close()
            self._pipe = None

    def _start(self) -> None:
        # Threads of OpenMP (trees of scikit-learn, XGBoost, LightGBM) wait by spinning, which takes a
        # hundred times as long if another process wants the cores. Read when the library is loaded.
        os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
        # Not forked: threads of compiled code do not survive that.
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, self.cores), daemon=True)
        self._process.start()
        theirs.close()


def _serve(pipe: Connection, cores: list[int]) -> None:
    """Do runs as they come, until nobody asks any more; the process."""
    if cores:
        os.sched_setaffinity(0, cores)
    while True:
        try:
            inputs = pipe.recv()
        except EOFError:
            return
        warm(inputs["method"])
        pipe.send("warm")
        pipe.send(measure(inputs))


def _cores(job: int, jobs: int) -> list[int]:
    """The cores of one of several processes; nothing, if the system cannot tell or one job has them all."""
    if jobs == 1 or not hasattr(os, "sched_getaffinity"):
        return []
    cores = sorted(os.sched_getaffinity(0))
    return cores[job::jobs] or [cores[job % len(cores)]]
