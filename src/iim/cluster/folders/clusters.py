"""Where the tasks of an engine run: processes on this machine, or a cluster that is there already."""

from __future__ import annotations

import errno
import logging
import os
import re
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from multiprocessing import resource_tracker
from typing import Any

import dask.config
from dask.system import CPU_COUNT
from dask.utils import parse_bytes
from distributed import Client, LocalCluster, as_completed
from distributed.comm import CommClosedError
from distributed.scheduler import KilledWorker
from distributed.system import MEMORY_LIMIT

from iim.exceptions import InvalidParameter, MissingDependency, UnusableCell, UnusableTable
from iim.versions import own_version

CONNECT_WITHIN = 10
"""Seconds in which a scheduler has to answer."""

STARTED_WITHIN = 120
"""Seconds in which processes of our own have to be there: on a busy machine they take tens of them."""

LEAST_MEMORY = 600 * 10**6
"""Bytes that a worker needs for itself, and for a small table."""

ABANDONED_WITHIN = 5
"""Seconds in which tasks that are given up may come to their end on a cluster that stays."""

LOGGERS = (
    "distributed",
    "distributed.client",
    "distributed.gc",
    "distributed.scheduler",
    "tornado",
    "asyncio",
)
"""Who else would write to standard error."""

SILENT = logging.CRITICAL + 1

PARTITION = re.compile(r"Partition (\d+)\b")
"""How a message begins that tells of rows."""


@dataclass(frozen=True)
class Cluster:
    """Workers that tasks can be given to.

    Attributes
    ----------
    client : distributed.Client
        The current one, which ``dask.compute`` uses as well.
    n_workers : int
        How many there are.
    """

    client: Any
    n_workers: int

    def run(self, tasks: Sequence[Any], tell: Callable[[float], None]) -> list[Any]:
        """Run tasks, and tell how many are done; what they return, in order."""
        futures = self.client.compute(list(tasks))
        try:
            for n_done, future in enumerate(as_completed(futures), start=1):
                # The first error ends it all.
                future.result()
                tell(n_done / len(futures))
            return [future.result() for future in futures]
        finally:
            # An error holds on to them otherwise, and the others would still be worked on.
            for future in futures:
                future.release()


@contextmanager
def local_cluster(n_workers: int | None, memory_limit: str | None) -> Iterator[Cluster]:
    """Start processes on this machine, which end, with all that they have put aside, at the end.

    Parameters
    ----------
    n_workers : int or None
        How many processes of one thread each; None is one for each core that may be used.
    memory_limit : str or None
        Of each of them, such as "2GB"; None is its share of what there is.

    Yields
    ------
    Cluster
    """
    limit = {} if memory_limit is None else {"memory_limit": check_bytes(memory_limit)}
    if n_workers is None:
        # Dask gives each an equal share: of little memory, fewer get enough.
        most = CPU_COUNT if limit else MEMORY_LIMIT // LEAST_MEMORY
        n_workers = max(1, min(CPU_COUNT, most))
    running = ExitStack()
    try:
        with _sheltered():
            running.enter_context(_silence())
            place = running.enter_context(
                tempfile.TemporaryDirectory(prefix="iim-dask-", ignore_cleanup_errors=True)
            )
            settings = {
                # The scheduler, too, has files.
                "temporary-directory": place,
                # One that waits for memory which nothing will free waits for ever; it is ended instead.
                "distributed.worker.memory.pause": False,
                # Workers would speak up when they end.
                "distributed.nanny.pre-spawn-environ.DASK_LOGGING__DISTRIBUTED": "critical",
            }
            running.enter_context(dask.config.set(settings))
            cluster = LocalCluster(
                n_workers=n_workers,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                dashboard_address=None,
                # There is a server without it, too, at a port that others may want.
                scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
                local_directory=place,
                silence_logs=SILENT,
                **limit,
            )
            running.enter_context(cluster)
            client = running.enter_context(Client(cluster, timeout=STARTED_WITHIN))
        yield Cluster(client, n_workers)
    finally:
        with _sheltered():
            running.close()


