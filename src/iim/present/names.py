"""Untrusted names and texts, made harmless: no control characters, no changes of text direction."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from iim.present.numbers import count

LONGEST_NAME = 30
"""Columns of a terminal for a name; longer names lose their middle."""

MOST_LETTERS = 400
"""Letters of a name on a page; longer names lose their middle."""

LONGEST_TEXT = 5000
"""Letters of a message, which may hold names."""

JOINERS = frozenset("\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}")
"""Format characters that are part of the spelling of words and emoji; all others are replaced."""


def as_one_line(text: str) -> str:
    """A text in one line of any length: blanks collapsed, no control characters."""
    return " ".join(replaced(text).split())


def replaced(text: str) -> str:
    """The text with a replacement character for each unprintable one; any blank is a space."""
    return text if text.isascii() and text.isprintable() else "".join(map(_replaced_letter, text))


def _replaced_letter(letter: str) -> str:
    if letter.isspace():
        return " "
    return letter if letter.isprintable() or letter in JOINERS else "\N{REPLACEMENT CHARACTER}"


def shown(text: str, longest: int = LONGEST_TEXT) -> str:
    r"""A text in which nothing is hidden: control characters and changes of direction are written out.

    So names that differ only there stay distinct. Newlines are written out, too: a name is one line.

    >>> print(shown("a\tb"))
    a\tb
    """
    if len(text) > longest:
        text = f"{text[: longest // 2]} ... {text[-(longest // 2) :]}"
    return text if text.isprintable() else "".join(map(_written_out, text))


def _written_out(letter: str) -> str:
    if letter.isprintable() or letter in JOINERS:
        return letter
    return letter.encode("unicode_escape").decode("ascii")


def name_text(name: str) -> str:
    """A name for a page: never empty or blank."""
    if not name:
        return "(empty name)"
    return shown(name, MOST_LETTERS) if name.strip(" ") else f"({count(len(name), 'blank')})"


def listed(names: Iterable[Any], most: int) -> str:
    """Names in a sentence, each shortened: the first ones, and the number of others."""
    short = [short_name(replaced(str(name))) for name in names]
    more = f" and {len(short) - most} more" if len(short) > most else ""
    return ", ".join(short[:most]) + more


def short_name(name: str, widest: int = LONGEST_NAME) -> str:
    """A name shortened to a number of columns of a terminal."""
    # The middle is cut: names often differ at their ends, as in "pressure_of_the_inlet_1" and "..._2".
    if len(name) <= widest and name.isascii():
        return name
    glyphs, width = _glyphs(name)
    if width <= widest:
        return name
    room = widest - len("...")
    start = _n_fitting([wide for _, wide in glyphs], room - room // 2)
    end = _n_fitting([wide for _, wide in reversed(glyphs)], room // 2)
    letters = [glyph for glyph, _ in glyphs]
    return "".join(letters[:start]) + "..." + "".join(letters[len(letters) - end :])


def _n_fitting(widths: Iterable[int], room: int) -> int:
    taken = 0
    for wide in widths:
        room -= wide
        if room < 0:
            break
        taken += 1
    return taken


def _glyphs(name: str) -> tuple[list[tuple[str, int]], int]:
    """Letters with their combining marks and joined letters, the width of each, and the total width."""
    if name.isascii():
        return [(letter, 1) for letter in name], len(name)
    from rich.cells import split_graphemes  # noqa: PLC0415 (slow, and most names are ASCII)

    spans, width = split_graphemes(name)
    return [(name[start:end], wide) for start, end, wide in spans], width
