"""Numbers as text, and what is said of them: shared by the Markdown and the HTML page."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from iim.paper.results import CLOSE, Better, Difference, Number, Table

NOTHING = "\N{EN DASH}"
"""What stands where a number would."""

MINUS = "\N{MINUS SIGN}"
"""A hyphen is too short among digits."""

SMALLEST, LARGEST = -5, 12
"""Powers of ten between which numbers are written without an exponent."""

MANY_TIMES = 10.0
"""From this difference on, as a part of the paper's number, it is told as a multiple."""

ROUNDING = 1e-12
"""A number exactly so far off as still counts as close may be off by this more, from rounding."""

Verdict = Literal["close", "better", "worse", "differs"]

MEANING: dict[Verdict, str] = {
    "close": f"within {CLOSE:.0%} of the paper".replace("%", " %"),
    "better": f"better than the paper by more than {CLOSE:.0%}".replace("%", " %"),
    "worse": f"worse than the paper by more than {CLOSE:.0%}".replace("%", " %"),
    "differs": f"more than {CLOSE:.0%} off the paper".replace("%", " %"),
}
"""Verdicts in words."""


@dataclass(frozen=True)
class Shown:
    """A cell of a table as text; parts that it lacks are empty.

    Attributes
    ----------
    ours, worst, paper, difference : str
        The numbers.
    remark : str
        Why there is no number, a remark on it, or the words of a cell of words.
    verdict : {"close", "better", "worse", "differs"} or None
        Ours against the paper's.
    is_best, is_paper_best : bool
        Whether it is the best of its column.
    is_number : bool
        Whether it is set as a number.
    """

    ours: str = ""
    worst: str = ""
    paper: str = ""
    difference: str = ""
    remark: str = ""
    verdict: Verdict | None = None
    is_best: bool = False
    is_paper_best: bool = False
    is_number: bool = True


def figure(value: float | None, digits: int) -> str:
    """A number with so many significant digits, and all digits before the point; counts as they are.

    >>> figure(8.405, 3), figure(0.0123456, 3), figure(12345.6, 3), figure(0.1, 3)
    ('8.40', '0.0123', '12,346', '0.100')
    >>> figure(7, 3), figure(1.5e-9, 3), figure(float("inf"), 3), figure(None, 3)
    ('7', '1.50e-09', 'infinite', '')
    """
    if value is None:
        return ""
    if not math.isfinite(value):
        return NOTHING if math.isnan(value) else "infinite" if value > 0 else f"{MINUS}infinite"
    if value == 0.0 or isinstance(value, int):
        return _signed(f"{int(value):,}")
    # Of the rounded number: 9.996 has one digit more before the point than it seems.
    power = int(f"{value:.{digits - 1}e}".rpartition("e")[2])
    if not SMALLEST <= power < LARGEST:
        return _signed(f"{value:.{digits - 1}e}")
    return decimals(value, max(0, digits - 1 - power))


def decimals(value: float | None, n: int) -> str:
    """A number with so many decimals.

    >>> decimals(0.8349, 3), decimals(-0.0001, 3), decimals(1234.5, 1)
    ('0.835', '0.000', '1,234.5')
    """
    if value is None or not math.isfinite(value):
        return figure(value, 1)
    return _signed(f"{round(value, n) + 0.0:,.{n}f}")  # no sign for zero


def short_number(value: float) -> str:
    """A number of an axis or a head: as short as it can be.

    >>> short_number(0.1), short_number(1000.0), short_number(0.30000000000000004), short_number(2e-7)
    ('0.1', '1,000', '0.3', '2e-07')
    """
    return _signed(f"{value + 0.0:,.10g}") if math.isfinite(value) else figure(value, 1)


def off(number: Number, difference: Difference) -> float | None:
    """How far ours is from the paper's; None if that is no number."""
    if difference == "ratio" and number.paper == 0.0:
        return None
    gap = number.off(difference)
    return gap if gap is not None and math.isfinite(gap) else None


def show_table(table: Table) -> dict[tuple[str, str], Shown]:
    """The cells of a table that are there, as text."""
    shown: dict[tuple[str, str], Shown] = {}
    for column in table.columns:
        numbers = _numbers(table, column)
        best = _best((number.ours for number in numbers), table)
        paper_best = _best((number.paper for number in numbers), table)
        for row in table.rows:
            cell = table.cells.get((row, column))
            if isinstance(cell, str):
                shown[row, column] = Shown(remark=cell, is_number=False)
            elif cell is not None:
                shown[row, column] = _show_number(cell, table, best, paper_best)
    return shown


