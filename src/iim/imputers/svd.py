"""SVD: a low-rank model of the whole table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

import numpy as np

from iim._arrays import Booleans, Floats
from iim._checks import one_of, real_number, whole_number
from iim.core.methods.coordinates import Coordinates, informed_rows, learn_coordinates
from iim.core.methods.low_rank import choose_rank, learn_vectors, project_holes
from iim.imputers._base import Imputer
from iim.imputers._blas import one_blas_thread
from iim.imputers._declaring import fitted, parameter
from iim.matrix import MaskedMatrix
from iim.persistence.fields import COUNT, MOST_ROUNDS, Field, floats

_TOL, _MAX_ITER = real_number(least=0.0), whole_number(least=1)
_VECTORS = floats("rank", "columns", least=-2, most=2, any_order=True)

ROUNDS = Field(
    f"`tol`, and `max_iter` up to {MOST_ROUNDS},",
    lambda value, _: _TOL.accepts(value[0]) and _MAX_ITER.accepts(value[1]) and value[1] <= MOST_ROUNDS,
)
ORTHONORMAL = Field(
    "orthonormal vectors", lambda value, sizes: _VECTORS.fits(value, sizes) and _are_orthonormal(value)
)


def _are_orthonormal(vectors: Floats) -> bool:
    n_vectors, n_columns = vectors.shape
    return n_vectors <= n_columns and bool(
        np.allclose(vectors @ vectors.T, np.eye(n_vectors), rtol=0, atol=1e-6)
    )


class SvdImputer(Imputer):
    r"""Fill with the row's projection on the leading singular vectors of the table.

    A row's holes get the values of its projection on the leading right singular vectors; as this changes
    the row, it is repeated until the fills converge. At fit, vectors and fills are updated in turn,
    starting from the column means. Prefer it for tables of many related columns (genes, sensors, ratings)
    and few strong common factors. When not: with few columns, a regression on all of them is more accurate;
    with ``scale="none"``, the largest columns and their means dominate. Cost O(n m^2) per iteration, memory
    O(n m).

    Parameters
    ----------
    rank : "auto" or int, default="auto"
        Number of singular vectors, always fewer than columns and no more than rows. Too few lose relations,
        too many overfit. "auto" takes the rank with the smallest error in two-fold cross-validation over
        rows, each known cell predicted from the others of its row; at most half the number of rows.
    scale : {"standard", "robust", "none"}, default="standard"
        Bring columns to one scale first: by mean and standard deviation, by median and interquartile range,
        or not at all (the paper).
    max_iter : int, default=100
        Most iterations, at fit and to fill a row.
    tol : float, default=0.01
        Tolerance: fit ends when the root mean square change of all fills is below this, in standard
        deviations of their columns; the fills of a row end by their own change.

    Attributes
    ----------
    components_ : ndarray of shape (rank, n_columns)
        The right singular vectors, orthonormal, by decreasing singular value, in scaled coordinates of the
        columns that had a known value at fit.
    n_iter_ : int
        Iterations at fit; ``max_iter`` if the fills did not converge.

    Notes
    -----
    With P = V V' for vectors V, known columns F and missing ones M, an iteration is :math:`x_M \leftarrow
    P_{MF} x_F + P_{MM} x_M`. It converges to the least squares solution over the known columns: the row
    nearest to the span of the vectors. A column that lies in that span by itself keeps its mean. A row
    without any known value gets the column means.

    References
    ----------
    .. [1] O. Troyanskaya, M. Cantor, G. Sherlock, P. Brown, T. Hastie, R. Tibshirani, D. Botstein,
       R. B. Altman: "Missing Value Estimation Methods for DNA Microarrays", Bioinformatics 17(6), 2001.

    Examples
    --------
    >>> import numpy as np
    >>> from iim import SvdImputer
    >>> x = np.arange(1.0, 8)
    >>> table = np.column_stack([x, 2 * x, 10 - x])
    >>> table[3, 2] = np.nan
    >>> SvdImputer(tol=1e-6).fit_transform(table)[3].round(2)
    array([4., 8., 6.])
    """

    paper_name = "SVD"
    family = "tuple"

    PAPER: ClassVar[Mapping[str, Any]] = {"rank": 3, "scale": "none", "max_iter": 10}

    rank: str | int = parameter(default="auto", check=one_of("auto") | whole_number(least=1), kw_only=False)
    scale: str = parameter(default="standard", check=one_of("standard", "robust", "none"))
    max_iter: int = parameter(default=100, check=whole_number(least=1))
    tol: float = parameter(default=0.01, check=real_number(least=0.0))

    _coordinates: Coordinates = fitted()
    _rounds: Annotated[tuple[Any, Any], ROUNDS] = fitted()
    components_: Annotated[Floats, ORTHONORMAL] = fitted()
    n_iter_: Annotated[int, COUNT] = fitted()

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
            # First fills of missing cells could look like a singular vector of their own.
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
