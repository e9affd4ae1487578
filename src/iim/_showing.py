"""Results as pages: paragraphs and grids of text, written for a terminal or as HTML.

Names of columns and methods are hostile input: what would steer a terminal or turn the direction of writing
is replaced, and in HTML all is escaped. In a terminal, paragraphs and long cells are wrapped, by words and
in the width that letters take there; only names are shortened. In HTML everything is whole.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import zip_longest
from typing import Any, TypeAlias
from unicodedata import category, east_asian_width

TEXT_WIDTH = 100
"""Columns of a terminal that a page takes; more only where a single word is wider."""

LONGEST_NAME = 30
"""Columns of a terminal that a name takes; of longer ones, the middle is left out."""

NARROWEST = 20
"""Columns of a terminal below which cells of words are not squeezed."""

GAP = "  "
"""Between the columns of a grid."""

JOINER = "\N{ZERO WIDTH JOINER}"
"""Makes one glyph of the letters on its two sides, as in emoji of families."""

INVISIBLE_BUT_KEPT = {JOINER, "\N{ZERO WIDTH NON-JOINER}"}
"""Formatting that belongs to the spelling of words and emoji; all other is replaced."""

# Colours come from the page around it: the same marks are readable in the light and in the dark.
STYLE = (
    "<style>.iim-page{overflow-x:auto}.iim-page table{border-collapse:collapse;color:inherit;"
    "background:transparent;margin:.4em 0 1em}.iim-page caption{text-align:left;font-weight:bold;"
    "padding:.2em 0}.iim-page th,.iim-page td{border-bottom:1px solid rgba(128,128,128,.4);"
    "padding:.2em .7em;text-align:right;vertical-align:top;color:inherit;background:transparent}"
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
        Columns that hold words, set to the left and, in a terminal, wrapped; numbers are set to the right.
    names : frozenset of int
        Columns of words that hold a single name, which a terminal shows shortened instead of wrapped.
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: frozenset[int] = frozenset({0})
    names: frozenset[int] = frozenset({0})


Page: TypeAlias = Sequence[str | Grid]
"""Paragraphs and grids, in order."""


def number(value: float | None) -> str:
    """Four digits of a number; a dash for none."""
    return "-" if value is None or math.isnan(value) else f"{value:.4g}"


def count(n: int, thing: str, plural: str | None = None) -> str:
    """A number of things: ``1 row``, ``2 rows``."""
    return f"{n} {thing if n == 1 else plural or thing + 's'}"


def listed(names: Iterable[Any], most: int) -> str:
    """Names in one cell, each shortened: the first ones, and how many there are beyond."""
    short = [short_name(_clean(str(name))) for name in names]
    more = f" and {len(short) - most} more" if len(short) > most else ""
    return ", ".join(short[:most]) + more


def shortened(rows: Sequence[tuple[str, ...]], most: int) -> tuple[tuple[str, ...], ...]:
    """The first rows, and one that says how many there are beyond."""
    if len(rows) <= most:
        return tuple(rows)
    rest = (f"... and {len(rows) - most} more", *[""] * (len(rows[0]) - 1))
    return (*rows[:most], rest)


def as_text(page: Page) -> str:
    """The page for a terminal."""
    return "\n\n".join(
        "\n".join(_wrap(_clean(part), TEXT_WIDTH)) if isinstance(part, str) else _grid_text(part)
        for part in page
    )


def as_html(page: Page) -> str:
    """The page as a piece of HTML that needs nothing else."""
    parts = [f"<p>{_html(part)}</p>" if isinstance(part, str) else _grid_html(part) for part in page]
    return f'{STYLE}<div class="iim-page">{"".join(parts)}</div>'


def _grid_html(grid: Grid) -> str:
    def line(cells: tuple[str, ...], tag: str) -> str:
        marked = (
            f"<{tag}{' class=iim-words' if at in grid.words else ''}>{_html(cell)}</{tag}>"
            for at, cell in enumerate(cells)
        )
        return f"<tr>{''.join(marked)}</tr>"

    body = "".join(line(row, "td") for row in grid.rows)
    return (
        f"<table><caption>{_html(grid.title)}</caption><thead>{line(grid.header, 'th')}</thead>"
        f"<tbody>{body}</tbody></table>"
    )


def _html(text: str) -> str:
    return escape(_clean(text))


def _grid_text(grid: Grid) -> str:
    table = [
        [short_name(_clean(cell)) if at in grid.names else _clean(cell) for at, cell in enumerate(row)]
        for row in (grid.header, *grid.rows)
    ]
    columns = _wrap_columns(list(zip(*table, strict=True)), grid.words - grid.names)
    widths = [max(_width(line) for cell in column for line in cell) for column in columns]
    return "\n".join(
        [
            *_wrap(_clean(grid.title), TEXT_WIDTH),
            *(
                GAP.join(
                    _padded(part, width, left=at in grid.words)
                    for at, (part, width) in enumerate(zip(parts, widths, strict=True))
                ).rstrip()
                for row in zip(*columns, strict=True)
                for parts in zip_longest(*row, fillvalue="")
            ),
        ]
    )


def _wrap_columns(columns: Sequence[Sequence[str]], flexible: frozenset[int]) -> list[list[list[str]]]:
    """Cells as lines: the narrower of the flexible columns come first, the others share what is left."""
    widest = [max(map(_width, cells)) for cells in columns]
    wrapped = [[[cell] for cell in cells] for cells in columns]
    taken = sum(width for at, width in enumerate(widest) if at not in flexible)
    room = TEXT_WIDTH - taken - len(GAP) * (len(columns) - 1)
    for n_before, at in enumerate(sorted(flexible, key=lambda column: widest[column])):
        limit = max(NARROWEST, room // (len(flexible) - n_before))
        wrapped[at] = [_wrap(cell, limit) for cell in columns[at]]
        # Not the limit: lines may be shorter, and a single word may be longer.
        room -= max(_width(line) for cell in wrapped[at] for line in cell)
    return wrapped


def _wrap(text: str, width: int) -> list[str]:
    """Lines of whole words; at least one line. As textwrap does it, but in the width of a terminal."""
    lines: list[str] = []
    used = 0
    for word in text.split():
        wide = _width(word)
        if lines and used + 1 + wide <= width:
            lines[-1] += f" {word}"
            used += 1 + wide
        else:
            lines.append(word)
            used = wide
    return lines or [""]


def _padded(text: str, width: int, *, left: bool) -> str:
    blanks = " " * (width - _width(text))
    return text + blanks if left else blanks + text


def short_name(name: str, widest: int = LONGEST_NAME) -> str:
    """A name that takes no more than some columns of a terminal."""
    # The middle goes: names often differ at their ends, as in "pressure_of_the_inlet_1" and "..._2".
    if _width(name) <= widest:
        return name
    glyphs = _glyphs(name)
    room = widest - len("...")
    end = _fitting(glyphs[::-1], room // 2)
    return "".join(_fitting(glyphs, room - room // 2)) + "..." + "".join(end[::-1])


def _fitting(glyphs: Sequence[str], width: int) -> list[str]:
    """The first glyphs, as many as fit."""
    taken: list[str] = []
    for glyph in glyphs:
        width -= _width(glyph)
        if width < 0:
            break
        taken.append(glyph)
    return taken


def _width(text: str) -> int:
    """Columns of a terminal that a text takes: two for wide letters, none for marks upon others."""
    wide = (2 if east_asian_width(glyph[0]) in "WF" else 1 for glyph in _glyphs(text))
    return sum(wide)


def _glyphs(text: str) -> list[str]:
    """Letters with the marks upon them, and with what is joined to them."""
    if text.isascii():
        return list(text)
    found: list[str] = []
    joined = False
    for letter in text:
        if found and (joined or letter in INVISIBLE_BUT_KEPT or category(letter) in ("Mn", "Me")):
            found[-1] += letter
        else:
            found.append(letter)
        joined = letter == JOINER
    return found


def _clean(text: str) -> str:
    """One line without what steers a terminal or turns the direction of writing; any blank is a space."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_clean_letter, text))


def _clean_letter(letter: str) -> str:
    if letter.isspace():
        return " "
    shown = letter.isprintable() or letter in INVISIBLE_BUT_KEPT
    return letter if shown else "\N{REPLACEMENT CHARACTER}"
