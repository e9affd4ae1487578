"""Results that are shown as a page when printed."""

from __future__ import annotations

from iim.present.html import as_html
from iim.present.tables import Page
from iim.present.terminal import as_text


class Printable:
    """A result with a page: plain text when printed, HTML in a notebook."""

    def _page(self) -> Page:
        """Paragraphs and tables."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return as_text(self._page())

    def _repr_html_(self) -> str:
        return as_html(self._page())
