"""What is kept of an object: the fields of its class, as their annotations have them.

A kept class is an enumeration, a dataclass or a named tuple. Each field's annotation says what it may be:
a type, and beside it, in ``Annotated``, a :class:`~iim.persistence.fields.Field` with shapes and limits::

    @dataclass(frozen=True)
    class Line:
        center: Annotated[Floats, floats("slopes")]
        level: Annotated[float, real(-np.inf, np.inf)]
        slopes: Annotated[Floats, floats("slopes", finite=False)]

A class may say two more things. ``check_kept(self, sizes)`` raises
:class:`~iim.persistence.fields.Refused` if fields that fit one by one do not go together. A class that
has more than it needs to keep, such as a search tree, names in ``kept_as`` another kept class, which
``to_kept`` makes of an object, and ``from_kept`` turns back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, TypeVar, get_args, get_origin, get_type_hints


def is_kept(value: Any) -> bool:
    """Whether something is a kept class."""
    return isinstance(value, type) and (
        is_dataclass(value)
        or issubclass(value, Enum)
        or (issubclass(value, tuple) and hasattr(value, "_fields"))
        or hasattr(value, "kept_as")
    )


@cache
def fields_of(kind: Any) -> Mapping[str, Any]:
    """Annotations of the fields that are kept, by name; ``kind`` is a class, or one with its parameters."""
    known = get_origin(kind) or kind
    written = getattr(known, "kept_as", known)
    meant = dict(zip(getattr(known, "__parameters__", ()), get_args(kind), strict=False))
    hints = get_type_hints(written, include_extras=True)
    names = [each.name for each in fields(written)] if is_dataclass(written) else written._fields
    return {name: _substituted(hints[name], meant) for name in names}


def _substituted(hint: Any, meant: Mapping[TypeVar, Any]) -> Any:
    """An annotation with types in the place of the class's own parameters."""
    if isinstance(hint, TypeVar):
        return meant.get(hint, hint)
    free = getattr(hint, "__parameters__", ())
    return hint[tuple(meant.get(each, each) for each in free)] if free and meant else hint
