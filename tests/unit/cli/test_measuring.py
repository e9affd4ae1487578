"""`iim compare` and `iim diagnose`: pages on standard output, or all records as JSON."""

import json

import pytest

import iim as package
from command_line import iim, small_file
from iim.cli.exits import ExitCode


@pytest.fixture
def sensors(tmp_path):
    path = tmp_path / "sensors.csv"
    assert iim("demo", "--write", path, "-q").code == 0
    return path


def test_compare_shows_the_leaderboard(sensors):
    done = iim("compare", sensors, "--methods", "mean", "glr", "--repeats", 2, "--hide", 20)
    assert done.code == 0
    assert done.err == ""
    assert done.text.startswith("2 methods on 1,296 rows and 6 columns: 20 known cells of each")
    assert "Overall, best first" in done.text


def test_compare_is_that_of_the_library(sensors):
    options = [
        "--methods",
        "mean",
        "--repeats",
        2,
        "--pattern",
        "clusters",
        "--cluster-size",
        4,
        "--seed",
        7,
    ]
    told = json.loads(iim("compare", sensors, *options, "--json").out)
    same = package.compare(
        package.samples.sensors("polars"),
        ["mean"],
        repeats=2,
        pattern="clusters",
        cluster_size=4,
        random_state=7,
        progress=False,
    )
    assert [each["rms_error"] for each in told["records"]] == [each.rms_error for each in same.records]
    assert [each["column"] for each in told["records"]] == [each.column for each in same.records]
    assert told["settings"]["cluster_size"] == 4
    assert told["overall"][0]["method"] == "mean"
    assert told["facts"]["versions"]["iim"] == package.__version__


def test_diagnose_shows_the_page(sensors):
    done = iim("diagnose", sensors, "--columns", "temperature", "humidity", "--repeats", 1, "-j", 1)
    assert (done.code, done.err) == (0, "")
    assert done.text.startswith("1,296 rows and 2 columns; 153 cells missing")


def test_diagnose_is_that_of_the_library(sensors):
    told = json.loads(iim("diagnose", sensors, "--neighbors", 5, "--hide", 0.1, "--seed", 3, "--json").out)
    same = package.diagnose(
        package.samples.sensors("polars"), n_neighbors=5, hide=0.1, random_state=3, progress=False
    )
    assert [each["r2_neighbors"] for each in told["columns"]] == [
        each.r2_neighbors for each in same.columns
    ]
    assert len(told["patterns"]) == len(same.patterns)


def test_notices_and_what_is_left_out_are_in_the_json(tmp_path):
    path = small_file(tmp_path)
    told = json.loads(iim("diagnose", path, "--ignore", "count", "--json").out)
    assert told["passed"] == {"station": "category", "time": "date", "count": "ignored"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--methods", "mean", "iimm"], "--methods: one of mean,"),
        (["--hide", "1.5"], "`hide` of compare: a share between 0 and 1"),
        (["--repeats", "0"], "--repeats: a whole number, 1 or more, is needed"),
        (["--pattern", "rows"], "`pattern` of compare"),
        (["--report", "small.csv"], "--report: a name that ends in one of"),
    ],
)
def test_what_compare_refuses(tmp_path, options, message):
    done = iim("compare", small_file(tmp_path), *options)
    assert (done.code, done.out) == (ExitCode.WRONG_INPUT, b"")
    assert message in done.err
    assert done.err.splitlines()[1:] in ([], ["See: iim compare --help"])
