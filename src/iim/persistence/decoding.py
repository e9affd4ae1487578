"""From a JSON tree and arrays to values, each validated before an object is built."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from enum import Enum
from types import NoneType, SimpleNamespace, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import numpy as np

from iim.persistence.classes import fields_of, is_kept
from iim.persistence.fields import Refused, Sizes
from iim.persistence.plain import KEPT_DTYPES, MOST_BITS, MOST_IN_RANGE, MOST_LETTERS, refuse_collisions

ReadOther = Callable[[Any, Any], Any]
"""Reads a class of the caller's from a tree; the second argument is the decoder."""


class Decoder:
    """Turns trees back into values.

    Parameters
    ----------
    arrays : mapping
        Arrays by name.
    others : mapping, optional
        Classes that the caller reads, with their functions.
    """

    def __init__(
        self, arrays: Mapping[str, np.ndarray[Any, Any]], others: Mapping[type, ReadOther] | None = None
    ) -> None:
        self._left = dict(arrays)
        self._others = dict(others or {})

    def read(self, tree: Any, kind: Any, sizes: Sizes) -> Any:
        """The value of a tree by its annotation ``kind``; see :mod:`iim.persistence.classes`.

        Raises Refused, or another error of REFUSALS.
        """
        origin, of = get_origin(kind), get_args(kind)
        if origin is Annotated:
            value = self.read(tree, of[0], sizes)
            for field in of[1:]:
                field.check(value, sizes)
            return value
        if origin in (Union, UnionType):
            return self.read(*_chosen(tree, of), sizes)
        known = origin or kind
        if known in self._others:
            return self._others[known](tree, self)
        if is_kept(known):
            return self._read_object(tree, kind, known, sizes)
        if known in (tuple, dict) and of:
            return (self._read_tuple if known is tuple else self._read_dict)(tree, of, sizes)
        value = self.plain(tree)
        # np.float64 is a subclass of float, and accepted; subclasses of other types are not.
        if known is not Any and not (isinstance(value, float) if known is float else type(value) is known):
            raise Refused(f"{known.__name__} is needed; received {type(value).__name__}")
        return value

    def plain(self, tree: Any) -> Any:
        """The value of a tree without annotation: a number, text, or a collection or array of these."""
        if isinstance(tree, list):
            return tuple(map(self.plain, tree))
        if not isinstance(tree, dict):
            return tree
        if "array" in tree:
            return self._take_array(tree)
        for name, content in tree.items():
            if name in _READERS and len(tree) == 1:
                return _READERS[name](self, content)
        raise Refused(f"{', '.join(map(repr, tree)):.80} is not a known kind of value")

    def finish(self) -> None:
        """Raise Refused if an array was not used."""
        if self._left:
            raise Refused(f"the array {min(self._left)!r:.80} is not used")

    def _take_array(self, tree: Mapping[str, Any]) -> Any:
        # Each once, so that the time to load is bounded by the size of the file.
        name = tree["array"]
        if name not in self._left:
            raise Refused(f"the array {name!r:.80} is missing, or used twice")
        array = self._left.pop(name)
        how = {key: value for key, value in tree.items() if key != "array"}
        if how == {"as": "tuple"} and array.dtype == np.int64 and array.ndim == 1:
            return tuple(array.tolist())
        by_column = how.pop("order", "C") == "F"
        if how == {"from": "int32"} and array.dtype == np.int32:
            array, how = array.astype(np.int64), {}
        if how or (by_column and array.ndim < 2):
            raise Refused(f"the array {name!r:.80} does not match its description")
        return array.T if by_column else array

    def _read_object(self, tree: Any, kind: Any, known: type, sizes: Sizes) -> Any:
        if issubclass(known, Enum):
            return known[tree]
        fields = fields_of(kind)
        if not isinstance(tree, dict) or set(tree) != set(fields):
            raise Refused(f"{known.__name__}: the fields {', '.join(fields)} are needed")
        written = getattr(known, "kept_as", known)
        sizes = Sizes(sizes) if getattr(written, "own_sizes", False) else sizes
        parts = {}
        for name, each in fields.items():
            try:
                parts[name] = self.read(tree[name], each, sizes)
            except Refused as error:
                raise error.at(f"{known.__name__}.{name}") from error
        found = written(**parts)
        if hasattr(found, "check_kept"):
            found.check_kept(sizes)
        return known.from_kept(found) if hasattr(known, "from_kept") else found

    def _read_tuple(self, tree: Any, of: tuple[Any, ...], sizes: Sizes) -> tuple[Any, ...]:
        if isinstance(tree, dict) and tree.get("as") == "tuple":
            found: tuple[Any, ...] = self._take_array(tree)
            if of == (int, ...):
                return found
            tree = list(found)
        if not isinstance(tree, list) or (of[-1] is not ... and len(tree) != len(of)):
            raise Refused("a tuple is needed")
        kinds = of[:1] * len(tree) if of[-1] is ... else of
        return tuple(self.read(*one, sizes) for one in zip(tree, kinds, strict=True))

    def _read_dict(self, tree: Any, of: tuple[Any, ...], sizes: Sizes) -> dict[Any, Any]:
        if not isinstance(tree, dict) or not isinstance(tree.get("dict"), list):
            raise Refused("a list of pairs is needed")
        pairs = [(self.plain(key), self.read(entry, of[1], sizes)) for key, entry in tree["dict"]]
        refuse_collisions(key for key, _ in pairs)
        return dict(pairs)


