"""From a JSON tree and arrays to values, each checked before it is put together."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from copy import copy
from enum import Enum
from types import SimpleNamespace
from typing import Any

import numpy as np

from iim.keeping.fields import Refused, Sizes
from iim.keeping.forms import KEPT_DTYPES, MOST_BITS, MOST_IN_RANGE, MOST_LETTERS, Forms, refuse_collisions


class Decoder:
    """Turns trees back into values, each checked before it is put together.

    Parameters
    ----------
    forms : mapping
        The known classes.
    arrays : mapping
        What the trees' arrays are called.
    """

    def __init__(self, forms: Forms, arrays: Mapping[str, np.ndarray[Any, Any]]) -> None:
        self.sizes = Sizes()
        self._forms = {each.__name__: (each, form) for each, form in forms.items()}
        self._left = dict(arrays)

    def decode(self, tree: Any, sizes: Sizes | None = None) -> Any:
        """The value of a tree; raises Refused, or what Python raises for values that do not fit."""
        sizes = self.sizes if sizes is None else sizes
        if isinstance(tree, list):
            return tuple(self.decode(entry, sizes) for entry in tree)
        if not isinstance(tree, dict):
            return tree
        if "array" in tree:
            return self._take_array(tree)
        if len(tree) != 1:
            raise Refused(f"an object with the keys {sorted(tree)!r:.80}")
        ((name, content),) = tree.items()
        if name in self._forms:
            return self._decode_fields(name, content, sizes)
        if name not in _READERS:
            raise Refused(f"{name!r:.80} is no known class")
        return _READERS[name](self, content, sizes)

    def apart(self) -> Decoder:
        """Another one for the same arrays, each still to be used once, with sizes of its own."""
        other = copy(self)
        other.sizes = Sizes()
        return other

    def finish(self) -> None:
        """Raise Refused if there is an array that nothing has used."""
        if self._left:
            raise Refused(f"the array {min(self._left)!r:.80} belongs to nothing")

    def _take_array(self, tree: Mapping[str, Any]) -> np.ndarray[Any, Any]:
        # Each once: the work of loading grows with the file, whatever the tree says.
        name = tree["array"]
        if name not in self._left:
            raise Refused(f"the array {name!r:.80} is missing, or used twice")
        array = self._left.pop(name)
        if "from" in tree:
            array = array.astype(np.int64, casting="safe")
        return array.T if tree.get("order") == "F" else array

    def _decode_fields(self, name: str, content: Any, sizes: Sizes) -> Any:
        known, form = self._forms[name]
        if issubclass(known, Enum):
            return known[content]
        if form.apart:
            sizes = Sizes(outer=sizes)
        if not isinstance(content, dict) or set(content) != set(form.fields):
            raise Refused(f"{name}: the fields {', '.join(form.fields)} are needed")
        parts = {}
        for part, wanted in form.fields.items():
            parts[part] = self.decode(content[part], sizes)
            wanted.check(f"{name}.{part}", parts[part], sizes)
        if form.check is not None:
            form.check(parts, sizes)
        return (form.make or known)(**parts)


def _read_entries(decoder: Decoder, content: Any, sizes: Sizes) -> list[Any]:
    if not isinstance(content, list):
        raise Refused("a list is needed")
    return [decoder.decode(entry, sizes) for entry in content]


def _read_number(decoder: Decoder, content: Any, sizes: Sizes) -> Any:
    name, tree = content
    value = decoder.decode(tree, sizes)
    if name not in KEPT_DTYPES or not isinstance(value, (bool, int, float)):
        raise Refused(f"{name!r:.80} is no known kind of number, or its value is none")
    return np.dtype(name).type(value)


def _read_whole(decoder: Decoder, content: Any, sizes: Sizes) -> int:  # noqa: ARG001
    # A sign, 0x, and four bits for each digit.
    if not isinstance(content, str) or len(content) > 3 + MOST_BITS // 4:
        raise Refused(f"a whole number of up to {MOST_BITS} bits is needed")
    return int(content, 16)


def _read_set(decoder: Decoder, content: Any, sizes: Sizes) -> list[Any]:
    entries = _read_entries(decoder, content, sizes)
    refuse_collisions(entries)
    return entries


def _read_dict(decoder: Decoder, content: Any, sizes: Sizes) -> dict[Any, Any]:
    if not isinstance(content, list):
        raise Refused("a list of pairs is needed")
    pairs = [(decoder.decode(key, sizes), decoder.decode(entry, sizes)) for key, entry in content]
    refuse_collisions(key for key, _ in pairs)
    return dict(pairs)


def _read_range(decoder: Decoder, content: Any, sizes: Sizes) -> range:
    start, stop, step = _read_entries(decoder, content, sizes)
    found = range(start, stop, step)
    if abs(stop - start) > MOST_IN_RANGE * abs(step):
        raise Refused("a range that is too long")
    return found


def _read_texts(decoder: Decoder, content: Any, sizes: Sizes) -> np.ndarray[Any, Any]:
    texts = _read_entries(decoder, content, sizes)
    if not all(isinstance(text, str) for text in texts):
        raise Refused("an array of text has other entries")
    if len(texts) * max(map(len, texts), default=0) > MOST_LETTERS:
        raise Refused("an array of text that is too large")
    return np.array(texts, np.str_)


def _read_objects(decoder: Decoder, content: Any, sizes: Sizes) -> np.ndarray[Any, Any]:
    entries = _read_entries(decoder, content, sizes)
    array = np.empty(len(entries), object)
    array[:] = entries
    return array


def _read_null(decoder: Decoder, content: Any, sizes: Sizes) -> Any:  # noqa: ARG001
    if content not in ("NA", "NaT"):
        raise Refused(f"{content!r:.80} is no known null")
    try:
        import pandas  # noqa: PLC0415, ICN001 (only who named its null as a missing value needs it)
    except ImportError:
        return None  # which means the same
    return pandas.NA if content == "NA" else pandas.NaT


_READERS: dict[str, Callable[[Decoder, Any, Sizes], Any]] = {
    "int": _read_whole,
    "float": lambda _, content, __: {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[content],
    "number": _read_number,
    "list": _read_entries,
    "set": lambda decoder, content, sizes: set(_read_set(decoder, content, sizes)),
    "frozenset": lambda decoder, content, sizes: frozenset(_read_set(decoder, content, sizes)),
    "dict": _read_dict,
    "range": _read_range,
    "namespace": lambda decoder, content, sizes: SimpleNamespace(
        **{name: decoder.decode(entry, sizes) for name, entry in content.items()}
    ),
    "texts": _read_texts,
    "objects": _read_objects,
    "null": _read_null,
}
