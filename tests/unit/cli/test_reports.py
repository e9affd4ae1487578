"""`--report`: what a command found, as a page, as text, as data."""

import json

import pytest

from command_line import iim, small_file
from iim.cli.exits import ExitCode
from iim.reporting import findings


@pytest.fixture
def small(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return small_file(tmp_path).name


def test_a_report_of_filling(small, tmp_path):
    done = iim("impute", small, "-m", "knn", "-o", "out.csv", "--report", "report.json")
    assert done.code == 0
    assert done.err.splitlines()[-1] == "Report: report.json"
    told = json.loads((tmp_path / "report.json").read_text("utf-8"))
    assert told["source"] == small
    assert told["filled"]["method"] == "knn"
    assert told["filled"]["n_filled"] == 3
    kinds = {each["name"]: each["kind"] for each in told["columns"]}
    assert list(kinds) == ["station", "time", "temperature", "humidity", "count"]
    assert (kinds["station"], kinds["time"], kinds["count"]) == ("category", "date", "numbers")
    assert len(told["good"]["measured"]) == 3
    assert told["good"]["comparison"] is None
    assert {"reading", "filling", "writing", "measure"} <= set(told["repeat"]["seconds"])


def test_a_report_with_all_methods_compared(small, tmp_path, monkeypatch):
    asked = []

    def compare(table, methods, *, random_state, **settings):
        asked.append((methods, random_state))
        return original(table, ["mean", "glr"], random_state=random_state, **settings)

    original = findings.compare
    monkeypatch.setattr(findings, "compare", compare)
    done = iim("impute", small, "-m", "mean", "-q", "--seed", 4, "--report", "report.json", "--compare")
    assert done.code == 0
    told = json.loads((tmp_path / "report.json").read_text("utf-8"))
    assert {each["method"] for each in told["good"]["comparison"]["overall"]} == {"mean", "glr"}
    assert asked == [(None, 4)]


def test_a_report_of_the_sample_table(tmp_path, monkeypatch):
    def compare(table, methods, **settings):
        return original(table, ["mean", "glr"], **settings)

    original = findings.compare
    monkeypatch.setattr(findings, "compare", compare)
    path = tmp_path / "sample.json"
    done = iim("demo", "--report", path)
    assert (done.code, done.out, done.err) == (0, b"", f"Report: {path}\n")
    told = json.loads(path.read_text("utf-8"))
    assert told["source"] == "sensors.csv"
    assert {each["method"] for each in told["good"]["comparison"]["overall"]} == {"mean", "glr"}


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["compare", "--methods", "mean", "glr"], "On hidden cells"),
        (["diagnose"], "| measuring |"),
    ],
)
def test_reports_of_what_was_measured(small, tmp_path, command, words):
    done = iim(command[0], small, *command[1:], "--report", "report.md")
    assert done.code == 0
    assert done.text
    assert done.err == "Report: report.md\n"
    assert words in (tmp_path / "report.md").read_text("utf-8")


def test_a_report_that_cannot_be_written_is_told_before_the_work(small):
    for command in ("impute", "compare", "diagnose"):
        done = iim(command, small, "--report", "absent/report.html")
        assert (done.code, done.out) == (ExitCode.CANNOT_WRITE, b"")
        assert done.err == "iim: error: cannot write 'absent/report.html': the folder does not exist\n"


def test_a_report_that_fails_after_all(small, monkeypatch):
    def fail(self, path):
        raise OSError(28, "No space left on device", path)

    monkeypatch.setattr("iim.reporting.Report.save", fail)
    done = iim("diagnose", small, "--report", "report.html")
    assert done.code == ExitCode.CANNOT_WRITE
    assert "cannot write 'report.html': No space left on device" in done.err


def test_a_page(small, tmp_path):
    assert iim("impute", small, "-m", "mean", "-q", "--report", "report.html").code == 0
    assert (tmp_path / "report.html").read_text("utf-8").lower().startswith("<!doctype html>")
