"""One file: a header that says what it is, JSON, arrays, and a checksum over every byte.

The file is a safetensors file: the length of a header, the header (JSON, with the place of every array and
a table of texts), the arrays. Our own JSON is one of the texts. It begins with the checksum, at a place
that is always the same, so that damage is found before anything is read:

    {"__metadata__":{"iim":"{"format":"iim model","checksum":"<64 digits>","size":"<20 digits>", ...

(inner quotation marks escaped). The checksum is the SHA-256 of the whole file with zeros for its own
digits. It tells damage from health, not friend from stranger: whoever makes a file can make its checksum.
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
"""The version of files that are written and read; that of the first release.

To be raised by any change after which a released iim could refuse a new file, or read it as something else:
a new parameter, attribute, field, class or kind of value, a wider limit. Then the older iim says that it is
too old, instead of that the file is made up.
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
"""What the header calls the kinds of numbers that are kept."""

_NEEDED = {b"[": 64, b"{": 192, b",": 64, b":": 16, b'set"': 256, b'set\\"': 256}
"""Bytes that Python needs for what a part of JSON begins, about."""

_SMALL, _FOR_SET, _FOR_KEY, _USUAL_KEYS = 48, 64, 128, 12
"""Bytes that a number below 100 needs less than other entries, an entry of a set more, and a key more
if objects have more keys than usual, which are not names of fields, then."""

MEMORY_PER_BYTE, FREE_MEMORY = 7, 4_000_000
"""Memory that the JSON of a file may take: in proportion to the file, and for small ones in any case.

Models take up to 5 times the bytes of their files; millions of empty lists would take 40 times as many."""

MOST_DEPTH = 100
"""Levels of lists and objects within each other: Python goes down into them by recursion."""

MOST_HEADER_BYTES = 100_000_000
"""The longest header that safetensors reads."""


def pack(content: Mapping[str, Any], arrays: Arrays) -> list[bytes | memoryview]:
    """JSON and arrays as the bytes of a file.

    Parameters
    ----------
    content : mapping
        What JSON can hold, without NaN and infinity.
    arrays : mapping
        Arrays by name; C-ordered, of booleans or numbers.

    Returns
    -------
    list of bytes-like
        One after the other; not put together, since models can be large.
    """
    from safetensors.numpy import save  # noqa: PLC0415 (only who saves needs it)

    begin = {"format": _FORMAT, "checksum": _NO_CHECKSUM.decode(), "size": "0" * _SIZE_DIGITS}
    document = {**begin, "version": FORMAT_VERSION, **content}
    text = json.dumps(document, allow_nan=False, separators=(",", ":"))
    data = save(dict(arrays), {"iim": text})
    refuse_density(text.encode("utf-8", "surrogatepass"), len(data))
    assert data[_LENGTH_BYTES:_CHECKSUM_AT] == _PREFIX  # noqa: S101 (else nothing could read it)
    assert _header_bytes(data) <= MOST_HEADER_BYTES  # noqa: S101 (the codec leaves enough out)
    size = f"{len(data):0{_SIZE_DIGITS}}".encode()
    before, rest = data[:_CHECKSUM_AT], memoryview(data)[_AFTER_AT:]
    digest = hashlib.sha256(before + _NO_CHECKSUM + _BETWEEN + size)
    digest.update(rest)
    return [before, digest.hexdigest().encode(), _BETWEEN, size, rest]


def read_container(path: str | os.PathLike[str]) -> tuple[dict[str, Any], Arrays]:
    """Read the JSON and the arrays of a file, or say why it cannot be read.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    content : dict
        As it was written, with ``version`` besides.
    arrays : dict
        Arrays by name; C-ordered, aligned, writable.
    """
    shown = f"The file {os.fspath(path)!r}"
    with open(path, "rb", opener=_open_at_once) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise UnusableFile(f"{shown} is a pipe or a device. Name a file that `save` has written.")
        return unpack(file, status.st_size, shown)


def unpack(file: BinaryIO, n_bytes: int, shown: str) -> tuple[dict[str, Any], Arrays]:
    """Read the JSON and the arrays of what has so many bytes, and is shown as ``shown`` in errors."""
    size = _check_beginning(file, n_bytes, shown)
    try:
        content, places = _read_header(file, size)
        arrays = {name: np.empty(place.shape, place.dtype) for name, place in places.items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as error:
        # More often than made up, it is damaged.
        _check_sum(file, shown)
        reason = str(error) if isinstance(error, ValueError) else repr(error)
        raise UnusableFile(f"{shown} {_MADE_UP} (its header: {reason:.200}).") from error
    except MemoryError as error:
        raise UnusableFile(
            f"{shown} has {size} bytes, for which there is not enough memory. Load it where there is more."
        ) from error
    _check_sum(file, shown)
    version = content["version"]
    if version != FORMAT_VERSION:
        advice = "Update iim to load it" if version > FORMAT_VERSION else "Fit and save the model again"
        raise UnusableFile(
            f"{shown} has format version {version}; this iim reads version {FORMAT_VERSION}. {advice}."
        )
    for name, place in places.items():
        # Only now that the file is known to be sound: before it is filled, an array takes no memory.
        _fill_array(file, place, arrays[name], shown)
    return content, arrays


class _Place(NamedTuple):
    """Where an array is."""

    start: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]


