"""How values become a JSON tree and arrays: what both directions know.

None, True, False, whole numbers, finite numbers and text are themselves; a tuple is a JSON list. All else
is an object with one key, which says what it is: ``{"list": [...]}``, ``{"array": name}``, or the name of a
known class with its fields. Which classes are known is a table of :class:`Form` that the caller gives;
there is no other way to name one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from iim.keeping.fields import Field, Refused, Sizes

MOST_IN_RANGE = 10**6
"""The longest range: to look through it must not take for ever."""

MOST_LETTERS = 10**6
"""The largest array of text: numpy makes every entry as long as the longest."""

MOST_BITS = 4096
"""The longest whole number."""

MOST_ALIKE = 64
"""The most entries of a set or dict with the same hash: each is compared with all others of them."""

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


def refuse_collisions(entries: Iterable[Any]) -> None:
    """Refuse entries, made to have the same hash, that would take for ever to put into a set or dict.

    The hash of a number is no secret: a file can hold any number of different ones that share it.
    """
    # The hashes themselves are too short to do the same to the counter.
    counts = Counter(map(hash, entries))
    if max(counts.values(), default=0) > MOST_ALIKE:
        raise Refused(f"more than {MOST_ALIKE} entries of a set or dict have the same hash")
