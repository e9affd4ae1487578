"""What pictures are made of: text that is escaped, names that stay in their place, a frame with a title.

Pictures have no colours of their own: classes say what a mark is, and the style of the page colours it, in
the light and in the dark.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from unicodedata import category, east_asian_width

from iim._showing import short_name
from iim.reporting.writing import name_text, shown

LETTER = 7.3
"""Width of an ordinary letter, in the units of a picture; for the widest of the usual fonts."""

NARROW = frozenset("iljtfrI.,:;'|! ()[]")
WIDE = frozenset("mwMW@%")


def at(value: float) -> str:
    """A coordinate, short: two decimals at most."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def text(x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> str:
    """Words at a place; ``anchor`` is "start", "middle" or "end"."""
    classes = f' class="{kind}"' if kind else ""
    placed = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text x="{at(x)}" y="{at(y)}"{classes}{placed}>{escape(shown(words))}</text>'


def name(x: float, y: float, words: str, widest: int, kind: str = "name", anchor: str = "start") -> str:
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
        (short for n in range(widest, 8, -1) if width_of(short := short_name(whole, n)) <= room),
        short_name(whole, 8),
    )


def width_of(words: str) -> float:
    """About how wide a text is, in the units of a picture."""
    return sum(map(_letter_width, words))


def _letter_width(letter: str) -> float:
    if category(letter) in ("Mn", "Me", "Cf"):
        return 0.0
    if letter in NARROW:
        return 0.6 * LETTER
    if letter in WIDE or east_asian_width(letter) in "WF":
        return 1.7 * LETTER
    return 1.3 * LETTER if letter.isupper() else LETTER


def rectangle(x: float, y: float, width: float, height: float, kind: str, tip: str = "") -> str:
    """A rectangle, with a tooltip if there is something to tell."""
    shape = f'<rect x="{at(x)}" y="{at(y)}" width="{at(width)}" height="{at(height)}" class="{kind}"'
    return f"{shape}><title>{escape(shown(tip))}</title></rect>" if tip else f"{shape}/>"


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
