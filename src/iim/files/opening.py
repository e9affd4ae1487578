"""The bytes of a file or of standard input: unpacked if they are packed, as UTF-8 or a kin of ASCII."""

from __future__ import annotations

import codecs
import gzip
import io
import os
import zlib
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from iim.exceptions import UnusableTable

GZIP = b"\x1f\x8b"
"""How a file compressed with gzip begins."""

HEAD = 1 << 20
"""Bytes that are looked at to find out what a file is."""

STANDARD_INPUT = "standard input"

_OF_TABLES = 'a.b,"1.5";-2\t|\r\n'
_OF_NAMES = ("idna", "punycode")


class Opened:
    """A file that is read once, from its beginning to its end.

    Parameters
    ----------
    path : str
        The file; "-" is standard input.
    stdin : file
        Standard input, of bytes.

    Attributes
    ----------
    name : str
        What to call it in messages.
    path : str
        As given.
    is_packed : bool
        Whether it is compressed.
    """

    def __init__(self, path: str, stdin: BinaryIO) -> None:
        self.path = path
        self.name = STANDARD_INPUT if path == "-" else path
        self._file = stdin if path == "-" else _open(path)
        self._owned = path != "-"
        # Not by seeking to the end: standard input may be a pipe, and so may a file with a name.
        self._size = _size(self._file)
        self._counted = _Counted(self._file)
        begin = self._counted.read(len(GZIP))
        self._counted.push_back(begin)
        self.is_packed = begin == GZIP
        self._bytes: BinaryIO = (
            gzip.GzipFile(fileobj=self._counted) if self.is_packed else self._counted  # type: ignore[assignment]
        )
        self._pushed = b""

    def read(self, n_bytes: int) -> bytes:
        """The next bytes, as many as asked for if there are so many."""
        parts, missing = [self._pushed[:n_bytes]], n_bytes
        self._pushed = self._pushed[n_bytes:]
        missing -= len(parts[0])
        while missing > 0:
            part = self._read(missing)
            if not part:
                break
            parts.append(part)
            missing -= len(part)
        return b"".join(parts)

    def head(self, n_bytes: int = HEAD) -> bytes:
        """The first bytes, which are read again later."""
        head = self.read(n_bytes)
        self._pushed = head + self._pushed
        return head

    def fraction(self) -> float:
        """How much of the file is read, from 0 to 1; 0 if that is not known."""
        return min(1.0, self._counted.n_bytes / self._size) if self._size else 0.0

    def seekable(self) -> BinaryIO | None:
        """The file itself, if one can jump in it and nothing is packed."""
        if self._owned and not self.is_packed and self._file.seekable():
            self._file.seek(0)
            return self._file
        return None

    def close(self) -> None:
        """Close what was opened here."""
        if self._owned:
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _read(self, n_bytes: int) -> bytes:
        try:
            return self._bytes.read(n_bytes)
        except OSError as error:
            if not isinstance(error, gzip.BadGzipFile):
                error.filename = self.path
                raise
            raise UnusableTable(self._damaged(error)) from error
        except (EOFError, zlib.error) as error:
            raise UnusableTable(self._damaged(error)) from error

    def _damaged(self, error: Exception) -> str:
        return f"{self.name} is compressed with gzip, but damaged or cut off ({error}). Get it again."


