"""`iim cluster fit` and `iim cluster apply`: folders of Parquet files, filled, refused, interrupted."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from command_line import COMPILING, heed_signals, iim
from iim.cli.exits import ExitCode
from iim.cluster import command
from parquet_folders import measurements, read_folder, write_folder

PATIENCE = 300
"""Seconds: processes that start beside other tests on a busy machine take tens of them."""


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


# What is written


@pytest.mark.slow
def test_exact_learning_and_filling_are_those_of_one_machine(here, address):
    on = ("--address", address)
    fitted = iim("cluster", "fit", "data", *on, "--exact", "--part-rows", 60, "-o", "model")
    assert (fitted.code, fitted.out) == (0, b""), fitted.err
    first, second = fitted.err.splitlines()
    assert first.startswith("Learned from 240 rows and 4 columns of data (3 files) with iim in ")
    assert " s: model (" in first
    assert second == "Not used: id (id), station (text), day (date)."
    filled = iim("cluster", "apply", "data", *on, "--model", "model", "-o", "out")
    assert (filled.code, filled.out) == (0, b""), filled.err
    n_holes = measurements()["z"].null_count + measurements()["k"].null_count
    first, second = filled.err.splitlines()
    assert first.startswith(f"Filled {n_holes} cells in 2 of 4 columns of data (240 rows) with model in ")
    assert "id (not in the model)" in second

    assert iim("fit", "data.parquet", "--set", "strategy=patterns", "-o", "model.iim", "-q").code == 0
    assert iim("apply", "data.parquet", "--model", "model.iim", "-o", "local.parquet", "-q").code == 0
    alone = pq.read_table("local.parquet")
    together = read_folder(here / "out")
    assert together.schema.equals(measurements().schema)
    assert together.equals(alone)
    assert names(here / "out") == names(here / "data")

    # And so it is with the file of a model.
    done = iim("cluster", "apply", "data", *on, "--model", "model.iim", "-o", "out2", "-q")
    assert (done.code, done.err) == (0, "")
    assert read_folder(here / "out2").equals(alone)
    expected = ["data", "data.parquet", "local.parquet", "model", "model.iim", "out", "out2"]
    assert names(here) == expected

    # A former model is replaced.
    options = ("--set", "n_neighbors=3", "-o", "model", "--json", "-q")
    told = json.loads(iim("cluster", "fit", "data", *on, *options).out)
    assert (told["settings"]["n_neighbors"], told["n_partitions"], told["n_workers"]) == (3, 3, 2)
    assert told["columns"] == ["x", "y", "z", "k"]
    assert {one["column"] for one in told["losses"]} == {"z", "k"}
    assert set(told["seconds"]) == {"reading", "learning"}
    assert names(here) == expected


@pytest.mark.slow
def test_workers_of_our_own_come_and_go(mean, here, tmp_path_factory, monkeypatch):
    scratch = tmp_path_factory.mktemp("scratch")
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    options = ("--workers", 1, "--memory-limit", "1GB", "-o", "out", "--json")
    done = iim("cluster", "apply", "data", "--model", mean, *options)
    assert done.code == 0, done.err
    told = json.loads(done.out)
    assert (told["n_workers"], told["n_files"]) == (1, 3)
    assert (told["input"], told["output"], told["method"]) == ("data", "out", "mean")
    assert told["filled"]["z"] == measurements()["z"].null_count
    assert len(done.err.splitlines()) == 2
    assert names(scratch) == []
    assert names(here) == ["data", "data.parquet", "mean.iim", "out"]


def test_whole_numbers_stay_whole_unless_told_otherwise(here, address):
    for option, dtype in (("--round-integers", pa.int64()), ("--no-round-integers", pa.float64())):
        assert iim("fit", "data.parquet", "-m", "mean", option, "-o", "m.iim", "-q").code == 0
        out = f"out{option}"
        done = iim("cluster", "apply", "data", "--address", address, "--model", "m.iim", "-o", out, "-q")
        assert done.code == 0, done.err
        written = read_folder(here / out)
        assert written.schema.field("k").type == dtype
        assert iim("apply", "data.parquet", "--model", "m.iim", "-o", "local.parquet", "-q").code == 0
        assert written.equals(pq.read_table("local.parquet"))


def test_columns_and_markers_are_chosen_as_for_files(here, address):
    options = ("--ignore", "k", "--na", "-99", "-m", "mean")
    assert iim("fit", "data.parquet", *options, "-o", "m.iim", "-q").code == 0
    (here / "out").mkdir()
    options = ("--model", "m.iim", "-o", "out", "--columns", "z")
    done = iim("cluster", "apply", "data", "--address", address, *options)
    n_holes = measurements()["z"].null_count
    assert done.err.startswith(f"Filled {n_holes} cells in 1 of 1 column of data (240 rows) with m.iim in ")
    assert "x (ignored)" in done.err
    assert "k (not in the model)" in done.err
    assert read_folder(here / "out")["k"].equals(measurements()["k"])


# What goes wrong with data


def set_column(path, column):
    table = pq.read_table(path)
    pq.write_table(table.set_column(table.column_names.index("z"), "z", column), path)


@pytest.mark.parametrize("what", ["fit", "apply"])
def test_infinity_is_told_by_partition_row_and_file(mean, here, address, what):
    path = here / "data" / "part-5.parquet"
    set_column(path, pa.array([None, float("inf"), *[1.0] * 78]))
    options = ("--model", mean) if what == "apply" else ()
    done = iim("cluster", what, "data", "--address", address, *options, "-o", "out")
    assert_refused(done, "Partition 1: ")
    assert "'z' holds infinite values in 1 of 80 rows (first: row 1, inf)" in done.err
    assert done.err.rstrip().endswith(f"Partition 1 is in {path}.")
    assert len(done.err.splitlines()) == 1
    assert names(here) == ["data", "data.parquet", "mean.iim"]


@pytest.mark.parametrize("what", ["fit", "apply"])
def test_text_among_numbers_is_told_by_file(mean, here, nothing_starts, what):
    path = here / "data" / "part-5.parquet"
    set_column(path, pa.array([None, "n/a", *["?"] * 78]))
    options = ("--model", mean) if what == "apply" else ("--columns", "x", "z")
    done = iim("cluster", what, "data", *options, "-o", "out")
    first = here / "data" / "part-0.parquet"
    assert_refused(done, f"cannot be combined (double in {first}, string in {path}). Give it one type")
    assert len(done.err.splitlines()) == 1
    assert names(here) == ["data", "data.parquet", "mean.iim"]


def test_a_model_that_is_not_complete(here, nothing_starts):
    (here / "model").mkdir()
    done = iim("cluster", "apply", "data", "--model", "model", "-o", "out")
    assert_refused(done, "learning was not finished: there is no model.iim in it")
    assert names(here) == ["data", "data.parquet", "model"]


def test_a_full_disk_leaves_no_output(mean, here, address, monkeypatch):
    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pyarrow.parquet.ParquetWriter.write_table", fail)
    done = iim("cluster", "apply", "data", "--address", address, "--model", mean, "-o", "out")
    assert_refused(done, "cannot write a file: No space left on device", ExitCode.CANNOT_WRITE)
    assert names(here) == ["data", "data.parquet", "mean.iim"]


# What is refused, before anything is started


@pytest.fixture
def nothing_starts(monkeypatch):
    def fail(*_):
        pytest.fail("workers were started")

    monkeypatch.setattr(command, "_workers", fail)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["small.csv"], "small.csv is a file. A folder of Parquet files is needed; `iim fit` and"),
        (["absent"], "cannot read 'absent': No such file or directory"),
        (["empty"], "empty has no Parquet files"),
        (["data", "--model", "mean.iim"], "--model: only for apply"),
        (["s3://bucket/data"], "a folder on a disk is needed; received 's3://bucket/data'. For object"),
        (["data", "-o", "s3://bucket/model"], "a folder on a disk is needed; received 's3://bucket/model'"),
        (["data", "-m", "knn"], "--method: iim is needed; received 'knn'. Learn from a sample instead"),
        (["data", "--jobs", 2], "--jobs: not allowed, workers have one thread each. Use --workers"),
        (["data", "--ignore", "none"], "data has no column 'none'"),
        (["data", "--columns", "x", "--ignore", "x"], "--columns and --ignore: different columns are"),
        (["data", "--set", "n_jobs=5"], "--set: 'n_jobs' cannot be set here"),
        (["data", "--workers", 0], "a whole number, 1 or more, is needed; received '0'"),
        (["data", "--address", "tcp://a", "--workers", 2], "--address: the cluster has its own workers"),
        (["data", "-o", "data"], "--output: a folder outside the input is needed"),
        (["data", "-o", "data/model"], "--output: a folder outside the input"),
        (["data", "-o", "small.csv"], "--output: a new or empty folder"),
        (["data", "-o", "mine"], "--output: a new or empty folder, or one with an older model, is needed"),
    ],
)
def test_what_fit_refuses(here, nothing_starts, options, message):
    for folder in ("mine", "empty"):
        (here / folder).mkdir()
    # It only looks like a model.
    (here / "mine" / "model.iim").write_text("{}")
    (here / "mine" / "thesis.txt").write_text("all of it")
    (here / "small.csv").write_text("a,b\n1,2\n")
    before = names(here)
    done = iim("cluster", "fit", *options, *(() if "-o" in options else ("-o", "model")))
    assert_refused(done, message)
    assert names(here) == before
    assert (here / "mine" / "thesis.txt").read_text() == "all of it"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--model", "mean.iim", "-o", "full"],
            "--output: a new or empty folder is needed; 'full' exists and",
        ),
        (["-o", "out"], "--model MODEL is needed"),
        (
            ["--model", "mean.iim", "--exact", "-o", "out"],
            "--exact and --part-rows: not allowed with --model, which fixes them",
        ),
        (["--model", "absent.iim", "-o", "out"], "cannot read 'absent.iim': No such file or directory"),
        (["--model", "data.parquet", "-o", "out"], "data.parquet"),
    ],
)
def test_what_apply_refuses(mean, here, nothing_starts, options, message):
    (here / "full").mkdir()
    (here / "full" / "part-0.parquet").write_bytes(b"mine")
    before = names(here)
    done = iim("cluster", "apply", "data", *options)
    assert_refused(done, message)
    assert names(here) == before
    assert (here / "full" / "part-0.parquet").read_bytes() == b"mine"


def test_a_place_without_its_folder(mean, here, nothing_starts):
    done = iim("cluster", "apply", "data", "--model", mean, "-o", "no/such/out")
    assert_refused(done, "cannot write 'no/such/out': the folder does not exist", ExitCode.CANNOT_WRITE)


def test_a_model_in_a_folder_fills_folders(here):
    (here / "model").mkdir()
    done = iim("apply", "data.parquet", "--model", "model", "-o", "out.parquet")
    assert_refused(done, "--model: a file is needed; 'model' is a folder.")
    assert "iim cluster apply" in done.err


def test_a_package_that_is_not_installed(here, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    done = iim("cluster", "fit", "data", "-o", "model")
    assert_refused(done, "iim cluster needs the package distributed", ExitCode.NOT_INSTALLED)
    assert 'pip install "iim[dask]"' in done.err


def test_the_rows_of_a_part_are_those_of_the_library():
    from iim.cluster.dask import fitting  # noqa: PLC0415

    assert command.PART_ROWS == fitting.PART_ROWS


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_ctrl_c_ends_all_and_leaves_nothing(here, tmp_path_factory):
    scratch = tmp_path_factory.mktemp("scratch")
    process = subprocess.Popen(
        [sys.executable, "-m", "iim", *("cluster", "fit", "data", "--part-rows", "20", "-o", "model")],
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
