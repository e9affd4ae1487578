"""The file format: a header, JSON, arrays, and a checksum over every byte.

The file is a safetensors file: the length of the header, the header (JSON, with the offsets of every array
and a table of texts), the arrays. Our own JSON is one of the texts. It begins with the checksum, at a fixed
offset, so that damage is detected before anything is parsed:

    {"__metadata__":{"iim":"{"format":"iim model","checksum":"<64 digits>","size":"<20 digits>", ...

(inner quotation marks escaped). The checksum is the SHA-256 of the whole file with zeros for its own
digits. It detects damage, not forgery: anyone can compute it.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import stat
from collections.abc import Mapping
from typing import Any, BinaryIO, NamedTuple, NoReturn

import numpy as np

from iim.exceptions import UnusableFile

FORMAT_VERSION = 2
"""The version of the file format; that of the first release.

Raise it with any change after which a released iim could refuse a new file or misread it: a new parameter,
attribute, field, class or kind of value, a wider limit. Then an older iim reports that it is too old,
instead of an invalid file.
"""

Arrays = Mapping[str, np.ndarray[Any, Any]]

_FORMAT = "iim model"
_PREFIX = b'{"__metadata__":{"iim":"{\\"format\\":\\"iim model\\",\\"checksum\\":\\"'
_BETWEEN = b'\\",\\"size\\":\\"'
_AFTER = b'\\",\\"version\\":'
_LENGTH_BYTES, _CHECKSUM_DIGITS, _SIZE_DIGITS = 8, 64, 20
_CHECKSUM_AT = _LENGTH_BYTES + len(_PREFIX)
_SIZE_AT = _CHECKSUM_AT + _CHECKSUM_DIGITS + len(_BETWEEN)
_AFTER_AT = _SIZE_AT + _SIZE_DIGITS
_NO_CHECKSUM = b"0" * _CHECKSUM_DIGITS

_PIECE_BYTES = 2**20

_DTYPES = {"BOOL": "bool", "F16": "<f2", "F32": "<f4", "F64": "<f8"} | {
    f"{kind}{8 * n_bytes}": f"<{kind.lower()}{n_bytes}" for kind in "IU" for n_bytes in (1, 2, 4, 8)
}
"""dtypes of arrays, by their names in the header."""

_NEEDED = {b"[": 64, b"{": 192, b",": 64, b":": 16, b'set"': 256, b'set\\"': 256}
"""Approximate bytes of memory for the Python object that each token starts."""

_SMALL, _FOR_SET, _FOR_KEY, _USUAL_KEYS = 48, 64, 128, 12
"""Corrections in bytes: less for a number below 100, more for an entry of a set, and more for each key
beyond the usual number per object (field names are shared, other keys are not)."""

MEMORY_PER_BYTE, FREE_MEMORY = 7, 4_000_000
"""Memory allowed for the JSON of a file: per byte of the file, plus a constant.

Models take up to 5 times the bytes of their files; millions of empty lists would take 40 times as many."""

MOST_DEPTH = 100
"""Most levels of nested lists and objects: Python's parser is recursive."""

MOST_HEADER_BYTES = 100_000_000
"""Longest header that safetensors reads."""


def pack(content: Mapping[str, Any], arrays: Arrays) -> list[bytes | memoryview]:
    """JSON and arrays as the bytes of a file.

    Parameters
    ----------
    content : mapping
        JSON values, without NaN and infinity.
    arrays : mapping
        Arrays by name; C-ordered, of booleans or numbers.

    Returns
    -------
    list of bytes-like
        In order; not joined, since models can be large.
    """
    from safetensors.numpy import save  # noqa: PLC0415 (only needed to save)

    begin = {"format": _FORMAT, "checksum": _NO_CHECKSUM.decode(), "size": "0" * _SIZE_DIGITS}
    document = {**begin, "version": FORMAT_VERSION, **content}
    text = json.dumps(document, allow_nan=False, separators=(",", ":"))
    data = save(dict(arrays), {"iim": text})
    refuse_density(text.encode("utf-8", "surrogatepass"), len(data))
    assert data[_LENGTH_BYTES:_CHECKSUM_AT] == _PREFIX  # noqa: S101 (the reader requires it)
    assert _header_bytes(data) <= MOST_HEADER_BYTES  # noqa: S101 (the encoder limits it)
    size = f"{len(data):0{_SIZE_DIGITS}}".encode()
    before, rest = data[:_CHECKSUM_AT], memoryview(data)[_AFTER_AT:]
    digest = hashlib.sha256(before + _NO_CHECKSUM + _BETWEEN + size)
    digest.update(rest)
    return [before, digest.hexdigest().encode(), _BETWEEN, size, rest]


