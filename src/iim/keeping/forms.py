"""How values become a JSON tree and arrays: what both directions know.

None, True, False, whole numbers, finite numbers and text are themselves; a tuple is a JSON list. All else
is an object with one key, which says what it is: ``{"list": [...]}``, ``{"array": name}``, or the name of a
known class with its fields. Which classes are known is a table of :class:`Form` that the caller gives;
there is no other way to name one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from iim.keeping.fields import Field, Sizes

MOST_IN_RANGE = 10**6
"""The longest range: to look through it must not take for ever."""

MOST_LETTERS = 10**6
"""The largest array of text: numpy makes every entry as long as the longest."""

KEPT_DTYPES = frozenset(
    ["bool", *("float16", "float32", "float64")]
    + [f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)]
)
"""What arrays and numpy's single values may be made of."""


@dataclass(frozen=True)
class Form:
    """How objects of a class are kept.

    Attributes
    ----------
    fields : mapping
        What is written, by name, and what may be read; in the order in which it is checked.
    take : callable, optional
        From an object to its fields, where these are not its attributes.
    make : callable, optional
        From the fields, by name, to an object, where that is not the class itself.
    check : callable, optional
        Called with the fields, by name, and the sizes; raises Refused if they do not go together.
    apart : bool
        Whether the names of sizes hold within each object alone.
    while_room : str, optional
        The field, a tuple, whose last entries may be left out where there is no room for all.
    """

    fields: Mapping[str, Field]
    take: Callable[[Any], Mapping[str, Any]] | None = None
    make: Callable[..., Any] | None = None
    check: Callable[[Mapping[str, Any], Sizes], None] | None = None
    apart: bool = False
    while_room: str | None = None


Forms = Mapping[type, Form]
