"""The table that methods work on: numbers, and a mask of missing values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, NamedTuple, Self

import numpy as np

from iim._arrays import Booleans, Floats, Integers
from iim.persistence.fields import NAME, many, numbers_or_nan


class KeptMatrix(NamedTuple):
    """The saved part of a table; missing cells are NaN."""

    values: Annotated[Floats, numbers_or_nan("rows", "columns")]
    columns: Annotated[tuple[Any, ...], many(NAME, size="columns")]


@dataclass(frozen=True)
class MaskedMatrix:
    """A table as numbers.

    Attributes
    ----------
    values : ndarray of shape (n_rows, n_columns)
        float64, C-ordered; NaN where missing, finite elsewhere.
    missing : ndarray of shape (n_rows, n_columns)
        True where the value is missing.
    columns : tuple
        Column names, for messages.
    """

    values: Floats
    missing: Booleans
    columns: tuple[Any, ...]

    kept_as: ClassVar[type] = KeptMatrix

    def to_kept(self) -> KeptMatrix:
        """The saved part."""
        return KeptMatrix(self.values, self.columns)

    @classmethod
    def from_kept(cls, kept: KeptMatrix) -> Self:
        """The table from its saved part."""
        return cls(kept.values, np.isnan(kept.values), kept.columns)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.values.shape[0])

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return int(self.values.shape[1])

    def take(self, rows: Integers) -> MaskedMatrix:
        """Some of the rows, with all columns."""
        return MaskedMatrix(self.values[rows], self.missing[rows], self.columns)

    def select(self, columns: Integers) -> MaskedMatrix:
        """The same rows with the columns at the given increasing positions."""
        if len(columns) == self.n_columns:
            return self
        return MaskedMatrix(
            np.ascontiguousarray(self.values[:, columns]),
            np.ascontiguousarray(self.missing[:, columns]),
            tuple(self.columns[column] for column in columns),
        )
