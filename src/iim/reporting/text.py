"""The report as Markdown: the sections of the page, without pictures."""

from __future__ import annotations

from collections.abc import Iterator

from iim.present.markdown import as_markdown, escaped, table_markdown
from iim.present.tables import Table
from iim.reporting.parts import Code, Folded, Gallery, Items, KeyFigure, Part, Picture
from iim.reporting.summary import SECTIONS, Summary, headline


def render_text(summary: Summary) -> str:
    """The report as GitHub-flavoured Markdown.

    Parameters
    ----------
    summary : Summary
        Its data.

    Returns
    -------
    str
    """
    top = [one for section in SECTIONS for one in section.top(summary)]
    sentences = [one for one in top if isinstance(one, str)]
    figures = [
        f"- {escaped(one.label)}: **{escaped(one.value)}** ({escaped(one.note)})"
        for one in top
        if isinstance(one, KeyFigure)
    ]
    parts = [
        f"# {escaped(summary.title)}",
        as_markdown(headline(summary)),
        as_markdown(" ".join(sentences)),
    ]
    parts.append("\n".join(figures))
    for section in SECTIONS:
        shown = [text for part in section.show(summary) for text in _part(part) if text]
        parts += [f"## {escaped(section.title)}", *shown] if shown else []
    return "\n\n".join(filter(None, parts)) + "\n"


def _part(part: Part) -> Iterator[str]:
    match part:
        case Picture() | Gallery():
            return
        case Table():
            yield table_markdown(part)
        case Folded(_, table):
            yield table_markdown(table)
        case Items(texts, title):
            yield f"### {escaped(title)}" if title else ""
            yield "\n".join(f"- {as_markdown(text)}" for text in texts)
        case Code(text):
            yield f"```python\n{text}```"
        case _:
            yield as_markdown(part)
