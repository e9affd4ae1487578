"""The HTML page: one file that fetches nothing and runs nothing."""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from iim._showing import as_one_line
from iim.paper.layout.inline import Piece, pieces
from iim.paper.layout.markdown import REPEAT, SHOWS
from iim.paper.layout.numbers import by_rank
from iim.paper.layout.svg import inlined
from iim.paper.layout.words import (
    MEANING,
    decimals,
    figure,
    legend,
    short_number,
    show_table,
    word_columns,
)
from iim.paper.results import Block, Figure, Page, Panel, Ranking, Table

DIGITS = 4
"""Of the numbers behind a plot."""


class Point(NamedTuple):
    """A number as text, and the range of its seeds, if it has one."""

    text: str
    range: str = ""


@dataclass(frozen=True)
class Behind:
    """The numbers behind a panel or a ranking.

    Attributes
    ----------
    title : str
        What they are.
    header : tuple of str
        What the first column holds, and the heads of the others.
    rows : tuple of (str, tuple of Point)
        A name and its numbers each.
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Point, ...]], ...]


def html_page(page: Page, drawn: Mapping[str, str]) -> str:
    """The page.

    Parameters
    ----------
    page : Page
        What to write.
    drawn : mapping of str to str
        The SVG of every figure and ranking, by key.

    Returns
    -------
    str
        The content of the file.
    """
    style = _part("page.css")
    return (
        _environment()
        .get_template("page.html")
        .render(
            page=page,
            # Ours, and the names in it escaped already.
            pictures={key: Markup(inlined(svg)) for key, svg in drawn.items()},  # noqa: S704
            style=Markup(style),  # noqa: S704 (our own file)
            style_hash=_hash(style),
            shows=SHOWS,
            repeat=REPEAT,
            meaning=MEANING,
        )
    )


def prose(paragraph: str) -> Markup:
    """A paragraph with its code and links; all else is text."""
    return Markup("").join(map(_piece, pieces(paragraph)))


def _piece(piece: Piece) -> Markup:
    if piece.kind == "code":
        return Markup("<code>{}</code>").format(piece.text)
    if piece.kind == "link":
        return Markup('<a href="{}">{}</a>').format(piece.target, prose(piece.text))
    return Markup("{}").format(piece.text)


def kind_of(block: Block) -> str:
    """What the template writes it as."""
    return "table" if isinstance(block, Table) else "plot"


def behind(block: Figure | Ranking) -> list[Behind]:
    """The numbers of a plot, a table for each panel."""
    if isinstance(block, Figure):
        return [_panel_numbers(panel) for panel in block.panels]
    rows = tuple((name, (Point(decimals(rank, 2)),)) for name, rank in by_rank(block))
    return [Behind(block.title, ("method", "mean rank"), rows)]


def _panel_numbers(panel: Panel) -> Behind:
    places = sorted({x for line in panel.lines for x in line.x if math.isfinite(x)})
    rows = []
    for line in panel.lines:
        said = {x: Point(figure(y, DIGITS)) for x, y in zip(line.x, line.y, strict=False)}
        for x, y, low, high in zip(line.x, line.y, line.low, line.high, strict=False):
            if math.isfinite(y):
                said[x] = Point(figure(y, DIGITS), f"{figure(low, DIGITS)} to {figure(high, DIGITS)}")
        rows.append((line.name, tuple(said.get(x, Point("")) for x in places)))
    return Behind(
        f"{panel.title}: {panel.y_label} by {panel.x_label}",
        (panel.x_label, *map(short_number, places)),
        tuple(rows),
    )


def _finalize(value: object) -> object:
    """What the template shows: text on one line without hidden letters; what is markup already stays."""
    return as_one_line(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FunctionLoader(_part),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"prose": prose, "kind": kind_of, "behind": behind, "cells": show_table}
    environment.filters["word_columns"] = word_columns
    environment.globals["legend"] = legend
    return environment


@cache
def _part(name: str) -> str:
    return files(__package__).joinpath("templates", name).read_text("utf-8")


def _hash(content: str) -> str:
    """What a Content-Security-Policy knows an inline part by."""
    digest = hashlib.sha256(content.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"
