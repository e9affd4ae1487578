"""How a file is written: its format, and of text its delimiter, decimal mark, encoding and header."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import PurePath

from iim.exceptions import InvalidParameter, UnusableTable

FORMATS = ("csv", "tsv", "parquet", "feather")
"""Formats that are read and written; the first two may be compressed with gzip."""

TEXT_FORMATS = ("csv", "tsv")

BY_ENDING = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".feather": "feather",
    ".arrow": "feather",
    ".ipc": "feather",
}
"""Formats by the ending of a file's name, ``.gz`` aside."""

NOT_WRITTEN = (".xlsx", ".xls", ".ods", ".json", ".html", ".db", ".sqlite", ".zip", ".bz2", ".xz", ".zst")
"""Endings that promise what is not written here."""

BY_FIRST_BYTES = {b"PAR1": "parquet", b"ARROW1": "feather"}
"""How files of Arrow begin."""

OTHER_FIRST_BYTES = {
    b"PK\x03\x04": "a zip file, or a workbook of Excel or LibreOffice",
    b"\xd0\xcf\x11\xe0": "an old workbook of Excel",
    b"%PDF": "a PDF document",
    b"SQLite format 3": "an SQLite database",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"BZh": "compressed with bzip2",
    b"\xfd7zXZ": "compressed with xz",
    b"\x28\xb5\x2f\xfd": "compressed with zstd",
    b"\x89HDF": "an HDF5 file",
    b"FEA1": "Feather of version 1",
}
"""How other files begin that are taken for tables."""


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

    def named(self, path: str) -> Layout:
        """The same, with the format that the name of a file tells, if none is given."""
        return replace(self, format=self.format or format_of_name(path))


def format_of_name(path: str) -> str | None:
    """The format that the ending of a name tells; None if it tells none."""
    name = PurePath(path.lower())
    ending = PurePath(name.stem).suffix if name.suffix == ".gz" else name.suffix
    return BY_ENDING.get(ending)


def format_of_output(path: str, said: str | None) -> str | None:
    """The format that an output is asked for in, by the user or by its name; None if by neither."""
    if said is None and path.lower().endswith(NOT_WRITTEN):
        ending = PurePath(path).suffix
        raise InvalidParameter(
            f"Files that end with {ending} are not written: one of {', '.join(FORMATS)} is needed. Give "
            f"{path} another ending, or say the format with --output-format."
        )
    return said or format_of_name(path)


def is_gzip_name(path: str) -> bool:
    """Whether a name says that the file is compressed."""
    return path.lower().endswith(".gz")


def format_of_content(head: bytes, name: str, said: str | None) -> str:
    """The format of a file that begins with ``head``.

    Parameters
    ----------
    head : bytes
        The first bytes, decompressed.
    name : str
        What to call the file in messages.
    said : str or None
        The format that the user or the file's name says.

    Returns
    -------
    str
        One of ``FORMATS``. A file that is not what it is said to be is an error.
    """
    found = next((kind for start, kind in BY_FIRST_BYTES.items() if head.startswith(start)), None)
    if found is not None:
        if said not in (None, found):
            raise UnusableTable(
                f"{name} holds {found.capitalize()}, not {said.upper()}. Give it its own ending, or say so "
                f"with --format {found}."
            )
        return found
    for start, what in OTHER_FIRST_BYTES.items():
        if head.startswith(start):
            raise UnusableTable(f"{name} is {what}. Export the table as CSV or Parquet.")
    if said in ("parquet", "feather"):
        raise UnusableTable(
            f"{name} is not a {said.capitalize()} file, or a damaged one: it does not begin as one does."
        )
    return said or "csv"
