"""Positions in a table of partitions, which error messages begin with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from iim.exceptions import InvalidParameter, MissingDependency, UnusableCell, UnusableFile, UnusableTable

_RETOLD = (
    *(InvalidParameter, MissingDependency, UnusableCell, UnusableFile, UnusableTable),
    # Some of scikit-learn's checks raise plain errors.
    *(TypeError, ValueError),
)
"""Errors built from their message alone; others get a note instead of a new message."""

_ROW = re.compile(r"(?<=\bfirst: row )\d+|(?<= in row )\d+(?=: )|(?<= of )\d+(?= rows \(first: row )")
"""The number of a row, or of rows, in one of our messages."""


@dataclass(frozen=True)
class Place:
    """The position of some rows.

    Attributes
    ----------
    partition : int
        The number of the partition, from 0.
    begins_at : object or None
        The first index of the partition, if known.
    first_row : int
        Number of rows of the partition before these.
    """

    partition: int
    begins_at: Any = None
    first_row: int = 0

    def __str__(self) -> str:
        begins = "" if self.begins_at is None else f" (from index {self.begins_at})"
        return f"Partition {self.partition}{begins}"

    @contextmanager
    def named(self) -> Iterator[None]:
        """Within the block, errors name the place; those of iim keep their class and can be pickled."""
        try:
            yield
        except Exception as error:
            if type(error) not in _RETOLD:
                error.add_note(f"{self}.")
                raise
            raise type(error)(f"{self}: {self._in_partition(str(error))}") from error

    def _in_partition(self, message: str) -> str:
        """A message with row numbers counted from the start of the partition, not from ``first_row``."""
        # The message is all there is: a partition that comes in batches may be larger than memory, so its
        # rows are never in one table.
        return _ROW.sub(lambda found: str(int(found[0]) + self.first_row), message)
