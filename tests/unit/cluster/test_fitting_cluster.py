"""IIM learned by worker processes: with one of them killed in the middle, the same bytes."""

import os
import signal
import threading
import time

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client

import iim
from cases import long
from iim.cluster.dask import fit, impute
from partition_witnesses import PATIENCE, wait_if_armed, when_begun
from strategies import untied

pytestmark = [pytest.mark.slow, pytest.mark.engine, pytest.mark.xdist_group("dask cluster")]

TABLE = pd.DataFrame(untied(2400, 4, seed=5), columns=list("abcd"))
TABLE["a"] = TABLE["a"].mask(np.random.default_rng(5).random(len(TABLE)) < 0.1)
IMPUTER = iim.IIMImputer(learning_grid=(1, 3, 6, 10, 16))


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed") / "model"
    with dask.config.set(scheduler="sync"):
        learn(folder)
    return content(folder)


def learn(folder):
    return fit(dd.from_pandas(TABLE, npartitions=6), IMPUTER, folder, halo="proven", part_rows=160)


def content(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def kill_when(cluster, folder, pattern, killed):
    """Kill a worker as soon as there is a file of that name below the folder."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if any(folder.rglob(pattern)):
            pid = next(iter(cluster.workers.values())).pid
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)
            return
        time.sleep(0.005)


@pytest.mark.parametrize("pattern", ["halo-*", *long("own-*", "models-*")])
def test_a_worker_killed_while_learning_changes_no_byte(client, tmp_path, undisturbed, pattern):
    killed: list[int] = []
    killer = threading.Thread(target=kill_when, args=(client.cluster, tmp_path, pattern, killed))
    killer.start()
    try:
        model = learn(tmp_path / "model")
    finally:
        killer.join(PATIENCE)
    assert killed
    assert content(tmp_path / "model") == undisturbed
    ddf = dd.from_pandas(TABLE, npartitions=3)
    filled = client.compute(impute(ddf, model)).result(timeout=PATIENCE)
    pd.testing.assert_frame_equal(filled, IMPUTER.fit_transform(TABLE), check_exact=True)


@pytest.mark.current
def test_a_worker_killed_while_filling_from_parts_changes_no_bit(client, tmp_path):
    model = learn(tmp_path / "model")
    ddf = dd.from_pandas(TABLE, npartitions=6)
    disturbed = ddf.map_partitions(wait_if_armed, str(tmp_path), 4, meta=ddf._meta)
    filled = impute(disturbed, model)
    (tmp_path / "armed").touch()
    job = client.compute(filled)
    os.kill(when_begun(tmp_path, "partition"), signal.SIGKILL)
    (tmp_path / "partition-over").touch()
    expected = IMPUTER.fit_transform(TABLE)
    pd.testing.assert_frame_equal(job.result(timeout=PATIENCE), expected, check_exact=True)


def test_persisted_tables_are_filled(client, tmp_path):
    ddf = dd.from_pandas(TABLE, npartitions=3).persist()
    filled = client.compute(impute(ddf, learn(tmp_path / "model"))).result(timeout=PATIENCE)
    pd.testing.assert_frame_equal(filled, IMPUTER.fit_transform(TABLE), check_exact=True)


def test_a_job_written_without_a_client_is_computed_with_one(cluster, tmp_path):
    ddf = dd.from_pandas(TABLE, npartitions=3)
    with dask.config.set(scheduler="threads"):
        model = learn(tmp_path / "model")
        filled = impute(ddf, model)
    with Client(cluster, timeout=PATIENCE) as client:
        client.wait_for_workers(2, timeout=PATIENCE)
        result = client.compute(filled).result(timeout=PATIENCE)
    pd.testing.assert_frame_equal(result, IMPUTER.fit_transform(TABLE), check_exact=True)


def test_a_function_that_is_told_of_progress_stays_at_home(client, tmp_path):
    lock = threading.Lock()

    def tell(share):
        with lock:
            assert 0 <= share <= 1

    imputer = iim.IIMImputer(learning_grid=(1, 3, 6), progress=tell)
    fit(dd.from_pandas(TABLE[:300], npartitions=2), imputer, tmp_path / "model")
