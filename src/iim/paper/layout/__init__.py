"""From plain results to files: a Markdown page, an HTML page, plots, and the numbers behind them.

::

    Page ─► words (numbers as text, best ones, verdicts) ─► markdown, html
         ─► plots, ranks (matplotlib) ─► svg (cleaned) ─► plots/<key>.svg, and into the HTML
         ─► numbers ─► numbers/<key>.csv

The same page gives the same bytes: no dates, no random names, no versions but those among the page's facts.
A page in a repository changes only when its numbers do.
"""

from iim.paper.layout.pages import write_pages
from iim.paper.layout.svg import check_drawing

__all__ = ["check_drawing", "write_pages"]