class _Counted(io.RawIOBase):
    """Bytes of a stream, counted; what was read too far can be put back."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._pushed = b""
        self.n_bytes = 0

    def read(self, n_bytes: int = -1) -> bytes:
        part, self._pushed = self._pushed[:n_bytes], self._pushed[n_bytes:]
        if not part:
            part = self._stream.read(n_bytes) or b""
        self.n_bytes += len(part)
        return part

    def push_back(self, part: bytes) -> None:
        self._pushed = part
        self.n_bytes -= len(part)


def _open(path: str) -> BinaryIO:
    if not path:
        raise UnusableTable("The path of a file is needed; received an empty one.")
    if Path(path).is_dir():
        raise UnusableTable(
            f"{path} is a folder. The path of a file is needed; for a folder of Parquet files, add "
            "--engine dask to `iim fit` or `iim apply`."
        )
    return Path(path).open("rb")


def _size(file: BinaryIO) -> int | None:
    try:
        found = os.fstat(file.fileno()).st_size
    except (OSError, AttributeError):
        return None
    return found or None


class Decoded:
    """The bytes of text in any encoding as bytes that are kin of ASCII, and back.

    Text in UTF-8 and in encodings of one byte a letter is left as it is: delimiters, quotes and digits are
    the same bytes there. Text in any other encoding becomes UTF-8.

    Parameters
    ----------
    encoding : str or None
        As given by the user; None is UTF-8.
    name : str
        What to call the file in messages.
    """

    def __init__(self, encoding: str | None, name: str) -> None:
        self.codec = _find_codec(encoding or "utf-8")
        self._name = name
        self._mark, self._written_as = b"", self.codec.name
        self._said = encoding
        self.is_utf8 = self.codec.name in ("utf-8", "utf-8-sig")
        self.recoded = not self.is_utf8 and not _is_single_byte(self.codec)
        self.letters = "utf-8" if self.recoded or self.is_utf8 else self.codec.name
        self._decode = codecs.getincrementaldecoder(self.codec.name)().decode
        self._n_lines = 1

    def check_head(self, head: bytes) -> None:
        """Refuse what begins as text of another encoding, or as no text at all."""
        wide = head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        if not self.recoded and (wide or _alternates(head)):
            raise UnusableTable(f"{self._name} looks like UTF-16. Say so with --encoding utf-16.")
        if not self.recoded and b"\x00" in head:
            raise UnusableTable(f"{self._name} is no text file: it holds bytes of zero.")
        if self.codec.name == "utf-16" and head.startswith(codecs.BOM_UTF16_BE):
            # By itself, Python would write the other of the two.
            self._mark, self._written_as = codecs.BOM_UTF16_BE, "utf-16-be"

    def take(self, part: bytes, *, last: bool) -> bytes:
        """The next bytes, checked and recoded."""
        if not self.is_utf8 and not self.recoded:
            return part
        try:
            text = self._decode(part, last)
        except UnicodeDecodeError as error:
            line = self._n_lines + error.object.count(b"\n", 0, error.start)
            raise UnusableTable(self._complaint(error, line)) from error
        if not self.recoded:
            self._n_lines += part.count(b"\n")
            return part
        self._n_lines += text.count("\n")
        return text.encode()

    def encoder(self) -> Callable[[bytes, bool], bytes] | None:
        """What turns bytes, and then the end, back into the encoding of the file; None if nothing does."""
        if not self.recoded:
            return None
        encode = codecs.getincrementalencoder(self._written_as)().encode
        marks = iter([self._mark])
        return lambda part, last: next(marks, b"") + encode(part.decode(), last)

    def _complaint(self, error: UnicodeDecodeError, line: int) -> str:
        byte = error.object[error.start]
        if self.is_utf8:
            advice = "If it is Western European text, say so with --encoding latin-1 (or cp1252)"
        else:
            advice = "Give the right --encoding"
        said = self._said or "UTF-8"
        return f"{self._name} is not in {said}: byte 0x{byte:02X} in line {line}. {advice}."


def _find_codec(encoding: str) -> codecs.CodecInfo:
    try:
        # Some codecs are no encodings of text, and some cannot hold what a table is made of.
        codec = codecs.lookup(encoding)
        if codec.name not in _OF_NAMES and _OF_TABLES.encode(encoding).decode(encoding) == _OF_TABLES:
            return codec
    except (LookupError, ValueError, TypeError):
        pass  # told below
    raise UnusableTable(
        f"The encoding {encoding!r} is not known, or not one of text. Give one such as utf-8, latin-1, "
        "cp1252 or utf-16."
    )


def _is_single_byte(codec: codecs.CodecInfo) -> bool:
    """Whether each byte is a letter, the first 128 those of ASCII."""
    ascii_part = bytes(range(128))
    try:
        text, _ = codec.decode(ascii_part, "strict")
        every, _ = codec.decode(bytes(range(256)), "replace")
    except (UnicodeError, TypeError, ValueError):
        return False
    return isinstance(every, str) and text == ascii_part.decode() and len(every) == 256


def _alternates(head: bytes) -> bool:
    """Whether every other byte is zero, as in UTF-16 without its mark."""
    some = head[:200]
    return len(some) >= 8 and (not any(some[1::2]) or not any(some[::2])) and any(some)
