"""Errors of all methods beside the paper's, R2 beside the paper's, and conclusions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from iim.paper.cases import NAMES, ORDER
from iim.paper.numerals import percent
from iim.paper.published import published_number
from iim.paper.records import Found
from iim.paper.results import CLOSE, Number, Table
from iim.paper.scoring import determination, error, number
from iim.paper.tasks import Task

TasksOf = Callable[[str, str], Sequence[Task]]
"""From a column of the table and a method to its tasks, one for each seed."""

COEFFICIENTS = {"R2_S": "knn", "R2_H": "glr"}
"""Sparsity: R2 of the neighbours' mean. Heterogeneity: R2 of one regression."""


def error_table(found: Found, key: str, paper: str, columns: Mapping[str, str], of: TasksOf) -> Table:
    """RMS errors, methods by columns, which have other names in the paper."""
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
    """R2_S and R2_H by columns, which have other names in the paper."""
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
    """Whether IIM's error is as printed, and below those of the methods it beats in the paper."""
    offs = {column: _cell(table, "iim", column).off("ratio") for column in columns}
    held = [f"{column} {percent(off)}" for column, off in offs.items() if off is not None and off <= CLOSE]
    missed = [f"{column} {percent(off)}" for column, off in offs.items() if off is not None and off > CLOSE]
    ahead, behind = 0, []
    for column in columns:
        for method in ORDER[1:]:
            ours, other = _cell(table, "iim", column), _cell(table, method, column)
            if _is_ahead(ours.paper, other.paper) and ours.ours is not None and other.ours is not None:
                if _is_ahead(ours.ours, other.ours):
                    ahead += 1
                else:
                    behind.append(_exception(column, NAMES[method], ours, other))
    said = []
    if held:
        said.append(f"IIM's error is within 15 % of the printed one or below it on {', '.join(held)}.")
    if missed:
        said.append(f"IIM's error is more than 15 % above the printed one on {', '.join(missed)}.")
    if ahead or behind:
        said.append(
            f"IIM is ahead, by median, in {ahead} of the {ahead + len(behind)} comparisons in which the "
            "paper has it ahead."
        )
    return (*said, *(f"Not so: {text}." for text in behind))


def reproduced(table: Table, columns: Sequence[str], *, fitted: Sequence[str] = ()) -> tuple[str, ...]:
    """Number of cells of some columns within 15 %, by method; cells used for fitting are left out."""
    counts = []
    for method in ORDER:
        offs = [_cell(table, method, column).off("ratio") for column in columns]
        known = [off for off in offs if off is not None]
        if known and method not in fitted:
            counts.append(f"{NAMES[method]} {sum(abs(off) <= CLOSE for off in known)} of {len(known)}")
    return (f"Within 15 % of the printed error, either way: {', '.join(counts)}.",) if counts else ()


def _cell(table: Table, method: str, column: str) -> Number:
    cell = table.cells[NAMES[method], column]
    return cell if isinstance(cell, Number) else Number(None)


def _is_ahead(one: float | None, other: float | None) -> bool:
    return one is not None and other is not None and one < other


def _exception(column: str, name: str, ours: Number, other: Number) -> str:
    return (
        f"on {column}, {name} has {other.ours:.4g} and IIM {ours.ours:.4g}; the paper prints "
        f"{other.paper:g} and {ours.paper:g}"
    )
