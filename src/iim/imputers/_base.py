"""The base class of imputers: containers, checks, columns, bounds, indicators, names.

A method is a subclass with two hooks. ``_fit(matrix)`` learns from a :class:`~iim.matrix.MaskedMatrix`;
``_fill(matrix)`` returns its values, completely filled. Hooks get numbers and masks only, of the chosen
columns with a known value at fit. Rounding and bounds are applied afterwards.
"""

from __future__ import annotations

import os
from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, ClassVar, Self, TypeVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from iim._arrays import Booleans, Floats, Integers
from iim._checks import CALLABLE, FLAG, check_parameters
from iim._names import find_column, find_each
from iim.core.execution.context import Context
from iim.exceptions import ImputationWarning, UnusableTable
from iim.imputers._bounds import COLUMNS, MAX_VALUE, MIN_VALUE, decide_limits
from iim.imputers._containers import (
    Table,
    names_of,
    open_table,
    output_kind,
    ranges_of,
    text_names,
    write_mask_like,
)
from iim.imputers._declaring import Declared, fitted, parameter
from iim.imputers._estimator import Estimator
from iim.imputers._jobs import context_for
from iim.imputers._progress import Reporter
from iim.imputers._telling import warn_user
from iim.matrix import MaskedMatrix
from iim.persistence.fields import NAME, Field, Refused, Sizes, increasing, many, size_of, texts
from iim.table.columns import MARKERS, is_marker, is_null, named_values
from iim.table.fills import Filled, Limits, write_array
from iim.table.frames import as_kind, read_frame, write_frame
from iim.table.tables import read_array

MOST_MARKERS = 10**4
"""Most values of ``missing_values`` in a file: every cell is compared with each."""

SOME_MARKERS = Field(
    f"up to {MOST_MARKERS} numbers and texts that mean missing",
    lambda value, _: (
        len(value) <= MOST_MARKERS and all(is_marker(marker) and not is_null(marker) for marker in value)
    ),
)

Learned = TypeVar("Learned")
"""Return type of ``_fit`` or ``_fit_fill``."""