def read_container(path: str | os.PathLike[str]) -> tuple[dict[str, Any], Arrays]:
    """Read the JSON and the arrays of a file, or raise UnusableFile with the reason.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    content : dict
        As written, with ``version`` added.
    arrays : dict
        Arrays by name; C-ordered, aligned, writable.
    """
    shown = f"The file {os.fspath(path)!r}"
    with open(path, "rb", opener=_open_at_once) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise UnusableFile(f"{shown} is a pipe or a device. Give a file that `save` has written.")
        return unpack(file, status.st_size, shown)


def unpack(file: BinaryIO, n_bytes: int, shown: str) -> tuple[dict[str, Any], Arrays]:
    """Read the JSON and the arrays of a stream of ``n_bytes``; errors call it ``shown``."""
    size = _check_beginning(file, n_bytes, shown)
    try:
        content, places = _read_header(file, size)
        arrays = {name: np.empty(place.shape, place.dtype) for name, place in places.items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as error:
        # Damage is more likely than forgery: check it first.
        _check_sum(file, shown)
        reason = str(error) if isinstance(error, ValueError) else repr(error)
        raise UnusableFile(f"{shown} {_MADE_UP} (its header: {reason:.200}).") from error
    except MemoryError as error:
        raise UnusableFile(
            f"{shown} has {size} bytes, and there is not enough memory. Load it on a machine with more."
        ) from error
    _check_sum(file, shown)
    version = content["version"]
    if version != FORMAT_VERSION:
        advice = "Update iim to load it" if version > FORMAT_VERSION else "Fit and save the model again"
        raise UnusableFile(
            f"{shown} has format version {version}; this iim reads version {FORMAT_VERSION}. {advice}."
        )
    for name, place in places.items():
        # After the checksum; an empty array takes no memory before it is filled.
        _fill_array(file, place, arrays[name], shown)
    return content, arrays


class _Place(NamedTuple):
    """Offset, shape and dtype of an array."""

    start: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]


def _open_at_once(path: str, flags: int) -> int:
    # Without O_NONBLOCK, opening a pipe waits for a writer.
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _check_beginning(file: BinaryIO, n_bytes: int, shown: str) -> int:
    """Check the start and the size of a file; return the size."""
    # Only the start: another file may be larger than memory.
    begin = file.read(_AFTER_AT + len(_AFTER))
    if not begin:
        raise UnusableFile(f"{shown} is empty. Give a file that `save` has written.")
    is_ours = (
        begin[_LENGTH_BYTES:_CHECKSUM_AT] == _PREFIX
        and begin[_SIZE_AT - len(_BETWEEN) : _SIZE_AT] == _BETWEEN
        and begin[_SIZE_AT:_AFTER_AT].isdigit()
        and begin[_AFTER_AT:] == _AFTER
    )
    if not is_ours:
        raise UnusableFile(
            f"{shown} is not a model that iim saved, or its start is damaged. Give a file that `save` has "
            "written."
        )
    size = int(begin[_SIZE_AT:_AFTER_AT])
    if n_bytes != size:
        what = "truncated" if n_bytes < size else "too long"
        raise UnusableFile(
            f"{shown} is {what}: it has {n_bytes} bytes instead of {size}. Copy it again, or save the "
            "model again."
        )
    return size


def _check_sum(file: BinaryIO, shown: str) -> None:
    """Refuse a file with a wrong checksum; reads it in chunks."""
    file.seek(0)
    before = file.read(_CHECKSUM_AT)
    expected = file.read(_CHECKSUM_DIGITS)
    digest = hashlib.sha256(before + _NO_CHECKSUM)
    while piece := file.read(_PIECE_BYTES):
        digest.update(piece)
    if digest.hexdigest().encode() != expected:
        raise UnusableFile(f"{shown} is damaged: wrong checksum. Copy it again, or save the model again.")


