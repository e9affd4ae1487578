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
import os
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, NoReturn

import numpy as np

from iim.exceptions import UnusableFile
from iim.keeping.atomic import replace_file

FORMAT_VERSION = 1
"""The version of files that are written, and the newest that is read. Older ones are read, too.

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

MOST_HEADER_BYTES = 100_000_000
"""The longest header that safetensors reads."""


def write_container(path: str | os.PathLike[str], content: Mapping[str, Any], arrays: Arrays) -> None:
    """Write JSON and arrays to one file.

    Parameters
    ----------
    path : str or path
        The file; it is replaced as a whole.
    content : mapping
        What JSON can hold, without NaN and infinity.
    arrays : mapping
        Arrays by name; C-ordered, of booleans or numbers.
    """
    from safetensors.numpy import save  # noqa: PLC0415 (only who saves needs it)

    begin = {"format": _FORMAT, "checksum": _NO_CHECKSUM.decode(), "size": "0" * _SIZE_DIGITS}
    document = {**begin, "version": FORMAT_VERSION, **content}
    text = json.dumps(document, allow_nan=False, separators=(",", ":"))
    data = bytearray(save(dict(arrays), {"iim": text}))
    assert data[_LENGTH_BYTES:_CHECKSUM_AT] == _PREFIX  # noqa: S101 (else nothing could read it)
    assert _header_bytes(data) <= MOST_HEADER_BYTES  # noqa: S101 (the codec leaves enough out)
    data[_SIZE_AT:_AFTER_AT] = f"{len(data):0{_SIZE_DIGITS}}".encode()
    data[_CHECKSUM_AT : _CHECKSUM_AT + _CHECKSUM_DIGITS] = _checksum(data)
    replace_file(path, bytes(data))


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
    with Path(path).open("rb") as file:
        data = _read_sound(file, path)
    header = data[_LENGTH_BYTES : _LENGTH_BYTES + _header_bytes(data)]
    try:
        # Two times JSON: the header, and the text of ours in it.
        content = json.loads(_parse(header)["__metadata__"]["iim"], parse_constant=_refuse_constant)
        version = content["version"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UnusableFile(f"{_shown(path)} {_MADE_UP} (its header: {error}).") from error
    if type(version) is not int or version < 1:
        raise UnusableFile(f"{_shown(path)} {_MADE_UP} (its format version is {version!r:.40}).")
    if version > FORMAT_VERSION:
        raise UnusableFile(
            f"{_shown(path)} has format version {version}; this iim reads versions up to {FORMAT_VERSION}. "
            "Update iim to load it."
        )
    return content, _read_arrays(data, path)


def _read_sound(file: IO[bytes], path: str | os.PathLike[str]) -> bytes:
    """All bytes of a file that says it is ours, is as long as it says, and fits its checksum."""
    # A look at the beginning first: what is not ours may be larger than memory.
    begin = file.read(_AFTER_AT + len(_AFTER))
    if not begin:
        raise UnusableFile(f"{_shown(path)} is empty. Name a file that `save` has written.")
    is_ours = (
        begin[_LENGTH_BYTES:_CHECKSUM_AT] == _PREFIX
        and begin[_SIZE_AT - len(_BETWEEN) : _SIZE_AT] == _BETWEEN
        and begin[_SIZE_AT:_AFTER_AT].isdigit()
        and begin[_AFTER_AT:] == _AFTER
    )
    if not is_ours:
        raise UnusableFile(
            f"{_shown(path)} is not a model that iim saved, or its beginning is damaged. Name a file that "
            "`save` has written."
        )
    size, there = int(begin[_SIZE_AT:_AFTER_AT]), os.fstat(file.fileno()).st_size
    if there != size:
        what = "cut short" if there < size else "longer than it was"
        raise UnusableFile(
            f"{_shown(path)} is {what}: {size} bytes were written, {there} are there. Copy it again, or "
            "save the model again."
        )
    data = begin + file.read(size - len(begin))
    if len(data) != size or _checksum(data) != data[_CHECKSUM_AT : _CHECKSUM_AT + _CHECKSUM_DIGITS]:
        raise UnusableFile(
            f"{_shown(path)} is damaged: its bytes do not fit its checksum. Copy it again, or save the "
            "model again."
        )
    if _header_bytes(data) > min(size - _LENGTH_BYTES, MOST_HEADER_BYTES):
        raise UnusableFile(f"{_shown(path)} {_MADE_UP} (its header is longer than it can be).")
    return data


def _read_arrays(data: bytes, path: str | os.PathLike[str]) -> Arrays:
    from safetensors import SafetensorError  # noqa: PLC0415 (only who loads needs it)
    from safetensors.numpy import load  # noqa: PLC0415

    try:
        # It checks that arrays lie within the file, side by side, and are as large as their shapes say.
        arrays = load(data)
    except (SafetensorError, ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        raise UnusableFile(f"{_shown(path)} {_MADE_UP} (its arrays: {error!r:.200}).") from error
    # An array without entries can have any number of empty rows, for which no byte is needed.
    if any(length > len(data) for array in arrays.values() for length in array.shape):
        raise UnusableFile(f"{_shown(path)} {_MADE_UP} (an array is longer than the file).")
    return {name: np.require(array, requirements=["C", "A", "W"]) for name, array in arrays.items()}


def _parse(text: bytes) -> Any:
    return json.loads(text.decode("utf-8"), parse_constant=_refuse_constant)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _checksum(data: bytes | bytearray) -> bytes:
    digest = hashlib.sha256(memoryview(data)[:_CHECKSUM_AT])
    digest.update(_NO_CHECKSUM)
    digest.update(memoryview(data)[_CHECKSUM_AT + _CHECKSUM_DIGITS :])
    return digest.hexdigest().encode()


def _header_bytes(data: bytes | bytearray) -> int:
    return int.from_bytes(data[:_LENGTH_BYTES], "little")


def _shown(path: str | os.PathLike[str]) -> str:
    return f"The file {os.fspath(path)!r}"


_MADE_UP = "fits its checksum, but holds what no iim has written"
