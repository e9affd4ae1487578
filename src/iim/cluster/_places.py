"""Where in a table of partitions something is: what errors begin with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from iim.exceptions import InvalidParameter, MissingDependency, UnusableCell, UnusableFile, UnusableTable

_RETOLD = (
    *(InvalidParameter, MissingDependency, UnusableCell, UnusableFile, UnusableTable),
    # Some checks are scikit-learn's, in plain errors.
    *(TypeError, ValueError),
)
"""Errors that are made of their message alone; others keep theirs and get a note."""

_ROW = re.compile(r"(?<=\bfirst: row )\d+|(?<= in row )\d+(?=: )|(?<= of )\d+(?= rows \(first: row )")
"""The number of a row, or of all rows, in a message of ours."""


@dataclass(frozen=True)
class Place:
    """Where some rows stand.

    Attributes
    ----------
    partition : int
        The number of the partition, from 0.
    begins_at : object or None
        The index with which the partition begins, if that is known.
    first_row : int
        How many rows of the partition come before.
    """

    partition: int
    begins_at: Any = None
    first_row: int = 0

    def __str__(self) -> str:
        begins = "" if self.begins_at is None else f" (from index {self.begins_at})"
        return f"Partition {self.partition}{begins}"

    @contextmanager
    def named(self) -> Iterator[None]:
        """While inside, errors name the place; those of iim keep their class, and can be pickled."""
        try:
            yield
        except Exception as error:
            if type(error) not in _RETOLD:
                error.add_note(f"{self}.")
                raise
            raise type(error)(f"{self}: {self._in_partition(str(error))}") from error

    def _in_partition(self, message: str) -> str:
        """A message that counts rows from ``first_row``, counting from the beginning of the partition."""
        # In the message, since there is nowhere else: a partition that comes in pieces may be larger than
        # memory, so its rows are never in one table that could be asked.
        return _ROW.sub(lambda found: str(int(found[0]) + self.first_row), message)
