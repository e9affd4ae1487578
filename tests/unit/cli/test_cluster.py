"""`iim cluster`: folders of Parquet files, clusters, errors."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from distributed import LocalCluster
from distributed.scheduler import KilledWorker
from distributed.shuffle._exceptions import P2POutOfDiskError

from command_line import COMPILING, heed_signals, iim
from iim.cli.exits import ExitCode, explain
from iim.cluster.command import PART_ROWS
from iim.cluster.folders import clusters
from iim.exceptions import InvalidParameter, UnusableCell, UnusableTable
from parquet_folders import measurements, read_folder, write_folder

PATIENCE = 300
"""Seconds: processes that start beside other tests on a busy machine take tens of them."""


@pytest.fixture(scope="module")
def address():
    """A cluster of threads of this process, with a real scheduler on a port of this machine."""
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
def here(tmp_path, monkeypatch):
    """A folder with data in several files, and the same in one file."""
    monkeypatch.chdir(tmp_path)
    write_folder(tmp_path / "data", measurements())
    pq.write_table(measurements(), "data.parquet")
    return tmp_path


@pytest.fixture
def mean(here):
    assert iim("fit", "data.parquet", "-m", "mean", "-o", "mean.iim", "-q").code == 0
    return "mean.iim"


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def assert_refused(done, message, code=ExitCode.WRONG_INPUT):
    assert (done.code, done.out) == (code, b""), done.err
    assert message in done.err.splitlines()[0]
    assert done.err.startswith("iim: error: ")


# What comes of it


@pytest.mark.slow
def test_exact_learning_and_filling_are_those_of_one_machine(here, address):
    on_cluster = ("--address", address)
    fitted = iim("cluster", "fit", "data", *on_cluster, "--exact", "--part-rows", 60, "-o", "model")
    assert (fitted.code, fitted.out) == (0, b""), fitted.err
    first, second = fitted.err.splitlines()
    assert first.startswith("Learned from 240 rows and 4 columns of data (3 files) with iim in ")
    assert " s: model (" in first
    assert second == "Not learned from: id (id), station (text), day (dates)."
    filled = iim("cluster", "apply", "data", *on_cluster, "--model", "model", "-o", "out")
    assert (filled.code, filled.out) == (0, b""), filled.err
    n_holes = measurements()["z"].null_count + measurements()["k"].null_count
    assert filled.err.startswith(
        f"Filled {n_holes} cells in 2 of 4 columns of data (240 rows) with model in "
    )

    assert iim("fit", "data.parquet", "-o", "model.iim", "-q").code == 0
    assert iim("apply", "data.parquet", "--model", "model.iim", "-o", "local.parquet", "-q").code == 0
    alone = pq.read_table("local.parquet")
    together = read_folder(here / "out")
    assert together.schema.equals(measurements().schema)
    assert together.equals(alone)
    assert names(here / "out") == [f"part-0000{at}.parquet" for at in range(3)]

    # And so it is with the file of a model.
    done = iim("cluster", "apply", "data", *on_cluster, "--model", "model.iim", "-o", "out2", "-q")
    assert (done.code, done.err) == (0, "")
    assert read_folder(here / "out2").equals(alone)
    expected = ["data", "data.parquet", "local.parquet", "model", "model.iim", "out", "out2"]
    assert names(here) == expected

    # A former model is replaced.
    again = iim(
        "cluster", "fit", "data", *on_cluster, "--set", "n_neighbors=3", "-o", "model", "--json", "-q"
    )
    told = json.loads(again.out)
    assert (told["settings"]["n_neighbors"], told["n_partitions"], told["n_workers"]) == (3, 3, 2)
    assert told["columns"] == ["x", "y", "z", "k"]
    assert {one["column"] for one in told["losses"]} == {"z", "k"}
    assert set(told["seconds"]) == {"reading", "learning"}
    assert names(here) == expected


@pytest.mark.slow
def test_a_cluster_of_its_own_comes_and_goes(mean, here, tmp_path_factory, monkeypatch):
    scratch = tmp_path_factory.mktemp("scratch")
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    options = ("--workers", 1, "--memory-limit", "1GB", "-o", "out", "--json")
    done = iim("cluster", "apply", "data", "--model", mean, *options)
    assert done.code == 0, done.err
    told = json.loads(done.out)
    assert (told["engine"], told["n_workers"], told["n_files"]) == ("dask", 1, 3)
    assert (told["input"], told["output"], told["method"]) == ("data", "out", "mean")
    assert told["filled"]["z"] == measurements()["z"].null_count
    assert len(done.err.splitlines()) == 2
    assert names(scratch) == []
    assert names(here) == ["data", "data.parquet", "mean.iim", "out"]


def test_whole_numbers_stay_whole_unless_told_otherwise(here, address):
    on_cluster = ("--address", address, "-q")
    for option, dtype in (("--round-integers", pa.int64()), ("--no-round-integers", pa.float64())):
        assert iim("fit", "data.parquet", "-m", "mean", option, "-o", "m.iim", "-q").code == 0
        done = iim("cluster", "apply", "data", *on_cluster, "--model", "m.iim", "-o", f"out{option}")
        assert done.code == 0, done.err
        written = read_folder(here / f"out{option}")
        assert written.schema.field("k").type == dtype
        assert iim("apply", "data.parquet", "--model", "m.iim", "-o", "local.parquet", "-q").code == 0
        assert written.equals(pq.read_table("local.parquet"))


def test_columns_and_markers_are_chosen_as_for_files(here, address):
    options = ("--ignore", "k", "--na", "-99", "-m", "mean")
    assert iim("fit", "data.parquet", *options, "-o", "m.iim", "-q").code == 0
    done = iim(
        "cluster", "apply", "data", "--address", address, "--model", "m.iim", "-o", "out", "--columns", "z"
    )
    n_holes = measurements()["z"].null_count
    assert done.err.startswith(f"Filled {n_holes} cells in 1 of 1 column of data (240 rows) with m.iim in ")
    assert "x (ignored)" in done.err
    assert "k (not in the model)" in done.err
    assert read_folder(here / "out")["k"].equals(measurements()["k"])


def test_a_single_file_and_an_empty_folder_will_do(mean, here, address):
    (here / "out").mkdir()
    done = iim("cluster", "apply", "data.parquet", "--address", address, "--model", mean, "-o", "out")
    assert done.code == 0, done.err
    assert names(here / "out") == ["part-00000.parquet"]


def test_an_object_store_gets_a_mark_of_success_last(mean, here, address):
    from iim.cluster.folders.finding import file_system  # noqa: PLC0415

    system, _ = file_system("memory://")
    output = "memory://engine/out"
    try:
        done = iim("cluster", "apply", "data", "--address", address, "--model", mean, "-o", output)
        assert done.code == 0, done.err
        found = [path.rpartition("/")[2] for path in system.ls("/engine/out", detail=False)]
        assert sorted(found) == ["_SUCCESS", *(f"part-0000{at}.parquet" for at in range(3))]
        again = iim("cluster", "apply", "data", "--address", address, "--model", mean, "-o", output)
        assert_refused(again, "--output: a new or empty folder is needed")
    finally:
        system.rm("/engine", recursive=True)


# What goes wrong with data


def poison(folder):
    table = pq.read_table(folder / "part-5.parquet")
    column = [None, "n/a", *["?"] * (table.num_rows - 2)]
    table = table.set_column(table.column_names.index("z"), "z", pa.array(column))
    pq.write_table(table, folder / "part-5.parquet")


@pytest.mark.parametrize("command", ["fit", "apply"])
def test_text_among_numbers_is_told_by_partition_and_row(mean, here, address, command):
    poison(here / "data")
    model = ("--model", mean) if command == "apply" else ()
    done = iim("cluster", command, "data", "--address", address, *model, "-o", "out")
    assert_refused(done, "Partition 1: ")
    assert "Column 'z' holds text in all 79 known cells" in done.err
    assert f"Partition 1 is in {here / 'data' / 'part-5.parquet'}." in done.err
    assert len(done.err.splitlines()) == 1
    assert names(here) == ["data", "data.parquet", "mean.iim"]
    traced = iim("cluster", command, "data", "--address", address, *model, "-o", "out", "--debug")
    assert traced.err.startswith("Traceback")


def test_a_model_that_is_not_complete(here):
    (here / "model").mkdir()
    done = iim("cluster", "apply", "data", "--model", "model", "-o", "out")
    assert_refused(done, "learning did not come to an end: there is no model.iim in it")
    assert names(here) == ["data", "data.parquet", "model"]


def test_a_place_that_workers_cannot_write(mean, here, address, monkeypatch):
    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("iim.files.output.Output.write", fail)
    done = iim("cluster", "apply", "data", "--address", address, "--model", mean, "-o", "out")
    assert_refused(done, "cannot write ", ExitCode.CANNOT_WRITE)
    assert "No space left on device" in done.err
    assert names(here) == ["data", "data.parquet", "mean.iim"]


# What is refused, before anything is started


@pytest.fixture
def nothing_starts(monkeypatch):
    def fail(*_):
        pytest.fail("a cluster was started")

    monkeypatch.setattr("iim.cluster.folders.clusters.local_cluster", fail)
    monkeypatch.setattr("iim.cluster.folders.clusters.cluster_at", fail)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-"], "FOLDER: a folder of Parquet files is needed; received -"),
        (["small.csv"], "small.csv is no Parquet file by its name. With --engine dask, a folder"),
        (["absent"], "cannot read 'absent': No such file or directory"),
        (["empty"], "empty has no Parquet files"),
        (
            ["data", "-m", "knn"],
            "--method: iim is needed; received 'knn'. Learn it",
        ),
        (["data", "--jobs", 2], "--jobs: workers have a thread each. Use --workers"),
        (["data", "--workers", 0], "--workers: a whole number, 1 or more"),
        (["data", "--address", "tcp://a", "--workers", 2], "--address: a cluster has its workers"),
        (["data", "--set", "n_jobs=5"], "--set: 'n_jobs' cannot be set here"),
        (["data", "--report", "a.html"], "no such option: --report"),
        (["data", "-o", "-"], "--output: a folder is needed; received -"),
        (
            ["data", "-o", "data"],
            "--output: another folder than the input, and none in it, is needed",
        ),
        (["data", "-o", "data/model"], "--output: another folder than the input, and none in it"),
        (
            ["data", "-o", "full"],
            "--output: a new or empty folder, or one with a former model, is needed",
        ),
        (["data", "-o", "small.csv"], "--output: a new or empty folder"),
    ],
)
def test_what_fit_refuses(here, nothing_starts, options, message):
    for folder in ("full", "empty"):
        (here / folder).mkdir()
    (here / "full" / "notes.txt").write_text("mine")
    (here / "small.csv").write_text("a,b\n1,2\n")
    before = names(here)
    done = iim("cluster", "fit", *options, *(() if "-o" in options else ("-o", "model")))
    assert_refused(done, message)
    assert names(here) == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--model", "mean.iim", "-o", "full"],
            "--output: a new or empty folder is needed; there is something in",
        ),
        (["-o", "out"], "--model MODEL: it is needed. Learn a model first"),
        (["--model", "mean.iim", "-m", "knn", "-o", "out"], "--method: the model has decided it already"),
        (["--model", "absent.iim", "-o", "out"], "cannot read 'absent.iim': No such file or directory"),
        (["--model", "data.parquet", "-o", "out"], "data.parquet"),
    ],
)
def test_what_apply_refuses(mean, here, nothing_starts, options, message):
    (here / "full").mkdir()
    (here / "full" / "part-00000.parquet").write_bytes(b"mine")
    before = names(here)
    done = iim("cluster", "apply", "data", *options)
    assert_refused(done, message)
    assert names(here) == before
    assert (here / "full" / "part-00000.parquet").read_bytes() == b"mine"


def test_a_place_without_its_folder(mean, here, nothing_starts):
    done = iim("cluster", "apply", "data", "--model", mean, "-o", "no/such/out")
    assert_refused(done, "cannot write 'no/such/out': there is no such folder", ExitCode.CANNOT_WRITE)


def test_a_model_in_a_folder_is_for_folders(here):
    (here / "model").mkdir()
    done = iim("apply", "data.parquet", "--model", "model", "-o", "out.parquet")
    assert_refused(done, "--model: a file is needed; 'model' is a folder.")
    assert "`iim cluster apply`" in done.err


def test_a_package_that_is_not_installed(here, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    done = iim("cluster", "fit", "data", "-o", "model")
    assert_refused(done, "iim cluster needs the package distributed", ExitCode.NOT_INSTALLED)
    assert 'pip install "iim[dask]"' in done.err


# Clusters


def test_a_size_that_is_none(here):
    done = iim("cluster", "fit", "data", "-o", "model", "--memory-limit", "much")
    assert_refused(done, "--memory-limit: a size such as 2GB, 600MB at least, is needed; received 'much'")
    done = iim("cluster", "fit", "data", "-o", "model", "--memory-limit", "400MB")
    assert_refused(done, "--memory-limit: a size such as 2GB, 600MB at least, is needed; received '400MB'")
    assert names(here) == ["data", "data.parquet"]


@pytest.mark.parametrize("place", ["tcp://127.0.0.1:{}", "nonsense://{}"])
def test_an_address_where_nobody_is(here, monkeypatch, place):
    monkeypatch.setattr(clusters, "CONNECT_WITHIN", 1)
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        address = place.format(bound.getsockname()[1])
        done = iim("cluster", "fit", "data", "--address", address, "-o", "model")
    assert_refused(done, "--address: a Dask scheduler that answers within 1 s is needed")
    assert len(done.err.splitlines()) == 1
    assert names(here) == ["data", "data.parquet"]


def test_a_cluster_without_workers(here, monkeypatch):
    monkeypatch.setattr(clusters, "CONNECT_WITHIN", 1)
    with LocalCluster(
        n_workers=0,
        processes=False,
        protocol="tcp://",
        host="127.0.0.1",
        dashboard_address=None,
        scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
    ) as cluster:
        done = iim("cluster", "fit", "data", "--address", cluster.scheduler_address, "-o", "model")
    assert_refused(done, "--address: a cluster with workers is needed")


def test_workers_with_another_version(here, address, monkeypatch):
    versions = iter(["0.0.1", "0.0.1"])
    monkeypatch.setattr("distributed.Client.run", lambda *_: {"tcp://there": next(versions)})
    done = iim("cluster", "fit", "data", "--address", address, "-o", "model")
    assert_refused(done, "--address: workers with iim ")
    assert "tcp://there has 0.0.1" in done.err


def test_workers_without_iim(here, address, monkeypatch):
    def fail(*_):
        raise ModuleNotFoundError("No module named 'iim'", name="iim")

    monkeypatch.setattr("distributed.Client.run", fail)
    done = iim("cluster", "fit", "data", "--address", address, "-o", "model")
    assert_refused(done, f"the workers of {address} need iim, too", ExitCode.NOT_INSTALLED)


def test_errors_of_workers_in_words():
    with pytest.raises(InvalidParameter, match="most likely for lack of memory"), clusters.telling(()):
        raise KilledWorker("task", None, 3)
    with pytest.raises(OSError, match="TMPDIR can name a folder") as full, clusters.telling(()):
        raise RuntimeError("P2P failed during transfer phase") from P2POutOfDiskError()
    assert explain(full.value)[0] == ExitCode.CANNOT_WRITE
    with pytest.raises(RuntimeError, match="something else"), clusters.telling(()):
        raise RuntimeError("something else")
    for kind, told in (
        (UnusableCell, UnusableCell),
        (ValueError, UnusableTable),
        (TypeError, UnusableTable),
    ):
        message = r"^Partition 1 \(from index 5\): odd\. Partition 1 is in b\.parquet\.$"
        with pytest.raises(told, match=message), clusters.telling(("a.parquet", "b.parquet")):
            raise kind("Partition 1 (from index 5): odd.")
    with pytest.raises(ValueError, match=r"^odd$"), clusters.telling(("a.parquet",)):
        raise ValueError("odd")


def test_signals_wait_while_a_cluster_starts():
    heard = []
    before = signal.signal(signal.SIGINT, lambda *_: heard.append("after"))
    try:
        with clusters._sheltered():
            signal.raise_signal(signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)
            heard.append("inside")
    finally:
        signal.signal(signal.SIGINT, before)
    assert heard[:2] == ["inside", "after"]


def test_the_rows_of_a_part_are_those_of_the_library():
    from iim.cluster.dask import fitting  # noqa: PLC0415

    assert PART_ROWS == fitting.PART_ROWS


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_ctrl_c_ends_all_and_leaves_nothing(here, tmp_path_factory):
    scratch = tmp_path_factory.mktemp("scratch")
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "iim",
            "cluster",
            "fit",
            "data",
            "--part-rows",
            "20",
            "--exact",
            "-o",
            "model",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(scratch)},
        preexec_fn=heed_signals,  # noqa: PLW1509 (it forks, does this, and is another program)
        # As a terminal does it, all processes of the command hear of it.
        start_new_session=True,
    )
    try:
        until = time.monotonic() + PATIENCE
        while not list(here.glob(".iim-*.part/.iim-*.part")):
            assert time.monotonic() < until
            assert process.poll() is None, process.communicate()
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert process.returncode == 130, err
    assert (out, COMPILING.sub("", err.decode())) == (b"", "iim: error: interrupted\n")
    assert names(here) == ["data", "data.parquet"]
    assert names(scratch) == []


def test_a_folder_that_only_looks_like_a_model_is_not_replaced(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_folder(tmp_path / "data", measurements(40))
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "model.iim").write_text("{}")
    (tmp_path / "mine" / "thesis.txt").write_text("all of it")
    done = iim("cluster", "fit", "data", "-o", "mine")
    assert_refused(done, "--output: a new or empty folder, or one with a former model, is needed")
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "all of it"
