"""The report as Markdown: the same words and tables as the page, without its pictures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from iim.reporting import tables, words
from iim.reporting.cells import Cell, Table
from iim.reporting.records import Summary
from iim.reporting.square import measured_columns
from iim.reporting.writing import name_text, shown

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~!&$])")
"""What Markdown, or HTML in it, takes for more than text."""


def render_text(summary: Summary) -> str:
    """The report as GitHub-flavoured Markdown.

    Parameters
    ----------
    summary : Summary
        What to show.

    Returns
    -------
    str
    """
    parts = [*_top(summary), *_missing(summary)]
    if summary.filling is not None:
        parts += _filled(summary)
    parts += _good(summary)
    if summary.notes:
        parts += ["## Notes", _list(summary.notes)]
    return "\n\n".join(filter(None, [*parts, *_repeat(summary)])) + "\n"


def _top(summary: Summary) -> Iterator[str]:
    yield f"# {as_markdown(summary.title)}"
    yield as_markdown(words.headline(summary))
    yield as_markdown(" ".join(words.lead(summary)))
    yield "\n".join(
        f"- {as_markdown(one.label)}: **{as_markdown(one.value)}** ({as_markdown(one.note)})"
        for one in words.key_figures(summary)
    )


def _missing(summary: Summary) -> Iterator[str]:
    yield "## What was missing"
    if summary.table.n_missing:
        yield as_markdown(words.missing(summary))
    yield _table(tables.column_table(summary))
    yield as_markdown(words.set_aside(summary))
    yield _table(tables.pattern_table(summary))


def _filled(summary: Summary) -> Iterator[str]:
    yield "## What was filled"
    yield as_markdown(words.filled(summary))
    yield _table(tables.value_table(summary))
    yield _table(tables.fallback_table(summary))
    yield "## How sure"
    yield as_markdown(words.sure(summary))
    yield _table(tables.uncertain_table(summary))
    yield _table(tables.learning_table(summary))


def _good(summary: Summary) -> Iterator[str]:
    yield "## How good"
    yield from map(as_markdown, words.good(summary))
    yield _table(tables.leader_table(summary))
    yield _table(tables.best_table(summary))
    if summary.contest is not None:
        yield _list(summary.contest.failures)
    if summary.measured:
        yield as_markdown(words.MEASURES if measured_columns(summary) else words.NOT_MEASURED)
    yield _table(tables.measure_table(summary))


def _repeat(summary: Summary) -> Iterator[str]:
    yield "## To repeat it"
    yield f"```python\n{summary.snippet}```"
    for table in (tables.setting_table(summary), tables.version_table(summary), tables.time_table(summary)):
        yield _table(table)


def as_markdown(text: str) -> str:
    """A text that Markdown shows as it is, in one line."""
    return _SPECIAL.sub(r"\\\1", shown(text))


def _list(texts: Iterable[str]) -> str:
    return "\n".join(f"- {as_markdown(text)}" for text in texts)


def _table(table: Table) -> str:
    """A table below its caption; empty without rows."""
    if not table.rows:
        return ""
    lines = [
        f"**{as_markdown(table.caption)}**\n",
        _line(as_markdown(head.text) for head in table.heads),
        _line("---:" if head.kind == "number" else "---" for head in table.heads),
        *(_line(map(_cell, row)) for row in table.rows),
    ]
    if table.n_left_out:
        lines.append(f"\n{words.left_out(table.n_left_out)}")
    return "\n".join(lines)


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cell: Cell) -> str:
    if not cell.names:
        return as_markdown(cell.text)
    more = f" and {cell.more} more" if cell.more else ""
    return ", ".join(as_markdown(name_text(name)) for name in cell.names) + more
