"""The Markdown page: as code hosting sites and MyST read it, without any HTML."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from iim._showing import as_one_line
from iim.experiments.layout.inline import Piece, pieces
from iim.experiments.layout.words import Shown, legend, show_table
from iim.experiments.results import Block, Page, Section, Table

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
    parts = [f"# {plain(page.title)}", *map(prose, page.intro)]
    links = _links(page)
    parts += ["\n".join(f"- {link}" for link in links)] if links else []
    for section in page.sections:
        parts += _section(section)
    if page.facts:
        parts.append(f"## {REPEAT}")
        rows = [(_escaped(name), _in_cell(prose(text))) for name, text in page.facts.items()]
        parts.append(_grid(("what", "value"), rows))
    return "\n\n".join(filter(None, parts)) + "\n"


def plain(text: str) -> str:
    r"""Text that reads as it is, on one line.

    >>> print(plain("a|b <c> d_e"))
    a\|b \<c> d_e
    """
    return _guarded(_escaped(text))


def prose(paragraph: str) -> str:
    """A paragraph, with its code and links."""
    found = pieces(paragraph)
    written = "".join(map(_piece, found))
    return _guarded(written) if found and found[0].kind == "text" else written


def _piece(piece: Piece) -> str:
    if piece.kind == "code":
        return f"`{piece.text}`"
    if piece.kind == "link":
        return f"[{prose(piece.text)}]({piece.target})"
    return _SPECIAL.sub(r"\\\g<0>", piece.text)


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", as_one_line(text))


def _guarded(line: str) -> str:
    """A line that begins neither a list nor a heading nor the like."""
    return _START.sub(r"\1\\\2", line, count=1)


def _links(page: Page) -> list[str]:
    """A link to every section; anchors are made of headings, as hosting sites and MyST make them."""
    headings: list[tuple[str, bool]] = [(page.title, False)]
    for section in page.sections:
        headings.append((section.title, True))
        headings += [(block.title, False) for block in section.blocks]
        headings += [(SHOWS, False)] if section.verdict else []
    headings += [(REPEAT, True)] if page.facts else []
    found: list[str] = []
    taken: set[str] = set()
    for title, is_section in headings:
        anchor = _anchor(title, taken)
        taken.add(anchor)
        if is_section:
            found.append(f"[{plain(title)}](#{anchor})" if anchor else plain(title))
    return found


def _anchor(title: str, taken: set[str]) -> str:
    slug = _NOT_IN_SLUGS.sub("", as_one_line(title).lower()).replace(" ", "-")
    unique, n = slug, 0
    while unique in taken:
        n += 1
        unique = f"{slug}-{n}"
    return unique


def _section(section: Section) -> list[str]:
    origin = f"In the paper's source: `{section.label}`. " if section.label else ""
    parts = [f"## {plain(section.title)}", *map(prose, section.intro)]
    parts.append(f"{origin}To run it alone: `--only {section.key}`.")
    for block in section.blocks:
        parts += _block(block)
    if section.verdict:
        parts += [f"### {SHOWS}", _list(section.verdict)]
    return parts


def _block(block: Block) -> list[str]:
    parts = [f"### {plain(block.title)}"]
    if isinstance(block, Table):
        said = legend(block, "bold", "in italics", labelled=False)
        parts += [plain(said)] if said else []
        parts.append(_table(block))
    else:
        parts.append(f"![{plain(block.title)}](plots/{block.key}.svg)")
    notes = [*block.notes, f"[The numbers](numbers/{block.key}.csv)"]
    return [*parts, _list(notes)]


def _list(sentences: Iterable[str]) -> str:
    return "\n".join(f"- {prose(sentence)}" for sentence in sentences)


def _table(table: Table) -> str:
    shown = show_table(table)
    rows = [
        (_escaped(row), *(_cell(shown.get((row, column))) for column in table.columns))
        for row in table.rows
    ]
    words = {
        at
        for at, column in enumerate(table.columns, start=1)
        if any(not shown[row, column].is_number for row in table.rows if (row, column) in shown)
    }
    return _grid(tuple(map(_escaped, (table.corner, *table.columns))), rows, {0} | words)


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


def _grid(header: Sequence[str], rows: Iterable[Sequence[str]], words: Iterable[int] = (0, 1)) -> str:
    kept = set(words)
    rule = ["---" if at in kept else "---:" for at in range(len(header))]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (header, rule, *rows))


def _in_cell(markdown: str) -> str:
    """Markdown in a cell: strokes end cells even in code."""
    return re.sub(r"(?<!\\)\|", r"\\|", markdown)
