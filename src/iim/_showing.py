"""Results as pages: paragraphs and grids of text, written for a terminal or as HTML.

Names of columns and methods are hostile input: in HTML they are escaped, in a terminal what cannot be
printed is replaced.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TypeAlias

LONGEST_CELL = 100
"""Characters of a cell; longer ones, such as error messages, are cut."""

# Colours come from the page around it: the same marks are readable in the light and in the dark.
STYLE = (
    "<style>.iim-page{overflow-x:auto}.iim-page table{border-collapse:collapse;color:inherit;"
    "background:transparent;margin:.4em 0 1em}.iim-page caption{text-align:left;font-weight:bold;"
    "padding:.2em 0}.iim-page th,.iim-page td{border-bottom:1px solid rgba(128,128,128,.4);"
    "padding:.2em .7em;text-align:right;color:inherit;background:transparent}"
    ".iim-page .iim-words{text-align:left}</style>"
)


@dataclass(frozen=True)
class Grid:
    """Cells below a header.

    Attributes
    ----------
    title : str
        What it shows.
    header : tuple of str
        Names of the columns.
    rows : tuple of tuple of str
        Cells, as text.
    words : frozenset of int
        Columns that hold words, set to the left; numbers are set to the right.
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: frozenset[int] = frozenset({0})


Page: TypeAlias = Sequence[str | Grid]
"""Paragraphs and grids, in order."""


def number(value: float | None) -> str:
    """Four digits of a number; a dash for none."""
    return "-" if value is None or math.isnan(value) else f"{value:.4g}"


def count(n: int, thing: str, plural: str | None = None) -> str:
    """A number of things: ``1 row``, ``2 rows``."""
    return f"{n} {thing if n == 1 else plural or thing + 's'}"


def shortened(rows: Sequence[tuple[str, ...]], most: int) -> tuple[tuple[str, ...], ...]:
    """The first rows, and one that says how many there are beyond."""
    if len(rows) <= most:
        return tuple(rows)
    rest = (f"... and {len(rows) - most} more", *[""] * (len(rows[0]) - 1))
    return (*rows[:most], rest)


def as_text(page: Page) -> str:
    """The page for a terminal."""
    return "\n\n".join(_printable(part) if isinstance(part, str) else _grid_text(part) for part in page)


def as_html(page: Page) -> str:
    """The page as a piece of HTML that needs nothing else."""
    parts = [f"<p>{escape(part)}</p>" if isinstance(part, str) else _grid_html(part) for part in page]
    return f'{STYLE}<div class="iim-page">{"".join(parts)}</div>'


def _grid_text(grid: Grid) -> str:
    lines = [tuple(map(_one_line, line)) for line in (grid.header, *grid.rows)]
    widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    return "\n".join(
        [_printable(grid.title)]
        + [
            "  ".join(
                cell.ljust(width) if at in grid.words else cell.rjust(width)
                for at, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in lines
        ]
    )


def _grid_html(grid: Grid) -> str:
    def line(cells: tuple[str, ...], tag: str) -> str:
        marked = (
            f"<{tag}{' class=iim-words' if at in grid.words else ''}>{escape(_cut(cell))}</{tag}>"
            for at, cell in enumerate(cells)
        )
        return f"<tr>{''.join(marked)}</tr>"

    body = "".join(line(row, "td") for row in grid.rows)
    return (
        f"<table><caption>{escape(grid.title)}</caption><thead>{line(grid.header, 'th')}</thead>"
        f"<tbody>{body}</tbody></table>"
    )


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_CELL else text[: LONGEST_CELL - 3] + "..."


def _one_line(text: str) -> str:
    return _cut(_printable(" ".join(text.splitlines())))


def _printable(text: str) -> str:
    return "".join(
        letter if letter.isprintable() or letter == "\n" else "\N{REPLACEMENT CHARACTER}" for letter in text
    )
