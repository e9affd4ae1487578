"""SVD: rows as sums of a few directions of the whole table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from iim._arrays import Booleans, Floats
from iim._checks import Check, one_of, real_number, whole_number
from iim.core.methods.coordinates import informed_rows, learn_coordinates
from iim.core.methods.low_rank import choose_rank, learn_vectors, project_holes
from iim.imputers._base import Imputer
from iim.imputers._blas import one_blas_thread
from iim.matrix import MaskedMatrix


class SvdImputer(Imputer):
    r"""Fill with the row's projection on a few directions of the table.

    The leading right singular vectors of the table span what most rows have in common; a row's holes get
    the values that its projection on them has there, and as this changes the row, it is repeated until the
    fills rest. While learning, vectors and fills are renewed in turn, from the column means. Prefer it for
    tables of many related columns (genes, sensors, ratings) and few strong common factors; with few columns
    a regression on all of them knows more. With ``scale="none"`` the directions are those of the largest
    columns, and of the distance from zero. Cost O(n m^2) per round, memory O(n m).

    Parameters
    ----------
    rank : "auto" or int, default="auto"
        Number of directions, always fewer than columns and no more than rows. Too few leave out relations,
        too many follow noise and explain a column by itself. "auto" takes the number with which the
        directions of one half of the rows predict the known cells of the other half best, each from the
        others of its row; at most half as many as rows.
    scale : {"standard", "robust", "none"}, default="standard"
        Bring columns to one scale first: by mean and standard deviation, by median and interquartile range,
        or not at all (the paper).
    max_iter : int, default=100
        Most rounds, of learning and of filling a row.
    tol : float, default=0.01
        Learning ends when the root mean square change of all fills is below this, in standard deviations
        of their columns; filling a row ends by its own change.
    missing_values : number, str, None, NaN or list of these, default=np.nan
        What means "missing". NaN, None and nulls always do.
    add_indicator : bool, default=False
        Append a column of zeros and ones for each column that had holes at fit.
    keep_empty_features : bool, default=False
        Keep columns without any known value at fit, filled with 0 (or the nearest value within bounds),
        instead of dropping them.
    columns : sequence of str or int, or None, default=None
        Columns to fill and to learn from, by name or position; None means all. The others may hold
        anything (text, dates), pass through untouched, and play no part in a fill.
    min_value, max_value : number, "observed", sequence, dict or None, default=None
        Bounds of what is filled in: one for all columns, one for each column of the table, or a dict from
        names or positions of columns to bounds. "observed" is the smallest or largest known value at fit,
        None no bound. Known cells may lie outside.
    round_integers : bool, default=False
        Fill columns whose known values at fit are whole numbers with whole numbers; columns of integers
        and booleans then keep their type.
    progress : bool or callable, default=False
        True shows a line on the terminal for calls longer than a second; a callable gets a number from
        0 to 1.

    Attributes
    ----------
    components_ : ndarray of shape (rank, n_columns)
        The directions, orthonormal, the most important first, in scaled coordinates of the columns that
        had a known value at fit.
    n_iter_ : int
        Rounds of learning; ``max_iter`` if the fills did not come to rest.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of str
        Their names, if all are strings.

    Notes
    -----
    With P = V V' for directions V, known columns F and missing ones M, a round is
    :math:`x_M \leftarrow P_{MF} x_F + P_{MM} x_M`. It converges to the values at which the row is nearest
    to the span of the directions: least squares over the known columns, from which a column that the
    directions explain by itself keeps its mean. A row without any known value gets the column means.

    References
    ----------
    .. [1] O. Troyanskaya, M. Cantor, G. Sherlock, P. Brown, T. Hastie, R. Tibshirani, D. Botstein,
       R. B. Altman: "Missing Value Estimation Methods for DNA Microarrays", Bioinformatics 17(6), 2001.

    Examples
    --------
    >>> import numpy as np
    >>> from iim.imputers import SvdImputer
    >>> x = np.arange(1.0, 8)
    >>> table = np.column_stack([x, 2 * x, 10 - x])
    >>> table[3, 2] = np.nan
    >>> SvdImputer(tol=1e-6).fit_transform(table)[3].round(2)
    array([4., 8., 6.])
    """

    paper_name = "SVD"
    family = "tuple"

    PAPER: ClassVar[Mapping[str, Any]] = {"rank": 3, "scale": "none", "max_iter": 10}

    _parameter_checks: ClassVar[Mapping[str, Check]] = {
        "rank": one_of("auto") | whole_number(least=1),
        "scale": one_of("standard", "robust", "none"),
        "max_iter": whole_number(least=1),
        "tol": real_number(least=0.0),
    }

    def __init__(
        self,
        rank: str | int = "auto",
        *,
        scale: str = "standard",
        max_iter: int = 100,
        tol: float = 0.01,
        missing_values: Any = np.nan,
        add_indicator: bool = False,
        keep_empty_features: bool = False,
        columns: Sequence[Any] | None = None,
        min_value: Any = None,
        max_value: Any = None,
        round_integers: bool = False,
        progress: bool | Callable[[float], None] = False,
    ) -> None:
        self.rank = rank
        self.scale = scale
        self.max_iter = max_iter
        self.tol = tol
        self.missing_values = missing_values
        self.add_indicator = add_indicator
        self.keep_empty_features = keep_empty_features
        self.columns = columns
        self.min_value = min_value
        self.max_value = max_value
        self.round_integers = round_integers
        self.progress = progress

    @one_blas_thread()
    def _fit(self, matrix: MaskedMatrix) -> None:
        known = informed_rows(matrix)
        self._coordinates = learn_coordinates(known, self.scale)
        points, missing = self._coordinates.points(known), known.missing
        self._rounds = self.tol, self.max_iter
        with self._running("learning") as context:
            self.components_, self.n_iter_ = learn_vectors(
                points,
                missing,
                rank=self._wanted(points, missing),
                unit=self._coordinates.unit,
                tol=self.tol,
                max_iter=self.max_iter,
                context=context,
            )

    def _wanted(self, points: Floats, missing: Booleans) -> int:
        n_rows, n_columns = missing.shape
        most = int(min(n_columns - 1, n_rows))
        if most < 1:
            return 0
        if not isinstance(self.rank, str):
            return min(self.rank, most)
        complete = ~missing.any(axis=1)
        if complete.sum() >= 2 * n_columns:
            # Guesses in the holes would pass for a direction of their own.
            points, missing = points[complete], missing[complete]
        return choose_rank(
            points,
            missing,
            start=self._coordinates.start,
            unit=self._coordinates.unit,
            most=most,
            max_iter=self.max_iter,
        )

    @one_blas_thread()
    def _fill(self, matrix: MaskedMatrix) -> Floats:
        tol, max_iter = self._rounds
        with self._running("filling"):
            points = project_holes(
                self._coordinates.points(matrix),
                matrix.missing,
                self.components_,
                unit=self._coordinates.unit,
                tol=tol,
                max_iter=max_iter,
            )
        return self._coordinates.fill(matrix, points)
