"""Everything from tasks to pages, on made-up tables of 60 rows: what comes out, not how accurate it is."""

import csv
import json

import pytest

import iim
from iim.paper import EXPERIMENTS, bench, reproduction
from iim.paper.cases import ORDER
from iim.paper.efforts import Effort
from iim.paper.reproduction import choose, reproduce
from iim.paper.results import Number, Table
from made_up_data import make_data

TINY = Effort("quick", n_seeds=1, n_figure_seeds=1, most_rows=50)
SOME = ("datasets", "by-attribute", "neighbors", "adaptive")


@pytest.fixture
def made(monkeypatch):
    monkeypatch.setattr(bench, "load", make_data)
    monkeypatch.setattr(reproduction, "state", lambda *_: "here")
    monkeypatch.setattr(reproduction, "QUICK", TINY)


def test_pages_plots_numbers_and_raw_records(tmp_path, made):
    told = []
    done = reproduce(tmp_path, quick=True, only=SOME, progress=told.append)
    assert done.outcome.not_done == {}
    assert done.outcome.n_done == len(list(tmp_path.glob("raw/*/*.json")))
    assert told[-1] == pytest.approx(1.0)
    assert told == sorted(told)
    names = {path.relative_to(tmp_path).as_posix() for path in done.files}
    assert {"index.md", "plots/adaptive.svg", "numbers/attribute-errors.csv"} <= names
    text = (tmp_path / "index.md").read_text("utf-8")
    assert "iim reproduce --quick" in text
    assert "small pass" in text
    for key in SOME:
        assert f"## {EXPERIMENTS[key].title}" in text
    assert EXPERIMENTS["various"].title not in text
    assert f"iim reproduce --quick --only {' '.join(SOME)}`" in text
    with (tmp_path / "numbers" / "attribute-errors.csv").open(encoding="utf-8", newline="") as stream:
        lines = [line for line in csv.DictReader(stream) if line["ours"]]
    assert len(lines) == 6 * len(ORDER)


def test_again_nothing_is_measured_and_the_pages_are_the_same(tmp_path, made):
    first = reproduce(tmp_path, quick=True, only=["neighbors"])
    pages = {path: path.read_bytes() for path in first.files}
    again = reproduce(tmp_path, quick=True, only=["neighbors"])
    assert (again.outcome.n_done, again.outcome.n_kept) == (0, first.outcome.n_done)
    assert {path: path.read_bytes() for path in again.files} == pages


def test_what_was_measured_before_stays_on_the_page(tmp_path, made):
    reproduce(tmp_path, quick=True, only=["neighbors"])
    done = reproduce(tmp_path, quick=True, only=["datasets"])
    assert [section.key for section in done.page.sections] == ["datasets", "neighbors"]


def test_numbers_are_those_of_the_records(tmp_path, made):
    """A cell of the table, computed again from the raw record by hand."""
    done = reproduce(tmp_path, quick=True, only=["by-attribute"])
    (section,) = done.page.sections
    table = section.blocks[0]
    assert isinstance(table, Table)
    (path,) = tmp_path.glob("raw/fill/asf-A3-knn-0-*.json")
    record = json.loads(path.read_text("utf-8"))
    squares = [(true - filled) ** 2 for true, filled in zip(record["truth"], record["filled"], strict=True)]
    expected = (sum(squares) / len(squares)) ** 0.5
    assert table.cells["kNN", "A3"] == Number(pytest.approx(expected), None, 5.11)


@pytest.mark.slow
def test_all_of_it(tmp_path, made):
    done = reproduce(tmp_path, quick=True)
    assert done.outcome.not_done == {}
    assert [section.key for section in done.page.sections] == list(EXPERIMENTS)
    for section in done.page.sections:
        for block in section.blocks:
            cells = block.cells.values() if isinstance(block, Table) else ()
            assert all(cell.ours is not None for cell in cells if isinstance(cell, Number)), block.key


def test_experiments_are_chosen_by_key_in_the_order_of_the_page():
    assert [one.key for one in choose(["today", "various"])] == ["various", "today"]
    assert [one.key for one in choose(None)] == list(EXPERIMENTS)
    with pytest.raises(iim.InvalidParameter, match=r"`only`: one of .* Did you mean 'various'\?"):
        choose(["variuos"])


def test_without_any_data_nothing_begins(tmp_path, monkeypatch):
    monkeypatch.delenv("IIM_DATA", raising=False)
    with pytest.raises(iim.InvalidParameter, match="folder with the data sets is needed"):
        reproduce(tmp_path / "out", quick=True)
    (tmp_path / "empty").mkdir()
    with pytest.raises(iim.UnusableFile, match=r"asf\.csv is needed in the folder"):
        reproduce(tmp_path / "out", tmp_path / "empty", quick=True)
    assert not (tmp_path / "out").exists()


def test_some_data_are_better_than_none(tmp_path, monkeypatch, made):
    def load(key, folder):
        if key == "hep":
            raise iim.UnusableFile("hep.csv is needed")
        return make_data(key, folder)

    monkeypatch.setattr(bench, "load", load)
    done = reproduce(tmp_path, quick=True, only=["datasets"])
    assert done.outcome.not_done == {"hep.csv is needed": 1}
    text = (tmp_path / "index.md").read_text("utf-8")
    assert text.count("hep.csv is needed") == 1
    assert "no data" in text


def test_stand_ins_need_no_folder(tmp_path, monkeypatch):
    monkeypatch.delenv("IIM_DATA", raising=False)
    monkeypatch.setattr(reproduction, "QUICK", TINY)
    assert reproduce(tmp_path, quick=True, only=["complexity"]).outcome.n_done == 1


def test_without_matplotlib_nothing_begins(tmp_path, monkeypatch, made):
    def check():
        raise iim.MissingDependency("matplotlib")

    monkeypatch.setattr(reproduction, "check_drawing", check)
    with pytest.raises(iim.MissingDependency):
        reproduce(tmp_path / "out", quick=True)
    assert not (tmp_path / "out").exists()


def test_a_reason_of_others_is_text_on_the_page(tmp_path, monkeypatch, made):
    def load(key, folder):
        raise iim.UnusableFile("<script>[x](javascript:y) is needed")

    monkeypatch.setattr(bench, "load", load)
    reproduce(tmp_path, quick=True, only=["datasets"])
    text = (tmp_path / "index.md").read_text("utf-8")
    assert r"not done: \<script\>\[x\](javascript:y) is needed" in text
