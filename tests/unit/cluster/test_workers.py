"""Workers of Dask: addresses and sizes that cannot be used, errors in words, signals."""

import os
import signal
import socket

import pytest
from distributed import LocalCluster
from distributed.scheduler import KilledWorker
from distributed.shuffle._exceptions import P2POutOfDiskError

from iim.cli.exits import ExitCode, explain
from iim.cluster import workers
from iim.exceptions import InvalidParameter, UnusableCell, UnusableTable


@pytest.mark.parametrize("size", ["much", "400MB"])
def test_a_size_that_is_none_or_too_small(size):
    with (
        pytest.raises(
            InvalidParameter, match=f"a size such as 2GB, 600MB at least, is needed; received '{size}'"
        ),
        workers.local_workers(1, size),
    ):
        pytest.fail("workers were started")


@pytest.mark.parametrize("place", ["tcp://127.0.0.1:{}", "nonsense://{}"])
def test_an_address_where_nobody_is(monkeypatch, capfd, place):
    monkeypatch.setattr(workers, "CONNECT_WITHIN", 1)
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        address = place.format(bound.getsockname()[1])
        message = "--address: a Dask scheduler that answers within 1 s is needed"
        with pytest.raises(InvalidParameter, match=message), workers.workers_at(address):
            pytest.fail("somebody is there")
    assert capfd.readouterr().err == ""


def test_a_cluster_without_workers(monkeypatch):
    monkeypatch.setattr(workers, "CONNECT_WITHIN", 1)
    with (
        LocalCluster(
            n_workers=0,
            processes=False,
            protocol="tcp://",
            host="127.0.0.1",
            dashboard_address=None,
            scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
        ) as cluster,
        pytest.raises(InvalidParameter, match="--address: a cluster whose workers have iim is needed"),
        workers.workers_at(cluster.scheduler_address),
    ):
        pytest.fail("there are workers")


def test_workers_with_another_version(address, monkeypatch):
    monkeypatch.setattr("distributed.Client.run", lambda *_: {"tcp://there": "0.0.1"})
    message = r"--address: workers with iim .* are needed; 'tcp://.*' has 0\.0\.1"
    with pytest.raises(InvalidParameter, match=message), workers.workers_at(address):
        pytest.fail("they work")


def test_workers_without_iim(address, monkeypatch):
    def fail(*_):
        raise ModuleNotFoundError("No module named 'iim'", name="iim")

    monkeypatch.setattr("distributed.Client.run", fail)
    message = "--address: a cluster whose workers have iim .*No module named 'iim'"
    with pytest.raises(InvalidParameter, match=message), workers.workers_at(address):
        pytest.fail("they work")


def test_errors_of_workers_in_words():
    with pytest.raises(InvalidParameter, match="most likely for lack of memory"), workers.explained(()):
        raise KilledWorker("task", None, 3)
    with pytest.raises(OSError, match="Set TMPDIR to a folder") as full, workers.explained(()):
        raise RuntimeError("P2P failed during transfer phase") from P2POutOfDiskError()
    assert explain(full.value)[0] == ExitCode.CANNOT_WRITE
    with pytest.raises(RuntimeError, match="something else"), workers.explained(()):
        raise RuntimeError("something else")
    for kind, told in (
        (UnusableCell, UnusableCell),
        (ValueError, UnusableTable),
        (TypeError, UnusableTable),
    ):
        message = r"^Partition 1 \(from index 5\): odd\. Partition 1 is in b\.parquet\.$"
        with pytest.raises(told, match=message), workers.explained(("a.parquet", "b.parquet")):
            raise kind("Partition 1 (from index 5): odd.")
    with pytest.raises(ValueError, match=r"^odd$"), workers.explained(("a.parquet",)):
        raise ValueError("odd")


def test_signals_wait_while_a_cluster_starts():
    heard = []
    before = signal.signal(signal.SIGINT, lambda *_: heard.append("after"))
    try:
        with workers._sheltered():
            signal.raise_signal(signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)
            heard.append("inside")
    finally:
        signal.signal(signal.SIGINT, before)
    assert heard[:2] == ["inside", "after"]
