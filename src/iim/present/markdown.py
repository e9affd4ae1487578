"""Tables as GitHub-flavoured Markdown, and text escaped for Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable

from iim.present.names import name_text, shown
from iim.present.tables import Cell, Table

# Anywhere: what starts code, emphasis, links, tags, formulas, roles, or escapes. Underscores within words
# and lone ampersands are harmless.
_SPECIAL = re.compile(r"[\\`*\[\]<>$~{}|#]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)|!(?=\[)")
# At the start of a line: headings, quotes, lists, comments, targets, rules.
_START = re.compile(r"^(\d*(?=[.)])|)([+\-=%(:.)])")


def as_markdown(text: str) -> str:
    r"""A paragraph in one line, escaped; it starts neither a list nor a heading.

    >>> print(as_markdown("- a|b <c> d_e"))
    \- a\|b \<c\> d_e
    """
    return _START.sub(r"\1\\\2", escaped(text), count=1)


def escaped(text: str) -> str:
    """A text escaped for use within a line."""
    return _SPECIAL.sub(r"\\\g<0>", shown(" ".join(text.split())))


def table_markdown(table: Table) -> str:
    """A table below its caption; empty without rows."""
    if not table.rows:
        return ""
    lines = [
        *([f"**{escaped(table.caption)}**\n"] if table.caption else []),
        _line(escaped(head.text) for head in table.heads),
        _line("---:" if head.kind == "number" else "---" for head in table.heads),
        *(_line(map(_cell, row)) for row in table.rows),
    ]
    if table.left_out:
        lines.append(f"\n{escaped(table.left_out)}")
    return "\n".join(lines)


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cell: Cell) -> str:
    return cell.written(_name, escaped)


def _name(name: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", name_text(name))
