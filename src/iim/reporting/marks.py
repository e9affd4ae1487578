"""Elements of pictures: escaped text, names cut to their room, and a frame with a title.

Pictures set no colours: each mark has a class, and the style of the page colours it, for light and dark
screens.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from unicodedata import category, normalize

from iim.present.names import JOINERS, name_text, short_name, shown

LABEL = 17
"""Width of names beside a picture, in letters of average width."""

WIDTH, LEFT, RIGHT = 680.0, 136.0, 66.0
"""Width of a picture with names beside rows, and the room for names and numbers. One width for all pictures
gives all letters one size."""

PLOT = WIDTH - LEFT - RIGHT
"""Width of the plot between them."""

ROW = 20.0
"""Height of a row."""

LETTER = 7.3
"""Width of an average letter in the units of a picture, for the widest of the usual fonts."""

NARROW = frozenset("iljtfrI.,:;'|! ()[]")
WIDE = frozenset("mwMW@%жфшщюЖФШЩЮ")
LIKE_CAPITALS = frozenset("<>=+~^#&")

USUAL_END = "\N{ARMENIAN CAPITAL LETTER AYB}"
"""The first letter beyond Latin, Greek and Cyrillic. Earlier letters are in the font of the page; later
ones are drawn in a fallback font, or as boxes."""

VARIATIONS = (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
"""Variation selectors."""

INVISIBLE = JOINERS | set(map(chr, VARIATIONS))
"""Characters of width zero."""


def at(value: float) -> str:
    """A coordinate, short: two decimals at most."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def text(x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> str:
    """Text at a position; ``anchor`` is "start", "middle" or "end"."""
    classes = f' class="{kind}"' if kind else ""
    placed = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text x="{at(x)}" y="{at(y)}"{classes}{placed}>{escape(shown(words))}</text>'


def name_mark(
    x: float, y: float, words: str, widest: int, kind: str = "name", anchor: str = "start"
) -> str:
    """A name at a position: shortened in the middle, whole in its tooltip, with its own text direction."""
    whole = name_text(words)
    placed = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return (
        f'<text x="{at(x)}" y="{at(y)}" class="{kind}"{placed}><title>{escape(whole)}</title>'
        f"<tspan>{escape(fitted(words, widest))}</tspan></text>"
    )


def fitted(words: str, widest: int) -> str:
    """A name, shortened to a number of average letters; capitals and wide letters count for more."""
    whole = name_text(words)
    room = widest * LETTER
    return next(
        (short for n in range(widest, 3, -1) if width_of(short := short_name(whole, n)) <= room),
        "...",
    )


def width_of(words: str) -> float:
    """Upper bound on the width of a text in the units of a picture, for any font."""
    # Browsers also compose letters and marks before they look for a glyph.
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
    # Chinese letters and boxes are squares, many emoji are wider. Combining marks and parts of joined emoji
    # count, too: a font without the whole glyph draws each part.
    other = (
        2.3 if category(letter).startswith("S") else 1.7
        for letter in letters
        if (letter >= USUAL_END or category(letter) == "Mn") and letter not in INVISIBLE
    )
    # In monospaced fonts, narrow letters are as wide as others; in other fonts, capitals are wider.
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
        Its id. Made from its position on the page, never from a name.
    size : tuple of float
        Width and height.
    title, description : str
        Text for screen readers.
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
