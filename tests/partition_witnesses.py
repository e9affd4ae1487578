"""What tests put into jobs to see what workers do. Here, since workers must be able to import it."""

import os
import time
from pathlib import Path

PATIENCE = 300.0
"""Seconds that a partition waits for the test; only a hang takes that long."""


class Witness:
    """Leaves a file in a folder, named by the process, each time it is unpickled."""

    def __init__(self, folder):
        self.folder = str(folder)

    def __setstate__(self, state):
        self.__dict__.update(state)
        Path(self.folder, f"{os.getpid()}-{time.monotonic_ns()}").touch()

    @staticmethod
    def counts(folder) -> dict[int, int]:
        """How often each process has unpickled it."""
        pids = [int(path.name.partition("-")[0]) for path in Path(folder).iterdir()]
        return {pid: pids.count(pid) for pid in pids}


def wait_once(folder, what) -> None:
    """Tell the test which process is here, and wait to be killed; the second time, go on at once."""
    begun, over = Path(folder, f"{what}-begun"), Path(folder, f"{what}-over")
    if begun.exists():
        return
    # In one step, so that the test does not read half of it.
    note = Path(folder, f"{what}-{os.getpid()}")
    note.write_text(str(os.getpid()), "utf-8")
    note.rename(begun)
    end = time.monotonic() + PATIENCE
    while not over.exists() and time.monotonic() < end:
        time.sleep(0.02)


def when_begun(folder, what) -> int:
    """The process that waits, as soon as one does; for the test."""
    begun = Path(folder, f"{what}-begun")
    end = time.monotonic() + PATIENCE
    while not begun.exists():
        assert time.monotonic() < end, "no partition was begun"
        time.sleep(0.02)
    return int(begun.read_text("utf-8"))


def wait_in_partition(partition, folder, number, partition_info=None):
    """A Dask partition, unchanged; the one with the number waits once."""
    if partition_info["number"] == number:
        wait_once(folder, "partition")
    return partition


def wait_if_armed(partition, folder, number, partition_info=None):
    """The same, from when on there is a file called "armed"."""
    if partition_info["number"] == number and Path(folder, "armed").exists():
        wait_once(folder, "partition")
    return partition


def poison(partition, column, number, partition_info=None):
    """A Dask partition; in the one with the number, the column has text in its row 2."""
    if partition_info["number"] != number:
        return partition
    cells = partition[column].astype(object)
    cells.iloc[2] = "n/a"
    return partition.assign(**{column: cells})
