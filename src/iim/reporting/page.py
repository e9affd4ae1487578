"""The HTML page: a template filled with tables and pictures, in one file that fetches nothing."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup, escape

from iim.present.names import short_name
from iim.reporting import pictures, square, tables, words
from iim.reporting.holes import MOST_COLUMNS
from iim.reporting.records import ColumnSummary, Summary
from iim.reporting.writing import name_text, shown, whole

WIDEST_NAME = 44
"""Columns of a terminal that a name takes in tables and headings; the whole is in its tooltip."""

OPEN_COLUMNS = 12
"""Columns whose pictures are seen at once; the others unfold."""


def render_page(summary: Summary, *, framed: bool = False) -> str:
    """The page.

    Parameters
    ----------
    summary : Summary
        What to show.
    framed : bool, default=False
        Whether it is for the ``srcdoc`` of a frame. Such a page has the address of the page around it, to
        which its links would lead; with a base of its own they stay inside.

    Returns
    -------
    str
        A complete HTML document.
    """
    style, script = _part("page.css"), _part("page.js")
    drawn = _columns_to_draw(summary)
    template = _environment().get_template("page.html")
    return template.render(
        summary=summary,
        framed=framed,
        words=words,
        tables=tables,
        pictures=pictures,
        square=square,
        drawn=drawn[:OPEN_COLUMNS],
        more_drawn=drawn[OPEN_COLUMNS:],
        n_learned=sum(one.learning is not None for one in summary.columns),
        n_not_drawn=sum(one.n_missing > 0 for one in summary.columns) - len(drawn),
        snippet=escape(summary.snippet),
        style=Markup(style),  # noqa: S704 (our own file)
        script=Markup(script),  # noqa: S704 (our own file)
        style_hash=_hash(style),
        script_hash=_hash(script),
    )


def _columns_to_draw(summary: Summary) -> list[ColumnSummary]:
    """Those with the most missing cells, in the order of the table."""
    holed = [one for one in summary.columns if one.n_missing and one.histogram is not None]
    most = sorted(holed, key=lambda one: -one.n_missing)[:MOST_COLUMNS]
    return sorted(most, key=lambda one: one.position)


def name_mark(name: str) -> Markup:
    """A name in tables and headings: with a direction of its own, shortened, whole in its tooltip."""
    whole_name = name_text(name)
    short = short_name(whole_name, WIDEST_NAME)
    tip = Markup(' title="{}"').format(whole_name) if short != whole_name else ""
    return Markup("<bdi{}>{}</bdi>").format(tip, short)


def draw(svg: str) -> Markup:
    """A picture of ours, whose text is escaped already."""
    return Markup(svg)  # noqa: S704


def _finalize(value: Any) -> Any:
    """What the template shows: of text, nothing hidden; what is markup already stays."""
    return shown(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FunctionLoader(_part),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"name": name_mark, "draw": draw, "whole": whole}
    return environment


@cache
def _part(name: str) -> str:
    return files(__package__).joinpath("templates", name).read_text("utf-8")


def _hash(content: str) -> str:
    """What a Content-Security-Policy knows an inline part by."""
    digest = hashlib.sha256(content.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"
