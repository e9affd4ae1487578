"""Scores as lines of text, and as blocks of the pages."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from published.scoring import Scores, read_scores
from published.suites import SUITES, Cell
from trials.averages import median_seconds, seeds_text
from trials.commands import CHOOSING, LAST
from trials.methods import OURS
from trials.tables import columns, error_text, label, markdown, number, source_lines

TOPIC = "published"

ROOT = Path(__file__).resolve().parents[2]

PAGES = (ROOT / "docs" / "accuracy.md", ROOT / "README.md", ROOT / "benchmarks" / "README.md")
"""What may have blocks; the name of a block is that of a suite."""

RESULTS = Path(__file__).with_name("results")
"""The committed records."""

Rows = list[list[str]]


def score_lines(scores: Scores) -> Iterator[str]:
    """All that is known of a suite, for the terminal."""
    suite = scores.suite
    n_printed = max(map(len, scores.printed.values()), default=0)
    yield f"== {suite.key}: {suite.measure}; {n_printed} printed methods of {suite.source}"
    if not scores.measured:
        yield from ("", "Nothing was measured.")
        return
    yield from ("", f"Errors, printed | measured; ratios to {_bar(scores)}.", "")
    printed = dict.fromkeys(name for errors in scores.printed.values() for name in errors)
    yield from columns(_error_rows(scores, list(printed)))
    yield ""
    yield from columns(_summary_rows(scores))
    yield from ("", *source_lines(scores.records))


def block(name: str, folder: Path = RESULTS) -> str:
    """The Markdown block of a suite, from its records."""
    scores = read_scores(name, folder)
    if not scores.measured:
        return "Not measured yet."
    suite = scores.suite
    with_rates = len(suite.rates) > 1
    lines = [
        f"Printed by {suite.source}; {suite.measure}. Ratios are to {_bar(scores)}: below 1 is better.",
        "Means and ranks are over the tables that were measured: compare methods with equally many.",
        "",
        *markdown(_summary_rows(scores)),
        *([] if OURS in scores.measured else ["", "The default of IIM was not measured yet."]),
        "",
        f"By table, {'mean ratio over the rates' if with_rates else 'printed and measured errors'}:",
        "",
        *markdown(_ratio_rows(scores) if with_rates else _error_rows(scores, suite.shown)),
        "",
        *(f"- {line}" for line in source_lines(scores.records)),
    ]
    return "\n".join(lines)


def _bar(scores: Scores) -> str:
    bar = scores.suite.bar
    return "the best printed method of each table and rate" if bar is None else f"`{bar}`"


def _error_rows(scores: Scores, printed: Sequence[str]) -> Rows:
    """A row for each table and rate: some printed errors, measured errors, ratios."""
    with_rate = len(scores.suite.rates) > 1
    digits = 3 if with_rate else 2
    head = ["table", *(["rate"] if with_rate else []), "for", *printed]
    rows = [
        [
            *head,
            *(f"our {name}" for name in scores.measured),
            *(f"{name} / {scores.suite.bar or 'best'}" for name in scores.measured),
        ]
    ]
    for cell in scores.cells:
        table, rate = cell
        errors = scores.printed[cell]
        row = [table, *([f"{rate:g}"] if with_rate else []), _use(scores, table)]
        row += [number(errors.get(name, math.nan), digits) for name in printed]
        row += [error_text(known.get(cell), digits) for known in scores.measured.values()]
        rows.append([*row, *(number(scores.ratio(name, cell), 3) for name in scores.measured)])
    return rows


def _ratio_rows(scores: Scores) -> Rows:
    """A row for each table: mean ratios over rates."""
    rows = [["table", "for", *map(label, scores.measured)]]
    for table in scores.suite.tables:
        if cells := scores.of([table]):
            ratios = (number(scores.mean_ratio(name, cells), 3) for name in scores.measured)
            rows.append([table, _use(scores, table), *ratios])
    return rows


def _summary_rows(scores: Scores) -> Rows:
    """A row for each measured method: geometric means of ratios, and mean ranks."""
    suite = scores.suite
    parts: dict[str, list[Cell]] = {
        CHOOSING: scores.of(suite.choosing),
        LAST: scores.of(suite.last),
        "all": scores.cells,
    }
    counts = ["measured", "seeds", "failed", "median s"]
    rows = [["method", *(f"ratio, {part}" for part in parts), "mean rank", *counts]]
    for name, known in scores.measured.items():
        n_failed = sum(math.isnan(one.error) for one in known.values())
        rows.append(
            [
                label(name),
                *(number(scores.mean_ratio(name, cells), 3) for cells in parts.values()),
                number(scores.mean_rank(name, scores.cells), 2),
                f"{len(known)} of {len(suite.tables) * len(suite.rates)}",
                seeds_text(known),
                str(n_failed or ""),
                number(median_seconds(known), 2),
            ]
        )
    return rows


def _use(scores: Scores, table: str) -> str:
    return CHOOSING if table in scores.suite.choosing else LAST


NAMES = tuple(SUITES)
"""Names of the blocks."""
