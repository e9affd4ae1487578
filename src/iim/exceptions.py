"""Exceptions and warnings. Each is also a subclass of a built-in one, so that general handlers catch it."""

from __future__ import annotations


class InvalidParameter(ValueError):
    """A parameter has an invalid value."""


class UnusableTable(ValueError):
    """The table cannot be read as numbers with missing values."""


class UnusableCell(UnusableTable, TypeError):
    """A cell is neither a number nor missing."""


class UnusableFile(ValueError):
    """The file is damaged, is not a model that this version of iim can read, or is another data set."""


class MissingDependency(ImportError):
    """An optional package is not installed."""


class ImputationWarning(UserWarning):
    """Something unexpected that does not prevent imputation."""


class FallbackWarning(ImputationWarning):
    """Cells are filled by a fallback: fewer columns, incomplete donors, or the column mean."""
