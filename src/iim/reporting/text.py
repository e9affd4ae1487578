"""The report as Markdown: the same words and tables as the page, without its pictures."""

from __future__ import annotations

import re

from iim.reporting import tables
from iim.reporting.records import Summary
from iim.reporting.tables import Cell, Table
from iim.reporting.words import headline, key_figures, lead, name_text, shown

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
    parts = [f"# {plain(summary.title)}", plain(headline(summary)), *map(plain, lead(summary))]
    parts.append(
        "\n".join(
            f"- {one.label}: **{plain(one.value)}** ({plain(one.note)})" for one in key_figures(summary)
        )
    )
    parts += ["## What was missing", _table(tables.column_table(summary))]
    if summary.holes.patterns:
        parts.append(_table(tables.pattern_table(summary)))
    if summary.filling is not None:
        parts += ["## What was filled", _table(tables.value_table(summary))]
        parts.append("## How sure")
        if summary.certainty is not None:
            parts += [_table(tables.uncertain_table(summary)), _table(tables.learning_table(summary))]
        else:
            parts.append("Only IIM has candidates.")
    if summary.measured or summary.contest:
        parts.append("## How good")
    if summary.measured:
        parts.append(_table(tables.measure_table(summary)))
    if summary.contest is not None:
        parts += [
            plain(summary.contest.how),
            _table(tables.leader_table(summary)),
            _table(tables.best_table(summary)),
        ]
        parts += [f"- {plain(one)}" for one in summary.contest.failures]
    if summary.notes:
        parts += ["## Notes", "\n".join(f"- {plain(one)}" for one in summary.notes)]
    parts += ["## To repeat it", f"```python\n{summary.snippet}```"]
    for table in (tables.setting_table(summary), tables.version_table(summary), tables.time_table(summary)):
        if table.rows:
            parts.append(_table(table))
    return "\n\n".join(parts) + "\n"


def plain(text: str) -> str:
    """A text that Markdown shows as it is, in one line."""
    return _SPECIAL.sub(r"\\\1", shown(text))


def _table(table: Table) -> str:
    lines = [
        f"**{plain(table.caption)}**\n",
        _line(plain(head.text) for head in table.heads),
        _line("---:" if head.kind == "number" else "---" for head in table.heads),
        *(_line(map(_cell, row)) for row in table.rows),
    ]
    if table.n_left_out:
        lines.append(f"\nAnd {table.n_left_out} more.")
    return "\n".join(lines)


def _line(cells) -> str:  # type: ignore[no-untyped-def]
    return f"| {' | '.join(cells)} |"


def _cell(cell: Cell) -> str:
    if cell.names:
        more = f" and {cell.more} more" if cell.more else ""
        return ", ".join(plain(name_text(name)) for name in cell.names) + more
    return plain(cell.text)