def word_columns(table: Table) -> set[str]:
    """Columns that hold words, set to the left."""
    cells = table.cells
    return {
        column
        for column in table.columns
        if any(isinstance(cells.get((row, column)), str) for row in table.rows)
    }


def legend(table: Table, best: str, paper_best: str, *, labelled: bool) -> str:
    """How to read the cells, of those parts that the table has; empty if they speak for themselves.

    Parameters
    ----------
    table : Table
        The table.
    best, paper_best : str
        How the best of ours and of the paper's are marked: "bold", "in italics".
    labelled : bool
        Whether the cells say which of their numbers is which.

    Returns
    -------
    str
        Sentences.
    """
    cells = show_table(table).values()
    if not any(cell.is_number for cell in cells):
        return ""
    parts = ["ours"]
    if any(cell.worst for cell in cells):
        parts = ["our median over seeds"]
        parts.append("the worst seed" if labelled else "the worst seed in brackets")
    if any(cell.paper for cell in cells):
        parts.append("the paper's number" if labelled else "the paper's number after the stroke")
    if any(cell.difference for cell in cells):
        parts.append("how far ours is from it")
    said = [f"Each cell: {_listing(parts)}."] if len(parts) > 1 else []
    if labelled and any(cell.verdict for cell in cells):
        said.append(f"Close is {MEANING['close']}.")
    marks = []
    if any(cell.is_best for cell in cells):
        marks.append(f"our best of a column is {best}")
    if any(cell.is_paper_best for cell in cells):
        marks.append(f"the paper's best is {paper_best}")
    if marks:
        said.append(f"{_listing(marks).capitalize()}.")
    return " ".join(said)


def _show_number(number: Number, table: Table, best: str, paper_best: str) -> Shown:
    ours, paper = _written(number.ours, table), _written(number.paper, table)
    gap = off(number, table.difference)
    return Shown(
        # The words say it, then; without words, a dash does.
        ours=ours or ("" if number.why else NOTHING),
        worst=_written(number.worst, table),
        paper=paper,
        difference="" if gap is None else _gap(number, gap, table),
        remark=number.why,
        verdict=None if gap is None else _verdict(number, table.better),
        is_best=bool(ours) and ours == best,
        is_paper_best=bool(paper) and paper == paper_best,
    )


def _numbers(table: Table, column: str) -> list[Number]:
    cells = (table.cells.get((row, column)) for row in table.rows)
    return [cell for cell in cells if isinstance(cell, Number)]


def _written(value: float | None, table: Table) -> str:
    return decimals(value, table.digits) if table.difference == "absolute" else figure(value, table.digits)


def _best(values: Iterable[float | None], table: Table) -> str:
    """The best one as text, so that those that read the same are all marked; none if there is no choice."""
    finite = [value for value in values if value is not None and math.isfinite(value)]
    if table.better is None or len(finite) < 2:
        return ""
    return _written(min(finite) if table.better == "low" else max(finite), table)


def _gap(number: Number, gap: float, table: Table) -> str:
    """A difference with its sign."""
    if table.difference == "absolute":
        text = decimals(gap, table.digits)
        return f"+{text}" if round(gap, table.digits) > 0.0 else text
    if gap >= MANY_TIMES and number.ours is not None and number.paper:
        return f"{figure(number.ours / number.paper, 2)} times"
    percent = round(100.0 * gap)
    return f"{_signed(f'{percent:+,}')} %" if percent else "0 %"


def _verdict(number: Number, better: Better | None) -> Verdict:
    if number.ours is None or number.paper is None:
        raise AssertionError("A verdict needs both numbers.")
    gap = number.ours - number.paper
    if abs(gap) <= (CLOSE + ROUNDING) * abs(number.paper):
        return "close"
    if better is None:
        return "differs"
    return "better" if (gap < 0.0) == (better == "low") else "worse"


def _signed(text: str) -> str:
    return text.replace("-", MINUS, 1) if text.startswith("-") else text


def _listing(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
