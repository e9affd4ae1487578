"""What can go wrong, by name. Each is also a built-in error, so that ordinary handlers catch it."""

from __future__ import annotations


class InvalidParameter(ValueError):
    """A parameter has a value that it cannot have."""


class UnusableTable(ValueError):
    """The table cannot be read as numbers with holes."""


class UnusableCell(UnusableTable, TypeError):
    """A cell holds something that is neither a number nor missing."""


class UnusableFile(ValueError):
    """The file is not what it should be: no model for this version of iim, another data set, or damaged."""


class MissingDependency(ImportError):
    """A package that is needed here, and not for the rest, is not installed."""


class ImputationWarning(UserWarning):
    """Something surprising that imputation can go on from."""


class FallbackWarning(ImputationWarning):
    """Cells are filled with less than asked for: fewer columns, other donors, or the column mean."""
