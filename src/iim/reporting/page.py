"""The HTML page: all sections in one file that loads nothing."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from html import escape
from importlib.resources import files

from iim.present.html import name_html, table_html, text_html
from iim.present.tables import Table
from iim.reporting.parts import Card, Code, Folded, Gallery, Items, KeyFigure, Part, Picture
from iim.reporting.summary import SECTIONS, Summary, headline

OPEN_CARDS = 12
"""Cards of a gallery that are shown at once; the others are folded."""

KEYS = (
    '<span class="key observed" aria-hidden="true"></span> observed, above the line '
    '<span class="key filled" aria-hidden="true"></span> filled, below it.'
)
"""Legend of the colours."""


def render_page(summary: Summary, *, framed: bool = False) -> str:
    """Render the HTML page.

    Parameters
    ----------
    summary : Summary
        Its data.
    framed : bool, default=False
        Whether the page is for the ``srcdoc`` of a frame. Such a page has the address of the page around
        it, so its links need a base of their own.

    Returns
    -------
    str
        A complete HTML document.
    """
    style, script = _file("page.css"), _file("page.js")
    title, version = text_html(summary.title), text_html(summary.repeat.versions["iim"])
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; img-src data:; "
        f"base-uri {'about:' if framed else chr(39) + 'none' + chr(39)}; form-action 'none'"
    )
    base = '<base href="about:srcdoc">\n' if framed else ""
    shown = {section: list(section.show(summary)) for section in SECTIONS}
    sections = [section for section in SECTIONS if shown[section]]
    links = "".join(f'<li><a href="#{one.key}">{text_html(one.title)}</a></li>\n' for one in sections)
    body = "\n".join(
        f'<section id="{one.key}" aria-labelledby="{one.key}-head">\n'
        f'<h2 id="{one.key}-head">{text_html(one.title)}</h2>\n'
        f"{chr(10).join(filter(None, map(_part, shown[one])))}\n</section>"
        for one in sections
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
{base}<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="iim {version}">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the report</a>
<header>
<p class="kind">Report of iim</p>
<h1>{title}</h1>
{_top(summary)}
</header>
<nav aria-label="Contents">
<ul>
{links}</ul>
</nav>
<main id="main" tabindex="-1">
{body}
</main>
<footer>
<p>Made by iim {version}. This page is one file and loads nothing.</p>
</footer>
<script>{script}</script>
</body>
</html>
"""


def _top(summary: Summary) -> str:
    """The headline, then sentences and key figures of the sections."""
    lines, figures = [f'<p class="headline">{text_html(headline(summary))}</p>'], []
    for one in (one for section in SECTIONS for one in section.top(summary)):
        if isinstance(one, KeyFigure):
            figures.append(
                f"<div{' class=' + chr(34) + 'fills' + chr(34) if one.fills else ''}>"
                f'<dt>{text_html(one.label)}</dt><dd class="value">{text_html(one.value)}</dd>'
                f'<dd class="note">{text_html(one.note)}</dd></div>'
            )
        else:
            lines.append(f'<p class="lead">{text_html(one)}</p>')
    return "\n".join([*lines, '<dl class="figures">', *figures, "</dl>"])


def _part(part: Part) -> str:
    match part:
        case Table():
            return table_html(part)
        case Picture():
            kind, drawn = ' class="square"', part.svg
            if part.label:
                label = f'role="region" tabindex="0" aria-label="{text_html(part.label)}"'
                kind, drawn = "", f'<div class="scroll" {label}>{drawn}</div>'
            return f"<figure{kind}>\n{drawn}\n<figcaption>{text_html(part.caption)}</figcaption>\n</figure>"
        case Gallery():
            return _gallery(part)
        case Folded(title, table):
            return _folded(text_html(title), table_html(table)) if table.rows else ""
        case Items(texts, title):
            heading = f"<h3>{text_html(title)}</h3>\n" if title else ""
            items = "\n".join(f"<li>{text_html(text)}</li>" for text in texts)
            return f"{heading}<ul>\n{items}\n</ul>"
        case Code(text):
            label = 'class="scroll" tabindex="0" role="region" aria-label="Python code"'
            return f"<pre {label}><code>{escape(text)}</code></pre>"
        case _:
            return f"<p>{text_html(part)}</p>"


def _folded(title: str, content: str) -> str:
    return f"<details>\n<summary>{title}</summary>\n{content}\n</details>"


def _gallery(part: Gallery) -> str:
    cards = list(map(_card, part.cards))
    first, more = ("\n".join(some) for some in (cards[:OPEN_CARDS], cards[OPEN_CARDS:]))
    shown = f'<p class="legend">{KEYS} {text_html(part.legend)}</p>\n<div class="many">\n{first}\n</div>'
    if more:
        title = f"{len(cards) - OPEN_CARDS} more columns"
        shown += "\n" + _folded(title, f'<div class="many">\n{more}\n</div>')
    return shown


def _card(card: Card) -> str:
    name = name_html(card.name)
    filled = f', <span class="fills">{text_html(card.filled)}</span>' if card.filled else ""
    numbers = f'Numbers <span class="unseen">of {name}</span>'
    return (
        f'<figure class="values">\n<figcaption><strong>{name}</strong>\n'
        f'<span class="quiet">{text_html(card.observed)}{filled}</span></figcaption>\n'
        f"{card.svg}\n{_folded(numbers, table_html(card.numbers))}\n</figure>"
    )


@cache
def _file(name: str) -> str:
    return files(__package__).joinpath("templates", name).read_text("utf-8")


@cache
def _hash(content: str) -> str:
    """The source expression of an inline part in a Content-Security-Policy."""
    digest = hashlib.sha256(content.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"
