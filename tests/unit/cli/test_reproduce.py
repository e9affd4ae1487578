"""`iim reproduce`: which experiments, from which data, to which folder, and what it says."""

import json
from pathlib import Path

import pytest

import iim as package
from command_line import iim
from iim.paper import bench, reproduction
from iim.paper.efforts import Effort
from made_up_data import make_data


@pytest.fixture(autouse=True)
def made(monkeypatch, tmp_path):
    monkeypatch.setattr(bench, "load", make_data)
    monkeypatch.setattr(reproduction, "state", lambda *_: "here")
    monkeypatch.setattr(reproduction, "QUICK", Effort("quick", n_seeds=1, n_figure_seeds=1, most_rows=50))
    monkeypatch.chdir(tmp_path)


def names_in(folder):
    return sorted(path.name for path in Path(folder).iterdir())


def test_the_page_is_written_and_named():
    done = iim("reproduce", "--quick", "--only", "datasets", "neighbors")
    assert done.code == 0, done.err
    assert done.out == b""
    assert "27 measurements in " in done.err
    assert "Page: reproduction-quick/index.md\n" in done.err
    assert names_in(".") == ["reproduction-quick"]
    assert names_in("reproduction-quick") == ["index.md", "numbers", "plots", "raw"]


def test_a_second_run_goes_on_from_the_first():
    iim("reproduce", "--quick", "--only", "datasets", "--out", "here")
    done = iim("reproduce", "--quick", "--only", "datasets", "neighbors", "--out", "here")
    assert "18 measurements in " in done.err
    assert "; 9 were there already." in done.err


def test_json_for_programs():
    done = iim("reproduce", "--quick", "--only", "datasets", "--out", "here", "--json", "--quiet")
    assert done.err == ""
    result = json.loads(done.text)
    assert result["pages"] == ["here/index.md"]
    assert (result["measured"], result["kept"], result["not_done"]) == (9, 0, {})


def test_what_could_not_be_measured_is_told(monkeypatch):
    def load(key, folder):
        if key == "mam":
            raise package.UnusableFile("mam.csv is needed")
        return make_data(key, folder)

    monkeypatch.setattr(bench, "load", load)
    done = iim("reproduce", "--quick", "--only", "datasets")
    assert done.code == 0
    assert "Note: 1 measurement not done: mam.csv is needed\n" in done.err


def test_an_unknown_experiment_is_refused_before_anything_is_done():
    done = iim("reproduce", "--only", "neighbours")
    assert done.code == 2
    assert "--only: one of complexity, datasets, various" in done.err
    assert "received 'neighbours'" in done.err
    assert names_in(".") == []


def test_without_data_there_is_one_line_and_no_folder(monkeypatch):
    monkeypatch.undo()
    monkeypatch.delenv("IIM_DATA", raising=False)
    done = iim("reproduce", "--quick", "--out", "not-there-7")
    assert done.code == 2
    assert done.err.startswith("iim: error: The folder with the data sets is needed; received none.")
    assert not Path("not-there-7").exists()


def test_a_folder_that_cannot_be_written_is_refused_first(tmp_path):
    (tmp_path / "file").write_text("here already")
    done = iim("reproduce", "--quick", "--out", "file")
    assert done.code == 3
    assert "cannot write 'file'" in done.err
    assert (tmp_path / "file").read_text() == "here already"


def test_ctrl_c_keeps_what_was_measured(monkeypatch):
    calls = []

    def load(key, folder):
        calls.append(key)
        if key == "phase":
            raise KeyboardInterrupt
        return make_data(key, folder)

    monkeypatch.setattr(bench, "load", load)
    done = iim("reproduce", "--quick", "--only", "datasets", "--out", "here")
    assert done.code == 130
    n_kept = len(names_in("here/raw/describe"))
    assert n_kept == len(calls) - 1 == 4
    monkeypatch.setattr(bench, "load", make_data)
    done = iim("reproduce", "--quick", "--only", "datasets", "--out", "here")
    assert "5 measurements in " in done.err
    assert "4 were there already" in done.err


def test_without_matplotlib_the_package_is_named(monkeypatch):
    def check():
        raise package.MissingDependency("The plots of a reproduction need the package matplotlib")

    monkeypatch.setattr(reproduction, "check_drawing", check)
    done = iim("reproduce", "--quick", "--out", "here")
    assert done.code == 4
    assert "matplotlib" in done.err
    assert names_in(".") == []
