"""What there is to know of a Parquet file without reading all of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow.compute as pc

from iim.cluster.folders.finding import open_parquet
from iim.files.arrow import ArrowFile, holes_in, is_number, load_arrow, numbers_of
from iim.files.choosing import NAME_OF_IDS


@dataclass(frozen=True)
class FileFacts:
    """What a file says of itself.

    Attributes
    ----------
    groups : tuple of (int, int)
        Rows and bytes of each group of rows.
    types : dict
        Types of Arrow by column, in the order of the file.
    notices : tuple of str
        What a user should be told.
    known : frozenset of str
        Columns of numbers of which the footer proves that they hold a value; of others it is not known.
    distinct : frozenset of str
        Columns that are called as ids are, and hold whole numbers: none missing, none twice.
    """

    groups: tuple[tuple[int, int], ...]
    types: Mapping[str, Any]
    notices: tuple[str, ...]
    known: frozenset[str]
    distinct: frozenset[str]

    @property
    def n_rows(self) -> int:
        """Rows of the file."""
        return sum(n_rows for n_rows, _ in self.groups)


def look_at(path: str, markers: tuple[float, ...], *, ids: bool) -> FileFacts:
    """Read the footer of a file, and the columns that may be ids.

    Parameters
    ----------
    path : str
        The file.
    markers : tuple of float
        What means "missing" besides nulls and NaN.
    ids : bool
        Whether ids are wanted.

    Returns
    -------
    FileFacts
    """
    with open_parquet(path) as source:
        footer = source.footer
        groups = [footer.row_group(at) for at in range(footer.num_row_groups)]
        types = dict(zip(source.columns, source.schema.types, strict=True))
        called_so = [
            name
            for name, dtype in types.items()
            if ids and NAME_OF_IDS.fullmatch(name) and load_arrow().types.is_integer(dtype)
        ]
        return FileFacts(
            groups=tuple((group.num_rows, group.total_byte_size) for group in groups),
            types=types,
            notices=source.notices,
            known=frozenset(_known_by_footer(source, types, markers)),
            distinct=frozenset(name for name in called_so if _is_distinct(source, name, markers)),
        )


def columns_with_values(path: str, names: Collection[str], markers: tuple[float, ...]) -> set[str]:
    """Those of some columns of numbers that hold a value in a file; all of them are read."""
    with open_parquet(path) as source:
        here = [name for name in names if name in source.columns]
        table = source.select(here)
    return {
        name
        for name in here
        if is_number(table.column(name).type)
        and not bool(holes_in(numbers_of(table.column(name), markers)).all())
    }


def _is_distinct(source: ArrowFile, name: str, markers: tuple[float, ...]) -> bool:
    column = numbers_of(source.select([name]).column(name), markers)
    return bool(column.null_count == 0 and pc.count_distinct(column).as_py() == len(column))


def _known_by_footer(source: ArrowFile, types: Mapping[str, Any], markers: tuple[float, ...]) -> set[str]:
    """Columns whose smallest or largest value, which some group has, is no marker."""
    footer = source.footer
    leaves = [footer.schema.column(at).path for at in range(footer.num_columns)]
    known = set()
    for name, original in zip(source.columns, source.schema.names, strict=True):
        # A column within another can have the same path.
        if leaves.count(original) == 1 and _has_plain_statistics(types[name]):
            place = leaves.index(original)
            groups = (footer.row_group(at).column(place) for at in range(footer.num_row_groups))
            if any(_shows_value(group.statistics, markers) for group in groups):
                known.add(name)
    return known


def _has_plain_statistics(dtype: Any) -> bool:
    types = load_arrow().types
    return bool(types.is_integer(dtype) or types.is_float32(dtype) or types.is_float64(dtype))


def _shows_value(statistics: Any, markers: tuple[float, ...]) -> bool:
    if statistics is None or not statistics.has_min_max:
        return False
    # NaN is unlike itself; some programs write it there.
    return any(one == one and one not in markers for one in (statistics.min, statistics.max))
