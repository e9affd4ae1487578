"""What every imputer shares, once: containers, checks, empty columns, indicators, names.

A method is a subclass with two hooks. ``_fit(matrix)`` learns from a :class:`~iim.matrix.MaskedMatrix`;
``_fill(matrix)`` returns its values with no hole left. Hooks see numbers and masks only, in columns that
have a known value at fit.
"""

from __future__ import annotations

import os
import warnings
from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from iim._arrays import Booleans, Floats, Integers
from iim._checks import CALLABLE, FLAG, Check, check_parameters, whole_number
from iim.exceptions import ImputationWarning, InvalidParameter, UnusableTable
from iim.imputers._progress import Reporter
from iim.matrix import MaskedMatrix
from iim.table._arrays import read_array, write_array
from iim.table._frames import Frame, as_frame, read_frame, write_frame
from iim.table._missing import MARKERS


class Imputer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator, metaclass=ABCMeta):
    """Base class of all methods.

    Subclasses store their parameters in ``__init__``, list what these may be in ``_parameter_checks``,
    and write ``_fit`` and ``_fill``.
    """

    paper_name: ClassVar[str]
    """The method's name in the paper's tables."""
    family: ClassVar[str]
    """What it models: "tuple" (rows), "attribute" (columns) or "individual" (each row its own)."""

    PAPER: ClassVar[Mapping[str, Any]] = {}
    """Parameters of the paper's experiments, where they differ from the defaults."""

    _parameter_checks: ClassVar[Mapping[str, Check]] = {
        "missing_values": MARKERS,
        "add_indicator": FLAG,
        "keep_empty_features": FLAG,
        "progress": FLAG | CALLABLE,
    }

    missing_values: Any
    add_indicator: bool
    keep_empty_features: bool
    progress: bool | Callable[[float], None]

    @abstractmethod
    def _fit(self, matrix: MaskedMatrix) -> None:
        """Learn from a table in which every column has a known value."""

    @abstractmethod
    def _fill(self, matrix: MaskedMatrix) -> Floats:
        """Return the values of a table with the same columns, every hole filled."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from a table with holes.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns)
            Numbers; NaN, None and nulls are missing, and so is what ``missing_values`` names.
        y : None
            Ignored; here for pipelines.

        Returns
        -------
        self
            The fitted imputer.
        """
        del y
        check_parameters(type(self).__name__, self.get_params(), self._all_checks())
        before = dict(self.__dict__)
        try:
            self._learn(X)
        except BaseException:
            # Ctrl-C, too: a fit that does not come to its end leaves the imputer as it was.
            self.__dict__.clear()
            self.__dict__.update(before)
            raise
        return self

    @classmethod
    def _all_checks(cls) -> dict[str, Check]:
        """The checks of this class and of those it is made from."""
        checks: dict[str, Check] = {}
        for part in reversed(cls.__mro__):
            checks |= vars(part).get("_parameter_checks", {})
        return checks

    def _learn(self, X: Any) -> None:
        _, matrix = self._read(X, reset=True)
        empty = np.asarray(matrix.missing.all(axis=0))
        if empty.any():
            self._warn_empty(matrix, empty)
        self._known_columns = np.flatnonzero(~empty)
        holed = np.flatnonzero(matrix.missing.any(axis=0))
        self._indicated = holed if self.add_indicator else holed[:0]
        self._columns_in = matrix.columns
        for name in self._indicator_names(matrix.columns):
            if name in matrix.columns:
                raise UnusableTable(
                    f"Column {name!r} has the name that `add_indicator=True` needs for its own. Rename it."
                )
        self._fit(matrix.select(self._known_columns))

    def transform(self, X: Any) -> Any:
        """Fill the holes of a table.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns)
            Rows and missing patterns may be new.

        Returns
        -------
        array or frame
            The kind of ``X`` (see also ``set_output``), with its index and column order; observed cells
            are unchanged. Columns that were empty at fit are dropped, or filled with 0 if
            ``keep_empty_features``.
        """
        check_is_fitted(self)
        original, matrix = self._read(X, reset=False)
        filled = np.where(matrix.missing, 0.0, matrix.values)
        filled[:, self._known_columns] = self._fill(matrix.select(self._known_columns))
        indicators = matrix.missing[:, self._indicated]
        kept = self._kept_columns()
        if isinstance(original, np.ndarray):
            return write_array(original, filled, matrix.missing, kept, indicators)
        return write_frame(
            original,
            filled,
            matrix.missing,
            kept,
            dict(zip(self._indicator_names(matrix.columns), indicators.T, strict=True)),
        )

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray[Any, Any]:
        """Names of the columns that ``transform`` returns.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of the input columns, if ``fit`` saw none.

        Returns
        -------
        ndarray of str
            The kept columns, then ``missingindicator_`` columns if there are any.
        """
        names = super().get_feature_names_out(input_features)
        indicators = self._indicator_names(tuple(names))
        return np.concatenate([names[self._kept_columns()], np.asarray(indicators, dtype=object)]).astype(
            object
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted imputer to a file, for :func:`iim.load`.

        Numbers and text only: nothing in the file can be run. The file is written whole or not at all, and
        a former one stays as it is until the new one is complete. A function given as ``progress`` is saved
        as False, a RandomState given as ``random_state`` as None; fills do not depend on either any more.

        Parameters
        ----------
        path : str or path
            The file, ``model.iim`` for example; one that is there is replaced.
        """
        from iim.imputers.files import save_imputer  # noqa: PLC0415 (which knows of all methods)

        save_imputer(self, path)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_columns_in")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _read(self, X: Any, *, reset: bool) -> tuple[np.ndarray[Any, Any] | Frame, MaskedMatrix]:
        """The table as it came, and as numbers."""
        frame = as_frame(X)
        if frame is not None:
            validate_data(self, X, reset=reset, skip_check_array=True)
            self._check_shape(frame.shape)
            return frame, read_frame(frame, self.missing_values)
        if isinstance(X, np.ma.MaskedArray):
            X = np.where(np.ma.getmaskarray(X), np.nan, X.data)
        array = check_array(X, dtype=None, ensure_all_finite=False, input_name="X", estimator=self)
        validate_data(self, array, reset=reset, skip_check_array=True)
        # An array has no names: those of the fitted frame serve, or else scikit-learn's x0, x1, ...
        unnamed = [f"x{position}" for position in range(array.shape[1])]
        columns = tuple(getattr(self, "feature_names_in_", unnamed))
        return array, read_array(array, self.missing_values, columns)

    def _check_shape(self, shape: tuple[int, int]) -> None:
        # The words of scikit-learn's check_array, which frames do not go through.
        for count, what in zip(shape, ("sample", "feature"), strict=True):
            if count == 0:
                raise ValueError(
                    f"Found array with 0 {what}(s) (shape={shape}) while a minimum of 1 is required by "
                    f"{type(self).__name__}."
                )

    def _warn_empty(self, matrix: MaskedMatrix, empty: Booleans) -> None:
        names = [matrix.columns[column] for column in np.flatnonzero(empty)]
        fate = "are filled with 0" if self.keep_empty_features else "are left out of the result"
        advice = "" if self.keep_empty_features else " Use keep_empty_features=True to keep them."
        warnings.warn(
            f"No value is known in {len(names)} of {matrix.n_columns} columns: "
            f"{', '.join(map(repr, names))}. They {fate}.{advice}",
            ImputationWarning,
            stacklevel=4,  # the caller of fit
        )

    def _kept_columns(self) -> Integers:
        if self.keep_empty_features:
            return np.arange(self.n_features_in_)
        return self._known_columns

    def _indicator_names(self, columns: tuple[Any, ...]) -> list[str]:
        return [f"missingindicator_{columns[column]}" for column in self._indicated]

    def _known_part(self, X: Any) -> tuple[MaskedMatrix, Integers]:
        """The table as the hooks see it, and the positions of its columns in ``X``."""
        check_is_fitted(self)
        _, matrix = self._read(X, reset=False)
        return matrix.select(self._known_columns), self._known_columns

    def _find_column(self, column: Any) -> int:
        """The position of a column given by name or position."""
        if column in self._columns_in:
            return self._columns_in.index(column)
        if whole_number(least=0).accepts(column) and column < len(self._columns_in):
            return int(column)
        raise InvalidParameter(
            f"`column`: one of {', '.join(map(repr, self._columns_in))}, or a position, is needed; "
            f"received {column!r}."
        )

    def _reporter(self, task: str) -> Reporter | None:
        return Reporter.of(self.progress, task)
