"""A comparison in words and grids."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from iim._showing import Grid, Page, count, number, shortened

if TYPE_CHECKING:
    from iim.comparing.records import Note, Record
    from iim.comparing.result import Comparison

MOST_COLUMNS = 30
"""Columns that are listed; all are in the result."""

HOW = {
    "cells": "in all columns at once",
    "attribute": "in one column at a time",
    "clusters": "of rows near each other, in all columns at once",
}
"""How cells were hidden, in words."""


def comparison_page(result: Comparison) -> Page:
    """The leaderboard, the best method by column, what failed, what was warned of, how to repeat it."""
    page: list[str | Grid] = [_heading(result), _leaderboard(result), _winners(result)]
    if result.failures:
        page.append(_failures(result))
    if result.not_scored:
        rows = [(str(column), reason) for column, reason in result.not_scored.items()]
        page.append(
            Grid("Not scored", ("column", "reason"), shortened(rows, MOST_COLUMNS), frozenset({0, 1}))
        )
    if result.notes:
        page.append(_notes(result.notes))
    page.append(_footing(result))
    return page


def _heading(result: Comparison) -> str:
    settings = result.settings
    hide = settings["hide"]
    amount = f"{hide:.3g} of the known cells" if hide < 1 else count(hide, "known cell")
    return (
        f"{count(len(result.methods), 'method')} on {count(settings['n_rows'], 'row')} and "
        f"{count(settings['n_columns'], 'column')}: {amount} of each column hidden "
        f"{HOW[settings['pattern']]}, {count(settings['repeats'], 'repeat')}. Errors are in standard "
        "deviations of the column (column means reach about 1)."
    )


def _leaderboard(result: Comparison) -> Grid:
    header = ("method", "error", "+-", "mean rank", "fit s", "fill s", "failed")
    rows = tuple(
        (
            score.method,
            number(score.normalised_error),
            number(score.spread),
            f"{score.mean_rank:.2f}",
            _seconds(score.fit_seconds),
            _seconds(score.transform_seconds),
            f"{score.n_failed} of {len(result.columns)}" if score.n_failed else "",
        )
        for score in result.overall
    )
    return Grid("Overall, best first", header, rows)


def _seconds(value: float) -> str:
    return number(None) if math.isnan(value) else f"{value:.3f}"


def _winners(result: Comparison) -> Grid:
    rows = [
        (
            str(best.column),
            best.method or "all failed",
            number(best.normalised_error),
            number(best.rms_error),
            ", ".join(best.alike),
        )
        for best in result.recommended
    ]
    header = ("column", "best method", "error", "RMS error", "cannot be told apart")
    return Grid("By column", header, shortened(rows, MOST_COLUMNS), frozenset({0, 1, 4}))


def _failures(result: Comparison) -> Grid:
    by_reason: dict[tuple[str, str], list[Record]] = {}
    for record in result.failures:
        by_reason.setdefault((record.method, record.failure or ""), []).append(record)
    rows = [
        (method, ", ".join(dict.fromkeys(str(record.column) for record in records)), reason)
        for (method, reason), records in by_reason.items()
    ]
    header = ("method", "columns", "reason")
    return Grid("Failed", header, shortened(rows, MOST_COLUMNS), frozenset({0, 1, 2}))


def _notes(notes: tuple[Note, ...]) -> Grid:
    rows = [(note.method, str(note.times), note.message) for note in notes]
    return Grid(
        "Warnings", ("method", "times", "message"), shortened(rows, MOST_COLUMNS), frozenset({0, 2})
    )


def _footing(result: Comparison) -> str:
    settings = result.settings
    size = f", cluster_size={settings['cluster_size']}" if settings["pattern"] == "clusters" else ""
    return (
        f"To repeat: hide={settings['hide']!r}, repeats={settings['repeats']}, "
        f"random_state={settings['random_state']}, pattern={settings['pattern']!r}{size}; "
        f"iim {settings['versions']['iim']}."
    )
