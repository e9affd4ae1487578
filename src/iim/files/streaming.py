"""A file of any size, filled piece by piece in constant memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

from iim.files.choosing import Choice
from iim.files.layouts import Layout


@dataclass(frozen=True)
class Streamed:
    """What was done to a file.

    Attributes
    ----------
    name : str
        What to call the input in messages.
    n_rows : int
        Rows read and written.
    n_filled : dict
        Filled cells, by column, in the order of the file; columns of the imputer only.
    passed : dict
        Columns that passed through untouched, and why.
    notices : tuple of str
        What a user should be told, a line each.
    """

    name: str
    n_rows: int
    n_filled: Mapping[str, int]
    passed: Mapping[str, str]
    notices: tuple[str, ...]


def fill_file(
    imputer: Any,
    path: str,
    output: str,
    *,
    layout: Layout,
    output_layout: Layout,
    choice: Choice,
    stdin: BinaryIO,
    stdout: BinaryIO,
    tell: Callable[[float], None] | None = None,
) -> Streamed:
    """Fill a file with a fitted imputer, in pieces; the output appears whole or not at all.

    The columns are those that the imputer was fitted with, found by name, in any order. What it calls missing
    (``missing_values``) is missing here, and so is what ``choice.na`` names.
    """
    raise NotImplementedError
