"""Pages as HTML: everything is escaped, each name has its own text direction, numbers carry their value."""

from __future__ import annotations

from html import escape

from iim.present.names import name_text, short_name, shown
from iim.present.tables import Cell, Head, Page, Table

WIDEST_NAME = 44
"""Width of a name on a page, in columns of a terminal; the whole name is in its tooltip."""

# The page around it sets the colours, so that it is readable in light and dark.
STYLE = (
    "<style>.iim-page .scroll{overflow-x:auto}.iim-page table{border-collapse:collapse;color:inherit;"
    "background:transparent;margin:.4em 0 1em}.iim-page caption{text-align:left;font-weight:bold;"
    "padding:.2em 0}.iim-page th,.iim-page td{border-bottom:1px solid rgba(128,128,128,.4);"
    "padding:.2em .7em;text-align:right;vertical-align:top;color:inherit;background:transparent}"
    ".iim-page tbody th{font-weight:normal}"
    ".iim-page .words,.iim-page .name{text-align:left}</style>"
)


def as_html(page: Page) -> str:
    """The page as a self-contained piece of HTML, for notebooks."""
    parts = [f"<p>{text_html(part)}</p>" if isinstance(part, str) else table_html(part) for part in page]
    return f'{STYLE}<div class="iim-page">{"".join(parts)}</div>'


def table_html(table: Table) -> str:
    """A table that scrolls by itself, and a line for rows left out; empty without rows.

    A script may sort it: ``data-kind`` is the kind of a column, ``data-value`` the number in a cell (empty
    if there is none). Classes are ``number``, ``name``, ``words`` and ``fills``.
    """
    if not table.rows:
        return ""
    caption = text_html(table.caption)
    heads = "".join(
        f'<th scope="col" class="{head.kind}" data-kind="{head.kind}">{text_html(head.text)}</th>'
        for head in table.heads
    )
    body = "\n".join(_row(table.heads, row) for row in table.rows)
    left_out = f'\n<p class="quiet">{text_html(table.left_out)}</p>' if table.left_out else ""
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{caption}">\n'
        f"<table data-sortable>\n<caption>{caption}</caption>\n<thead><tr>{heads}</tr></thead>\n"
        f"<tbody>\n{body}\n</tbody>\n</table>\n</div>{left_out}"
    )


def _row(heads: tuple[Head, ...], cells: tuple[Cell, ...]) -> str:
    marked = []
    for at, (head, cell) in enumerate(zip(heads, cells, strict=True)):
        tag, scope = ("td", "") if at else ("th", ' scope="row"')
        value = f' data-value="{"" if cell.value is None else cell.value}"' if head.kind == "number" else ""
        kind = f"{head.kind} fills" if cell.fills else head.kind
        content = cell.written(name_html, text_html)
        marked.append(f'<{tag}{scope} class="{kind}"{value}>{content}</{tag}>')
    return f"<tr>{''.join(marked)}</tr>"


def name_html(name: str) -> str:
    """A name: with its own text direction, shortened, whole in its tooltip."""
    whole = name_text(name)
    short = short_name(whole, WIDEST_NAME)
    tip = f' title="{escape(whole)}"' if short != whole else ""
    return f"<bdi{tip}>{escape(short)}</bdi>"


def text_html(text: str) -> str:
    """A text: blanks are collapsed, hidden characters are written out."""
    return escape(shown(" ".join(text.split())))
