"""Paragraphs: plain text with `code` and [links](target), and nothing else that would be read as markup."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from iim._showing import as_one_line

_MARKED = re.compile(r"`(?P<code>[^`]+)`|\[(?P<text>[^\[\]]+)\]\((?P<target>[^()\s<>]+)\)")
_SCHEME = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*):")
_SAFE = {"http", "https"}


class Piece(NamedTuple):
    """A part of a paragraph; only links have a target."""

    kind: Literal["text", "code", "link"]
    text: str
    target: str = ""


def pieces(paragraph: str) -> list[Piece]:
    """The paragraph in parts, on one line.

    >>> [piece.kind for piece in pieces("Run `iim`, see [there](speed.md), not [here](javascript:x).")]
    ['text', 'code', 'text', 'link', 'text']
    """
    text = as_one_line(paragraph)
    found: list[Piece] = []
    start = 0
    for match in _MARKED.finditer(text):
        target = match["target"]
        if target is not None and not _is_safe(target):
            continue
        if match.start() > start:
            found.append(Piece("text", text[start : match.start()]))
        if target is None:
            found.append(Piece("code", match["code"]))
        else:
            found.append(Piece("link", match["text"], target))
        start = match.end()
    if start < len(text):
        found.append(Piece("text", text[start:]))
    return found


def _is_safe(target: str) -> bool:
    scheme = _SCHEME.match(target)
    return scheme is None or scheme["scheme"].lower() in _SAFE