def _read_header(file: BinaryIO, size: int) -> tuple[dict[str, Any], dict[str, _Place]]:
    """The JSON and the places of the arrays; raises ValueError and the like if they are invalid."""
    file.seek(0)
    n_bytes = _header_bytes(file.read(_LENGTH_BYTES))
    if n_bytes > min(size - _LENGTH_BYTES, MOST_HEADER_BYTES):
        raise ValueError("it is too long")
    # JSON within JSON: the header contains our JSON as text.
    header = _parse(file.read(n_bytes), size)
    content = _parse(header.pop("__metadata__")["iim"].encode("utf-8", "surrogatepass"), size)
    version = content["version"]
    if type(version) is not int or version < 1:
        raise ValueError(f"its format version is {version!r:.40}")
    # Arrays of another version may have another meaning.
    return content, {} if version != FORMAT_VERSION else _find_arrays(header, _LENGTH_BYTES + n_bytes, size)


def _find_arrays(header: dict[str, Any], first: int, size: int) -> dict[str, _Place]:
    """The places of the arrays; they must be contiguous, fill the file and match their shapes."""
    places, start = {}, first
    for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        shape, dtype = tuple(entry["shape"]), np.dtype(_DTYPES[entry["dtype"]])
        # Bounded, because an array without entries could have any number of empty rows.
        if not all(type(length) is int and 0 <= length <= size for length in shape):
            raise ValueError(f"the shape of the array {name!r:.80}")
        places[name] = _Place(start, shape, dtype)
        stop = start + math.prod(shape) * dtype.itemsize
        if entry["data_offsets"] != [start - first, stop - first]:
            raise ValueError(f"the place of the array {name!r:.80}")
        start = stop
    if start != size:
        raise ValueError("its arrays do not fill the file")
    return places


def _fill_array(file: BinaryIO, place: _Place, array: np.ndarray[Any, Any], shown: str) -> None:
    if array.size == 0:
        return
    file.seek(place.start)
    if file.readinto(array.reshape(-1).view(np.uint8)) != array.nbytes:  # type: ignore[attr-defined]
        raise UnusableFile(f"{shown} changed while it was read. Load it again.")


def _parse(data: bytes, size: int) -> Any:
    if not data.isascii():
        # We write other characters as escapes. A single one in a text could make Python use four bytes for
        # each of its characters.
        raise ValueError("it is not ASCII")
    refuse_density(data, size)
    return json.loads(data.decode("ascii"), parse_constant=_refuse_constant)


def refuse_density(data: bytes, size: int) -> None:
    """Refuse JSON that would take far more memory than a file of this size, before parsing it."""
    counts = {part: data.count(part) for part in _NEEDED}
    needed = sum(count * _NEEDED[part] for part, count in counts.items())
    needed += _FOR_KEY * max(0, counts[b":"] - _USUAL_KEYS * counts[b"{"])
    needed += _FOR_SET * counts[b","] * (b'set"' in data or b'set\\"' in data)
    if needed - _SMALL * _count_small(data) > MEMORY_PER_BYTE * size + FREE_MEMORY:
        raise ValueError("it would take far more memory than a model of this size")
    if _depth(data) > MOST_DEPTH:
        raise ValueError(f"values are nested more than {MOST_DEPTH} levels deep")


def _depth(data: bytes) -> int:
    """Nesting depth of brackets; those in texts count too."""
    depth = deepest = 0
    for first in range(0, len(data), _PIECE_BYTES):
        letters = np.frombuffer(data, np.uint8, min(_PIECE_BYTES, len(data) - first), first)
        opens, closes = (np.isin(letters, list(pair)) for pair in (b"[{", b"]}"))
        steps = depth + np.cumsum(opens.astype(np.intp) - closes)
        depth, deepest = int(steps[-1]), max(deepest, int(steps.max()))
    return deepest


def _count_small(data: bytes) -> int:
    """How many entries of lists are numbers of one or two digits; Python caches these objects."""
    letters = np.frombuffer(data, np.uint8)
    digit = (letters >= ord("0")) & (letters <= ord("9"))
    begin, end = (letters == ord(",")) | (letters == ord("[")), letters == ord(",")
    one = np.count_nonzero(begin[:-2] & digit[1:-1] & end[2:])
    return int(one + np.count_nonzero(begin[:-3] & digit[1:-2] & digit[2:-1] & end[3:]))


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _header_bytes(data: bytes) -> int:
    return int.from_bytes(data[:_LENGTH_BYTES], "little")


_MADE_UP = "has a valid checksum, but its content is invalid"
