"""A folder of Parquet files as one table: which columns count, of which types, and in which pieces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import dask
import pyarrow as pa
from dask import delayed

from iim.cluster.folders.finding import Found
from iim.cluster.folders.looking import FileFacts, columns_with_values, look_at
from iim.exceptions import UnusableTable
from iim.files.arrow import is_number, kind_of
from iim.files.cells import read_markers
from iim.files.choosing import EMPTY, IGNORED, INDEX, Choice, refuse_without_numbers
from iim.files.streaming import UNKNOWN, refuse_absent

PIECE_BYTES = 128 * 2**20
"""Bytes of a piece, unpacked, beyond which it gets no further group of rows."""


@dataclass(frozen=True)
class Piece:
    """Rows of a file that are worked on at once.

    Attributes
    ----------
    path : str
        The file.
    groups : tuple of int
        Its groups of rows.
    folder : str
        The folder that it is in, within the table's; what comes of it goes to the same.
    n_rows : int
        Its rows.
    """

    path: str
    groups: tuple[int, ...]
    folder: str
    n_rows: int


@dataclass(frozen=True)
class FolderTable:
    """A folder that was looked at.

    Attributes
    ----------
    name : str
        What to call it in messages.
    n_files : int
        Its files.
    pieces : tuple of Piece
        All rows, in order; a partition each.
    frame : tuple of str
        Columns of the partitions.
    types : dict
        Types of Arrow of those that are read; the others are of no concern, and are left empty.
    filled : tuple of str
        Columns whose holes are filled.
    passed : dict
        Columns that pass through untouched, and why.
    markers : tuple of float or str
        What means "missing" besides the usual.
    notices : tuple of str
        What a user should be told.
    """

    name: str
    n_files: int
    pieces: tuple[Piece, ...]
    frame: tuple[str, ...]
    types: Mapping[str, Any]
    filled: tuple[str, ...]
    passed: Mapping[str, str]
    markers: tuple[float | str, ...]
    notices: tuple[str, ...]

    @property
    def n_rows(self) -> int:
        """All rows."""
        return sum(piece.n_rows for piece in self.pieces)


def describe_to_learn(name: str, files: Sequence[Found], choice: Choice) -> FolderTable:
    """Look at all files, and choose the columns to learn from.

    As for a single file, except that a column is an id if none of its values is twice *in one file*, and
    that types may differ where one of them holds all values.

    Parameters
    ----------
    name : str
        What to call the folder in messages.
    files : sequence of Found
        Its files.
    choice : Choice
        What the user says of columns and cells.

    Returns
    -------
    FolderTable
    """
    markers = read_markers(choice.na)
    survey = _Survey(name, files, markers, ids=choice.columns is None)
    candidates = choice.candidates(survey.columns, name)
    types: dict[str, Any] = {}
    passed: dict[str, str] = {}
    for column in candidates:
        why = survey.why_passed(column, wanted=choice.columns is not None)
        if why is None:
            survey.check_present(column)
            types[column] = survey.common_type(column)
        else:
            passed[column] = why
    for column in survey.empty(types):
        passed[column] = EMPTY
        del types[column]
    passed = {column: passed.get(column, IGNORED) for column in survey.columns if column not in types}
    if not types:
        refuse_without_numbers(passed, name)
    return survey.table(frame=types, types=types, filled=types, passed=passed, markers=markers)


def describe_to_fill(
    name: str,
    files: Sequence[Found],
    choice: Choice,
    *,
    columns: tuple[Sequence[str], Sequence[str]],
    markers: tuple[str, ...],
) -> FolderTable:
    """Look at all files, and find the columns of a model.

    Parameters
    ----------
    name : str
        What to call the folder in messages.
    files : sequence of Found
        Its files.
    choice : Choice
        What else is missing, and which of the model's columns to fill: those left out help to fill the
        others, and keep their holes.
    columns : tuple of two sequences of str
        All columns of the table that the model was learned from, and those that it uses.
    markers : tuple of str
        What the model calls missing.

    Returns
    -------
    FolderTable
    """
    every, used = columns
    missing = read_markers((*choice.na, *markers))
    survey = _Survey(name, files, missing, ids=False)
    types = {}
    for column in used:
        survey.check_present(column, of_model=True)
        types[column] = survey.common_type(column, of_model=True)
    wanted = set(choice.candidates(survey.columns, name))
    filled = [column for column in used if column in wanted]
    passed = {
        column: IGNORED if column in types else UNKNOWN for column in survey.columns if column not in filled
    }
    return survey.table(frame=every, types=types, filled=filled, passed=passed, markers=missing)


class _Survey:
    """All files, looked at."""

    def __init__(
        self, name: str, files: Sequence[Found], markers: tuple[float | str, ...], *, ids: bool
    ) -> None:
        self._name = name
        self._files = files
        self._markers = tuple(marker for marker in markers if isinstance(marker, float))
        self._looks: list[FileFacts] = _run(
            look_at, [(file.path, self._markers) for file in files], ids=ids
        )
        self.columns = tuple(dict.fromkeys(column for look in self._looks for column in look.types))
        if not self.n_rows:
            raise UnusableTable(f"{name} has columns, but no rows.")

    @property
    def n_rows(self) -> int:
        return sum(look.n_rows for look in self._looks)

    def why_passed(self, column: str, *, wanted: bool) -> str | None:
        """Why a column passes through; None if it is numbers to work with."""
        rows = {True: 0, False: 0}
        others = []
        for _, look, dtype in self._of(column):
            if not pa.types.is_null(dtype):
                rows[is_number(dtype)] += max(1, look.n_rows)
                others += [] if is_number(dtype) else [dtype]
        if not any(rows.values()):
            return EMPTY
        # Where most of it is numbers, the first cell that is none will be an error that names it.
        if rows[True] <= rows[False]:
            if wanted:
                raise UnusableTable(
                    f"{self._name}: column {column!r} is {kind_of(others[0])}, where numbers are needed. "
                    "Leave it out of --columns."
                )
            return kind_of(others[0])
        if not wanted and INDEX.fullmatch(column):
            return "index"
        is_id = self.n_rows > 1 and all(column in look.distinct for look in self._looks if look.n_rows)
        return "id" if is_id and not wanted else None

    def check_present(self, column: str, *, of_model: bool = False) -> None:
        """Refuse a file without the column."""
        for file, look in zip(self._files, self._looks, strict=True):
            if column not in look.types:
                if of_model:
                    refuse_absent(column, list(look.types), file.path)
                raise UnusableTable(
                    f"{file.path} has no column {column!r}, which other files of {self._name} have. Leave "
                    f"it alone with --ignore {column!r}, or give all files the same columns."
                )

    def common_type(self, column: str, *, of_model: bool = False) -> Any:
        """The type that holds the numbers of all files; what is no number is left for later."""
        found: dict[Any, str] = {}
        for file, _, dtype in self._of(column):
            found.setdefault(dtype, file.path)
        numbers = [dtype for dtype in found if is_number(dtype)]
        others = [dtype for dtype in found if not is_number(dtype) and not pa.types.is_null(dtype)]
        if of_model and others and not numbers:
            raise UnusableTable(
                f"{self._name}: column {column!r} is {kind_of(others[0])}, but the model fills it with "
                "numbers."
            )
        if not numbers:
            return pa.float64()
        try:
            schemas = [pa.schema([("column", dtype)]) for dtype in numbers]
            return pa.unify_schemas(schemas, promote_options="permissive").field("column").type
        except pa.ArrowException as error:
            listed = ", ".join(f"{dtype} in {found[dtype]}" for dtype in numbers)
            raise UnusableTable(
                f"{self._name}: column {column!r} has types that do not go together ({listed}). Give it "
                "one type in all files."
            ) from error

    def empty(self, columns: Mapping[str, Any]) -> list[str]:
        """Those of some columns that hold no value: by the footers, or, where they do not say it, read."""
        known = frozenset().union(*(look.known for look in self._looks))
        in_doubt = [column for column in columns if column not in known]
        if in_doubt:
            asked = [(file.path, in_doubt, self._markers) for file in self._files]
            known = known.union(*_run(columns_with_values, asked))
        return [column for column in in_doubt if column not in known]

    def table(
        self,
        *,
        frame: Mapping[str, Any] | Sequence[str],
        types: Mapping[str, Any],
        filled: Mapping[str, Any] | Sequence[str],
        passed: Mapping[str, str],
        markers: tuple[float | str, ...],
    ) -> FolderTable:
        looked = zip(self._files, self._looks, strict=True)
        return FolderTable(
            name=self._name,
            n_files=len(self._files),
            pieces=tuple(piece for file, look in looked for piece in _cut(file, look)),
            frame=tuple(frame),
            types=types,
            filled=tuple(filled),
            passed=passed,
            markers=markers,
            notices=self._looks[0].notices,
        )

    def _of(self, column: str) -> Iterator[tuple[Found, FileFacts, Any]]:
        for file, look in zip(self._files, self._looks, strict=True):
            if column in look.types:
                yield file, look, look.types[column]


def _cut(file: Found, look: FileFacts) -> Iterator[Piece]:
    """A file in pieces: groups of rows that follow each other, few enough to be held at once."""
    groups: list[int] = []
    n_rows = n_bytes = 0
    for at, (rows, size) in enumerate(look.groups):
        if groups and n_bytes + size > PIECE_BYTES:
            yield Piece(file.path, tuple(groups), file.folder, n_rows)
            groups, n_rows, n_bytes = [], 0, 0
        groups.append(at)
        n_rows, n_bytes = n_rows + rows, n_bytes + size
    yield Piece(file.path, tuple(groups), file.folder, n_rows)


def _run(function: Any, calls: Sequence[tuple[Any, ...]], **options: Any) -> list[Any]:
    """Call a function many times, on whatever cluster there is."""
    task = delayed(function, pure=False)
    return list(dask.compute(*(task(*call, **options) for call in calls)))
