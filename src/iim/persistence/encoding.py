"""From values to a JSON tree and arrays.

None, True, False, whole numbers, finite numbers and text are written as they are; a tuple is a JSON list.
Other values are objects with one key for their type: ``{"list": [...]}``, ``{"array": name}``. An object of
a kept class is a JSON object of its fields, tagged with the class name where the annotation is a union.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from enum import Enum
from itertools import islice
from types import SimpleNamespace, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import numpy as np

from iim.persistence.classes import fields_of, is_kept
from iim.persistence.plain import KEPT_DTYPES, MOST_BITS, MOST_IN_RANGE, MOST_LETTERS

LARGEST_PLAIN = 2**63
"""Larger whole numbers are written in hexadecimal, for which Python has no limit of digits."""

LONG = 32
"""A longer tuple of whole numbers is written as an array; as text it would take ten times the memory."""

HEADER_ROOM = 80_000_000
"""Bytes of the header for cache entries; the others are left out, since a longer header cannot be read."""

BYTES_PER_ARRAY = 100
"""Bytes of an array's entry in the header, without its name."""


class Unkeepable(TypeError):
    """A value that cannot be saved."""


class Encoder:
    """Turns values into trees; gathers their arrays.

    Parameters
    ----------
    others : mapping, optional
        Classes that the caller writes, with functions from (object, path) to a tree.
    """

    def __init__(self, others: Mapping[type, Callable[[Any, str], Any]] | None = None) -> None:
        self.arrays: dict[str, np.ndarray[Any, Any]] = {}
        self._others = dict(others or {})
        self._room = HEADER_ROOM

    def write(self, value: Any, kind: Any, path: str) -> Any:
        """The tree of a value with annotation ``kind``; ``path`` is the prefix of its array names."""
        origin, of = get_origin(kind), get_args(kind)
        known = origin or kind
        if origin is Annotated:
            return self.write(value, of[0], path)
        if origin in (Union, UnionType):
            name = type(value).__name__
            meant = [each for each in of if getattr(get_origin(each) or each, "__name__", "") == name]
            tree = self.write(value, meant[0] if meant else Any, path)
            return {name: tree} if meant and is_kept(type(value)) else tree
        if known in self._others:
            return self._others[known](value, path)
        if is_kept(known):
            return self._write_object(value, kind, path)
        if known is tuple and of and is_kept(get_origin(of[0]) or of[0]):
            return [self.write(entry, of[0], f"{path}.{at}") for at, entry in enumerate(value)]
        if known is dict and of and of[1] in self._others:
            return {
                "dict": [
                    [key, self.write(entry, of[1], f"{path}.{_as_ascii(key)}")]
                    for key, entry in value.items()
                ]
            }
        return self.plain(value, path)

    def _write_object(self, value: Any, kind: Any, path: str) -> Any:
        if isinstance(value, Enum):
            return value.name
        kept = value.to_kept() if hasattr(value, "to_kept") else value
        write = self._while_room if hasattr(kept, "may_lack_entries") else self.write
        return {
            name: write(getattr(kept, name), each, f"{path}.{name}")
            for name, each in fields_of(kind).items()
        }

    def plain(self, value: Any, path: str) -> Any:
        """The tree of a value without annotation: a number, text, or a collection or array of these."""
        for classes, write in _WRITERS:
            if isinstance(value, classes) and not _is_unknown(value):
                return write(self, value, path)
        raise Unkeepable(f"`{path}`: {type(value).__name__} is not a known class")

    def _while_room(self, values: tuple[Any, ...], kind: Any, path: str) -> list[Any]:
        """The trees of the first values, as many as the header has room for."""
        trees: list[Any] = []
        for at, value in enumerate(values):
            n_former = len(self.arrays)
            tree = self.write(value, get_args(kind)[0], f"{path}.{at}")
            added = list(islice(reversed(self.arrays), len(self.arrays) - n_former))
            # JSON within JSON: a quotation mark takes two characters.
            text = json.dumps(tree, separators=(",", ":"))
            self._room -= len(text) + text.count('"') + sum(len(name) + BYTES_PER_ARRAY for name in added)
            if self._room < 0:
                for name in added:
                    del self.arrays[name]
                break
            trees.append(tree)
        return trees

    def entries(self, values: Any, path: str) -> list[Any]:
        """The trees of several values."""
        return [self.plain(value, f"{path}.{at}") for at, value in enumerate(values)]

    def entries_of_set(self, values: Any, path: str) -> list[Any]:
        """The same, sorted: the order of a set differs between processes."""
        return sorted(self.entries(values, path), key=json.dumps)


def _as_ascii(name: Any) -> str:
    return str(name).encode("ascii", "backslashreplace").decode("ascii")


def _is_unknown(value: Any) -> bool:
    # Named tuples and other subclasses of plain types would be loaded as another type.
    return isinstance(value, (tuple, list, dict, set, frozenset)) and type(value) not in _PLAIN_COLLECTIONS


_PLAIN_COLLECTIONS = (tuple, list, dict, set, frozenset)


