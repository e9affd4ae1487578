"""Clusters for all tests that need one: of worker processes, and of threads behind an address."""

import pytest

from partition_witnesses import PATIENCE


@pytest.fixture(scope="session")
def cluster():
    """Two workers on this machine; one that is killed is started again."""
    from distributed import LocalCluster  # noqa: PLC0415 (most tests need none)

    with LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0"
    ) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def address():
    """A cluster of threads of this process, with a real scheduler on a port of this machine."""
    from distributed import LocalCluster  # noqa: PLC0415

    with LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=False,
        protocol="tcp://",
        host="127.0.0.1",
        dashboard_address=None,
        scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
        silence_logs=50,
    ) as cluster:
        yield cluster.scheduler_address


@pytest.fixture
def client(cluster):
    """A client of the cluster, with both workers there."""
    from distributed import Client  # noqa: PLC0415

    with Client(cluster, timeout=PATIENCE) as client:
        client.wait_for_workers(2, timeout=PATIENCE)
        yield client
