"""The page of the full run, as the docs keep it: whole, and what the README takes from it is on it."""

import csv
import re
from pathlib import Path

import pytest

from iim.paper import EXPERIMENTS
from iim.paper.results import CLOSE

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "docs" / "reproduction"
REAL = ("ASF", "CA", "CCPP", "CCS", "DA")
LINK = re.compile(r"\]\(((?:plots|numbers)/[^)]+)\)")
ROW = re.compile(r"^\| (\w+) \| ([\d.]+) \(([\d.]+)\) \| ([\d.]+) \| (.+?) \| (.+?) \|$", re.MULTILINE)
"""A row of the README: data, IIM (median, worst), the paper's IIM, best other here, best other there."""


def numbers(name):
    """Rows of a table's numbers, by row and column of the table."""
    with (KEPT / "numbers" / f"{name}.csv").open(encoding="utf-8", newline="") as stream:
        return {(line["row"], line["column"]): line for line in csv.DictReader(stream)}


@pytest.fixture(scope="module")
def page():
    return (KEPT / "index.md").read_text("utf-8")


def test_every_experiment_is_on_it_with_its_files(page):
    for experiment in EXPERIMENTS.values():
        assert f"\n## {experiment.title}\n" in page
    files = LINK.findall(page)
    assert all((KEPT / name).stat().st_size > 0 for name in files)
    kept = {
        path.relative_to(KEPT).as_posix()
        for folder in ("plots", "numbers")
        for path in (KEPT / folder).iterdir()
    }
    assert kept == set(files)


def test_it_is_the_full_run_and_nothing_is_missing(page):
    assert "Made by `iim reproduce`:" in page
    assert "small pass" not in page
    assert "not measured" not in page
    assert "failed:" not in page


def test_no_raw_data_are_kept():
    assert not (KEPT / "raw").exists()


@pytest.mark.parametrize("data", REAL)
def test_iim_is_as_accurate_as_printed(data):
    cell = numbers("various-errors")["IIM", data]
    assert float(cell["ours"]) <= (1 + CLOSE) * float(cell["paper"])


def test_what_the_readme_shows_is_on_the_page():
    rows = ROW.findall((ROOT / "README.md").read_text("utf-8"))
    assert [row[0] for row in rows] == list(REAL)
    errors = numbers("various-errors")
    for data, ours, worst, paper, here, there in rows:
        iim = errors["IIM", data]
        assert float(ours) == pytest.approx(float(iim["ours"]), rel=2e-3)
        assert float(worst) == pytest.approx(float(iim["worst"]), rel=2e-3)
        assert float(paper) == float(iim["paper"])
        others = {row: cell for (row, column), cell in errors.items() if column == data and row != "IIM"}
        for told, which in ((here, "ours"), (there, "paper")):
            known = {name: float(cell[which]) for name, cell in others.items() if cell[which]}
            best = min(known, key=known.__getitem__)
            name, value = told.split()
            assert name == best
            assert float(value) == pytest.approx(known[best], rel=2e-3)
