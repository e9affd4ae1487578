"""All files of a page, into a folder."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from iim.exceptions import InvalidParameter
from iim.paper.layout.html import html_page
from iim.paper.layout.markdown import markdown_page
from iim.paper.layout.numbers import numbers_file
from iim.paper.layout.plots import figure_svg
from iim.paper.layout.ranks import ranking_svg
from iim.paper.results import Figure, Page, Ranking
from iim.persistence.atomic import replace_file

_KEY = re.compile(r"[A-Za-z0-9-]+")


def write_pages(page: Page, folder: Path) -> list[Path]:
    """Write the page as Markdown and HTML, with its plots and the numbers behind them.

    The same page gives the same bytes. All is made before anything is written, and each file is replaced
    whole, so an error in between leaves pages that can be read. Other files of the folder stay.

    Parameters
    ----------
    page : Page
        What to write. It needs matplotlib if there is a figure or a ranking.
    folder : Path
        Where to; made if it is not there.

    Returns
    -------
    list of Path
        The files: ``plots/<key>.svg`` of every figure and ranking, ``numbers/<key>.csv`` of every block,
        then ``index.html`` and ``index.md``.
    """
    blocks = [block for section in page.sections for block in section.blocks]
    _check_keys("section", [section.key for section in page.sections])
    _check_keys("block", [block.key for block in blocks])
    drawn: dict[str, str] = {}
    for block in blocks:
        if isinstance(block, Figure):
            drawn[block.key] = figure_svg(block)
        elif isinstance(block, Ranking):
            drawn[block.key] = ranking_svg(block)
    texts = {f"plots/{key}.svg": svg for key, svg in drawn.items()}
    texts |= {f"numbers/{block.key}.csv": numbers_file(block) for block in blocks}
    # What refers to others comes last.
    texts |= {"index.html": html_page(page, drawn), "index.md": markdown_page(page)}
    written = []
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, [text.encode("utf-8")])
        written.append(path)
    return written


def _check_keys(thing: str, keys: Iterable[str]) -> None:
    """Keys are names of files and anchors: some disks take `A` and `a` for the same file."""
    seen: set[str] = set()
    for key in keys:
        if not _KEY.fullmatch(key):
            raise InvalidParameter(
                f"Key of a {thing}: letters, digits and hyphens are needed; received {key!r}."
            )
        if key.lower() in seen:
            raise InvalidParameter(
                f"Key of a {thing}: each may appear once, in capitals or not; received {key!r} again."
            )
        seen.add(key.lower())