class Imputer(Declared, Estimator, metaclass=ABCMeta):
    """Base class of all methods.

    Subclasses declare their parameters and fitted attributes (see :mod:`iim.imputers._declaring`), and
    define ``_fit`` and ``_fill``.

    Parameters
    ----------
    missing_values : number, str, None, NaN or list of these, default=np.nan
        Values that mean "missing", in addition to NaN, None and nulls.
    add_indicator : bool, default=False
        Append a column of zeros and ones for each column that had missing values at fit.
    keep_empty_features : bool, default=False
        Keep columns without any known value at fit, filled with 0 (or the nearest value within bounds),
        instead of dropping them.
    columns : sequence of str or int, or None, default=None
        Columns to fill and to learn from, by name or position; None means all. The others may contain
        anything (text, dates), pass through unchanged, and are not used.
    min_value, max_value : number, "observed", sequence, dict or None, default=None
        Bounds of fills: one for all columns, one for each column of the table, or a dict from names or
        positions of columns to bounds. "observed" is the smallest or largest known value at fit, None no
        bound. Known cells may lie outside.
    round_integers : bool, default=False
        Fill columns whose known values at fit are whole numbers with whole numbers; columns of integers
        and booleans then keep their type.
    n_jobs : int or None, default=-1
        Threads: -1 for all cores that this process may use, None for one. Never changes a fill.
    progress : bool or callable, default=False
        True shows a line on the terminal for calls longer than a second; a callable is called with a
        number from 0 to 1.

    Attributes
    ----------
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of str
        Their names, if all are strings.
    """

    paper_name: ClassVar[str]
    """The method's name in the paper's tables; "-" for methods that are not in the paper."""
    family: ClassVar[str]
    """Its models: "tuple" (of rows), "attribute" (of columns), "individual" (one per row) or "blend"."""

    PAPER: ClassVar[Mapping[str, Any]] = {}
    """Parameters of the paper's experiments, where they differ from the defaults."""

    missing_values: Any = parameter(default=np.nan, check=MARKERS)
    add_indicator: bool = parameter(default=False, check=FLAG)
    keep_empty_features: bool = parameter(default=False, check=FLAG)
    columns: Sequence[Any] | None = parameter(default=None, check=COLUMNS)
    min_value: Any = parameter(default=None, check=MIN_VALUE)
    max_value: Any = parameter(default=None, check=MAX_VALUE)
    round_integers: bool = parameter(default=False, check=FLAG)
    progress: bool | Callable[[float], None] = parameter(default=False, check=FLAG | CALLABLE)

    _columns_in: Annotated[tuple[Any, ...], many(NAME, size="features", least=1)] = fitted()
    n_features_in_: Annotated[int, size_of("features")] = fitted()
    feature_names_in_: Annotated[np.ndarray[Any, Any], texts("features")] = fitted()
    _missing_values: Annotated[tuple[Any, ...], SOME_MARKERS] = fitted()
    _chosen_columns: Annotated[Integers, increasing("chosen", below="features")] = fitted()
    _known_columns: Annotated[Integers, increasing("columns", below="features")] = fitted()
    _kept: Annotated[Integers, increasing("kept", below="features")] = fitted()
    _limits: Limits = fitted()
    _indicated: Annotated[Integers, increasing("indicated", below="features")] = fitted()

    @abstractmethod
    def _fit(self, matrix: MaskedMatrix) -> None:
        """Learn from a table in which every column has a known value."""

    @abstractmethod
    def _fill(self, matrix: MaskedMatrix) -> Floats:
        """Return the values of a table with the same columns, completely filled."""

    def _fit_fill(self, matrix: MaskedMatrix) -> Floats:
        """``_fit``, then ``_fill`` on the same table; a subclass may share work between them."""
        self._fit(matrix)
        return self._fill(matrix)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from a table with missing values.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns)
            Numbers, at least in ``columns``. NaN, None, nulls and the values in ``missing_values`` are
            missing.
        y : None
            Ignored; here for pipelines.

        Returns
        -------
        self
            The fitted imputer.
        """
        del y
        self._learn(X, self._fit)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Learn from a table with missing values, and fill them.

        Same result as ``fit(X).transform(X)``, in less time for methods where learning and filling share
        work.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns)
            As for ``fit``.
        y : None
            Ignored; here for pipelines.

        Returns
        -------
        array or frame
            As of ``transform``.
        """
        del y
        table, matrix, filled = self._learn(X, self._fit_fill)
        return self._write(table, self._new_values(matrix, filled))

    def _learn(
        self, X: Any, learn: Callable[[MaskedMatrix], Learned]
    ) -> tuple[Table, MaskedMatrix, Learned]:
        """Check parameters, read the table, and learn from its known columns; all or nothing."""
        check_parameters(type(self).__name__, vars(self), self._checks)
        before = dict(self.__dict__)
        try:
            table = self._note_columns(X)
            matrix = self._read(table)
            self._note_holes(table, matrix)
            return table, matrix, learn(matrix.select(self._known_places()))
        except BaseException:
            # Also on Ctrl-C: an interrupted fit leaves the imputer unchanged. A single assignment, so that
            # a second Ctrl-C cannot leave it half restored.
            self.__dict__ = before
            raise

    def _note_holes(self, table: Table, matrix: MaskedMatrix) -> None:
        """Store which columns are empty, kept, indicated and bounded."""
        empty = np.asarray(matrix.missing.all(axis=0))
        if empty.any():
            self._warn_empty(matrix, empty)
        self._known_columns = self._chosen_columns[~empty]
        left_out = self._chosen_columns[empty & (not self.keep_empty_features)]
        self._kept = np.setdiff1d(np.arange(len(self._columns_in)), left_out)
        holed = self._chosen_columns[matrix.missing.any(axis=0)]
        self._indicated = holed if self.add_indicator else holed[:0]
        for name in self._indicator_names(self._columns_in) if self.add_indicator else ():
            if name in self._columns_in:
                raise UnusableTable(
                    f"Column {name!r} has the name of an indicator column. Rename it, or leave out "
                    "`add_indicator`."
                )
        self._limits = decide_limits(
            type(self).__name__,
            matrix,
            self._columns_in,
            self._chosen_columns,
            min_value=self.min_value,
            max_value=self.max_value,
            ranges=ranges_of(table, self._chosen_columns) if self.round_integers else None,
        )

    def _note_columns(self, X: Any) -> Table:
        """Store column names, missing values and chosen columns; return the opened table."""
        table = open_table(self, X, reset=True)
        self._columns_in = names_of(table)
        # A copy: set_params takes effect at the next fit.
        self._missing_values = named_values(self.missing_values)
        self._chosen_columns = np.arange(len(self._columns_in))
        if self.columns is not None:
            found = find_each(self.columns, self._columns_in, parameter="columns")
            self._chosen_columns = np.array(sorted(found), dtype=np.intp)
        return table

    def transform(self, X: Any) -> Any:
        """Fill the missing values of a table.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns)
            Rows and missing patterns may be new.

        Returns
        -------
        array or frame
            Same type as ``X`` (see also ``set_output``), with its index and column order. Observed cells
            are unchanged, and so are columns left out by ``columns``. Columns that were empty at fit are
            dropped, or filled with 0 if ``keep_empty_features``.
        """
        check_is_fitted(self)
        table = open_table(self, X, reset=False)
        return self._write(table, self._fill_table(table))

    def _write(self, table: Table, new: Filled) -> Any:
        """The table with new values, without dropped columns, with indicators."""
        indicated = new.missing[:, np.searchsorted(self._chosen_columns, self._indicated)]
        if isinstance(table, np.ndarray):
            return write_array(table, new, self._kept, indicated)
        names = None
        indicators: dict[str, Booleans] = {}
        if self._indicated.size:
            names = text_names(table, self._kept)
            indicators = dict(zip(self._indicator_names(names_of(table)), indicated.T, strict=True))
        native, kind = write_frame(table, new, self._kept, indicators, names), output_kind(self)
        # scikit-learn would convert a frame of another kind by an array, and lose column types.
        return native if kind == "default" else as_kind(native, kind)

    def _fill_table(self, table: Table) -> Filled:
        """New values of the chosen columns, rounded and bounded."""
        matrix = self._read(table)
        return self._new_values(matrix, self._fill(matrix.select(self._known_places())))

    def _new_values(self, matrix: MaskedMatrix, filled: Floats) -> Filled:
        """The values that ``_fill`` returns, rounded and bounded, for all chosen columns."""
        values = np.where(matrix.missing, 0.0, matrix.values)
        values[:, self._known_places()] = filled
        rows, columns = np.nonzero(matrix.missing)
        values[rows, columns] = self._limits.apply(values[rows, columns], self._chosen_columns[columns])
        return Filled(self._chosen_columns, values, matrix.missing, self._limits)

    def imputed_mask(self, X: Any) -> Any:
        """Which cells ``transform`` fills.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns)
            The table to fill.

        Returns
        -------
        array or frame of bool
            True where ``transform(X)`` has a new value, False where a cell is unchanged. Same type, index,
            column names and column order as the result of ``transform``, without indicators.
        """
        check_is_fitted(self)
        table = open_table(self, X, reset=False)
        mask = np.zeros(table.shape, dtype=bool)
        mask[:, self._chosen_columns] = self._read(table).missing
        kind = output_kind(self)
        names = text_names(table, self._kept) if self._indicated.size else None
        if kind != "default":
            names = list(map(str, self.get_feature_names_out()[: self._kept.size]))
        return write_mask_like(table, mask, self._kept, names, kind)

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
        return np.concatenate([names[self._kept], np.asarray(indicators, dtype=object)]).astype(object)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted imputer to a file, for :func:`iim.load`.

        The file contains numbers and text only, no code. It is written completely or not at all: an
        existing file stays until the new one is complete, then is replaced. A function given as
        ``progress`` is saved as False, a RandomState given as ``random_state`` as None; fills no longer
        depend on them.

        Parameters
        ----------
        path : str or path
            The file, ``model.iim`` for example. An existing file is replaced.
        """
        from iim.imputers.files import save_imputer  # noqa: PLC0415 (it imports all methods)

        save_imputer(self, path)

    def _check_kept(self, sizes: Sizes) -> None:
        """Refuse a file whose attributes are valid one by one, but contradict each other."""
        del sizes
        known, chosen = self._known_columns, self._chosen_columns
        if not np.isin(known, chosen).all() or not np.isin(known, self._kept).all():
            raise Refused("a filled column is not among the chosen or the kept columns")
        if not np.isin(self._indicated, chosen).all():
            raise Refused("an indicated column is not among the chosen columns")

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_columns_in")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _read(self, table: Table) -> MaskedMatrix:
        """The chosen columns as numbers."""
        if isinstance(table, np.ndarray):
            return read_array(table, self._missing_values, self._columns_in, positions=self._chosen_columns)
        return read_frame(table, self._missing_values, positions=self._chosen_columns)

    def _warn_empty(self, matrix: MaskedMatrix, empty: Booleans) -> None:
        names = [matrix.columns[column] for column in np.flatnonzero(empty)]
        fate = "are filled with 0" if self.keep_empty_features else "are left out of the result"
        advice = "" if self.keep_empty_features else " Use keep_empty_features=True to keep them."
        warn_user(
            f"No value is known in {len(names)} of {matrix.n_columns} columns: "
            f"{', '.join(map(repr, names))}. They {fate}.{advice}",
            ImputationWarning,
        )

    def _known_places(self) -> Integers:
        """Positions, among the chosen columns, of those with a known value at fit."""
        return np.searchsorted(self._chosen_columns, self._known_columns)

    def _indicator_names(self, columns: tuple[Any, ...]) -> list[str]:
        return [f"missingindicator_{columns[column]}" for column in self._indicated]

    def _known_part(self, X: Any) -> tuple[MaskedMatrix, Integers]:
        """The table as the hooks get it, and the positions of its columns in ``X``."""
        check_is_fitted(self)
        matrix = self._read(open_table(self, X, reset=False))
        return matrix.select(self._known_places()), self._known_columns

    def _find_column(self, column: Any) -> int:
        """The position of a column given by name or position."""
        return find_column(column, self._columns_in, "column")

    @contextmanager
    def _running(self, task: str) -> Iterator[Context]:
        """The context of a call: threads from ``n_jobs``, progress from ``progress``."""
        reporter = None if self.progress is False else Reporter.of(self.progress, task)
        # Only if it is a parameter: a file may contain an attribute of that name.
        n_jobs = getattr(self, "n_jobs", None) if "n_jobs" in self._parameters else None
        yield context_for(n_jobs, reporter)
        if reporter is not None:
            reporter.finish()
