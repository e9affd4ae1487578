"""All files of a page, written to a folder."""

from __future__ import annotations

from pathlib import Path

from iim.paper.layout.markdown import page_markdown
from iim.paper.layout.numbers import numbers_file
from iim.paper.layout.plots import plot_svg
from iim.paper.results import Page, Table
from iim.persistence.atomic import replace_file


def write_page(page: Page, folder: Path) -> list[Path]:
    """Write the page as Markdown, with its plots and the numbers behind them.

    Everything is made before anything is written, and each file is replaced atomically, so a failure leaves
    a readable page. Other files of the folder stay.

    Parameters
    ----------
    page : Page
        The page. It needs matplotlib if there is a figure or a ranking.
    folder : Path
        The folder; made if it does not exist.

    Returns
    -------
    list of Path
        The files: ``plots/<key>.svg`` of every figure and ranking, ``numbers/<key>.csv`` of every block,
        then ``index.md``.
    """
    blocks = [block for section in page.sections for block in section.blocks]
    texts = {f"plots/{one.key}.svg": plot_svg(one) for one in blocks if not isinstance(one, Table)}
    texts |= {f"numbers/{block.key}.csv": numbers_file(block) for block in blocks}
    # The page refers to the others, so it is written last.
    texts["index.md"] = page_markdown(page)
    written = []
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, [text.encode("utf-8")])
        written.append(path)
    return written
