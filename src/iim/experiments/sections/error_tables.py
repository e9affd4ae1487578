"""Errors of all methods beside the paper's, R2 beside the paper's, and what both show."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from iim.experiments.cases import NAMES, ORDER
from iim.experiments.published import published_number
from iim.experiments.records import Found
from iim.experiments.results import CLOSE, Number, Table
from iim.experiments.scoring import determination, error, number
from iim.experiments.tasks import Task

TasksOf = Callable[[str, str], Sequence[Task]]
"""From a column of the table and a method to its tasks, one for each seed."""

COEFFICIENTS = {"R2_S": "knn", "R2_H": "glr"}
"""Sparsity: what the neighbours' values tell. Heterogeneity: what one regression tells."""


def error_table(found: Found, key: str, paper: str, columns: Mapping[str, str], of: TasksOf) -> Table:
    """RMS errors, methods by columns, which are called otherwise in the paper."""
    cells = {
        (NAMES[method], column): number(
            found, of(column, method), error, paper=published_number(paper, printed, NAMES[method])
        )
        for column, printed in columns.items()
        for method in ORDER
    }
    names = tuple(NAMES.values())
    return Table(key, "RMS error", "method", names, tuple(columns), cells, better="low", digits=4)


def coefficient_table(found: Found, key: str, paper: str, columns: Mapping[str, str], of: TasksOf) -> Table:
    """R2_S and R2_H by columns, which are called otherwise in the paper."""
    cells = {
        (name, column): number(
            found,
            of(column, method),
            determination,
            paper=published_number(paper, printed, name),
            worst=min,
        )
        for column, printed in columns.items()
        for name, method in COEFFICIENTS.items()
    }
    title = "Sparsity (R2_S) and heterogeneity (R2_H)"
    return Table(
        key, title, "", tuple(COEFFICIENTS), tuple(columns), cells, difference="absolute", digits=2
    )


def claims(table: Table, columns: Sequence[str]) -> tuple[str, ...]:
    """Whether IIM is as accurate as printed, and ahead of those that it is printed to be ahead of."""
    cells = {place: cell for place, cell in table.cells.items() if isinstance(cell, Number)}
    held: list[str] = []
    missed: list[str] = []
    behind: list[str] = []
    ahead = 0
    for column in columns:
        ours = cells[NAMES["iim"], column]
        off = ours.off("ratio")
        if off is not None:
            (held if off <= CLOSE else missed).append(f"{column} {off:+.0%}")
        for method in ORDER[1:]:
            verdict = _against(ours, cells[NAMES[method], column])
            if verdict is True:
                ahead += 1
            elif verdict is False:
                behind.append(_exception(column, NAMES[method], ours, cells[NAMES[method], column]))
    sentences = [
        f"IIM's error is within 15 % of the printed one or below it on {', '.join(held) or 'none'}."
    ]
    if missed:
        sentences.append(f"It is more than 15 % above the printed one on {', '.join(missed)}.")
    sentences.append(
        f"IIM is ahead, by median, in {ahead} of the {ahead + len(behind)} comparisons in which the paper "
        "has it ahead."
    )
    return (*sentences, *(f"Not so: {text}." for text in behind))


def reproduced(table: Table, columns: Sequence[str]) -> str:
    """How many cells of some columns are within 15 %, by method."""
    counts = []
    for name in NAMES.values():
        offs = [_off(table.cells, name, column) for column in columns]
        known = [off for off in offs if off is not None]
        if known:
            counts.append(f"{name} {sum(abs(off) <= CLOSE for off in known)} of {len(known)}")
    return f"Within 15 % of the printed error, either way: {', '.join(counts)}."


def _off(cells: Mapping[tuple[str, str], Number | str], row: str, column: str) -> float | None:
    cell = cells.get((row, column))
    return cell.off("ratio") if isinstance(cell, Number) else None


def _against(ours: Number, other: Number) -> bool | None:
    """Whether IIM is ahead here of a method that it is ahead of in the paper; None if it is not there."""
    values = (ours.ours, ours.paper, other.ours, other.paper)
    if any(value is None or math.isnan(value) for value in values):
        return None
    assert ours.paper is not None  # noqa: S101 (just checked)
    assert other.paper is not None  # noqa: S101
    assert ours.ours is not None  # noqa: S101
    assert other.ours is not None  # noqa: S101
    return ours.ours < other.ours if ours.paper < other.paper else None


def _exception(column: str, name: str, ours: Number, other: Number) -> str:
    return (
        f"on {column}, {name} has {other.ours:.4g} and IIM {ours.ours:.4g}; the paper prints "
        f"{other.paper:g} and {ours.paper:g}"
    )
