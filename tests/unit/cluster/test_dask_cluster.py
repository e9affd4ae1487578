"""Dask DataFrames filled by worker processes: one model each, a worker killed in the middle, errors."""

import os
import signal

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

import iim
from cases import long
from iim.cluster.dask import impute
from partition_witnesses import PATIENCE, Witness, poison, wait_in_partition, when_begun
from strategies import untied

pytestmark = [
    pytest.mark.slow,
    pytest.mark.engine,
    # One cluster for all, in one process, where tests run side by side.
    pytest.mark.xdist_group("dask cluster"),
    # What Dask calls to write Parquet, and pandas 3.1 warns of.
    pytest.mark.filterwarnings("ignore:The inplace keyword in DataFrame"),
]

TABLE = pd.DataFrame(untied(600, 4, seed=3), columns=list("abcd"))
TABLE = TABLE.mask(np.random.default_rng(3).random(TABLE.shape) < 0.1)


@pytest.fixture(scope="module")
def imputer():
    return iim.IIMImputer().fit(TABLE[:200])


def test_workers_fill_as_one_process_does_and_get_the_model_once(client, imputer, tmp_path):
    imputer.witness_ = Witness(tmp_path)
    try:
        filled = impute(dd.from_pandas(TABLE, npartitions=24), imputer)
        result = client.compute(filled).result(timeout=PATIENCE)
    finally:
        del imputer.witness_
    pd.testing.assert_frame_equal(result, imputer.transform(TABLE), check_exact=True)
    # This process has the scheduler, which looks at the job, too.
    counts = {pid: n for pid, n in Witness.counts(tmp_path).items() if pid != os.getpid()}
    assert counts.keys() <= set(client.run(os.getpid).values())
    assert set(counts.values()) == {1}


def test_workers_load_a_file_by_themselves(client, imputer, tmp_path):
    imputer.save(tmp_path / "model.iim")
    filled = impute(dd.from_pandas(TABLE, npartitions=6), tmp_path / "model.iim")
    result = client.compute(filled).result(timeout=PATIENCE)
    pd.testing.assert_frame_equal(result, imputer.transform(TABLE), check_exact=True)


@pytest.mark.parametrize("model_is", ["held", *long("in a file")])
def test_a_worker_killed_in_the_middle_changes_no_byte(client, imputer, tmp_path, model_is):
    model = imputer
    if model_is == "in a file":
        model = tmp_path / "model.iim"
        imputer.save(model)
    ddf = dd.from_pandas(TABLE, npartitions=12)
    with dask.config.set(scheduler="sync"):
        impute(ddf, model).to_parquet(tmp_path / "undisturbed")
    disturbed = ddf.map_partitions(wait_in_partition, str(tmp_path), 5, meta=ddf._meta)
    job = client.compute(impute(disturbed, model).to_parquet(tmp_path / "disturbed", compute=False))
    pid = when_begun(tmp_path, "partition")
    assert pid in {nanny.pid for nanny in client.cluster.workers.values()}
    os.kill(pid, signal.SIGKILL)
    (tmp_path / "partition-over").touch()
    job.result(timeout=PATIENCE)
    written, expected = (
        {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()}
        for name in ("disturbed", "undisturbed")
    )
    assert len(expected) == 12
    assert written == expected


def test_an_error_in_a_worker_comes_back_as_it_is(client, imputer, tmp_path):
    poisoned = dd.from_pandas(TABLE, npartitions=6).map_partitions(poison, "b", 4, meta=TABLE.iloc[:0])
    with pytest.raises(
        iim.UnusableTable,
        match=r"^Partition 4 \(from index 400\): .*'b' holds text .* \(first: row 2, 'n/a'\)",
    ):
        client.compute(impute(poisoned, imputer)).result(timeout=PATIENCE)
    with pytest.raises(iim.UnusableTable, match=r"^Partition 4"):
        impute(poisoned, imputer).to_parquet(tmp_path / "filled", write_metadata_file=True)
    assert not (tmp_path / "filled" / "_metadata").exists()
