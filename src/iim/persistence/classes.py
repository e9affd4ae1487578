"""The saved part of an object: the annotated fields of its class.

A kept class is an enumeration, a dataclass or a named tuple. Each field's annotation defines its allowed
values: a type and, in ``Annotated``, a :class:`~iim.persistence.fields.Field` with shapes and limits::

    @dataclass(frozen=True)
    class Line:
        center: Annotated[Floats, floats("slopes")]
        level: Annotated[float, real(-np.inf, np.inf)]
        slopes: Annotated[Floats, floats("slopes", finite=False)]

A class may have two more members. ``check_kept(self, sizes)`` raises
:class:`~iim.persistence.fields.Refused` if fields that are valid one by one contradict each other. A class
with derived data, such as a search tree, names another kept class in ``kept_as``; ``to_kept`` and
``from_kept`` convert.
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
    """Annotations of the saved fields, by name; ``kind`` is a class, or one with type parameters."""
    known = get_origin(kind) or kind
    written = getattr(known, "kept_as", known)
    meant = dict(zip(getattr(known, "__parameters__", ()), get_args(kind), strict=False))
    hints = get_type_hints(written, include_extras=True)
    names = [each.name for each in fields(written)] if is_dataclass(written) else written._fields
    return {name: _substituted(hints[name], meant) for name in names}


def _substituted(hint: Any, meant: Mapping[TypeVar, Any]) -> Any:
    """An annotation with types in place of the class's type parameters."""
    if isinstance(hint, TypeVar):
        return meant.get(hint, hint)
    free = getattr(hint, "__parameters__", ())
    return hint[tuple(meant.get(each, each) for each in free)] if free and meant else hint
