"""What is written into the folder: which files, whole, the same each time."""

import csv
import math
import sys
from dataclasses import replace

import pytest

import iim
from iim.paper.layout import write_page
from iim.paper.results import Figure, Line, Number, Page, Panel, Ranking, Section, Table
from reproductions import HOSTILE, LONG, demo_page, hostile_page


def small_page(*blocks) -> Page:
    return Page("Title", (), (Section("one", "One", "", (), blocks),))


def small_table(**changes) -> Table:
    cells = {("a", "x"): Number(0.1 + 0.2, 1 / 3, 0.3), ("a", "y"): Number(None, None, None, "not run")}
    cells |= {("b", "x"): Number(math.nan, math.inf, 1e-300), ("b", "y"): "words, with a comma"}
    return replace(Table("t", "Table", "row", ("a", "b", "c"), ("x", "y"), cells), **changes)


def read_numbers(folder, key):
    with (folder / "numbers" / f"{key}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo") / "new" / "folder"
    return folder, write_page(demo_page(), folder)


def test_all_files_are_there_and_no_others(demo):
    folder, written = demo
    plots = ["adaptive", "ranks", "vary-n"]
    assert {path.relative_to(folder).as_posix() for path in written} == {
        "index.md",
        *(f"numbers/{key}.csv" for key in ("data-sets", "purity", "rms-error", *plots)),
        *(f"plots/{key}.svg" for key in plots),
    }
    assert {path for path in folder.rglob("*") if path.is_file()} == set(written)


@pytest.mark.parametrize("page", [demo_page, hostile_page])
def test_the_same_page_gives_the_same_bytes(page, tmp_path):
    first, second = (
        {path.name: path.read_bytes() for path in write_page(page(), tmp_path / name)} for name in "ab"
    )
    assert first == second


def test_what_a_user_has_set_in_matplotlib_changes_nothing(tmp_path):
    mpl = pytest.importorskip("matplotlib")
    page = hostile_page()
    plain = [path.read_bytes() for path in write_page(page, tmp_path)]
    with mpl.rc_context({"axes.grid": False, "font.size": 30, "svg.fonttype": "path", "lines.marker": "x"}):
        before = dict(mpl.rcParams)
        assert [path.read_bytes() for path in write_page(page, tmp_path)] == plain
        assert dict(mpl.rcParams) == before


def test_files_that_no_block_names_any_more_stay(tmp_path):
    write_page(small_page(small_table(key="old")), tmp_path)
    written = write_page(small_page(small_table(key="new")), tmp_path)
    assert tmp_path / "numbers" / "old.csv" not in written
    assert {path.name for path in (tmp_path / "numbers").iterdir()} == {"old.csv", "new.csv"}


def test_nothing_is_written_if_something_cannot_be_drawn(tmp_path, monkeypatch):
    for name in ("matplotlib", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, name, None)
    figure = Figure("f", "F", (Panel("", "x", "y", (Line("IIM", (1.0,), (1.0,)),)),))
    ranking = Ranking("r", "R", {"IIM": 1.0}, 1.0, 3)
    for block in (figure, ranking):
        with pytest.raises(iim.MissingDependency, match=r'matplotlib.*pip install "iim\[report\]"'):
            write_page(small_page(small_table(), block), tmp_path)
    assert list(tmp_path.iterdir()) == []
    # Tables need nothing more.
    assert len(write_page(small_page(small_table()), tmp_path)) == 2


class TestNumbers:
    def test_of_a_table_are_read_back_exactly(self, tmp_path):
        write_page(small_page(small_table()), tmp_path)
        empty = dict.fromkeys(("ours", "worst", "paper", "difference"), "")
        first, second, third, fourth = read_numbers(tmp_path, "t")
        assert list(first) == ["row", "column", "ours", "worst", "paper", "difference"]
        assert [float(first[name]) for name in ("ours", "worst", "paper")] == [0.1 + 0.2, 1 / 3, 0.3]
        assert float(first["difference"]) == (0.1 + 0.2 - 0.3) / 0.3
        assert second == {"row": "a", "column": "y", **empty}
        assert third == {
            **empty,
            "row": "b",
            "column": "x",
            "ours": "nan",
            "worst": "inf",
            "paper": "1e-300",
        }
        assert fourth == {"row": "b", "column": "y", **empty, "ours": "words, with a comma"}

    def test_of_a_figure(self, tmp_path):
        lines = (
            Line("IIM", (1, 0.1), (1 / 3, math.nan), (0.3, 0.2), (0.4, 0.5)),
            Line("kNN", (2.0,), (7.0,)),
        )
        write_page(small_page(Figure("f", "F", (Panel("P", "x", "y", lines),))), tmp_path)
        rows = read_numbers(tmp_path, "f")
        assert [tuple(row.values()) for row in rows] == [
            ("P", "IIM", "1", repr(1 / 3), "0.3", "0.4"),
            ("P", "IIM", "0.1", "nan", "0.2", "0.5"),
            ("P", "kNN", "2.0", "7.0", "", ""),
        ]

    def test_of_a_ranking_come_best_first(self, tmp_path):
        ranks = {"b": 2.5, "none": math.nan, "a": 1 / 3}
        write_page(small_page(Ranking("r", "R", ranks, 1.0, 3)), tmp_path)
        rows = [(row["method"], row["mean_rank"]) for row in read_numbers(tmp_path, "r")]
        assert rows == [("a", repr(1 / 3)), ("b", "2.5"), ("none", "nan")]

    def test_names_are_whole(self, tmp_path):
        write_page(hostile_page(), tmp_path)
        assert {row["row"] for row in read_numbers(tmp_path, "Hostile-1")} == {HOSTILE, LONG, "- 1. #"}

    def test_of_numpy_are_numbers(self, tmp_path):
        np = pytest.importorskip("numpy")
        table = small_table(cells={("a", "x"): Number(np.float64(0.1), paper=np.float64(0.2))})
        write_page(small_page(table), tmp_path)
        (row,) = read_numbers(tmp_path, "t")
        assert (row["ours"], row["paper"], row["difference"]) == ("0.1", "0.2", "-0.5")