def _open_at_once(path: str, flags: int) -> int:
    # Without this, a pipe would be waited for until somebody writes to it.
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _check_beginning(file: BinaryIO, n_bytes: int, shown: str) -> int:
    """The size of a file that says it is ours, and is as long as it says."""
    # A look at the beginning first: what is not ours may be larger than memory.
    begin = file.read(_AFTER_AT + len(_AFTER))
    if not begin:
        raise UnusableFile(f"{shown} is empty. Name a file that `save` has written.")
    is_ours = (
        begin[_LENGTH_BYTES:_CHECKSUM_AT] == _PREFIX
        and begin[_SIZE_AT - len(_BETWEEN) : _SIZE_AT] == _BETWEEN
        and begin[_SIZE_AT:_AFTER_AT].isdigit()
        and begin[_AFTER_AT:] == _AFTER
    )
    if not is_ours:
        raise UnusableFile(
            f"{shown} is not a model that iim saved, or its beginning is damaged. Name a file that "
            "`save` has written."
        )
    size = int(begin[_SIZE_AT:_AFTER_AT])
    if n_bytes != size:
        what = "cut short" if n_bytes < size else "longer than it was"
        raise UnusableFile(
            f"{shown} is {what}: {size} bytes were written, {n_bytes} are there. Copy it again, or "
            "save the model again."
        )
    return size


def _check_sum(file: BinaryIO, shown: str) -> None:
    """Refuse a file that does not fit its checksum, reading it piece by piece."""
    file.seek(0)
    before = file.read(_CHECKSUM_AT)
    expected = file.read(_CHECKSUM_DIGITS)
    digest = hashlib.sha256(before + _NO_CHECKSUM)
    while piece := file.read(_PIECE_BYTES):
        digest.update(piece)
    if digest.hexdigest().encode() != expected:
        raise UnusableFile(
            f"{shown} is damaged: its bytes do not fit its checksum. Copy it again, or save the "
            "model again."
        )


def _read_header(file: BinaryIO, size: int) -> tuple[dict[str, Any], dict[str, _Place]]:
    """The JSON, and where the arrays are; ValueError and the like if it cannot be so."""
    file.seek(0)
    n_bytes = _header_bytes(file.read(_LENGTH_BYTES))
    if n_bytes > min(size - _LENGTH_BYTES, MOST_HEADER_BYTES):
        raise ValueError("it is longer than it can be")
    # Two times JSON: the header, and the text of ours in it.
    header = _parse(file.read(n_bytes), size)
    content = _parse(header.pop("__metadata__")["iim"].encode("utf-8", "surrogatepass"), size)
    version = content["version"]
    if type(version) is not int or version < 1:
        raise ValueError(f"its format version is {version!r:.40}")
    # What another version means by its arrays is not known here.
    return content, {} if version != FORMAT_VERSION else _find_arrays(header, _LENGTH_BYTES + n_bytes, size)


def _find_arrays(header: dict[str, Any], first: int, size: int) -> dict[str, _Place]:
    """Where arrays are that lie side by side, fill the file, and are as large as their shapes say."""
    places, start = {}, first
    for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        shape, dtype = tuple(entry["shape"]), np.dtype(_DTYPES[entry["dtype"]])
        # An array without entries can have any number of empty rows, for which no byte is needed.
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
        raise UnusableFile(f"{shown} was changed while it was read. Load it again.")


def _parse(data: bytes, size: int) -> Any:
    if not data.isascii():
        # Letters of other alphabets are written by their numbers; here, one could make all take four bytes.
        raise ValueError("it is not ASCII")
    refuse_density(data, size)
    return json.loads(data.decode("ascii"), parse_constant=_refuse_constant)


def refuse_density(data: bytes, size: int) -> None:
    """Refuse JSON that would take far more memory than a file of a size has bytes, before it is read."""
    counts = {part: data.count(part) for part in _NEEDED}
    needed = sum(count * _NEEDED[part] for part, count in counts.items())
    needed += _FOR_KEY * max(0, counts[b":"] - _USUAL_KEYS * counts[b"{"])
    needed += _FOR_SET * counts[b","] * (b'set"' in data or b'set\\"' in data)
    if needed - _SMALL * _count_small(data) > MEMORY_PER_BYTE * size + FREE_MEMORY:
        raise ValueError("it would take far more memory than a model of this size")
    if _depth(data) > MOST_DEPTH:
        raise ValueError(f"values in it are within more than {MOST_DEPTH} others")


def _depth(data: bytes) -> int:
    """How deep the brackets go; those in texts count, too."""
    depth = deepest = 0
    for first in range(0, len(data), _PIECE_BYTES):
        letters = np.frombuffer(data, np.uint8, min(_PIECE_BYTES, len(data) - first), first)
        opens, closes = (np.isin(letters, list(pair)) for pair in (b"[{", b"]}"))
        steps = depth + np.cumsum(opens.astype(np.intp) - closes)
        depth, deepest = int(steps[-1]), max(deepest, int(steps.max()))
    return deepest


def _count_small(data: bytes) -> int:
    """How many entries of lists are numbers of one or two digits: Python has each of them once."""
    letters = np.frombuffer(data, np.uint8)
    digit = (letters >= ord("0")) & (letters <= ord("9"))
    begin, end = (letters == ord(",")) | (letters == ord("[")), letters == ord(",")
    one = np.count_nonzero(begin[:-2] & digit[1:-1] & end[2:])
    return int(one + np.count_nonzero(begin[:-3] & digit[1:-2] & digit[2:-1] & end[3:]))


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _header_bytes(data: bytes) -> int:
    return int.from_bytes(data[:_LENGTH_BYTES], "little")


_MADE_UP = "fits its checksum, but holds what no iim has written"
