"""What pictures are made of: text that is escaped, names that stay in their place, a frame with a title.

Pictures have no colours of their own: classes say what a mark is, and the style of the page colours it, in
the light and in the dark.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from unicodedata import category, normalize

from iim.present.names import JOINERS, name_text, short_name, shown

LABEL = 17
"""Width of names beside a picture, in ordinary letters."""

WIDTH, LEFT, RIGHT = 680.0, 136.0, 66.0
"""Width of a picture with names beside rows, and the room for these and for numbers: one width for all, so
that letters are of one size."""

PLOT = WIDTH - LEFT - RIGHT
"""Width of what is drawn between them."""

ROW = 20.0
"""Height of a row."""

LETTER = 7.3
"""Width of an ordinary letter, in the units of a picture; for the widest of the usual fonts."""

NARROW = frozenset("iljtfrI.,:;'|! ()[]")
WIDE = frozenset("mwMW@%жфшщюЖФШЩЮ")
LIKE_CAPITALS = frozenset("<>=+~^#&")

USUAL_END = "\N{ARMENIAN CAPITAL LETTER AYB}"
"""The first letter beyond Latin, Greek and Cyrillic. These are in the font of the page; what comes after
them is drawn in whichever font has it, or as boxes if none has."""

VARIATIONS = (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
"""Selectors of a way to draw the letter before them."""

INVISIBLE = JOINERS | set(map(chr, VARIATIONS))
"""What takes no room in any font."""


def at(value: float) -> str:
    """A coordinate, short: two decimals at most."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def text(x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> str:
    """Words at a place; ``anchor`` is "start", "middle" or "end"."""
    classes = f' class="{kind}"' if kind else ""
    placed = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text x="{at(x)}" y="{at(y)}"{classes}{placed}>{escape(shown(words))}</text>'


def name_mark(
    x: float, y: float, words: str, widest: int, kind: str = "name", anchor: str = "start"
) -> str:
    """A name at a place: shortened in the middle, whole in its tooltip, with a direction of its own."""
    whole = name_text(words)
    placed = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return (
        f'<text x="{at(x)}" y="{at(y)}" class="{kind}"{placed}><title>{escape(whole)}</title>'
        f"<tspan>{escape(fitted(words, widest))}</tspan></text>"
    )


def fitted(words: str, widest: int) -> str:
    """A name that is not wider than so many ordinary letters: capitals and wide letters take more room."""
    whole = name_text(words)
    room = widest * LETTER
    return next(
        (short for n in range(widest, 3, -1) if width_of(short := short_name(whole, n)) <= room),
        "...",
    )


def width_of(words: str) -> float:
    """About how wide a text is at most, in the units of a picture, whichever font draws it."""
    # Browsers compose letters and marks, too, before they look for them in a font.
    letters = normalize("NFC", words)
    usual = [letter for letter in letters if letter < USUAL_END and category(letter) != "Mn"]
    widths = (
        0.6
        if letter in NARROW
        else 1.7
        if letter in WIDE
        else 1.3
        if letter.isupper() or letter in LIKE_CAPITALS
        else 1.0
        for letter in usual
    )
    # Chinese letters and boxes are squares, many emoji are wider. Marks upon letters and parts of joined
    # emoji count, too: without a font for the whole, each is drawn by itself.
    other = (
        2.3 if category(letter).startswith("S") else 1.7
        for letter in letters
        if (letter >= USUAL_END or category(letter) == "Mn") and letter not in INVISIBLE
    )
    # Where all letters have one width, narrow ones take as much as others; elsewhere capitals take more.
    return LETTER * (max(len(usual), sum(widths)) + sum(other))


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    """A straight line."""
    return f'<line x1="{at(x1)}" y1="{at(y1)}" x2="{at(x2)}" y2="{at(y2)}" class="{kind}"/>'


def boxes(places: Iterable[tuple[float, float, float, float]], kind: str) -> str:
    """Many rectangles (x, y, width, height) as one path: a tenth of the bytes."""
    path = "".join(f"M{at(x)} {at(y)}h{at(w)}v{at(h)}h{at(-w)}z" for x, y, w, h in places)
    return f'<path class="{kind}" d="{path}"/>' if path else ""


def picture(key: str, size: tuple[float, float], title: str, description: str, parts: Iterable[str]) -> str:
    """A picture with its title and description.

    Parameters
    ----------
    key : str
        An id, made by position, never from a name.
    size : tuple of float
        Width and height.
    title, description : str
        What it shows, for those who do not see it.
    parts : iterable of str
        Marks.

    Returns
    -------
    str
        An inline SVG element.
    """
    width, height = size
    return (
        f'<svg role="img" aria-labelledby="{key}-t {key}-d" '
        f'viewBox="0 0 {at(width)} {at(height)}" width="{at(width)}" height="{at(height)}">'
        f'<title id="{key}-t">{escape(shown(title))}</title>'
        f'<desc id="{key}-d">{escape(shown(description))}</desc>{"".join(parts)}</svg>'
    )
