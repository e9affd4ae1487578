"""What the user says of columns and cells, and the errors where that does not fit a file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

from iim._names import did_you_mean, quoted, some_of
from iim.exceptions import UnusableCell, UnusableTable
from iim.table.kinds import OTHER, ColumnKind

IGNORED = "ignored"
"""Why a column passes through that the user left out."""

NOT_IN_SAMPLE = "no value in the sample"
"""Why a column passes through of which the drawn rows know nothing."""

UNKNOWN = "not in the model"
"""Why a column passes through that a model was not learned from."""

MARKED_NUMBER = re.compile(r"[+-]?[\d.,]*\d[\d.,]*%?")
"""Text that may be a number, written in another way than the rest."""

LONGEST_NUMBER = 100
"""Letters of a text that are looked at for that."""


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


def refuse_unknown(name: str, columns: Sequence[str], file: str, more: str = "") -> NoReturn:
    """Raise for a column that the file does not have."""
    hint = did_you_mean(name, columns) or f" It has {some_of(list(map(quoted, columns)), 8)}."
    raise UnusableTable(f"{file} has no column {quoted(name)}.{hint}{more}")


def refuse_cell(
    name: str, first: tuple[int, str], counts: tuple[int, int], file: str, leave_out: str | None = None
) -> NoReturn:
    """Raise for a column of numbers with other cells in it.

    Parameters
    ----------
    name : str
        The column.
    first : tuple of int and str
        Line and text of the first cell that is neither a number nor missing.
    counts : tuple of two int
        How many such cells there are, and how many that are not missing.
    file : str
        What to call the file in messages.
    leave_out : str, optional
        How to do without the column.
    """
    line, text = first
    shown = text if len(text) <= 40 else f"{text[:37]}..."
    hint = f"If it means missing, say so with --na {shown!r}"
    if MARKED_NUMBER.fullmatch(text[:LONGEST_NUMBER]):
        hint = "If it is a number, --decimal says how decimals are written; marks of thousands are not read"
    elif text.startswith('"'):
        hint = "Is a quote not closed there"
    raise UnusableCell(
        f"{file}: column {quoted(name)} holds {shown!r} in line {line}, where a number is needed "
        f"({counts[0]} of {counts[1]} known cells are no numbers). {hint}; "
        f"{leave_out or f'to leave the column alone, --ignore {quoted(name)}'}."
    )


def refuse_without_numbers(passed: Mapping[str, str], file: str) -> NoReturn:
    """Raise for a file without a column to work with."""
    kinds = ", ".join(f"{quoted(name)}: {why}" for name, why in list(passed.items())[:5])
    more = f" and {len(passed) - 5} more" if len(passed) > 5 else ""
    raise UnusableTable(
        f"{file} has no column of numbers to work with ({kinds}{more}). At least one is needed; --columns "
        "and --ignore choose, --delimiter and --decimal say how it is written."
    )


def in_a_word(kind: ColumnKind) -> str:
    """A kind as messages name it: "text", "date", "id"; of rare types, the type."""
    return kind.reason if kind.kind == OTHER else kind.kind
