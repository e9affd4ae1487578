"""One cluster of worker processes for all tests of adapters that need one."""

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


@pytest.fixture
def client(cluster):
    """A client of the cluster, with both workers there."""
    from distributed import Client  # noqa: PLC0415

    with Client(cluster, timeout=PATIENCE) as client:
        client.wait_for_workers(2, timeout=PATIENCE)
        yield client
