"""The Markdown page: as code hosting sites and MyST read it, without any HTML."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from iim._showing import as_one_line
from iim.paper.layout.inline import Piece, pieces
from iim.paper.layout.words import Shown, legend, show_table, word_columns
from iim.paper.results import Block, Page, Section, Table

Anchors = Mapping[str, str]
"""Anchors of sections by their keys."""

REPEAT = "To repeat it"
SHOWS = "What it shows"

# Anywhere: what begins code, emphasis, links, tags, formulas, roles, or escapes; underscores within words
# and lone ampersands are harmless.
_SPECIAL = re.compile(r"[\\`*\[\]<$~{}|]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)|!(?=\[)")
# At the start of a line: headings, quotes, lists, comments, targets, rules.
_START = re.compile(r"^(\d*(?=[.)])|)([#>+\-=%(:.)])")
_NOT_IN_SLUGS = re.compile(r"[^\w\- ]")


def markdown_page(page: Page) -> str:
    """The page.

    Parameters
    ----------
    page : Page
        What to write. Plots are at ``plots/<key>.svg``, numbers at ``numbers/<key>.csv``.

    Returns
    -------
    str
        The content of the file.
    """
    anchors = _anchors(page)
    parts = [f"# {as_markdown(page.title)}", *_paragraphs(page.intro, anchors), _contents(page, anchors)]
    for section in page.sections:
        parts += _section(section, anchors)
    if page.facts:
        rows = [(_escaped(name), _in_cell(prose(text, anchors))) for name, text in page.facts.items()]
        parts += [f"## {REPEAT}", _grid(("what", "value"), rows, {0, 1})]
    return "\n\n".join(filter(None, parts)) + "\n"


def as_markdown(text: str) -> str:
    r"""Text that reads as it is, on one line.

    >>> print(as_markdown("a|b <c> d_e"))
    a\|b \<c> d_e
    """
    return _guarded(_escaped(text))


def prose(paragraph: str, anchors: Anchors) -> str:
    """A paragraph, with its code and links; ``#key`` leads to the section of that key."""
    found = pieces(paragraph)
    written = "".join(_piece(piece, anchors) for piece in found)
    return _guarded(written) if found and found[0].kind == "text" else written


def _piece(piece: Piece, anchors: Anchors) -> str:
    if piece.kind == "code":
        return f"`{piece.text}`"
    if piece.kind == "link":
        target = piece.target
        if target.startswith("#") and target[1:] in anchors:
            target = f"#{anchors[target[1:]]}"
        return f"[{prose(piece.text, anchors)}]({target})"
    return _SPECIAL.sub(r"\\\g<0>", piece.text)


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", as_one_line(text))


def _guarded(line: str) -> str:
    """A line that begins neither a list nor a heading nor the like."""
    return _START.sub(r"\1\\\2", line, count=1)


def _contents(page: Page, anchors: Anchors) -> str:
    places = [(section.title, anchors[section.key]) for section in page.sections]
    places += [(REPEAT, anchors[""])] if page.facts else []
    return "\n".join(
        f"- [{_escaped(title)}](#{anchor})" if anchor else f"- {as_markdown(title)}"
        for title, anchor in places
    )


def _anchors(page: Page) -> Anchors:
    """Where sections are, as hosting sites and MyST number headings alike; the foot has no key."""
    headings: list[tuple[str | None, str]] = [(None, page.title)]
    for section in page.sections:
        headings.append((section.key, section.title))
        headings += [(None, block.title) for block in section.blocks]
        headings += [(None, SHOWS)] if section.verdict else []
    headings += [("", REPEAT)] if page.facts else []
    found: dict[str, str] = {}
    taken: set[str] = set()
    for key, title in headings:
        anchor = _anchor(title, taken)
        taken.add(anchor)
        if key is not None:
            found[key] = anchor
    return found


def _anchor(title: str, taken: set[str]) -> str:
    slug = _NOT_IN_SLUGS.sub("", as_one_line(title).lower()).replace(" ", "-")
    unique, n = slug, 0
    while unique in taken:
        n += 1
        unique = f"{slug}-{n}"
    return unique


def _section(section: Section, anchors: Anchors) -> list[str]:
    origin = f"In the paper's source: `{section.label}`. " if section.label else ""
    parts = [f"## {as_markdown(section.title)}", *_paragraphs(section.intro, anchors)]
    parts.append(f"{origin}To run it alone: `--only {section.key}`.")
    for block in section.blocks:
        parts += _block(block, anchors)
    if section.verdict:
        parts += [f"### {SHOWS}", _list(section.verdict, anchors)]
    return parts


def _block(block: Block, anchors: Anchors) -> list[str]:
    parts = [f"### {as_markdown(block.title)}"]
    if isinstance(block, Table):
        parts += [as_markdown(legend(block, "bold", "in italics", labelled=False)), _table(block)]
    else:
        parts.append(f"![{_escaped(block.title)}](plots/{block.key}.svg)")
    return [*parts, _list([*block.notes, f"[Numbers as CSV](numbers/{block.key}.csv)"], anchors)]


def _paragraphs(texts: Iterable[str], anchors: Anchors) -> list[str]:
    return [prose(text, anchors) for text in texts]


def _list(sentences: Iterable[str], anchors: Anchors) -> str:
    return "\n".join(f"- {prose(sentence, anchors)}" for sentence in sentences)


def _table(table: Table) -> str:
    shown = show_table(table)
    rows = [
        (_escaped(row), *(_cell(shown.get((row, column))) for column in table.columns))
        for row in table.rows
    ]
    words = word_columns(table)
    left = {0} | {at for at, column in enumerate(table.columns, start=1) if column in words}
    return _grid(tuple(map(_escaped, (table.corner, *table.columns))), rows, left)


def _cell(cell: Shown | None) -> str:
    if cell is None:
        return ""
    ours = f"**{cell.ours}**" if cell.is_best else cell.ours
    paper = f"*{cell.paper}*" if cell.is_paper_best else cell.paper
    parts = [ours, f"({cell.worst})" if cell.worst else "", _escaped(cell.remark) if cell.remark else ""]
    text = " ".join(part for part in parts if part)
    if paper:
        text += f" / {paper}"
    return f"{text}, {cell.difference}" if cell.difference else text


def _grid(header: Sequence[str], rows: Iterable[Sequence[str]], left: set[int]) -> str:
    rule = ["---" if at in left else "---:" for at in range(len(header))]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (header, rule, *rows))


def _in_cell(markdown: str) -> str:
    """Markdown in a cell: strokes end cells even in code."""
    return re.sub(r"(?<!\\)\|", r"\\|", markdown)
