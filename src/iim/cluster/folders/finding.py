"""Parquet files by folder: on a disk, or at an address that fsspec knows."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import fsspec
from dask.utils import natural_sort_key
from fsspec.implementations.local import LocalFileSystem

from iim.exceptions import MissingDependency, UnusableFile, UnusableTable
from iim.files.arrow import ArrowFile

ENDINGS = (".parquet", ".parq", ".pq")
"""How the names of Parquet files end."""

NOT_DATA = ("_", ".")
"""How names begin of what lies beside data: summaries, marks of success, files in the making."""


@dataclass(frozen=True)
class Found:
    """A file of a folder.

    Attributes
    ----------
    path : str
        Where it is, for all machines: an absolute path, or an address.
    folder : str
        The folder that it is in, within the one that was searched: "" or, for example, "year=2026".
    """

    path: str
    folder: str = ""


def find_files(place: str) -> tuple[Found, ...]:
    """The Parquet files of a folder and of the folders in it, in the order of their names.

    Parameters
    ----------
    place : str
        A folder, or a single file: a path, or an address such as ``s3://bucket/folder``. Numbers in names
        count as numbers: part-2 is before part-10. What begins with ``_`` or ``.`` is left out.

    Returns
    -------
    tuple of Found
        At least one.
    """
    system, root = file_system(place)
    if not system.exists(root):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), place)
    if system.isfile(root):
        if not root.lower().endswith(ENDINGS):
            raise UnusableTable(
                f"{place} is no Parquet file by its name. With --engine dask, a folder of Parquet files is "
                "needed, or one of them; without --engine, iim reads other files, too."
            )
        return (Found(_whole_path(system, root)),)
    begin = len(root.rstrip("/")) + 1
    names = [path[begin:] for path in system.find(root)]
    names = [name for name in names if name.lower().endswith(ENDINGS) and not _is_beside(name)]
    if not names:
        raise UnusableTable(
            f"{place} has no Parquet files: one whose name ends in {', '.join(ENDINGS)} is needed at least."
        )
    return tuple(
        Found(_whole_path(system, f"{root.rstrip('/')}/{name}"), name.rpartition("/")[0])
        for name in sorted(names, key=natural_sort_key)
    )


def file_system(place: str) -> tuple[Any, str]:
    """What fsspec reads a place with, and its path there."""
    try:
        system, path = fsspec.core.url_to_fs(place)
    except ImportError as error:
        raise MissingDependency(f"To read and write {place!r}: {error}.") from error
    except ValueError as error:
        raise UnusableFile(f"{place!r} is no address that fsspec knows: {error}.") from error
    return system, str(path)


@contextmanager
def open_parquet(path: str) -> Iterator[ArrowFile]:
    """A Parquet file, open while inside."""
    system, inner = file_system(path)
    with system.open(inner, "rb") as file:
        yield ArrowFile(_OpenFile(path, file), "parquet")


@dataclass(frozen=True)
class _OpenFile:
    """A file of fsspec, as :class:`~iim.files.arrow.ArrowFile` takes it."""

    name: str
    file: BinaryIO

    def seekable(self) -> BinaryIO:
        return self.file

    def read(self, n_bytes: int) -> bytes:
        return self.file.read(n_bytes)


def _is_beside(name: str) -> bool:
    return any(part.startswith(NOT_DATA) for part in name.split("/"))


def _whole_path(system: Any, path: str) -> str:
    if isinstance(system, LocalFileSystem):
        return str(Path(path).absolute())
    return str(system.unstrip_protocol(path))
