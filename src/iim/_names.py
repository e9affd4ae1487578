"""Look up names given by users; errors suggest the nearest one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from numbers import Integral
from typing import Any

from iim.exceptions import InvalidParameter

MOST_LETTERS = 80
"""Letters of a name in a message."""


def did_you_mean(received: Any, known: Iterable[Any] | Mapping[Any, Any]) -> str:
    """A sentence that suggests the nearest name, ignoring case; empty if none is near.

    Parameters
    ----------
    received : object
        The name given.
    known : iterable, or mapping
        The valid names; a mapping has the suggestion for each.
    """
    meant = known if isinstance(known, Mapping) else {name: name for name in known}
    by_lower = {str(name).lower(): meant[name] for name in reversed(list(meant))}
    nearest = get_close_matches(str(received).lower(), by_lower, n=1)
    return f" Did you mean {quoted(by_lower[nearest[0]])}?" if nearest else ""


def quoted(name: Any) -> str:
    """A name in quotes, or a number, for a message; of long text, the middle is left out."""
    if isinstance(name, str) and len(name) > MOST_LETTERS:
        name = f"{name[: MOST_LETTERS // 2]}...{name[-MOST_LETTERS // 2 :]}"
    try:
        return repr(name)
    except ValueError:
        # Python writes no whole number of more than 4,300 digits.
        return "a number of too many digits"


def refuse_name(
    parameter: str, received: Any, allowed: Sequence[Any], *, also: str = ""
) -> InvalidParameter:
    """The error for an unknown name.

    Parameters
    ----------
    parameter : str
        The parameter.
    received : object
        The name given.
    allowed : sequence
        The valid names.
    also : str, default=""
        Further allowed values, as text.

    Returns
    -------
    InvalidParameter
        To be raised; it suggests the nearest name, ignoring case.
    """
    return InvalidParameter(
        f"`{parameter}`: one of {some_of(list(map(repr, allowed)))}{also} is needed; received {received!r}."
        f"{did_you_mean(received, allowed)}"
    )


def some_of(names: Sequence[str], most: int = 30) -> str:
    """The first names as text, and the number of the others."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def find_columns(wanted: Any, columns: tuple[Any, ...]) -> set[int] | None:
    """Positions of the columns that a user selects.

    Parameters
    ----------
    wanted : None, or a name or position, or several
        A value that is both a name and a position is a name.
    columns : tuple
        Names of all columns.

    Returns
    -------
    set of int or None
        None for None: all columns.
    """
    if wanted is None:
        return None
    single = (
        isinstance(wanted, (str, bytes)) or not isinstance(wanted, Iterable) or _is_among(wanted, columns)
    )
    found = {find_column(one, columns) for one in ([wanted] if single else wanted)}
    if not found:
        raise InvalidParameter(
            "`columns`: at least one column is needed; received none. Leave it out for all."
        )
    return found


def find_each(wanted: Iterable[Any], columns: tuple[Any, ...], *, parameter: str) -> list[int]:
    """Positions of columns, each given once by name or position, in the order given.

    Parameters
    ----------
    wanted : iterable
        Names or positions. A value that is both is a name.
    columns : tuple
        Names of all columns.
    parameter : str
        The parameter, for messages.

    Returns
    -------
    list of int
    """
    found: list[int] = []
    for one in wanted:
        position = find_column(one, columns, parameter)
        if position in found:
            raise InvalidParameter(
                f"`{parameter}`: each column once is needed; received {columns[position]!r} (column "
                f"{position}) twice."
            )
        found.append(position)
    return found


def find_column(wanted: Any, columns: tuple[Any, ...], parameter: str = "columns") -> int:
    """Position of a column given by name or position; a value that is both is a name."""
    if _is_among(wanted, columns):
        return columns.index(wanted)
    if not isinstance(wanted, bool) and isinstance(wanted, Integral) and 0 <= int(wanted) < len(columns):
        return int(wanted)
    raise refuse_name(parameter, wanted, columns, also=", or a position,")


def _is_among(wanted: Any, columns: tuple[Any, ...]) -> bool:
    # By hash, because == of an array has no truth value. And True must not match 1.
    try:
        return not isinstance(wanted, bool) and wanted in set(columns)
    except TypeError:
        return False
