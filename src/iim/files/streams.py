"""Streams of bytes: an input that is read once, and an output that is written atomically."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

from iim.exceptions import UnusableTable
from iim.persistence.atomic import NewFile, own_descriptor

GZIP = b"\x1f\x8b"
"""First bytes of gzip."""

HEAD = 1 << 20
"""Bytes examined to detect the format of a file."""

STANDARD_INPUT, STANDARD_OUTPUT = "standard input", "standard output"


class Opened(ExitStack):
    """A file that is read once, from start to end.

    Parameters
    ----------
    path : str
        The file; "-" is standard input.
    stdin : file
        Standard input, of bytes.

    Attributes
    ----------
    name : str
        Its name in messages.
    path : str
        The path.
    is_packed : bool
        Whether it is compressed.
    """

    def __init__(self, path: str, stdin: BinaryIO) -> None:
        super().__init__()
        self.path = path
        self.name = STANDARD_INPUT if path == "-" else path
        self._owned = path != "-"
        if not path:
            raise UnusableTable("The path of a file is needed; received an empty one.")
        if self._owned and Path(path).is_dir():
            raise UnusableTable(
                f"{path} is a folder. The path of a file is needed; for a folder of Parquet files, use "
                "`iim cluster`."
            )
        self._file: Any = stdin
        if self._owned:
            self._file = self.enter_context(Path(path).open("rb"))  # noqa: SIM115 (entered here)
        # Without seeking: standard input and named files may be pipes.
        self._pushed = self._file.read(len(GZIP))
        self.is_packed = self._pushed == GZIP
        self._bytes: Any = self._file
        if self.is_packed:
            stream: Any = _Again(self._pushed, self._file)
            self._bytes = gzip.GzipFile(fileobj=stream)
            self._pushed = b""

    def read(self, n_bytes: int) -> bytes:
        """The next ``n_bytes`` bytes; fewer at the end."""
        parts = [self._pushed[:n_bytes]]
        self._pushed = self._pushed[n_bytes:]
        missing = n_bytes - len(parts[0])
        try:
            while missing > 0 and (part := self._bytes.read(missing)):
                parts.append(part)
                missing -= len(part)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise UnusableTable(
                f"{self.name} is compressed with gzip, but damaged or cut off ({error}). Get it again."
            ) from error
        except OSError as error:
            error.filename = self.path
            raise
        return b"".join(parts)

    def head(self, n_bytes: int = HEAD) -> bytes:
        """The first bytes; later reads return them again."""
        head = self.read(n_bytes)
        self._pushed = head + self._pushed
        return head

    def rest(self) -> bytes:
        """All remaining bytes."""
        parts = []
        while part := self.read(1 << 22):
            parts.append(part)
        return b"".join(parts)

    def fraction(self) -> float:
        """Share of the file that has been read, from 0 to 1; 0 if unknown."""
        try:
            size = os.fstat(self._file.fileno()).st_size
            return min(1.0, self._file.tell() / size) if size else 0.0
        except (OSError, AttributeError):
            return 0.0

    def seekable(self) -> BinaryIO | None:
        """The file itself, if it is seekable and not compressed."""
        if self._owned and not self.is_packed and self._file.seekable():
            self._file.seek(0)
            found: BinaryIO = self._file
            return found
        return None


class _Again:
    """A stream whose first bytes were read already, and are read again."""

    def __init__(self, begin: bytes, stream: Any) -> None:
        self._begin = begin
        self._stream = stream

    def read(self, n_bytes: int = -1) -> bytes:
        part, self._begin = self._begin, b""
        return part or self._stream.read(n_bytes) or b""


class NotWritten(OSError):
    """The output cannot be written: no permission, no space, no such folder."""


class Output:
    """Bytes on their way to a file, a pipe, or standard output.

    A file is written beside the old one and replaces it at :meth:`commit`; without it, nothing is left.
    Pipes and devices, standard output and other open files of this process (/dev/stdout, /dev/fd/3) get the
    bytes directly.

    Parameters
    ----------
    path : str
        The output; "-" is standard output. A name that ends with ``.gz`` is compressed.
    stdout : file
        Standard output, of bytes.
    """

    def __init__(self, path: str, stdout: BinaryIO) -> None:
        self.name = STANDARD_OUTPUT if path == "-" else path
        self._path = path
        self._stdout = stdout
        self._new: NewFile | None = None
        self._closing = ExitStack()
        self._raw: BinaryIO
        self._file: BinaryIO
        self._n_bytes = 0
        self._over = False

    def __enter__(self) -> Self:
        with self._told():
            place = Path(self._path)
            descriptor = own_descriptor(self._path)
            if self._path == "-":
                self._raw = self._stdout
            elif descriptor is not None:
                # Not by its name: opening it would truncate the file behind it.
                self._raw = self._closing.enter_context(os.fdopen(os.dup(descriptor), "wb"))
            elif place.exists() and not (place.is_file() or place.is_dir()):
                self._raw = self._closing.enter_context(place.open("wb"))
            else:
                self._new = self._closing.enter_context(NewFile(self._path))
                self._raw = self._new.file
            self._file = self._raw
            if self._path.lower().endswith(".gz"):
                # No time and no name inside, so that the same table gives the same bytes.
                self._file = gzip.GzipFile(filename="", fileobj=self._raw, mode="wb", mtime=0)  # type: ignore[assignment]
        return self

    def write(self, part: Any) -> int:
        """Write the next bytes."""
        if self._over:
            # Discarded writers of Arrow still write an end, when the file is closed already.
            return len(memoryview(part))
        with self._told():
            self._file.write(part)
        self._n_bytes += len(memoryview(part))
        return len(memoryview(part))

    def commit(self) -> None:
        """Finish: the new file replaces the old one."""
        with self._told():
            if self._file is not self._raw:
                self._file.close()
            if self._new is not None:
                self._new.commit()
            else:
                self._raw.flush()

    # Methods that Arrow's writers call.
    closed = False

    def tell(self) -> int:
        """Bytes written so far."""
        return self._n_bytes

    def flush(self) -> None:
        """Nothing to do before :meth:`commit`."""

    def close(self) -> None:
        """Nothing to do before :meth:`commit`."""

    def writable(self) -> bool:
        """Always."""
        return True

    def readable(self) -> bool:
        """Never."""
        return False

    def seekable(self) -> bool:
        """Never."""
        return False

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over = True
        with self._told():
            self._closing.close()

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Mark errors of writing, to distinguish them from errors of reading; a closed pipe is neither."""
        try:
            yield
        except BrokenPipeError:
            raise
        except NotWritten:
            raise
        except OSError as error:
            raise NotWritten(error.errno, error.strerror or str(error), self.name) from error
