"""IFC: iterated fuzzy clusters; fills are means of centres, weighted by membership."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

import numpy as np

from iim._arrays import Floats
from iim._checks import Check, one_of, real_number, whole_number
from iim.core.methods.coordinates import Coordinates, informed_rows, learn_coordinates
from iim.core.methods.fuzzy_clusters import blend, learn_centers, memberships
from iim.core.methods.kmeans import spread_centers
from iim.imputers._base import Imputer
from iim.imputers._blas import one_blas_thread
from iim.imputers._declaring import fitted, parameter
from iim.imputers._seeds import RANDOM_STATE, seed_from
from iim.matrix import MaskedMatrix
from iim.persistence.fields import COUNT, floats, scalar, some

_ABOVE_ONE = Check(
    "a finite number above 1", lambda value: real_number(least=1.0).accepts(value) and value > 1
)


class IfcImputer(Imputer):
    r"""Fill with a mean of fuzzy cluster centres, weighted by the row's memberships.

    Fuzzy c-means finds centres. A row is a member of all of them, more of nearer ones by distance on its
    known columns; a hole gets the mean of the centres, weighted by membership. At fit, centres start at
    complete rows, then fills and centres are updated in turn until the centres converge. Prefer it for
    tables made of a few compact groups. When not: it does not model relations between columns within a
    group, so for smooth relations prefer regression or neighbours. Check ``centers_``: with a large
    fuzziness (2 is usual), centres of overlapping groups coincide, sooner with more columns, and fills
    become the column means. Cost O(n c m) per iteration for c clusters, memory O(n (c + m)).

    Parameters
    ----------
    n_clusters : int, default=20
        Number of clusters; fewer if there are fewer distinct rows. More clusters follow the data more
        closely, unless they coincide.
    fuzziness : float, default=1.5
        Exponent m, above 1. Near 1, only the nearest centre counts, as in k-means; larger values make
        memberships more equal. 2 is usual (and the paper's); 1.5 keeps centres apart, and had smaller
        errors on the tables that we tested.
    scale : {"standard", "robust", "none"}, default="standard"
        Bring columns to one scale before distances: by mean and standard deviation, by median and
        interquartile range, or not at all (the paper).
    max_iter : int, default=100
        Most iterations at fit.
    tol : float, default=0.001
        Tolerance: the iteration ends when no centre moves by more than this share of a column's standard
        deviation.
    random_state : int, RandomState or None, default=0
        Seed of the first centres. None takes a new one for each fit.

    Attributes
    ----------
    centers_ : ndarray of shape (n_clusters, n_columns)
        The centres in the units of the table, over the columns that had a known value at fit.
    n_iter_ : int
        Iterations at fit; ``max_iter`` if the centres did not converge.

    Notes
    -----
    The membership of a row x in centre c is :math:`u_c = d_c^{-2/(m-1)} / \sum_j d_j^{-2/(m-1)}`, with
    Euclidean distances d over its known columns; a row that lies on centres belongs to these alone. Its
    fill is :math:`\sum_c u_c c`, as in [2]_. The centres are means of all rows, filled ones included,
    weighted by :math:`u_c^m`. The first centres are complete rows or, if there are fewer of these than
    clusters, rows with few holes, filled with column means. The order of rows has no effect. A row without
    any known value gets the column means. ``PAPER`` is not published: it was inferred from the errors that
    the IIM paper prints for IFC; 2 is the usual fuzziness.

    References
    ----------
    .. [1] S. Nikfalazar, C.-H. Yeh, S. Bedingfield, H. A. Khorshidi: "A New Iterative Fuzzy Clustering
       Algorithm for Multiple Imputation of Missing Data", FUZZ-IEEE 2017.
    .. [2] D. Li, J. Deogun, W. Spaulding, B. Shuart: "Towards Missing Data Imputation: A Study of Fuzzy
       K-means Clustering Method", Rough Sets and Current Trends in Computing, 2004.

    Examples
    --------
    >>> import numpy as np
    >>> from iim import IfcImputer
    >>> table = np.array([[0, 10.0], [1, 10], [0, 12], [50, 90], [51, 90], [50, np.nan]])
    >>> IfcImputer(n_clusters=2).fit_transform(table)[-1].round(1)
    array([50., 90.])
    """

    paper_name = "IFC"
    family = "tuple"

    PAPER: ClassVar[Mapping[str, Any]] = {"n_clusters": 6, "fuzziness": 2.0, "scale": "none"}

    n_clusters: int = parameter(default=20, check=whole_number(least=1), kw_only=False)
    fuzziness: float = parameter(default=1.5, check=_ABOVE_ONE)
    scale: str = parameter(default="standard", check=one_of("standard", "robust", "none"))
    max_iter: int = parameter(default=100, check=whole_number(least=1))
    tol: float = parameter(default=0.001, check=real_number(least=0.0))
    random_state: int | np.random.RandomState | None = parameter(default=0, check=RANDOM_STATE)

    _coordinates: Coordinates = fitted()
    _fuzziness: Annotated[Any, scalar(_ABOVE_ONE)] = fitted()
    _centers: Annotated[Floats, some(floats("clusters", "columns", any_order=True))] = fitted()
    centers_: Annotated[Floats, floats("clusters", "columns", any_order=True)] = fitted()
    n_iter_: Annotated[int, COUNT] = fitted()

    @one_blas_thread()
    def _fit(self, matrix: MaskedMatrix) -> None:
        known = informed_rows(matrix)
        self._coordinates = learn_coordinates(known, self.scale)
        points, missing = self._coordinates.points(known), known.missing
        generator = np.random.default_rng(seed_from(self.random_state))
        self._fuzziness = self.fuzziness
        with self._running("learning") as context:
            self._centers, self.n_iter_ = learn_centers(
                points,
                missing,
                spread_centers(points, missing, self.n_clusters, generator),
                fuzziness=self.fuzziness,
                tol=self.tol * self._coordinates.unit,
                max_iter=self.max_iter,
                context=context,
            )
        self.centers_ = self._coordinates.table_units(self._centers)

    def _fill(self, matrix: MaskedMatrix) -> Floats:
        points = self._coordinates.points(matrix)
        rows = np.flatnonzero(matrix.missing.any(axis=1))
        with self._running("filling"):
            shares = memberships(
                points[rows], matrix.missing[rows], self._centers, fuzziness=self._fuzziness
            )
            points[rows] = blend(shares, self._centers)
        return self._coordinates.fill(matrix, points)
