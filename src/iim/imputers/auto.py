"""Auto: for every column, the methods that fill it best, blended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Annotated, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from iim._arrays import Floats
from iim._checks import FLAG, NUMBER, Check, each, exactly, one_of, real_number, whole_number
from iim.core.arithmetic.column_means import column_means
from iim.core.methods.blending import LEAST_WEIGHT, blend_fills, choose_weights, crossed_errors, keep_useful
from iim.exceptions import InvalidParameter
from iim.imputers import METHODS
from iim.imputers._base import Imputer
from iim.imputers._blas import one_blas_thread
from iim.imputers._declaring import fitted, parameter
from iim.imputers._jobs import NUMBER_OF_JOBS
from iim.imputers._seeds import RANDOM_STATE, seed_from
from iim.imputers._telling import silence
from iim.imputers._trials import (
    Budget,
    Candidate,
    Draws,
    FillRange,
    Trials,
    column_spreads,
    draw_cells,
    learn_from_all,
    try_methods,
)
from iim.imputers.choices import CHOICE, Choices
from iim.matrix import MaskedMatrix
from iim.persistence.fields import Field, Refused, Sizes, floats

USUAL: Mapping[str, Mapping[str, Any]] = {
    "iim": {},
    # Shallower trees and smaller steps than xgboost's defaults: nearly always more accurate, as fast.
    "xgb": {"n_rounds": 200, "learning_rate": 0.15, "max_depth": 4},
    **{key: {} for key in ("loess", "gmm", "mean")},
}
"""Methods of ``methods="auto"``. ILLS and ERACER are too slow, though ILLS improves some blends."""


def _is_candidate(key: Any) -> bool:
    return isinstance(key, str) and key in METHODS and METHODS[key] is not AutoImputer


_KEY = Check("a key of iim.METHODS other than 'auto'", _is_candidate)
_SHARE = Check("a number above 0, below 1", lambda value: NUMBER.accepts(value) and 0 < value < 1)
_BY_KEY = Check(
    "a dict from keys to dicts of parameters",
    lambda value: (
        isinstance(value, Mapping)
        and len(value) > 0
        and all(_is_candidate(key) and isinstance(parameters, Mapping) for key, parameters in value.items())
    ),
)


_SHARES = floats("columns", "members", least=0, most=1)
WEIGHTS_OF_COLUMNS = Field(
    "weights with sum 1 for every column",
    lambda value, sizes: (
        _SHARES.fits(value, sizes) and bool(np.allclose(value.sum(axis=1), 1.0, rtol=0, atol=1e-6))
    ),
)


class AutoImputer(Imputer):
    """Fill each column with the blend of methods that has the smallest error on hidden cells of the table.

    Known cells of the table are hidden, several methods are fitted to the rest and fill them. Each column
    gets the weights with the smallest squared error (stacking). Errors of different methods partly cancel,
    so the blend is mostly better than the best single method. Prefer it when accuracy is worth the time:
    ``fit`` takes ``repeats + 1`` times as long as all methods together, ``transform`` as long as all that
    are used. With fewer than about a hundred rows the choice is uncertain. Where fills must be explained,
    use :class:`~iim.IIMImputer`.

    Parameters
    ----------
    methods : "auto", str, sequence of str, or dict, default="auto"
        Keys of ``iim.METHODS`` to choose from, other than "auto" itself; a dict gives the parameters of
        each. "auto" is IIM, XGB if xgboost is installed (with 200 rounds, learning rate 0.15 and depth 4),
        LOESS, GMM and the mean.
    blend : bool, default=True
        Whether to blend methods. False gives each column to its single best method, which is easier to
        explain and mostly less accurate.
    hide : float, default=0.2
        Share of the rows in which cells are hidden in each repeat. Cells are hidden by the missing patterns
        of the table's own rows; in a complete table, one cell per row. More hidden cells make the choice
        more certain, but leave less data to learn from.
    repeats : int, default=3
        How often cells are hidden, each time others. More make the choice more certain, and take longer.
    time_budget : float or None, default=None
        Approximate seconds for ``fit``. Methods are then tried in the order of their time, estimated on a
        few rows, and left out if they would exceed the budget; IIM and the mean never are. The choice then
        depends on the speed and load of the machine. None tries all methods.
    random_state : int, RandomState or None, default=0
        Seed of the hidden cells and of the methods. None hides others in every fit.

    Attributes
    ----------
    weights_ : dict
        For each column, the weight of each method that has one there.
    errors_ : dict
        For each column with hidden cells, the root mean square error of each method, and that of the
        choice under "auto", all in standard deviations of the column. The error of the choice is
        cross-validated: weights learned on one half of the rows are scored on the other.
    n_hidden_ : dict
        For each column, the number of hidden cells in all repeats.
    seconds_ : dict
        Time that each method took.
    left_out_ : dict
        Methods that are not used for any fill, and why.

    See Also
    --------
    compare : Measures methods without choosing one.

    Notes
    -----
    Weights ``w`` of a column with ``n`` hidden cells are not negative, sum to one, and minimise ``w' G w +
    10 / n |w - v|^2``. ``G`` has the mean products of the errors of each two methods, in units of the best
    one's mean square. Correlations between methods are shrunk towards half of their mean: their own
    estimate has the weight ``n / (n + 40)``. ``v`` are the weights of the whole table, found in the same
    way; columns with fewer than 10 hidden cells use ``v``. Weights below 0.02 are dropped. Each method's
    fills are clipped to the range of the column's known values, extended by its width on both sides, and to
    one standard deviation around the weighted median of all methods. A row without any known value gets the
    means. Warnings of single methods, such as fallbacks, are not passed on.

    References
    ----------
    .. [1] D. H. Wolpert: "Stacked generalization", Neural Networks 5(2), 1992.
    .. [2] L. Breiman: "Stacked regressions", Machine Learning 24, 1996.

    Examples
    --------
    >>> import iim
    >>> table = iim.samples.example("numpy")
    >>> imputer = iim.AutoImputer(methods=["glr", "knn"]).fit(table)
    >>> sorted(next(iter(imputer.weights_.values())))
    ['glr', 'knn']
    """

    paper_name = "-"
    family = "blend"

    methods: str | Sequence[str] | Mapping[str, Mapping[str, Any]] = parameter(
        default="auto", check=one_of("auto") | _KEY | each(_KEY, "such keys") | _BY_KEY, kw_only=False
    )
    blend: bool = parameter(default=True, check=FLAG)
    hide: float = parameter(default=0.2, check=_SHARE)
    repeats: int = parameter(default=3, check=whole_number(least=1))
    time_budget: float | None = parameter(default=None, check=exactly(None) | real_number(least=0.0))
    random_state: int | np.random.RandomState | None = parameter(default=0, check=RANDOM_STATE)
    n_jobs: int | None = parameter(default=-1, check=NUMBER_OF_JOBS)

    _means: Annotated[Floats, floats("columns")] = fitted()
    _range: FillRange = fitted()
    _spreads: Annotated[Floats, floats("columns", least=0, finite=False)] = fitted()
    _weights: Annotated[Floats, WEIGHTS_OF_COLUMNS] = fitted()
    weights_: dict[Any, Any] = fitted()
    errors_: dict[Any, Any] = fitted()
    n_hidden_: dict[Any, Any] = fitted()
    seconds_: dict[Any, Any] = fitted()
    left_out_: dict[Any, Any] = fitted()
    _members: dict[str, Imputer] = fitted()

    def choices(self) -> Choices:
        """The methods chosen for each column, with their errors.

        Returns
        -------
        Choices
            The weights and errors of every column, and the methods left out; a small table when printed or
            shown in a notebook.
        """
        check_is_fitted(self)
        return Choices(self.weights_, self.errors_, self.n_hidden_, self.seconds_, self.left_out_)

    def _fit(self, matrix: MaskedMatrix) -> None:
        if matrix.n_columns == 0:
            self._choose_nothing(matrix)
            return
        budget, seed = Budget(self.time_budget), seed_from(self.random_state)
        candidates = self._candidates(seed)
        draws = draw_cells(matrix, hide=float(self.hide), repeats=int(self.repeats), seed=seed)
        with self._running("choosing") as context:
            trials = try_methods(candidates, draws, budget, context.part(0, 2))
            self._means, self._range = column_means(matrix), FillRange.of(matrix.values)
            self._spreads = column_spreads(matrix)
            self._choose_members(candidates, trials, draws)
            self._keep_report(trials, draws)

    def _choose_members(self, candidates: Sequence[Candidate], trials: Trials, draws: Draws) -> None:
        """Choose weights, and fit the methods that have any on the whole table."""
        make = {candidate.key: candidate.make for candidate in candidates}
        members: dict[str, Imputer] = {}
        while trials.errors:
            keys = list(trials.errors)
            cells = draws.hidden_cells(list(trials.errors.values()))
            with one_blas_thread():
                weights = choose_weights(cells, draws.matrix.n_columns, blend=bool(self.blend))
            kept, weights = keep_useful(weights)
            chosen = [keys[at] for at in kept]
            learn_from_all(make, chosen, draws.matrix, trials, members)
            if set(chosen) <= set(members):
                self._members, self._weights = {key: members[key] for key in chosen}, weights
                return
            # A method failed: repeat the choice without it.
        for failure in trials.failures.values():
            raise failure
        raise InvalidParameter(
            f"`time_budget` of AutoImputer: enough for one of {', '.join(make)} is needed; received "
            f"{self.time_budget!r}. Allow more, or add 'iim' or 'mean', which are never left out."
        )

    def _choose_nothing(self, matrix: MaskedMatrix) -> None:
        """Set the fitted attributes for a table without any known value."""
        nothing = np.zeros(0)
        self._means, self._range, self._spreads = nothing, FillRange(nothing, nothing), nothing
        self._members, self._weights = {}, np.zeros((0, 0))
        self._keep_report(Trials(), Draws(matrix, (), (), np.zeros(matrix.n_rows, bool)))

    @one_blas_thread()
    def _keep_report(self, trials: Trials, draws: Draws) -> None:
        keys, names = list(self._members), draws.matrix.columns
        cells = draws.hidden_cells(list(trials.errors.values()))
        n_columns = draws.matrix.n_columns
        crossed = crossed_errors(cells, n_columns, blend=bool(self.blend))
        counts = np.bincount(cells.column, minlength=n_columns).tolist()
        self.weights_ = {
            name: {key: float(weight) for key, weight in zip(keys, weights, strict=True) if weight > 0}
            for name, weights in zip(names, self._weights, strict=True)
        }
        self.errors_ = {}
        for column in np.unique(cells.column):
            own = np.column_stack([crossed, cells.errors])[cells.column == column]
            found = np.sqrt(np.mean(np.square(own), axis=0)).tolist()
            self.errors_[names[column]] = dict(zip([CHOICE, *trials.errors], found, strict=True))
        self.n_hidden_ = dict(zip(names, counts, strict=True))
        self.seconds_ = dict(trials.seconds)
        self.left_out_ = dict(trials.left_out)
        for key in trials.errors:
            if key not in self._members:
                self.left_out_[key] = (
                    f"its weight is below {LEAST_WEIGHT:g} in every column"
                    if self.blend
                    else "it is best in no column"
                )

    def _fill(self, matrix: MaskedMatrix) -> Floats:
        values = np.where(matrix.missing, self._means, matrix.values)
        rows = np.flatnonzero(matrix.missing.any(axis=1) & ~matrix.missing.all(axis=1))
        if rows.size == 0:
            return values
        fills = []
        table = np.ascontiguousarray(matrix.values[rows])
        with self._running("filling") as context, silence():
            for at, member in enumerate(self._members.values()):
                # An array, even if scikit-learn's config asks for frames.
                fills.append(self._range.cut(np.asarray(self._at_work(member).transform(table))))
                context.report(at + 1, len(self._members))
        blended = blend_fills(fills, self._weights, self._spreads)
        values[rows] = np.where(matrix.missing[rows], blended, table)
        return values

    def _check_kept(self, sizes: Sizes) -> None:
        super()._check_kept(sizes)
        n_columns = sizes.find("columns")
        if len(self._members) != sizes.find("members"):
            raise Refused("a method for each weight is needed")
        for key, member in self._members.items():
            positions = (member._columns_in, member._chosen_columns, member._known_columns, member._kept)
            # No nested AutoImputer: a file could nest them without end.
            if isinstance(member, AutoImputer) or member._indicated.size:
                raise Refused(f"{key!r:.80} cannot be blended, or adds indicator columns")
            if any(len(each) != n_columns for each in positions):
                raise Refused(f"{key!r:.80} does not fill the same columns")

    def _at_work(self, member: Imputer) -> Imputer:
        """The member with the current ``n_jobs``; fitted attributes are shared, not copied."""
        if "n_jobs" not in member._defaults() or getattr(member, "n_jobs") == self.n_jobs:  # noqa: B009 (not every method has it)
            return member
        working = copy(member)
        working.set_params(n_jobs=self.n_jobs)
        return working

    def _candidates(self, seed: int) -> list[Candidate]:
        asked: Mapping[str, Mapping[str, Any]]
        if isinstance(self.methods, Mapping):
            asked = self.methods
        elif isinstance(self.methods, str):
            asked = USUAL if self.methods == "auto" else {self.methods: {}}
        else:
            asked = {key: {} for key in self.methods}
        shared = {"random_state": seed, "n_jobs": self.n_jobs}
        return [_candidate(key, shared, parameters) for key, parameters in asked.items()]


def _candidate(key: str, shared: Mapping[str, Any], parameters: Mapping[str, Any]) -> Candidate:
    method = METHODS[key]
    settings = {**method._taken(shared), **parameters}
    return Candidate(key, lambda: method(**settings))