def _write_plain(encoder: Encoder, value: Any, path: str) -> Any:  # noqa: ARG001
    return value


def _write_text(encoder: Encoder, value: str, path: str) -> str:  # noqa: ARG001
    return str(value)


def _write_whole(encoder: Encoder, value: int, path: str) -> Any:  # noqa: ARG001
    if -LARGEST_PLAIN < value < LARGEST_PLAIN:
        return int(value)
    if value.bit_length() > MOST_BITS:
        raise Unkeepable(f"`{path}`: a whole number of more than {MOST_BITS} bits")
    return {"int": hex(value)}


def _write_real(encoder: Encoder, value: float, path: str) -> Any:  # noqa: ARG001
    return float(value) if math.isfinite(value) else {"float": repr(float(value))}


def _write_numpy_scalar(encoder: Encoder, value: np.generic, path: str) -> Any:
    if isinstance(value, np.str_):
        return str(value)
    if value.dtype.name not in KEPT_DTYPES:
        raise Unkeepable(f"`{path}`: {value.dtype} is not a known dtype")
    return {"number": [value.dtype.name, encoder.plain(value.item(), path)]}


def _write_tuple(encoder: Encoder, value: tuple[Any, ...], path: str) -> Any:
    if len(value) > LONG and all(
        type(entry) is int and -LARGEST_PLAIN < entry < LARGEST_PLAIN for entry in value
    ):
        encoder.arrays[path] = np.array(value, np.int64)
        return {"array": path, "as": "tuple"}
    return encoder.entries(value, path)


def _write_dict(encoder: Encoder, value: dict[Any, Any], path: str) -> Any:
    return {
        "dict": [
            [encoder.plain(key, f"{path}.key"), encoder.plain(entry, f"{path}.{at}")]
            for at, (key, entry) in enumerate(value.items())
        ]
    }


def _write_namespace(encoder: Encoder, value: SimpleNamespace, path: str) -> Any:
    # Sorted by name: the parameters of a method come from a set, whose order differs between processes.
    named = sorted(vars(value).items())
    return {"namespace": {name: encoder.plain(entry, f"{path}.{name}") for name, entry in named}}


def _write_range(encoder: Encoder, value: range, path: str) -> Any:
    if len(value) > MOST_IN_RANGE:
        raise Unkeepable(f"`{path}`: a range of {len(value)} numbers, which is more than {MOST_IN_RANGE}")
    return {"range": [encoder.plain(part, path) for part in (value.start, value.stop, value.step)]}


def _write_array(encoder: Encoder, value: np.ndarray[Any, Any], path: str) -> Any:
    if type(value) is np.ndarray and value.ndim == 1 and value.dtype.kind in "OU":
        if value.dtype.kind == "U" and value.size * value.itemsize > 4 * MOST_LETTERS:
            raise Unkeepable(f"`{path}`: an array with more than {MOST_LETTERS} letters")
        return {"texts" if value.dtype.kind == "U" else "objects": encoder.entries(value.tolist(), path)}
    if type(value) is not np.ndarray or value.ndim == 0 or value.dtype.name not in KEPT_DTYPES:
        raise Unkeepable(f"`{path}`: {type(value).__name__} of {value.dtype} is not a known kind of array")
    tree: dict[str, Any] = {"array": path}
    # Keep the memory order, as pickle does: sums in another order could differ in the last digits.
    by_column = value.flags.f_contiguous and not value.flags.c_contiguous
    if by_column:
        tree["order"] = "F"
    kept = value.T if by_column else value
    if value.dtype == np.int64 and (value.size == 0 or -(2**31) <= value.min() <= value.max() < 2**31):
        # Mostly positions and counts: half the size.
        tree["from"], kept = "int32", kept.astype(np.int32)
    assert path not in encoder.arrays, path  # noqa: S101
    encoder.arrays[path] = np.ascontiguousarray(kept, kept.dtype.newbyteorder("="))
    return tree


def _write_null(encoder: Encoder, value: Any, path: str) -> Any:  # noqa: ARG001
    name = {"NAType": "NA", "NaTType": "NaT"}.get(type(value).__name__)
    if name is None:
        raise Unkeepable(f"`{path}`: {type(value).__name__} is not a known class")
    return {"null": name}


_WRITERS: tuple[tuple[Any, Callable[[Encoder, Any, str], Any]], ...] = (
    # numpy's scalars first: np.float64 is also a float.
    (np.generic, _write_numpy_scalar),
    ((bool, type(None)), _write_plain),
    (str, _write_text),
    (int, _write_whole),
    (float, _write_real),
    (tuple, _write_tuple),
    (list, lambda encoder, value, path: {"list": encoder.entries(value, path)}),
    (set, lambda encoder, value, path: {"set": encoder.entries_of_set(value, path)}),
    (frozenset, lambda encoder, value, path: {"frozenset": encoder.entries_of_set(value, path)}),
    (dict, _write_dict),
    (range, _write_range),
    (SimpleNamespace, _write_namespace),
    (np.ndarray, _write_array),
    (object, _write_null),
)
