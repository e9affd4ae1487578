"""One run: tasks, records, sections, the page."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from iim._names import refuse_name
from iim.imputers import METHODS
from iim.paper.cases import LARGE, LARGE_GRID, NAMES, ORDER, XGB_ROUNDS, plain_settings
from iim.paper.datasets import DATASETS, load, state
from iim.paper.efforts import FULL, QUICK, Effort
from iim.paper.layout import check_drawing, write_page
from iim.paper.records import Record, Store
from iim.paper.results import Page
from iim.paper.running import Outcome, run
from iim.paper.sections import EXPERIMENTS
from iim.paper.sections.experiment import Experiment
from iim.paper.tasks import Task
from iim.present.markdown import escaped
from iim.present.numbers import count

RECORDS = "raw"
"""Folder of raw records below the folder of the pages."""


@dataclass(frozen=True)
class Reproduction:
    """The result of a run.

    Attributes
    ----------
    page : Page
        The results, as plain data.
    files : tuple of path
        Files written besides raw records.
    outcome : Outcome
        How many tasks were done, kept, and not done.
    """

    page: Page
    files: tuple[Path, ...]
    outcome: Outcome


def reproduce(
    out: str | Path,
    data: str | Path | None = None,
    *,
    quick: bool = False,
    only: Sequence[str] | None = None,
    progress: Callable[[float], None] | None = None,
) -> Reproduction:
    """Run the paper's experiments, and write a page with our numbers beside the paper's.

    Measurements in the same folder are not repeated, so an interrupted run continues where it stopped. To
    measure everything again, use another folder.

    Parameters
    ----------
    out : str or path
        Folder for the page (``index.md``), its plots and numbers, and the raw records.
    data : str, path or None, default=None
        Folder with the data sets; None for the one in the environment variable ``IIM_DATA``.
    quick : bool, default=False
        A small pass of everything in a few minutes: fewer seeds and points, samples of large tables. Its
        numbers show that everything works, not how accurate a method is.
    only : sequence of str or None, default=None
        Keys of :data:`iim.paper.EXPERIMENTS`; None for all.
    progress : callable or None, default=None
        Called with the finished share, from 0 to 1.

    Returns
    -------
    Reproduction
    """
    effort, chosen = QUICK if quick else FULL, choose(only)
    store, folder = Store(Path(out) / RECORDS), None if data is None else Path(data)
    tasks = [task for experiment in chosen for task in experiment.tasks(effort)]
    check_drawing()
    check_data(tasks, folder)
    outcome = run(tasks, store, folder, progress=progress)
    page = make_page(chosen, effort, outcome)
    return Reproduction(page, tuple(write_page(page, Path(out))), outcome)


def check_data(tasks: Iterable[Task], folder: Path | None) -> None:
    """Refuse to start if none of the data sets to read is there; some are enough."""
    needed = dict.fromkeys(task.data for task in tasks if task.data is not None)
    read = [key for key in needed if not DATASETS[key].stand_in]
    if read and all(state(key, folder) != "here" for key in read):
        load(read[0], folder)


def choose(only: Sequence[str] | None) -> list[Experiment]:
    """Experiments by key, in the order of the page."""
    for key in only or ():
        if key not in EXPERIMENTS:
            raise refuse_name("only", key, tuple(EXPERIMENTS))
    return [one for key, one in EXPERIMENTS.items() if only is None or key in only]


def make_page(chosen: Sequence[Experiment], effort: Effort, outcome: Outcome) -> Page:
    """Score the records, and describe how they were measured.

    The page also has experiments whose records are all in the folder from earlier runs.
    """
    found = outcome.found
    shown = [
        one
        for one in EXPERIMENTS.values()
        if one in chosen or all(found.of(task) is not None for task in one.tasks(effort))
    ]
    tasks = {task.name: task for experiment in shown for task in experiment.tasks(effort)}
    records = [record for task in tasks.values() if (record := found.of(task)) is not None]
    return Page(
        "The paper's tables and figures, ours beside theirs",
        (*_intro(shown, effort, records), *_gaps(outcome)),
        tuple(experiment.section(effort, found) for experiment in shown),
        _facts(effort, records),
    )


def _intro(shown: Sequence[Experiment], effort: Effort, records: Sequence[Record]) -> tuple[str, ...]:
    minutes = sum(record["took"] for record in records) / 60
    words = ["iim reproduce", *(["--quick"] if effort.is_quick else [])]
    if len(shown) < len(EXPERIMENTS):
        words += ["--only", *(one.key for one in shown)]
    paragraphs = [
        'Every table and figure of "Learning Individual Models for Imputation" (ICDE 2019), run again with '
        "this library and laid beside the printed numbers. Figures of the paper are not available as "
        "numbers: those below are ours alone.",
        f"Made by `{' '.join(words)}`: {len(records):,} measurements in {minutes:.1f} minutes, one after "
        "the other. Errors are RMS errors over the removed values. Settings are the paper's where it names "
        "them; the others were inferred from its printed errors. The end of the page lists them.",
    ]
    if effort.is_quick:
        paragraphs.append(
            f"This is the small pass: {count(effort.n_seeds, 'draw')} for tables, {effort.n_figure_seeds} "
            f"for figures, at most {effort.most_rows:,} rows of each table. It shows that everything "
            "works; its numbers are not those of the paper's sizes."
        )
    return tuple(paragraphs)


def _gaps(outcome: Outcome) -> tuple[str, ...]:
    return tuple(
        f"{count(n_tasks, 'measurement')} not done: {escaped(reason)}"
        for reason, n_tasks in outcome.not_done.items()
    )


def _facts(effort: Effort, records: Sequence[Record]) -> dict[str, str]:
    grid = f"{LARGE_GRID[0]}, {LARGE_GRID[1]}, ..., {LARGE_GRID[-1]}"
    rounds = ", ".join(f"{data} {n}" for data, n in XGB_ROUNDS.items())
    settings = {
        f"settings of {NAMES[key]}": _in_words(plain_settings(METHODS[key].PAPER)) or "none"
        for key in ORDER
    }
    settings["settings of IIM"] += f"; tables of {LARGE:,} rows or more: learning_grid {grid}"
    settings["settings of XGB"] += f"; n_rounds of other data sets than asf: {rounds}"
    return {
        "seeds": f"0 to {effort.n_seeds - 1} for tables, 0 to {effort.n_figure_seeds - 1} for figures and "
        "purity; where a section names fewer draws, that many",
        "rows": "all" if effort.most_rows is None else f"at most {effort.most_rows:,} of each table",
        **settings,
        "settings not in the paper": "of IFC, GMM, SVD, ILLS, LOESS, ERACER and XGB; inferred from its "
        "printed errors",
        "threads": ", ".join(sorted({str(record["n_threads"]) for record in records}))
        + "; one for k-means and for the time complexity",
        "versions": _versions(records),
    }


def _versions(records: Sequence[Record]) -> str:
    """Versions of the records; all of them where they differ."""
    found: dict[str, set[str]] = {}
    for record in records:
        for name, text in record["versions"].items():
            found.setdefault(name, set()).add(text)
    return ", ".join(f"{name} {' or '.join(sorted(texts))}" for name, texts in found.items())


def _in_words(settings: dict[str, object]) -> str:
    return ", ".join(
        f"{name} {_list_in_words(value) if isinstance(value, list) else json.dumps(value)}"
        for name, value in settings.items()
    )


def _list_in_words(values: list[object]) -> str:
    return f"{values[0]}, {values[1]}, ..., {values[-1]}"
