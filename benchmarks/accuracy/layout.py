"""The report: Markdown for people, CSV for programs."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from accuracy.ablation import Ablation, ablation_rows
from accuracy.contenders import AUTO, DEFAULT, PLAIN_KEY, TREES, contenders, main_keys
from accuracy.peers import PEERS
from accuracy.scoring import Scores, compare_pair
from accuracy.tables import MOST_ROWS, PATTERNS, SEEN, UNSEEN
from accuracy.targets import Verdict

SHOWN_VERSIONS = (
    "iim",
    "python",
    "machine",
    "numpy",
    "scikit-learn",
    "xgboost",
    *PEERS.values(),
    "lightgbm",
)

Rows = list[list[str]]


def write_report(
    scores: Scores, verdicts: Sequence[Verdict], folder: Path, *, ablation: Ablation | None = None
) -> str:
    """Write ``report.md``, ``tasks.csv`` and ``methods.csv`` into a folder; the Markdown."""
    text = "\n".join(report_lines(scores, verdicts, ablation=ablation)) + "\n"
    (folder / "report.md").write_text(text, encoding="utf-8")
    _write_csv(folder / "methods.csv", summary_rows(scores, key=True))
    _write_csv(folder / "tasks.csv", _task_rows(scores))
    return text


def report_lines(
    scores: Scores, verdicts: Sequence[Verdict], *, ablation: Ablation | None = None
) -> Iterator[str]:
    """The report as lines of Markdown."""
    yield f"# Accuracy, {scores.stage} tasks"
    yield from ("", *_about(scores))
    yield from ("", "## Methods", "")
    yield "Mean over tasks of the normalised RMS error (a task's error: median over seeds); least first."
    yield from ("", *markdown(summary_rows(scores)))
    yield from _ranking_lines(scores)
    for ours in (DEFAULT, AUTO):
        if ours in scores.methods:
            yield from ("", f"## {_label(ours)} against every other method", "")
            yield from markdown(_pair_rows(scores, ours))
    yield from ("", "## By data set", "", *markdown(_data_rows(scores)))
    yield from ("", "## Time and range", "", *_time_and_range(scores))
    yield from ("", "## Targets", "", *markdown(_verdict_rows(verdicts)))
    if ablation is not None:
        yield from ("", "## Ablation", "", *_ablation_lines(ablation))
    yield from ("", "## Settings", "", *_settings(scores))
    failures = _failure_rows(scores)
    if len(failures) > 1:
        yield from ("", "## Runs without a result", "", *markdown(failures))


def markdown(rows: Rows) -> Iterator[str]:
    """Rows of text as a Markdown table, the first being its head."""
    head, *body = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    yield f"| {' | '.join(head)} |"
    yield f"| {' | '.join(['---', *['--:'] * (len(head) - 1)])} |"
    for row in body:
        yield f"| {' | '.join(row)} |"


def summary_rows(scores: Scores, *, key: bool = False) -> Rows:
    """One row for each method, least error first.

    Parameters
    ----------
    scores : Scores
        What was measured.
    key : bool, default=False
        Whether methods are called by their keys, and numbers are written with all digits.

    Returns
    -------
    list of list of str
        The first row is the head.
    """
    ranking = scores.ranking()
    places = {} if ranking is None else ranking.ranks
    parts = {"all": scores.where()}
    parts |= {name: scores.where(pattern=name) for name in PATTERNS}
    parts |= {"seen tables": scores.where(data=SEEN), "unseen tables": scores.where(data=UNSEEN)}
    rows = [["method", *parts, "mean rank", "ahead of xgb", "median s", "tasks"]]
    for method in sorted(scores.methods, key=lambda one: _last_if_nan(scores.mean(one))):
        pair = compare_pair(scores, method, TREES)
        ahead = "" if pair is None or method == TREES else f"{pair.wins / pair.n_tasks:.0%}"
        n_known = int((~np.isnan(scores.of(method))).sum())
        rows.append(
            [
                method if key else _label(method),
                *(_cell(scores.mean(method, where), None if key else 4) for where in parts.values()),
                _cell(places.get(method, math.nan), None if key else 2),
                ahead,
                _cell(scores.seconds(method), 2),
                f"{n_known}" if n_known == len(scores.tasks) else f"{n_known} of {len(scores.tasks)}",
            ]
        )
    return rows


def _about(scores: Scores) -> Iterator[str]:
    shapes: dict[str, str] = {}
    for run, record in scores.records.items():
        if "shape" in record:
            shapes[run.data] = f"{run.data} {record['shape'][0]:,} x {record['shape'][1]}"
    tables = dict.fromkeys(task.data for task in scores.tasks)
    half = "first" if scores.stage == "development" else "second"
    yield f"- Data: {', '.join(shapes[data] for data in tables)} (at most {MOST_ROWS:,} rows of each)."
    yield (
        f"- Holes: in the {half} half of the rows (by a fixed permutation), the other half is complete. "
        "single: a quarter of those rows have one hole; cells-5, cells-20: 5 %, 20 % of their cells."
    )
    yield f"- {len(scores.tasks)} tasks (data set x attribute x pattern); seeds {_listed(scores.seeds)}."
    yield f"- Unseen tables, never used in development: {', '.join(UNSEEN)}."
    found: dict[str, dict[str, None]] = {name: {} for name in SHOWN_VERSIONS}
    for record in scores.records.values():
        for name in SHOWN_VERSIONS:
            found[name][record["versions"].get(name, "?")] = None
    listed = [f"{name} {' / '.join(known)}" for name, known in found.items()]
    yield f"- Versions: {'; '.join(listed)}."
    dates = sorted({record["date"] for record in scores.records.values()})
    yield f"- Runs: {len(scores.records):,}, of {dates[0]}{f' to {dates[-1]}' if len(dates) > 1 else ''}."
    absent = [_label(key) for key in main_keys() if key not in scores.methods]
    if absent:
        yield f"- Not run, or not installed: {'; '.join(absent)}."
    if scores.n_stale:
        yield f"- Left out: {scores.n_stale} records of methods that have other settings by now."


def _ranking_lines(scores: Scores) -> Iterator[str]:
    ranking = scores.ranking()
    if ranking is None:
        return
    order = sorted(ranking.ranks, key=lambda method: ranking.ranks[method])
    best = ranking.ranks[order[0]]
    alike = [_label(one) for one in order[1:] if ranking.ranks[one] - best < ranking.critical]
    yield ""
    yield (
        f"Mean ranks over {ranking.n_cases} tasks of {len(order)} methods. Critical difference (Nemenyi, "
        f"5 %): {ranking.critical:.2f}. {' '.join(ranking.notes)} In a statistical tie with the "
        f"best, {_label(order[0])}: {'; '.join(alike) or 'none'}. Tasks of one table are not independent "
        "of each other, so the p values of these tests are too small."
    )


def _pair_rows(scores: Scores, ours: str) -> Rows:
    rows = [["against", "ours", "theirs", "difference", "lower by", "wins / ties / losses", "Wilcoxon p"]]
    for method in scores.methods:
        pair = None if method == ours else compare_pair(scores, ours, method)
        if pair is not None:
            counts = f"{pair.wins} / {pair.ties} / {pair.losses}"
            numbers = [f"{pair.ours:.4f}", f"{pair.theirs:.4f}", f"{pair.ours - pair.theirs:+.4f}"]
            rows.append([_label(method), *numbers, f"{pair.below:.1%}", counts, f"{pair.p_value:.2g}"])
    return rows


def _data_rows(scores: Scores) -> Rows:
    tables = list(dict.fromkeys(task.data for task in scores.tasks))
    masks = [scores.where(data=(data,)) for data in tables]
    order = sorted(scores.methods, key=lambda one: _last_if_nan(scores.mean(one)))
    body = [[_label(one), *(_cell(scores.mean(one, where), 4) for where in masks)] for one in order]
    return [["method", *tables], *body]


def _time_and_range(scores: Scores) -> Iterator[str]:
    for phase, words in (("fit", "fit"), ("total", "fit and fill")):
        ratio = scores.time_ratio(DEFAULT, PLAIN_KEY, phase)
        if not math.isnan(ratio):
            yield (
                f"- Time to {words}, {_label(DEFAULT)} in times of {_label(PLAIN_KEY)}: {ratio:.2f} "
                "(median over runs on the same table)."
            )
    largest = {method: scores.overshoot(method) for method in scores.methods}
    listed = [f"{_label(one)}: {value:.3g}" for one, value in largest.items() if not math.isnan(value)]
    yield (
        "- Largest distance of a fill from the observed range of its column, in widths of that range: "
        f"{'; '.join(listed)}."
    )


def _verdict_rows(verdicts: Sequence[Verdict]) -> Rows:
    body = [[one.target, one.measured, "yes" if one.met else "NO"] for one in verdicts]
    return [["target", "measured", "met"], *body]


def _ablation_lines(ablation: Ablation) -> Iterator[str]:
    labels = {key: one.label for key, one in contenders().items()}
    yield (
        f"{labels[DEFAULT]}, with one improvement switched off at a time; below, without all of them. "
        f"Mean error over {ablation.n_tasks} {ablation.stage} tasks (seeds {_listed(ablation.seeds)}), "
        "the same for all rows; error, tasks on which it is better, equal and worse, and time to fit: "
        "against the default; beyond range: the largest distance of a fill from it, in its widths. "
        "These methods are no part of the tables and ranks above."
    )
    yield from ("", *markdown(list(ablation_rows(ablation, labels))))


def _settings(scores: Scores) -> Iterator[str]:
    known = contenders()
    for method in scores.methods:
        settings = json.dumps(dict(known[method].settings))
        yield f"- {_label(method)} (`{method}`): {f'`{settings}`' if settings != '{}' else 'defaults'}"


def _failure_rows(scores: Scores) -> Rows:
    rows = [["method", "runs", "first reason"]]
    for method in scores.methods:
        reasons = [record["failure"] for _, record in scores.runs_of(method) if record["failure"]]
        if reasons:
            rows.append([_label(method), str(len(reasons)), " ".join(reasons[0].split())])
    return rows


def _task_rows(scores: Scores) -> Rows:
    rows = [["stage", "data", "pattern", "attribute", "method", "error", "seeds"]]
    for row, task in enumerate(scores.tasks):
        for column, method in enumerate(scores.methods):
            if scores.measured[row, column]:
                error = _cell(float(scores.errors[row, column]), None)
                rows.append([scores.stage, *task, method, error, str(len(scores.seeds))])
    return rows


def _write_csv(path: Path, rows: Rows) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def _label(method: str) -> str:
    return contenders()[method].label


def _cell(value: float, digits: int | None) -> str:
    if math.isnan(value):
        return ""
    return repr(value) if digits is None else f"{value:.{digits}f}"


def _last_if_nan(value: float) -> float:
    return math.inf if math.isnan(value) else value


def _listed(seeds: Sequence[int]) -> str:
    return ", ".join(map(str, seeds))
