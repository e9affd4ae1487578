"""A whole file as a table: read into memory, filled, written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

from iim.files.choosing import Choice
from iim.files.layouts import Layout


@dataclass(frozen=True)
class FileTable:
    """A file that was read.

    Attributes
    ----------
    name : str
        What to call it in messages: the path as given, or "standard input".
    format : str
        One of ``FORMATS``.
    frame : pyarrow.Table
        The columns to work with, in the order of the file: numbers and nulls. What an imputer is given.
    columns : tuple of str
        Names of all columns of the file, in order. One without a name is called "column 3", by its place.
    passed : dict
        Columns that pass through untouched, and why: "text", "dates", "id", "empty", "ignored" and so on.
    notices : tuple of str
        What a user should be told, a line each (without "iim:" and end of line).
    n_rows : int
        Rows of the file; the frame has fewer if it is a sample.
    """

    name: str
    format: str
    frame: Any
    columns: tuple[str, ...]
    passed: Mapping[str, str]
    notices: tuple[str, ...]
    n_rows: int


def read_file(
    path: str,
    layout: Layout,
    choice: Choice,
    *,
    stdin: BinaryIO,
    sample: int | None = None,
    seed: int = 0,
    tell: Callable[[float], None] | None = None,
) -> FileTable:
    """Read a file: all of it, or a sample of its rows in constant memory.

    Raises UnusableTable (a message of one line, which names file, line and column, and says what to do), OSError
    or MissingDependency. ``path`` "-" reads ``stdin``. ``tell`` hears from 0 to 1 how much is read.
    """
    raise NotImplementedError


def write_file(
    table: FileTable,
    filled: Any,
    path: str,
    layout: Layout,
    *,
    stdout: BinaryIO,
    tell: Callable[[float], None] | None = None,
) -> None:
    """Write the whole file with what ``imputer.transform(table.frame)`` returned; never half a file.

    ``path`` "-" writes to ``stdout``. With the format (and delimiter) of the input, only holes differ.
    The layout is what the user says of the output; None is as the input, or by the name of ``path``.
    """
    raise NotImplementedError
