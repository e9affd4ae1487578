"""A report: one summary, rendered as HTML, Markdown or JSON."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from html import escape
from pathlib import Path

from iim.exceptions import InvalidParameter
from iim.persistence.atomic import replace_file
from iim.reporting.page import render_page
from iim.reporting.summary import Summary, headline
from iim.reporting.text import render_text

FRAME_HEIGHT = 720
"""Pixels that a notebook gives to the page."""


class Report:
    """What :func:`iim.report` returns: a summary that can be read.

    Parameters
    ----------
    summary : Summary
        What to show.

    Attributes
    ----------
    summary : Summary
        The same.
    """

    def __init__(self, summary: Summary) -> None:
        self.summary = summary

    def to_html(self) -> str:
        """The page, as one file that fetches nothing."""
        return render_page(self.summary)

    def to_markdown(self) -> str:
        """The same as text with tables, without pictures."""
        return render_text(self.summary)

    def to_json(self) -> str:
        """All numbers, for programs: ``summary.to_dict()`` as JSON."""
        return json.dumps(self.summary.to_dict(), indent=1, allow_nan=False) + "\n"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the report to a file, whole or not at all.

        Parameters
        ----------
        path : str or path
            The ending says what is written: ``.html`` or ``.htm``, ``.md``, ``.json``.
        """
        render = _RENDERERS[check_ending(path)]
        replace_file(path, [render(self).encode("utf-8")])

    def __repr__(self) -> str:
        return f"Report: {headline(self.summary)}"

    def _repr_html_(self) -> str:
        # In a frame of its own: styles stay inside, and the page can reach nothing of the notebook.
        page = render_page(self.summary, framed=True)
        return (
            f'<iframe title="{escape(self.summary.title)}" srcdoc="{escape(page)}" '
            f'sandbox="allow-scripts" width="100%" height="{FRAME_HEIGHT}" '
            'style="border: 1px solid rgba(128, 128, 128, .4)"></iframe>'
        )


_RENDERERS: dict[str, Callable[[Report], str]] = {
    ".html": Report.to_html,
    ".htm": Report.to_html,
    ".md": Report.to_markdown,
    ".json": Report.to_json,
}


def check_path(path: str | os.PathLike[str]) -> None:
    """Refuse a path that no report can be written to, as far as can be seen before it is written."""
    check_ending(path)
    if Path(path).is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    if not Path(path).parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), os.fspath(path))


def check_ending(path: str | os.PathLike[str]) -> str:
    """The ending of a file that a report can be written to."""
    ending = Path(path).suffix.lower()
    if ending not in _RENDERERS:
        raise InvalidParameter(
            f"`path`: a file that ends in {', '.join(_RENDERERS)} is needed; received {os.fspath(path)!r}. "
            "The ending says what is written."
        )
    return ending
