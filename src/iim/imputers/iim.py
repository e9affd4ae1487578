"""IIM: a model for each donor; a fill is a weighted mean of the nearest donors' predictions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Annotated, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from iim._arrays import Integers
from iim._checks import FLAG, check_parameters, each, exactly, one_of, real_number, whole_number
from iim.core.donors import SeenPattern
from iim.core.execution.context import Context
from iim.core.fills import Fills
from iim.core.iim import IndividualModels
from iim.core.learning import PatternModels
from iim.core.pattern_loop import PatternLoop
from iim.core.patterns import RowGroup
from iim.core.rounds.round_loop import RoundLoop
from iim.core.settings import (
    AUTO_ALPHA,
    AUTO_ALPHAS_OF_HOLES,
    AUTO_GRID,
    DISTANCES,
    PAPER,
    ROUNDS_GRID,
    SHRINKAGES,
    WEIGHTS,
    RoundSettings,
    Settings,
)
from iim.core.strategy import StrategyChoice, begin, make_plan
from iim.evaluation.calibration import Calibration, calibrate
from iim.exceptions import InvalidParameter
from iim.imputers._certainty import Certainty
from iim.imputers._containers import array_as_kind, kind_of_frame, open_table, output_kind
from iim.imputers._declaring import fitted, parameter
from iim.imputers._jobs import NUMBER_OF_JOBS
from iim.imputers._loops import LoopImputer
from iim.imputers._seeds import RANDOM_STATE, seed_from
from iim.imputers.candidates import Candidates, gather_candidates
from iim.imputers.explanations import Explanation, gather_explanation
from iim.matrix import MaskedMatrix
from iim.persistence.fields import COUNT


class IIMImputer(LoopImputer):
    """Fill missing values by individual models (IIM).

    Each row with a known value (a *donor*) gets a small ridge regression of that column on the others,
    learned from its nearest neighbours; their number is chosen by held-out error. A missing value is the
    weighted mean of the predictions of the nearest donors' models. This works on sparse data (no neighbour
    has a similar value, but neighbours have a similar model) and on heterogeneous data (no single model
    fits all rows).

    Prefer it for numeric columns whose relations differ across the table. When not: prefer a global
    regression if one linear formula holds everywhere, and trees if columns are coded categories. Cost:
    about that of finding the nearest ``max(learning_grid)`` neighbours of each donor used, plus the tuning
    of ``distance``, ``level`` and ``weights`` on a sample of limited size; memory O(n (m + k)).

    Parameters
    ----------
    n_neighbors : int, default=10
        k: how many donors predict a missing value, and on how many donors each model is validated when its
        number of learning neighbours is chosen. Larger values lower the variance, smaller ones the bias.
        Rounds also try half and twice as many for the vote.
    learning_neighbors : int or None, default=None
        A fixed number of learning neighbours for all donors (Algorithm 1 of the paper); None chooses one
        for each donor from ``learning_grid`` (Algorithm 3). With 1, IIM is kNN; with all donors, it is one
        global regression.
    learning_grid : "auto" or sequence of int, default="auto"
        Candidate numbers of learning neighbours, the donor itself included. Candidates above the number
        of donors are dropped; if none is left, all donors are used. A larger last candidate costs time, and
        helps where one formula holds over wide regions; a finer grid tends to overfit. "auto" is
        1, 3, 6, 10, 16, 25, 40, 64, 100, 160, 250; in rounds, 1, 10, 40, 160.
    alpha : "auto" or float, default="auto"
        Ridge weight, on scaled columns. Larger values stabilise models with few neighbours, smaller ones
        allow steeper slopes. "auto" is 0.001; in the votes of rounds, ``0.001 + 10 * s**2`` and ``0.001 +
        100 * s**2`` with the share ``s`` of missing cells are tried, because models learned from filled
        values would magnify their errors.
    penalty : {"slopes", "all"}, default="slopes"
        What the ridge penalises: the slopes only, so that a shift of the data changes nothing; or the
        intercept too (the paper's formula).
    scale : {"standard", "robust", "none"}, default="standard"
        Bring columns to one scale before distances and ridge: by mean and standard deviation, by median
        and interquartile range, or not at all (the paper), where the column with the largest numbers
        dominates the distances.
    validation : {"held_out", "reused"}, default="held_out"
        How a donor's candidate models are validated on the donors near it, most of which are among its
        learning neighbours. "held_out" uses leave-one-out errors, so that small l is not favoured by
        overfitting; "reused" uses residuals (the paper). With ``penalty="all"`` the leave-one-out error is
        approximate: it ignores the penalty on the intercept.
    distance : {"learned", "scaled"}, default="learned"
        "learned" weights columns and directions by the slopes of the models, so that a column without
        influence on the target does not count in distances. "scaled" weights all columns equally (the
        paper). Learning costs up to five passes over up to 1,000 donors of each column.
    level : {"auto", "fitted", "own"}, default="auto"
        A model's value at its donor: the fitted one (the paper), which averages out noise; or the donor's
        own, which suits tables without noise. "auto" takes the one with the smaller held-out error for each
        column.
    weights : {"auto", "votes", "uniform", "distance", "closest"}, default="auto"
        Weights of candidates: the inverse of the summed distance to the other candidates, so that outliers
        count less (the paper); equal; the inverse distance of the donor; or the inverse squared distance.
        "auto" takes the one of "votes", "distance" and "closest" with the smallest held-out error for each
        column.
    shrinkage : {"auto", "none"}, default="auto"
        "auto" draws the models of a column towards one linear regression over all donors and towards the
        mean, as far as this lowers the held-out error. So noise is filled by about the mean, and rows
        beyond all donors are not filled by steep local models. "none" leaves them as they are (the paper).
    reach : float or None, default=1.0
        Limit of extrapolation: how far a candidate may lie beyond the donors' values, in widths of their
        range, so that a nearly singular model cannot give an extreme fill. 0 allows no extrapolation; None
        sets no limit (the paper).
    donors : {"available", "complete"}, default="available"
        Which rows may be donors: those with known values in the columns used, or only complete rows.
    min_donors : "auto" or int, default="auto"
        With fewer donors than this (or than half of the rows with a known value, if that is less), known
        columns are dropped one by one, first the one whose removal makes the most donors available. With
        none left, the fill is the column mean. Rounds drop no column; there it only decides when complete
        donors are too few. "auto" is ``2 * n_neighbors``.
    strategy : {"auto", "patterns", "iterative"}, default="auto"
        "patterns" learns one set of models for each combination of known columns and missing column, from
        the rows that know them all: the paper's algorithm. "iterative" first fills all rows that know a
        column, in rounds, and then learns from them all; how each column is filled is chosen on known cells
        that are hidden for it. "auto" fills hidden cells in both ways and takes the one that errs less;
        within 2 %, the cheaper one. It takes "patterns" without a trial where few rows lack a value and
        none of them two, and "iterative" where there are too many combinations to learn.
    max_iter : int, default=3
        Most rounds that complete the rows to learn from, before the one that fills. Fewer are taken if more
        do not lower the error on hidden cells, or a table is wide. For "iterative" only, as the next one.
    max_donors : int, default=20000
        Most donors of a column in rounds: those with the fewest holes, ties thinned evenly over the table.
        Time grows with its square.
    prepare : {"seen", "single"}, default="seen"
        Models that ``fit`` learns: those for the missing cells of its own table; with "single" also those
        for every pattern with one hole (in rounds: every column), for services that fit on complete tables.
        Never changes a fill.

    Attributes
    ----------
    alpha_ : float
        The ridge weight used.
    learning_grid_ : tuple of int
        The candidate numbers of learning neighbours; a pattern with fewer donors uses fewer.
    strategy_ : StrategyChoice
        The strategy used, a string with the attribute ``reason``.
    n_iter_ : int
        Rounds, the one that fills included; 1 for "patterns".

    See Also
    --------
    iim.PAPER : The settings of the paper.

    Notes
    -----
    Learning neighbours are ranked by distance, then by row, the donor itself first; the Euclidean
    distance is summed in column order. The number of learning neighbours is the candidate with the smallest
    sum of squared errors (``validation``) on the donors that have this donor among their k nearest (if
    there are none, on its own k nearest); ties go to the larger number.

    A row's fill depends on the table given to ``fit`` and on the row itself, not on other rows of the call,
    threads or blocks. The order of the rows at fit matters only for ties in distance or cost, for rounding,
    where ``max_donors`` leaves rows out, where tuning uses a sample of the rows, and where a donor has more
    than 64 validation rows: the first 64 are used.

    References
    ----------
    .. [1] A. Zhang, S. Song, Y. Sun, J. Wang: "Learning Individual Models for Imputation",
       IEEE International Conference on Data Engineering (ICDE), 2019.

    Examples
    --------
    The eight rows of the paper's first figure, and one whose second value is unknown:

    >>> import numpy as np
    >>> import iim
    >>> table = np.array([[0, 5.8], [0.8, 4.6], [1.9, 3.8], [2.9, 3.2], [6.8, 3], [7.5, 4.1],
    ...                   [8.2, 4.8], [9, 5.5], [5, np.nan]])
    >>> paper = iim.IIMImputer(**{**iim.PAPER, "n_neighbors": 3, "learning_grid": range(1, 9)})
    >>> paper.fit_transform(table)[-1].round(3)
    array([5.   , 1.184])
    """

    paper_name = "IIM"
    family = "individual"
    PAPER = PAPER

    n_neighbors: int = parameter(default=10, check=whole_number(least=1), kw_only=False)
    learning_neighbors: int | None = parameter(default=None, check=exactly(None) | whole_number(least=1))
    learning_grid: str | Sequence[int] = parameter(
        default="auto", check=one_of("auto") | each(whole_number(least=1), "whole numbers, 1 or more")
    )
    alpha: str | float = parameter(default="auto", check=one_of("auto") | real_number(least=0.0))
    penalty: str = parameter(default="slopes", check=one_of("slopes", "all"))
    scale: str = parameter(default="standard", check=one_of("standard", "robust", "none"))
    validation: str = parameter(default="held_out", check=one_of("held_out", "reused"))
    distance: str = parameter(default="learned", check=one_of(*DISTANCES))
    level: str = parameter(default="auto", check=one_of("auto", "fitted", "own"))
    weights: str = parameter(default="auto", check=one_of("auto", *WEIGHTS))
    shrinkage: str = parameter(default="auto", check=one_of(*SHRINKAGES))
    reach: float | None = parameter(default=1.0, check=exactly(None) | real_number(least=0.0))
    donors: str = parameter(default="available", check=one_of("available", "complete"))
    min_donors: str | int = parameter(default="auto", check=one_of("auto") | whole_number(least=1))
    strategy: str = parameter(default="auto", check=one_of("auto", "patterns", "iterative"))
    max_iter: int = parameter(default=3, check=whole_number(least=0))
    max_donors: int = parameter(default=20_000, check=whole_number(least=1))
    prepare: str = parameter(default="seen", check=one_of("seen", "single"))
    n_jobs: int | None = parameter(default=-1, check=NUMBER_OF_JOBS)

    _loop: PatternLoop[PatternModels, IndividualModels] | RoundLoop = fitted()
    _calibration: Calibration | None = fitted()
    """Error distributions of fills; None until they are needed."""
    alpha_: Any = fitted()
    learning_grid_: Any = fitted()
    strategy_: StrategyChoice = fitted()
    n_iter_: Annotated[int, COUNT] = fitted()

    def candidates(self, X: Any, *, calibrated: bool = False) -> Candidates:
        """Every missing cell's candidate values, their weights, and the donors they come from.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns)
            The table to fill.
        calibrated : bool, default=False
            Whether the cells also get a standard deviation and intervals. Calls ``calibrate`` if it was not
            called before, which takes the time of several fits.

        Returns
        -------
        Candidates
            Cells in table order. Columns that were empty at fit or left out by ``columns`` have none.
        """
        check_parameters("candidates", {"calibrated": calibrated}, {"calibrated": FLAG})
        matrix, known = self._known_part(X)
        found = replace(self._candidates(matrix, known), names=self._columns_in, backend=kind_of_frame(X))
        return replace(found, certainty=self._certainty(found)) if calibrated else found

    def _candidates(self, matrix: MaskedMatrix, known: Integers) -> Candidates:
        """The candidates of a table as the hooks see it, whose columns are those at ``known``."""
        with self._running("filling") as context:
            return self._gather(self._loop.fill(matrix, context), matrix, known)

    def calibrate(self) -> Self:
        """Measure the errors of fills on hidden cells, for standard deviations, intervals and draws.

        Known cells of the table given to ``fit`` are hidden, in several repeats, and filled with the
        settings of ``fit``. The result is kept until the next ``fit``, also by ``save`` and pickle; no fill
        changes. It takes the time of several fits, and runs automatically when it is needed. The hidden
        cells are always the same, so the result is reproducible.

        Returns
        -------
        self
            The fitted imputer.
        """
        check_is_fitted(self)
        self._calibrated()
        return self

    def sample(self, X: Any, n_draws: int = 5, random_state: Any = None) -> list[Any]:
        """Fill the missing values of a table several times, each time with drawn errors.

        For multiple imputation: run the same analysis on each table, and pool the results. Every missing
        cell is its fill plus an error, drawn from the errors that ``calibrate`` measured in its column,
        scaled to the cell; then it is rounded and bounded as a fill. A row gets the same draws in any
        table, and rows with equal known values get equal draws. Errors in different cells of a row are
        independent: columns that are often missing together come out less correlated than they are.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns)
            The table to fill.
        n_draws : int, default=5
            How many tables. More lower the variance of pooled results; the first ones stay the same.
        random_state : int, RandomState or None, default=None
            A whole number gives the same draws each time.

        Returns
        -------
        list of array or frame
            Each as returned by ``transform``.
        """
        check_parameters(
            "sample",
            {"n_draws": n_draws, "random_state": random_state},
            {"n_draws": whole_number(least=1), "random_state": RANDOM_STATE},
        )
        check_is_fitted(self)
        table = open_table(self, X, reset=False)
        matrix = self._read(table)
        part = matrix.select(self._known_places())
        with self._running("filling") as context:
            fills = list(self._loop.fill(part, context))
        self._warn_of_new([SeenPattern(one.pattern, one.rows.size, one.fallback) for one in fills], part)
        found = self._gather(fills, part, self._known_columns)
        certainty = self._certainty(found)
        drawn = certainty.draw(seed_from(random_state), part, found.rows, int(n_draws))
        tables = []
        for values in drawn.T:
            filled = part.values.copy()
            filled[found.rows, certainty.places] = values
            tables.append(self._write(table, self._new_values(matrix, filled)))
        if not isinstance(table, np.ndarray):
            return tables
        # scikit-learn converts the result of `transform` only.
        names, kind = list(map(str, self.get_feature_names_out())), output_kind(self)
        return [array_as_kind(filled, names, kind) for filled in tables]

    def _gather(self, fills: Iterable[Fills], matrix: MaskedMatrix, known: Integers) -> Candidates:
        # k may be larger than the number of rows.
        loop = self._loop
        most = loop.method.settings.n_neighbors if loop.rounds is None else loop.rounds.most_neighbors
        n_donors = min(most, loop.learned_from.n_rows)
        return gather_candidates(map(self._bounded, fills), int(matrix.missing.sum()), known, n_donors)

    def _certainty(self, cells: Candidates) -> Certainty:
        places = np.searchsorted(self._known_columns, cells.columns)
        return Certainty(
            self._calibrated(), cells.imputed, cells.spread, places, cells.columns, self._limits
        )

    def _calibrated(self) -> Calibration:
        # Simultaneous threads may each compute it, with the same result.
        if self._calibration is None:
            with self._running("calibrating") as context:
                self._calibration = calibrate(
                    self._loop,
                    lambda values, place: self._limits.apply(values, self._known_columns[place]),
                    context,
                )
        return self._calibration

    def explain(self, X: Any, row: int, column: Any) -> Explanation:
        """Show how a missing cell gets its value.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns)
            The table with the cell.
        row : int
            The cell's row, by position.
        column : str or int
            The cell's column, by name or position.

        Returns
        -------
        Explanation
            The nearest donors, their models and predictions; a small table when printed or shown in a
            notebook.
        """
        matrix, known = self._known_part(X)
        position = self._find_column(column)
        place = np.flatnonzero(known == position)
        if place.size == 0:
            why = "was empty" if position in self._chosen_columns else "is left out by `columns`"
            raise InvalidParameter(
                f"`column` of explain: a column with a known value at fit is needed; received {column!r}, "
                f"which {why}."
            )
        if not (whole_number(least=0).accepts(row) and row < matrix.n_rows):
            raise InvalidParameter(
                f"`row` of explain: a whole number from 0 to {matrix.n_rows - 1} is needed; received "
                f"{row!r}."
            )
        target = int(place[0])
        if not matrix.missing[row, target]:
            raise InvalidParameter(
                f"`row`, `column` of explain: a missing cell is needed; row {row} of column {column!r} "
                f"has the value {matrix.values[row, target]:g}."
            )
        one_row = matrix.take(np.array([row]))
        with self._running("filling") as context, context.one_blas_thread():
            wanted = np.arange(one_row.n_columns)[None, :] == target
            cells = self._loop.fill_cells(one_row, wanted, context, explaining=True)
            fills = next(fills for fills in cells if fills.pattern.target == target)
            explained = gather_explanation(self._loop.source_for(target), fills, one_row.values[0], row)
        return replace(explained, value=float(self._bounded(fills).values[0]))

    def _begin(self, matrix: MaskedMatrix, context: Context) -> tuple[Sequence[RowGroup], Context]:
        # Parts of the progress: choosing, completing, the rest, and `prepare="single"`.
        n_parts = 3 + (self.prepare == "single")
        plan = make_plan(
            matrix, *self._settings(), strategy=self.strategy, context=context.part(0, n_parts)
        )
        self._loop = begin(matrix, plan.settings, plan.rounds, context.part(1, n_parts))
        self._calibration = None
        self.alpha_ = plan.settings.alpha
        self.learning_grid_ = tuple(plan.settings.learning_grid)
        self.strategy_ = plan.strategy
        self.n_iter_ = self._loop.n_rounds
        return plan.groups, context.part(2, n_parts)

    def _end(self, context: Context) -> None:
        if self.prepare == "single":
            self._loop.learn_single_holes(context.part(3, 4))
        self._loop.models.close()
        self._loop.method.tunings.close()

    def _bounded(self, fills: Fills) -> Fills:
        """The same cells, rounded and bounded as in ``transform``."""
        column = self._known_columns[fills.pattern.target]
        return replace(fills, values=self._limits.apply(fills.values, column))

    def _settings(self) -> tuple[Settings, RoundSettings]:
        """The parameters as settings of the method and of rounds."""
        grid: tuple[int, ...] = AUTO_GRID
        in_rounds: tuple[int, ...] = ROUNDS_GRID
        if self.learning_neighbors is not None:
            grid = in_rounds = (int(self.learning_neighbors),)
        elif not isinstance(self.learning_grid, str):
            grid = in_rounds = tuple(sorted({int(candidate) for candidate in self.learning_grid}))
        rounds = RoundSettings(
            max_iter=int(self.max_iter),
            max_donors=int(self.max_donors),
            learning_grid=in_rounds,
            alphas_of_holes=AUTO_ALPHAS_OF_HOLES if isinstance(self.alpha, str) else (0.0,),
        )
        settings = Settings(
            n_neighbors=int(self.n_neighbors),
            learning_grid=grid,
            alpha=AUTO_ALPHA if isinstance(self.alpha, str) else float(self.alpha),
            penalty=self.penalty,
            scale=self.scale,
            validation=self.validation,
            distance=self.distance,
            level=self.level,
            weights=self.weights,
            shrinkage=self.shrinkage,
            reach=np.inf if self.reach is None else float(self.reach),
            donors=self.donors,
            min_donors=2 * int(self.n_neighbors)
            if isinstance(self.min_donors, str)
            else int(self.min_donors),
        )
        return settings, rounds
