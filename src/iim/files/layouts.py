"""How a file is written: its format, and of text its delimiter, decimal mark, encoding and header."""

from __future__ import annotations

from dataclasses import dataclass

FORMATS = ("csv", "tsv", "parquet", "feather")
"""Formats that are read and written; the first two may be compressed with gzip."""


@dataclass(frozen=True)
class Layout:
    """What the user says of a file; None is to be found out, from its name and then from its content.

    Attributes
    ----------
    format : {"csv", "tsv", "parquet", "feather"} or None
        Its format.
    delimiter : str or None
        What stands between two cells: one character.
    decimal : {".", ","} or None
        The decimal mark.
    encoding : str or None
        The encoding, by a name that Python knows; None is UTF-8.
    header : bool or None
        Whether the first line names the columns; None is yes, unless it holds nothing but numbers, which is
        an error that asks.
    """

    format: str | None = None
    delimiter: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    header: bool | None = None
