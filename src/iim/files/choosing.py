"""Which columns of a file are numbers to work with, and what becomes of the others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from iim._arrays import Floats
from iim._names import did_you_mean, some_of
from iim.exceptions import UnusableCell, UnusableTable

IGNORED = "ignored"
"""Why a column passes through that the user left out."""

EMPTY = "empty"
"""Why a column passes through that holds no value."""

NOT_IN_SAMPLE = "no value in the sample"
"""Why a column passes through of which the drawn rows know nothing."""

INDEX = re.compile(r"__index_level_\d+__")
"""How pandas calls the names of rows in Parquet."""

MARKED_NUMBER = re.compile(r"[+-]?[\d.,]*\d[\d.,]*%?")
"""Text that may be a number, written in another way than the rest."""

NAME_OF_IDS = re.compile(
    r"(.*[\W_])?(id|ids|uuid|guid|key|index|idx|rownum|row|nr|no)|column 1", re.IGNORECASE
)
"""Names of columns that tell rows apart, and say nothing about them."""

DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([T ].*)?|\d{1,2}:\d{2}(:\d{2}.*)?")
"""Dates and times as they are written most."""


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

    def candidates(self, columns: Sequence[str], file: str) -> tuple[str, ...]:
        """The columns that may be worked with, in the order of the file; unknown names are an error."""
        known = set(columns)
        for name in (*(self.columns or ()), *self.ignore):
            if name not in known:
                refuse_unknown(name, columns, file)
        chosen = known if self.columns is None else set(self.columns)
        chosen = chosen.difference(self.ignore)
        return tuple(name for name in columns if name in chosen)


def refuse_unknown(name: str, columns: Sequence[str], file: str) -> None:
    """Raise for a column that the file does not have."""
    hint = did_you_mean(name, columns) or f" It has {some_of(list(map(repr, columns)), 8)}."
    raise UnusableTable(f"{file} has no column {name!r}.{hint}")


@dataclass
class Facts:
    """What was found in a column of text.

    Attributes
    ----------
    n_numbers, n_missing, n_other : int
        Its cells.
    first_other : tuple of int and str, or None
        Line and text of the first cell that is neither a number nor missing.
    written_whole : bool
        Whether no number is written with a decimal mark or an exponent.
    """

    n_numbers: int = 0
    n_missing: int = 0
    n_other: int = 0
    first_other: tuple[int, str] | None = None
    written_whole: bool = True


def why_passed(name: str, facts: Facts, values: Floats, *, file: str, wanted: bool) -> str | None:
    """Why a column of text passes through untouched; None if it is numbers to work with.

    Parameters
    ----------
    name : str
        The column.
    facts : Facts
        What was found in it.
    values : ndarray
        Its numbers, NaN for holes; perhaps of a sample of rows.
    file : str
        What to call the file in messages.
    wanted : bool
        Whether the user named the column.

    Returns
    -------
    str or None
        A column that holds mostly numbers, but text too, is an error: to leave it out in silence would
        leave its holes.
    """
    if facts.n_numbers + facts.n_other == 0:
        return EMPTY
    if facts.n_other and (wanted or facts.n_numbers > facts.n_other):
        refuse_cell(name, facts, file)
    if facts.n_other:
        _, text = facts.first_other or (0, "")
        return "dates" if DATE.fullmatch(text) else "text"
    if not wanted and is_id(name, values, whole=facts.written_whole, holes=facts.n_missing > 0):
        return "id"
    return None


def refuse_cell(name: str, facts: Facts, file: str, leave_out: str | None = None) -> None:
    """Raise for a column of numbers with other cells in it; ``leave_out`` says how to do without it."""
    line, text = facts.first_other or (0, "")
    n_known = facts.n_numbers + facts.n_other
    shown = text if len(text) <= 40 else f"{text[:37]}..."
    hint = f"If it means missing, say so with --na {shown!r}"
    if MARKED_NUMBER.fullmatch(text):
        hint = "If it is a number, --decimal says how decimals are written; marks of thousands are not read"
    elif text.startswith('"'):
        hint = "Is a quote not closed there"
    raise UnusableCell(
        f"{file}: column {name!r} holds {shown!r} in line {line}, where a number is needed "
        f"({facts.n_other} of {n_known} known cells are no numbers). {hint}; "
        f"{leave_out or f'to leave the column alone, --ignore {name!r}'}."
    )


def is_id(name: str, values: Floats, *, whole: bool, holes: bool) -> bool:
    """Whether a column only tells rows apart: called so, whole numbers, none missing, none twice."""
    if holes or not whole or values.size < 2 or NAME_OF_IDS.fullmatch(name) is None:
        return False
    return bool(np.all(values == np.rint(values)) and np.unique(values).size == values.size)


def refuse_without_numbers(passed: dict[str, str], file: str) -> None:
    """Raise for a file without a column to work with."""
    kinds = ", ".join(f"{name!r}: {why}" for name, why in list(passed.items())[:5])
    more = f" and {len(passed) - 5} more" if len(passed) > 5 else ""
    raise UnusableTable(
        f"{file} has no column of numbers to work with ({kinds}{more}). At least one is needed; --columns "
        "and --ignore choose, --delimiter and --decimal say how it is written."
    )
