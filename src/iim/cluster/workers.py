"""Dask workers of ``iim cluster``: our own processes, or those of an existing cluster."""

from __future__ import annotations

import errno
import logging
import os
import re
import signal
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager
from multiprocessing import resource_tracker
from typing import Any

import dask.config
from dask.system import CPU_COUNT
from dask.utils import parse_bytes
from distributed import Client, LocalCluster, as_completed
from distributed.comm import CommClosedError
from distributed.scheduler import KilledWorker
from distributed.system import MEMORY_LIMIT

from iim.exceptions import InvalidParameter, UnusableCell, UnusableTable
from iim.versions import own_version

CONNECT_WITHIN = 10
"""Seconds within which a scheduler has to answer."""

STARTED_WITHIN = 120
"""Seconds within which our own processes have to start; a busy machine needs tens of seconds."""

LEAST_MEMORY = 600 * 10**6
"""Bytes of memory that a worker needs for itself and a small table."""

PARTITION = re.compile(r"Partition (\d+)\b")
"""Start of a message about rows of a partition."""


@contextmanager
def local_workers(n_workers: int | None, memory_limit: str | None) -> Iterator[Client]:
    """Start worker processes on this machine, which end with the block.

    Parameters
    ----------
    n_workers : int or None
        Number of processes, with one thread each; None is one for each core, or fewer if memory is short.
    memory_limit : str or None
        Memory of each process, such as "2GB"; None is an equal share of all.

    Yields
    ------
    distributed.Client
        The current client, which ``dask.compute`` uses.
    """
    limit = {} if memory_limit is None else {"memory_limit": check_bytes(memory_limit)}
    if n_workers is None:
        n_workers = max(1, CPU_COUNT if limit else min(CPU_COUNT, MEMORY_LIMIT // LEAST_MEMORY))
    running = ExitStack()
    try:
        with _sheltered():
            running.enter_context(_silence())
            place = running.enter_context(
                tempfile.TemporaryDirectory(prefix="iim-dask-", ignore_cleanup_errors=True)
            )
            settings = {
                # The scheduler needs a folder for files, too.
                "temporary-directory": place,
                # A worker out of memory would be paused for ever; it is ended instead.
                "distributed.worker.memory.pause": False,
                # Workers would log when they end.
                "distributed.nanny.pre-spawn-environ.DASK_LOGGING__DISTRIBUTED": "critical",
            }
            running.enter_context(dask.config.set(settings))
            cluster = LocalCluster(
                n_workers=n_workers,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                dashboard_address=None,
                # Otherwise a dashboard takes a port that others may need.
                scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
                local_directory=place,
                **limit,
            )
            running.enter_context(cluster)
            client = running.enter_context(Client(cluster, timeout=STARTED_WITHIN))
        yield client
    finally:
        with _sheltered():
            running.close()


@contextmanager
def workers_at(address: str) -> Iterator[Client]:
    """Connect to the cluster whose scheduler has this address; the cluster stays afterwards."""
    with _silence():
        try:
            client = Client(address, timeout=CONNECT_WITHIN)
        except (OSError, ValueError) as error:
            raise InvalidParameter(
                f"--address: a Dask scheduler that answers within {CONNECT_WITHIN} s is needed, such as "
                f"tcp://127.0.0.1:8786; received {address!r} ({error})"
            ) from error
        with client:
            try:
                client.wait_for_workers(1, timeout=CONNECT_WITHIN)
                versions = set(client.run(own_version).values())
            except (TimeoutError, ImportError) as error:
                raise InvalidParameter(
                    f"--address: a cluster whose workers have iim is needed; received {address!r} ({error})"
                ) from error
            if versions != {own_version()}:
                raise InvalidParameter(
                    f"--address: workers with iim {own_version()}, as here, are needed; {address!r} has "
                    f"{', '.join(versions)}"
                )
            yield client


def run_all(client: Client, tasks: Sequence[Any], tell: Callable[[float], None]) -> list[Any]:
    """Run tasks and report the finished share; returns the results in order. The first error ends it."""
    futures = client.compute(list(tasks))
    try:
        for n_done, future in enumerate(as_completed(futures), start=1):
            future.result()
            tell(n_done / len(futures))
        return [future.result() for future in futures]
    finally:
        # The error refers to the tasks, and the cluster would go on computing the others.
        for future in futures:
            future.release()


@contextmanager
def explained(paths: Sequence[str]) -> Iterator[None]:
    """Within the block, errors of workers name files and options; ``paths`` has each partition's file."""
    try:
        yield
    except KilledWorker as error:
        raise InvalidParameter(
            "workers ended again and again, most likely for lack of memory. Use fewer --workers, a larger "
            "--memory-limit, or, with `iim cluster fit`, smaller --part-rows"
        ) from error
    except (CancelledError, CommClosedError) as error:
        raise InvalidParameter(
            f"the connection to the Dask scheduler was lost: {error or 'no reason given'}"
        ) from error
    except (OSError, RuntimeError) as error:
        if not _is_full_disk(error):
            raise
        raise OSError(
            errno.ENOSPC,
            f"{os.strerror(errno.ENOSPC)}; data sent between workers need room there. Set TMPDIR to a "
            "folder with more room",
            tempfile.gettempdir(),
        ) from error
    except (TypeError, ValueError) as error:
        found = PARTITION.match(str(error))
        if found is None or int(found[1]) >= len(paths):
            raise
        kind = UnusableCell if isinstance(error, UnusableCell) else UnusableTable
        raise kind(f"{error} Partition {found[1]} is in {paths[int(found[1])]}.") from error


def _is_full_disk(error: BaseException) -> bool:
    """Whether Dask ran out of disk space: by the error, or an error that caused it."""
    seen: BaseException | None = error
    while seen is not None:
        # By name, because the class is not public.
        if type(seen).__name__ == "P2POutOfDiskError":
            return True
        seen = seen.__cause__ or seen.__context__
    return False


def check_bytes(text: str) -> int:
    """A size of memory in bytes."""
    try:
        found = int(parse_bytes(text))
    except ValueError:
        found = 0
    if found < LEAST_MEMORY:
        raise InvalidParameter(
            f"--memory-limit: a size such as 2GB, {LEAST_MEMORY // 10**6}MB at least, is needed; received "
            f"{text!r}"
        )
    return found


@contextmanager
def _sheltered() -> Iterator[None]:
    """Within the block, signals wait. Child processes never get Ctrl-C: we end them."""
    waiting: list[int] = []
    with ExitStack() as later:
        # At the end, when signals are handled again.
        later.callback(_raise_first, waiting)
        if threading.current_thread() is threading.main_thread():
            for kind in (signal.SIGINT, signal.SIGTERM):
                former = signal.getsignal(kind)
                if callable(former):
                    signal.signal(kind, lambda number, _: waiting.append(number))
                    later.callback(signal.signal, kind, former)
        if hasattr(signal, "pthread_sigmask"):
            # Python's resource tracker would unblock them when it starts.
            resource_tracker.ensure_running()
            before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            later.callback(signal.pthread_sigmask, signal.SIG_SETMASK, before)
        yield


def _raise_first(waiting: list[int]) -> None:
    if waiting:
        signal.raise_signal(waiting[0])


@contextmanager
def _silence() -> Iterator[None]:
    """Within the block, nothing is logged: errors are raised instead."""
    former = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(former)
