"""Where bytes go: a file that appears whole or not at all, or a stream."""

from __future__ import annotations

import gzip
import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

from iim.files.layouts import is_gzip_name
from iim.persistence.atomic import NewFile

STANDARD_OUTPUT = "standard output"


class NotWritten(OSError):
    """The output cannot be written: no permission, no room, no such folder."""


class Output:
    """Bytes on their way to a file, a pipe, or standard output.

    A file is written beside the old one and takes its place at :meth:`commit`; without it, nothing is left.
    Pipes and devices, and standard output, get the bytes as they come.

    Parameters
    ----------
    path : str
        Where to; "-" is standard output. A name that ends with ``.gz`` is compressed.
    stdout : file
        Standard output, of bytes.
    encode : callable, optional
        What brings bytes into the encoding of the file; it is told when there are no more.
    """

    def __init__(
        self, path: str, stdout: BinaryIO, encode: Callable[[bytes, bool], bytes] | None = None
    ) -> None:
        self.name = STANDARD_OUTPUT if path == "-" else path
        self._path = path
        self._stdout = stdout
        self._encode = encode
        self._new: NewFile | None = None
        self._closing = ExitStack()
        self._raw: BinaryIO
        self._file: BinaryIO
        self._n_bytes = 0
        self._over = False

    def __enter__(self) -> Self:
        with self._told():
            if self._path == "-":
                self._raw = self._stdout
            elif _is_stream(self._path):
                self._raw = self._closing.enter_context(Path(self._path).open("wb"))
            else:
                self._new = self._closing.enter_context(NewFile(self._path))
                self._raw = self._new.file
            self._file = self._raw
            if is_gzip_name(self._path):
                # No time and no name inside: the same table gives the same bytes.
                self._file = gzip.GzipFile(filename="", fileobj=self._raw, mode="wb", mtime=0)  # type: ignore[assignment]
        return self

    def write(self, part: Any) -> int:
        """Write what comes next."""
        if self._over:
            # Writers of Arrow say goodbye when they are thrown away, to a file that is gone by then.
            return len(memoryview(part))
        data = part if self._encode is None else self._encode(bytes(part), False)  # noqa: FBT003
        with self._told():
            self._file.write(data)
        self._n_bytes += len(memoryview(part))
        return len(memoryview(part))

    def commit(self) -> None:
        """All is written: let it be the file."""
        with self._told():
            if self._encode is not None:
                self._file.write(self._encode(b"", True))  # noqa: FBT003
            if self._file is not self._raw:
                self._file.close()
            if self._new is not None:
                self._new.commit()
            else:
                self._raw.flush()

    # What Arrow's writers ask of a file.
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
        """Errors of writing as such, so that they are told from those of reading; a closed pipe is none."""
        try:
            yield
        except BrokenPipeError:
            raise
        except NotWritten:
            raise
        except OSError as error:
            raise NotWritten(error.errno, error.strerror or str(error), self.name) from error


def _is_stream(path: str) -> bool:
    """Whether there is a pipe or a device of that name, which bytes are sent into."""
    try:
        mode = Path(path).stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))
