"""Scores as lines of text, and as blocks of the pages."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from cliffs.scoring import PEERS, Scores, read_scores
from cliffs.tables import NOISE
from trials.averages import geometric_mean, median_seconds, seeds_text
from trials.commands import CHOOSING, LAST
from trials.tables import columns, error_text, label, markdown, number, source_lines

TOPIC = "cliffs"

ROOT = Path(__file__).resolve().parents[2]

PAGES = (ROOT / "docs" / "accuracy.md", ROOT / "README.md", ROOT / "benchmarks" / "README.md")
"""What may have blocks."""

RESULTS = Path(__file__).with_name("results")
"""The committed records."""

N_WORST = 8
"""Tables that are listed as the worst ones of a method."""

Rows = list[list[str]]


def score_lines(scores: Scores, methods: Sequence[str] | None = None) -> Iterator[str]:
    """All that is known, for the terminal.

    Parameters
    ----------
    scores : Scores
        With the simple methods.
    methods : sequence of str or None, default=None
        Whose ratios; None for all that are none of the simple ones, and for these if there are no others.

    Yields
    ------
    str
        A line.
    """
    if not scores.measured:
        yield "Nothing was measured."
        return
    shown = [name for name in methods or _compared(scores) if name in scores.measured]
    yield f"RMS errors in standard deviations; ratio: to the best of {', '.join(PEERS)}."
    yield ""
    yield from columns(_table_rows(scores, shown))
    for method in shown:
        if worst := scores.worst(method, N_WORST):
            yield ""
            yield f"{label(method)}, worst: {', '.join(f'{one.name} {ratio:.2f}' for one, ratio in worst)}"
            to_mean = {one.name: scores.to_mean(method, one) for one in scores.tables(kind=NOISE)}
            listed = ", ".join(
                f"{name} {ratio:.2f}" for name, ratio in to_mean.items() if not math.isnan(ratio)
            )
            yield f"{label(method)}, on noise, in errors of the mean: {listed}"
    yield ""
    yield from columns(_summary_rows(scores))
    yield from ("", *source_lines(scores.records))


def block(name: str, folder: Path = RESULTS) -> str:
    """A Markdown block, from the records."""
    scores = read_scores(folder)
    if not scores.measured:
        return "Not measured yet."
    return "\n".join(BLOCKS[name](scores))


def _tables_block(scores: Scores) -> Iterator[str]:
    yield from markdown(_table_rows(scores, _compared(scores)))
    yield from ("", *(f"- {line}" for line in source_lines(scores.records)))


def _kinds_block(scores: Scores) -> Iterator[str]:
    rows = [["kind", "tables", *map(label, scores.measured)]]
    for kind in dict.fromkeys(table.kind for table in scores.tables()):
        some = scores.tables(kind=kind)
        ratios = (number(scores.mean_ratio(name, some), 2) for name in scores.measured)
        rows.append([kind, str(len(some)), *ratios])
    yield from markdown(rows)
    yield from ("", *markdown(_summary_rows(scores)))


BLOCKS: dict[str, Callable[[Scores], Iterator[str]]] = {"tables": _tables_block, "kinds": _kinds_block}
"""By name: errors and ratios of each table; mean ratios of each kind."""


def _compared(scores: Scores) -> list[str]:
    """Methods whose ratios are shown by table: those that are none of the simple ones, if there are any."""
    return [name for name in scores.measured if name not in PEERS] or list(scores.measured)


def _table_rows(scores: Scores, shown: Sequence[str]) -> Rows:
    """A row for each table: errors of all methods, ratios of some."""
    rows = [["table", "for", "shape", *scores.measured, *(f"{name} / best" for name in shown)]]
    shapes = {record["trial"]["table"]: record["shape"] for record in scores.records}
    for table in scores.tables():
        n_rows, n_columns = shapes[table.name]
        errors = (error_text(known.get(table.name), 3) for known in scores.measured.values())
        ratios = (number(scores.ratio(name, table), 2) for name in shown)
        rows.append([table.name, table.half, f"{n_rows} x {n_columns}", *errors, *ratios])
    return rows


def _summary_rows(scores: Scores) -> Rows:
    """A row for each method: geometric means of ratios, on noise of ratios to the mean; the worst table."""
    ratios, counts = [CHOOSING, LAST, "all", "worst", "noise / mean"], ["failed", "tables", "seeds"]
    rows = [["method", *ratios, *counts, "median s"]]
    for name, known in scores.measured.items():
        parts = (scores.tables(half=half) for half in (CHOOSING, LAST, None))
        worst = scores.worst(name, 1)
        on_noise = geometric_mean(scores.to_mean(name, table) for table in scores.tables(kind=NOISE))
        rows.append(
            [
                label(name),
                *(number(scores.mean_ratio(name, tables), 3) for tables in parts),
                f"{worst[0][1]:.2f} {worst[0][0].name}" if worst else "",
                number(on_noise, 3),
                str(sum(math.isnan(one.error) for one in known.values()) or ""),
                str(len(known)),
                seeds_text(known),
                number(median_seconds(known), 2),
            ]
        )
    return rows
