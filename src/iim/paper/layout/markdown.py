"""The Markdown page, for code hosting sites and MyST, without HTML.

Paragraphs, notes and verdicts are Markdown, written in the sections. Titles, names, cells and facts are
plain text, and are escaped here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Literal

from iim.paper.numerals import NOTHING, written, written_difference
from iim.paper.results import Block, Number, Page, Section, Table
from iim.present.markdown import escaped

REPEAT = "To repeat it"
SHOWS = "What it shows"


def page_markdown(page: Page) -> str:
    """Render the page.

    Parameters
    ----------
    page : Page
        Its data. Plots are at ``plots/<key>.svg``, numbers at ``numbers/<key>.csv``.

    Returns
    -------
    str
        The content of the file.
    """
    titles = [section.title for section in page.sections] + [REPEAT] * bool(page.facts)
    contents = "\n".join(f"- [{escaped(title)}](#{anchor(title)})" for title in titles)
    parts = [f"# {escaped(page.title)}", *page.intro, contents]
    for section in page.sections:
        parts += _section(section)
    if page.facts:
        rows = [(escaped(name), escaped(text)) for name, text in page.facts.items()]
        parts += [f"## {REPEAT}", _grid(("what", "value"), rows, {0, 1})]
    return "\n\n".join(filter(None, parts)) + "\n"


def anchor(title: str) -> str:
    """The anchor of a heading, as hosting sites and MyST compute it.

    >>> anchor("Today's view: defaults, all attributes, ranks")
    'todays-view-defaults-all-attributes-ranks'
    """
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def _section(section: Section) -> list[str]:
    origin = f"In the paper's source: `{section.label}`. " if section.label else ""
    parts = [f"## {escaped(section.title)}", *section.intro]
    parts.append(f"{origin}To run it alone: `--only {section.key}`.")
    for block in section.blocks:
        parts += _block(block)
    if section.verdict:
        parts += [f"### {SHOWS}", "\n".join(_items(section.verdict))]
    return parts


def _block(block: Block) -> list[str]:
    shown = (
        [_legend(block), _table(block)]
        if isinstance(block, Table)
        else [f"![{escaped(block.title)}](plots/{block.key}.svg)"]
    )
    link = f"- [Numbers as CSV](numbers/{block.key}.csv)"
    return [f"### {escaped(block.title)}", *shown, "\n".join([*_items(block.notes), link])]


def _items(sentences: Iterable[str]) -> list[str]:
    return [f"- {sentence}" for sentence in sentences]


def _legend(table: Table) -> str:
    """How to read the cells; empty if they need no explanation."""
    numbers = [cell for cell in table.cells.values() if isinstance(cell, Number)]
    parts = ["ours"]
    if any(one.worst is not None for one in numbers):
        parts = ["our median over seeds", "the worst seed in brackets"]
    if any(one.paper is not None for one in numbers):
        parts.append("the paper's number after the slash")
    if any(one.off(table.difference) is not None for one in numbers):
        parts.append("how far ours is from it")
    marks = []
    if any(_best(table, column, "ours") for column in table.columns):
        marks.append("our best of a column is bold")
    if any(_best(table, column, "paper") for column in table.columns):
        marks.append("the paper's best is in italics")
    said = [f"Each cell: {_listing(parts)}."] if len(parts) > 1 else []
    said += [f"{_listing(marks).capitalize()}."] if marks else []
    return " ".join(said)


def _table(table: Table) -> str:
    best = {
        column: (_best(table, column, "ours"), _best(table, column, "paper")) for column in table.columns
    }
    rows = [
        (
            escaped(row),
            *(_cell(table.cells.get((row, column)), table, *best[column]) for column in table.columns),
        )
        for row in table.rows
    ]
    words = {column for (_, column), cell in table.cells.items() if isinstance(cell, str)}
    left = {0} | {at for at, column in enumerate(table.columns, start=1) if column in words}
    return _grid(tuple(map(escaped, (table.corner, *table.columns))), rows, left)


def _cell(cell: Number | str | None, table: Table, best: str, paper_best: str) -> str:
    if not isinstance(cell, Number):
        return escaped(cell or "")
    # Words instead of a number say why it is missing; without words, a dash.
    ours = written(cell.ours, table) or ("" if cell.why else NOTHING)
    worst, paper = written(cell.worst, table), written(cell.paper, table)
    parts = [_marked(ours, "**", best), f"({worst})" if worst else "", escaped(cell.why)]
    text = " ".join(filter(None, parts))
    if paper:
        text += f" / {_marked(paper, '*', paper_best)}"
    difference = written_difference(cell, table)
    return f"{text}, {difference}" if difference else text


def _marked(text: str, mark: str, best: str) -> str:
    return f"{mark}{text}{mark}" if best and text == best else text


def _best(table: Table, column: str, whose: Literal["ours", "paper"]) -> str:
    """The best number of a column as text, so that equal texts are all marked; "" with a single number."""
    cells = (table.cells.get((row, column)) for row in table.rows)
    numbers = [cell for cell in cells if isinstance(cell, Number)]
    values = [cell.ours if whose == "ours" else cell.paper for cell in numbers]
    finite = [value for value in values if value is not None and math.isfinite(value)]
    if table.better is None or len(finite) < 2:
        return ""
    return written(min(finite) if table.better == "low" else max(finite), table)


def _grid(header: Sequence[str], rows: Iterable[Sequence[str]], left: set[int]) -> str:
    rule = ["---" if at in left else "---:" for at in range(len(header))]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (header, rule, *rows))


def _listing(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
