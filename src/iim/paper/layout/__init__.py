"""Results as files: a Markdown page, its plots, and their numbers.

::

    Page ─► markdown (with numerals) ─► index.md
         ─► plots (matplotlib)       ─► plots/<key>.svg
         ─► numbers                  ─► numbers/<key>.csv

The same page gives the same bytes: no dates, no random names. So a page in a repository changes only with
its numbers or sentences. Names are always plain text on the page: never a link, a tag or a formula.
"""

from iim.paper.layout.page import write_page
from iim.paper.layout.plots import check_drawing

__all__ = ["check_drawing", "write_page"]
