"""Which columns of a file are numbers to work with, and what becomes of the others."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Choice:
    """What the user says of columns and cells.

    Attributes
    ----------
    columns : tuple of str or None
        The columns to work with; None is all that hold numbers.
    ignore : tuple of str
        Columns to leave alone.
    na : tuple of str
        What else means "missing", besides the usual markers: text, or numbers by value ("-200" is also
        -200.0).
    """

    columns: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    na: tuple[str, ...] = ()
