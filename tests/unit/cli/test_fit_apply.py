"""`iim fit` and `iim apply`: models in files, samples, streams."""

import json

import numpy as np
import pytest

import iim as package
from command_line import SMALL, iim, small_file
from iim.cli.exits import ExitCode


@pytest.fixture
def small(tmp_path):
    return small_file(tmp_path)


@pytest.fixture
def model(small, tmp_path):
    path = tmp_path / "model.iim"
    assert iim("fit", small, "-o", path, "-m", "mean", "-q").code == 0
    return path


def test_fit_writes_a_model_that_python_loads_too(small, tmp_path):
    done = iim("fit", small, "-m", "mean", "-o", tmp_path / "model.iim")
    assert (done.code, done.out) == (0, b"")
    first, second = done.err.splitlines()
    assert first.startswith(f"Learned from 6 rows and 3 columns of {small} with mean in ")
    assert first.endswith(f"{tmp_path / 'model.iim'} (1 kB).") or " kB)." in first
    assert second == "Not used: station (category), time (date)."
    imputer = package.load(tmp_path / "model.iim")
    assert list(imputer.feature_names_in_) == ["temperature", "humidity", "count"]


def test_fit_tells_all_as_json(small, tmp_path):
    told = json.loads(iim("fit", small, "-m", "mean", "-o", tmp_path / "model.iim", "--json").out)
    assert told["n_rows"] == told["n_rows_learned_from"] == 6
    assert told["columns"] == ["temperature", "humidity", "count"]
    assert told["n_bytes"] == (tmp_path / "model.iim").stat().st_size
    assert set(told["seconds"]) == {"reading", "learning", "writing"}


def test_apply_fills_with_the_model_as_impute_does(small, model):
    whole, streamed = iim("impute", small, "-m", "mean"), iim("apply", small, "--model", model)
    assert streamed.out == whole.out
    assert f"Filled 3 cells in 3 of 3 columns of {small} (6 rows) with {model} in " in streamed.err


def test_apply_reads_standard_input_with_a_model(model):
    done = iim("apply", "-", "--model", model, "-q", stdin=SMALL.encode())
    assert "b,2026-01-02,2.5,66,4" in done.text


def test_apply_with_a_sample_learns_from_the_file_itself(small):
    done = iim("apply", small, "-m", "mean", "--sample", 100)
    assert done.out == iim("impute", small, "-m", "mean").out
    assert " with mean in " in done.err


def test_the_seed_decides_the_sample(tmp_path):
    path = tmp_path / "long.csv"
    values = np.random.default_rng(0).normal(size=300).round(3)
    path.write_text(
        "a,b\n" + "".join(f"{value},{at}\n" for at, value in enumerate(values)) + ",5\n", "utf-8"
    )

    def filled(seed):
        return iim("apply", path, "-m", "mean", "--sample", 20, "--seed", seed, "-q").text.splitlines()[-1]

    assert filled(1) == filled(1) != filled(2)
    told = json.loads(
        iim("fit", path, "-m", "mean", "--sample", 20, "-o", tmp_path / "m.iim", "--json").out
    )
    assert (told["n_rows"], told["n_rows_learned_from"]) == (301, 20)


def test_apply_tells_all_as_json(small, model, tmp_path):
    done = iim("apply", small, "--model", model, "-o", tmp_path / "out.csv", "--json", "-q")
    told = json.loads(done.out)
    assert done.err == ""
    assert told["filled"] == {"temperature": 1, "humidity": 1, "count": 1}
    assert told["method"] == "mean"
    assert set(told["seconds"]) == {"reading", "filling"}


def test_threads_of_a_model_can_be_chosen(small, tmp_path):
    assert iim("fit", small, "-m", "knn", "-o", tmp_path / "model.iim").code == 0
    done = iim(
        "apply", small, "--model", tmp_path / "model.iim", "-j", 1, "-o", tmp_path / "o.csv", "--json"
    )
    assert json.loads(done.out)["settings"]["n_jobs"] == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "--model MODEL or --sample N: one of them is needed; received neither"),
        (["--model", "model.iim", "--sample", "5"], "one of them is needed; received both"),
        (["--model", "model.iim", "-m", "knn"], "--method: not allowed with --model, which fixes it"),
        (["--model", "model.iim", "--set", "a=1"], "--set: not allowed with --model, which fixes it"),
        (["--model", "model.iim", "--paper"], "--paper: not allowed with --model, which fixes it"),
        (["--model", "model.iim", "--min", "0"], "--min: not allowed with --model, which fixes it"),
        (["--model", "model.iim", "--max", "0"], "--max: not allowed with --model, which fixes it"),
        (["--model", "model.iim", "--no-round-integers"], "--round-integers: not allowed with --model"),
        (["--model", "model.iim", "--seed", "1"], "--seed: not allowed with --model, which fixes it"),
        (["--model", "model.iim", "-o", "model.iim"], "--output: another file than the model is needed"),
        (["--model", "model.iim", "--json"], "--json: data go to standard output, too"),
        (["--sample", "0"], "--sample: a whole number, 1 or more, is needed"),
        (["--model", "small.csv"], "small.csv"),
        (["--model", "absent.iim"], "cannot read 'absent.iim': No such file or directory"),
    ],
)
def test_what_apply_refuses(small, model, tmp_path, monkeypatch, options, message):
    monkeypatch.chdir(tmp_path)
    before = model.read_bytes()
    done = iim("apply", small.name, *options)
    assert (done.code, done.out) == (ExitCode.WRONG_INPUT, b"")
    assert message in done.err.splitlines()[0]
    assert model.read_bytes() == before


def test_a_sample_of_standard_input_cannot_be_read_twice():
    done = iim("apply", "-", "--sample", 5, stdin=SMALL.encode())
    assert done.code == ExitCode.WRONG_INPUT
    assert "--sample: a file is needed, since it is read twice; received standard input" in done.err


def test_a_file_without_a_column_of_the_model(model, tmp_path):
    path = tmp_path / "other.csv"
    path.write_text("temperature,count\n1,2\n", "utf-8")
    done = iim("apply", path, "--model", model)
    assert (done.code, done.out) == (ExitCode.WRONG_INPUT, b"")
    assert "humidity" in done.err


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("-", "--output: a file for the model is needed; received -, standard output"),
        ("small.csv", "--output: another file than the input is needed"),
    ],
)
def test_where_a_model_cannot_go(small, tmp_path, monkeypatch, output, message):
    monkeypatch.chdir(tmp_path)
    done = iim("fit", "small.csv", "-o", output)
    assert done.code == ExitCode.WRONG_INPUT
    assert message in done.err
    assert small.read_text("utf-8") == SMALL


def test_fit_needs_an_output(small):
    done = iim("fit", small)
    assert done.code == ExitCode.WRONG_INPUT
    assert done.err.splitlines()[0].startswith("iim: error: -o/--output: missing")


def test_a_model_remembers_what_means_missing(tmp_path):
    model, table = tmp_path / "model.iim", tmp_path / "table.csv"
    table.write_text("a,b\n1,5\n-200,?\n3,7\n")
    assert iim("fit", table, "-m", "mean", "-o", model, "--na", "-200", "?", "-q").code == 0
    assert package.load(model).missing_values == [-200.0, "?"]
    assert iim("apply", table, "--model", model, "-q").text == "a,b\n1,5\n2,6\n3,7\n"