def _chosen(tree: Any, kinds: tuple[Any, ...]) -> tuple[Any, Any]:
    """The tree without its tag, and its member of a union: a class by its name, or another type."""
    for kind in kinds:
        name = getattr(get_origin(kind) or kind, "__name__", "")
        if isinstance(tree, dict) and list(tree) == [name]:
            return tree[name], kind
    if tree is None and NoneType in kinds:
        return tree, NoneType
    return tree, next(kind for kind in kinds if kind is not NoneType)


def _read_entries(decoder: Decoder, content: Any) -> list[Any]:
    if not isinstance(content, list):
        raise Refused("a list is needed")
    return list(map(decoder.plain, content))


def _read_number(decoder: Decoder, content: Any) -> Any:
    name, tree = content
    value = decoder.plain(tree)
    if name not in KEPT_DTYPES or not isinstance(value, (bool, int, float)):
        raise Refused(f"{name!r:.80} is not a known dtype, or its value is not a number")
    return np.dtype(name).type(value)


def _read_whole(_: Decoder, content: Any) -> int:
    # A sign, 0x, and one hexadecimal digit for four bits.
    if not isinstance(content, str) or len(content) > 3 + MOST_BITS // 4:
        raise Refused(f"a whole number of up to {MOST_BITS} bits is needed")
    return int(content, 16)


def _read_set(decoder: Decoder, content: Any) -> list[Any]:
    entries = _read_entries(decoder, content)
    refuse_collisions(entries)
    return entries


def _read_range(decoder: Decoder, content: Any) -> range:
    start, stop, step = _read_entries(decoder, content)
    found = range(start, stop, step)
    if abs(stop - start) > MOST_IN_RANGE * abs(step):
        raise Refused("a range is too long")
    return found


def _read_texts(decoder: Decoder, content: Any) -> np.ndarray[Any, Any]:
    texts = _read_entries(decoder, content)
    if not all(isinstance(text, str) for text in texts):
        raise Refused("an array of text has other entries")
    if len(texts) * max(map(len, texts), default=0) > MOST_LETTERS:
        raise Refused("an array of text is too large")
    return np.array(texts, np.str_)


def _read_objects(decoder: Decoder, content: Any) -> np.ndarray[Any, Any]:
    entries = _read_entries(decoder, content)
    array = np.empty(len(entries), object)
    array[:] = entries
    return array


def _read_null(_: Decoder, content: Any) -> Any:
    if content not in ("NA", "NaT"):
        raise Refused(f"{content!r:.80} is not a known null")
    try:
        import pandas  # noqa: PLC0415, ICN001 (only needed for pandas' nulls in `missing_values`)
    except ImportError:
        return None  # equivalent in `missing_values`
    return pandas.NA if content == "NA" else pandas.NaT


_READERS: dict[str, Callable[[Decoder, Any], Any]] = {
    "int": _read_whole,
    "float": lambda _, content: {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[content],
    "number": _read_number,
    "list": _read_entries,
    "set": lambda decoder, content: set(_read_set(decoder, content)),
    "frozenset": lambda decoder, content: frozenset(_read_set(decoder, content)),
    "dict": lambda decoder, content: decoder._read_dict({"dict": content}, (Any, Any), Sizes()),
    "range": _read_range,
    "namespace": lambda decoder, content: SimpleNamespace(
        **{name: decoder.plain(entry) for name, entry in content.items()}
    ),
    "texts": _read_texts,
    "objects": _read_objects,
    "null": _read_null,
}
