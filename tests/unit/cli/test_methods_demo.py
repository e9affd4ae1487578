"""`iim methods` and `iim demo`."""

import inspect
import json

import pytest

import iim as package
from command_line import iim
from iim.cli.commands.methods import parameters_of
from iim.cli.exits import ExitCode
from iim.cli.imputer_choice import HAS_OPTION


def test_every_method_is_listed():
    done = iim("methods")
    assert done.code == 0
    header, *lines = done.text.splitlines()
    assert header.split()[0] == "key"
    keys = [line.split()[0] for line in lines if not line.startswith(" ")]
    assert keys == list(package.METHODS)
    assert not any(line.endswith(" ") for line in lines)


def test_the_list_as_json():
    told = json.loads(iim("methods", "--json").out)["methods"]
    assert [each["key"] for each in told] == list(package.METHODS)
    iim_itself, blended = told[-2:]
    assert (iim_itself["class"], iim_itself["family"]) == ("IIMImputer", "individual")
    assert (blended["class"], blended["family"]) == ("AutoImputer", "blend")


@pytest.mark.parametrize("key", package.METHODS)
def test_every_parameter_is_described(key):
    described = {one.name: one for one in parameters_of(package.METHODS[key])}
    in_code = inspect.signature(package.METHODS[key]).parameters
    assert list(described) == list(in_code)
    assert all(one.meaning and one.allowed for one in described.values())
    assert all(one.default is in_code[name].default for name, one in described.items())


def test_parameters_of_one_method():
    done = iim("methods", "iim")
    assert done.text.startswith("iim: Fill missing values by individual models (IIM).\n")
    assert "learning_neighbors  none       int or None. A fixed number of learning" in done.text
    assert (
        "With --paper: n_neighbors=10, learning_neighbors=none, learning_grid=range(1, 101, 5)" in done.text
    )
    for name in HAS_OPTION:
        assert f"\n{name} " not in done.text


def test_parameters_of_one_method_as_json():
    told = json.loads(iim("methods", "knn", "--json").out)
    assert told["paper"] == {"scale": "none", "donors": "complete", "min_donors": 1}
    assert next(each["name"] for each in told["parameters"]) == "n_neighbors"


def test_a_method_without_parameters_of_its_own():
    assert iim("methods", "mean").text.endswith("It has no parameters of its own.\n")


def test_an_unknown_method():
    done = iim("methods", "IIM")
    assert done.code == ExitCode.WRONG_INPUT
    assert done.err.splitlines()[0].endswith("received 'IIM'. Did you mean 'iim'?")


def test_colours_are_for_terminals_only():
    on_terminal = {"stdout_is_terminal": True, "variables": {"TERM": "xterm"}}
    assert "\x1b[" in iim("methods", **on_terminal).text
    plain = iim("methods", stdout_is_terminal=True, variables={"TERM": "xterm", "NO_COLOR": "1"}).text
    assert "\x1b[3" not in plain
    assert "\x1b" not in iim("methods").text


def test_the_demo_shows_everything():
    done = iim("demo")
    assert done.code == 0
    for shown in ("1. The paper's example", "Filled: 1.184", "2. Sensors", "RMS error", "3. Comparison of"):
        assert shown in done.text


def test_the_demo_as_json():
    told = json.loads(iim("demo", "--json").out)
    assert round(told["example"]["filled"], 3) == 1.184
    assert told["sensors"]["n_filled"] == 387
    assert told["sensors"]["errors"]["voltage"]["iim"] < told["sensors"]["errors"]["voltage"]["mean"]
    assert told["comparison"][0]["method"] == "iim"


def test_the_sample_table_is_written(tmp_path):
    path = tmp_path / "sensors.csv"
    done = iim("demo", "--write", path)
    assert (done.code, done.out) == (0, b"")
    assert done.err == f"Wrote the sample table of three weather stations: {path}\n"
    lines = path.read_text("utf-8").splitlines()
    assert (len(lines), lines[0]) == (1297, "hour,temperature,humidity,pressure,sunlight,voltage")
    assert iim("demo", "--write", "-").out == path.read_bytes()


def test_the_sample_table_cannot_be_written(tmp_path):
    done = iim("demo", "--write", tmp_path / "absent" / "sensors.csv")
    assert done.code == ExitCode.CANNOT_WRITE
    assert "the folder does not exist" in done.err