@contextmanager
def cluster_at(address: str) -> Iterator[Cluster]:
    """Connect to a cluster, which stays when all is done.

    Parameters
    ----------
    address : str
        Of its scheduler, such as ``tcp://127.0.0.1:8786``.

    Yields
    ------
    Cluster
    """
    with _silence():
        try:
            client = Client(address, timeout=CONNECT_WITHIN)
        except (OSError, ValueError) as error:
            raise InvalidParameter(
                f"--address: a Dask scheduler that answers within {CONNECT_WITHIN} s is needed, such as "
                f"tcp://127.0.0.1:8786; received {address!r} ({error})"
            ) from error
        with client:
            n_workers = _check_workers(client, address)
            try:
                yield Cluster(client, n_workers)
            except BaseException:
                _wait_for_abandoned_tasks(client)
                raise


@contextmanager
def telling(paths: Sequence[str]) -> Iterator[None]:
    """While inside, errors of workers are told in words of the command line.

    Parameters
    ----------
    paths : sequence of str
        The file of each partition.
    """
    try:
        yield
    except KilledWorker as error:
        raise InvalidParameter(
            "workers ended while they worked, time and again, most likely for lack of memory. Use fewer "
            "--workers, a larger --memory-limit, or, with `iim fit`, smaller --part-rows"
        ) from error
    except (CancelledError, CommClosedError) as error:
        raise InvalidParameter(f"the Dask scheduler has gone away: {error or 'no reason given'}") from error
    except (OSError, RuntimeError) as error:
        if not _is_full_disk(error):
            raise
        raise OSError(
            errno.ENOSPC,
            f"{os.strerror(errno.ENOSPC)}; what is sent between workers has to fit there. TMPDIR can name "
            "a folder with more room",
            tempfile.gettempdir(),
        ) from error
    except (TypeError, ValueError) as error:
        found = PARTITION.match(str(error))
        if found is None or int(found[1]) >= len(paths):
            raise
        kind = UnusableCell if isinstance(error, UnusableCell) else UnusableTable
        raise kind(f"{error} Partition {found[1]} is in {paths[int(found[1])]}.") from error


def _is_full_disk(error: BaseException) -> bool:
    """Whether Dask had no room for what is sent; it says so in the error, or in the cause of one."""
    seen: BaseException | None = error
    while seen is not None:
        # By name: the class is not public.
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
    """While inside, signals wait. Processes that are started never hear of Ctrl-C: they are ended by us."""
    waiting: list[int] = []
    with ExitStack() as later:
        # In the end, when they are heeded again.
        later.callback(_send_first, waiting)
        if threading.current_thread() is threading.main_thread():
            for kind in (signal.SIGINT, signal.SIGTERM):
                former = signal.getsignal(kind)
                if callable(former):
                    signal.signal(kind, lambda number, _: waiting.append(number))
                    later.callback(signal.signal, kind, former)
        if hasattr(signal, "pthread_sigmask"):
            # Python's own helper would unblock them again when it is started.
            resource_tracker.ensure_running()
            before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            later.callback(signal.pthread_sigmask, signal.SIG_SETMASK, before)
        yield


def _send_first(waiting: list[int]) -> None:
    if waiting:
        signal.raise_signal(waiting[0])


@contextmanager
def _silence() -> Iterator[None]:
    """While inside, Dask writes nothing to standard error: what matters comes back as an error."""
    with ExitStack() as later:
        for name in LOGGERS:
            logger = logging.getLogger(name)
            later.callback(logger.setLevel, logger.level)
            logger.setLevel(SILENT)
            for handler in logger.handlers:
                later.callback(handler.setLevel, handler.level)
                handler.setLevel(SILENT)
        yield


def _check_workers(client: Any, address: str) -> int:
    """How many workers there are; an error if they cannot do the work."""
    try:
        client.wait_for_workers(1, timeout=CONNECT_WITHIN)
        found = client.run(own_version)
    except TimeoutError as error:
        raise InvalidParameter(
            f"--address: a cluster with workers is needed; {address!r} has none"
        ) from error
    except ImportError as error:
        raise MissingDependency(
            f"the workers of {address} need iim, too: {error}. Install it there with "
            '`pip install "iim[dask]"`.'
        ) from error
    for worker, version in found.items():
        if version != own_version():
            raise InvalidParameter(
                f"--address: workers with iim {own_version()}, as here, are needed; {worker} has {version}"
            )
    return len(found)


def _wait_for_abandoned_tasks(client: Any) -> None:
    """Wait for tasks that nobody wants any more: they write to folders that are about to be removed."""
    until = time.monotonic() + ABANDONED_WITHIN
    while time.monotonic() < until and any(client.processing().values()):
        time.sleep(0.1)
