"""IIM: each donor learns its own model; a missing value is a vote of the nearest donors' models."""

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
    AUTO_ALPHA_OF_HOLES,
    AUTO_GRID,
    PAPER,
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
from iim.imputers.evidence import Candidates, Explanation, gather_candidates, gather_explanation
from iim.matrix import MaskedMatrix
from iim.persistence.fields import COUNT


class IIMImputer(LoopImputer):
    """Fill missing values by individual models (IIM).

    Each row that knows a value (a *donor*) learns its own small ridge regression of that column on the
    others, from as many of its nearest neighbours as suit it best. A missing value is then voted on by
    the models of the nearest donors. This serves sparse data (no neighbour has the value, but neighbours
    have the model) and heterogeneous data (no single model fits all rows).

    Prefer it for numeric columns that depend on each other in ways that differ across the table. Prefer a
    global regression when one linear law holds everywhere, and trees when columns are categories in
    disguise. Cost: about that of finding the nearest ``max(learning_grid)`` neighbours of each donor that
    is asked, and the trials of ``distance``, ``level`` and ``weights``, whose size is limited; memory
    O(n (m + k)).

    Parameters
    ----------
    n_neighbors : int, default=10
        k: how many donors are asked for a missing value, and on how many other donors each row is tried
        when its number of learning neighbours is chosen. More are steadier, fewer follow details.
    learning_neighbors : int or None, default=None
        A fixed number of learning neighbours for all donors (Algorithm 1 of the paper); None chooses one
        for each donor from ``learning_grid`` (Algorithm 3). 1 makes IIM kNN, all donors make it one
        global regression.
    learning_grid : "auto" or sequence of int, default="auto"
        Candidate numbers of learning neighbours, the donor itself included. Candidates above the number
        of donors are dropped; if none is left, all donors are used. Larger last candidates cost time and
        help where one law holds over wide regions; a finer grid rather fits noise. "auto" is
        1, 3, 6, 10, 16, 25, 40, 64, 100, 160, 250.
    alpha : "auto" or float, default="auto"
        Ridge weight, on scaled columns. More keeps models with few neighbours calm, less lets them follow
        steep slopes. "auto" is 0.001, and in rounds ``0.001 + 10 * s**2`` with the share ``s`` of missing
        cells, since models that learn from filled values must not trust them too far.
    penalty : {"slopes", "all"}, default="slopes"
        What the ridge weighs on: the slopes only, so that a shift of the data changes nothing; or the
        intercept too, as the paper's formula is printed.
    scale : {"standard", "robust", "none"}, default="standard"
        Bring columns to one scale before distances and ridge: by mean and standard deviation, by median
        and interquartile range, or not at all (the paper), where the column with the largest numbers
        decides who is near.
    validation : {"held_out", "reused"}, default="held_out"
        How a donor's candidate models are judged on the donors near it, which are mostly among its learning
        neighbours: each as if it had not been learned from, so that small numbers of neighbours are not
        praised for what they were told; or as they are (the paper). With ``penalty="all"`` the first is an
        estimate: it takes the intercept to be free.
    distance : {"learned", "scaled"}, default="learned"
        "learned" finds out, from the slopes of the models themselves, which columns and directions matter
        for the column to fill, and who is near by that; a column that tells nothing then no longer pushes
        good donors away. "scaled" counts all columns alike (the paper). Costs up to five passes over up to
        1,000 donors of each column; rounds always count columns alike.
    level : {"auto", "fitted", "own"}, default="auto"
        Where a model passes its donor: at the value fitted there (the paper), which calms noise; or at the
        donor's own value, which follows a table without noise. "auto" takes what is better for each column
        on known values that are tried as if they were missing.
    weights : {"auto", "votes", "uniform", "distance", "closest"}, default="auto"
        How candidates are combined: each by the inverse of its summed distance to the others, so that
        outliers are outvoted (the paper); equally; by the inverse distance of its donor; or by the
        inverse of the squared distance.
        "auto" takes the best of "votes", "distance" and "closest" for each column, found as for ``level``.
    reach : float or None, default=1.0
        How far a candidate may lie beyond the donors' values, in widths of their range: the fill of a
        nearly singular model must not run away. 0 stays within; None sets no limit (the paper).
    donors : {"available", "complete"}, default="available"
        Which rows may be donors: those that know the columns at hand, or only those without any hole.
    min_donors : "auto" or int, default="auto"
        With fewer donors than this (or than half of the rows that know the value, if that is less), known
        columns are given up one by one, the one that frees most donors first; with none left, the column
        mean is used. In rounds no column is given up; there it only says when complete donors are too
        few. "auto" is ``2 * n_neighbors``.
    strategy : {"auto", "patterns", "iterative"}, default="auto"
        "patterns" learns one set of models for each combination of known columns and missing column: the
        paper's way, and the more accurate one where few values are missing. "iterative" learns one set per
        column, from all the others, in rounds over a table that is filled meanwhile: for tables in which
        almost every row has holes of its own. "auto" takes the second where the first would take long and
        cost more, by an estimate from the table's shape and holes. In rounds, the fills of a row with
        several holes stay within the range of their columns' known values.
    start : {"knn", "mean"}, default="knn"
        What a missing value holds before the first round: the mean of the nearest donors' values, or of
        the column. For "iterative" only, as the next three.
    max_iter : int, default=5
        Rounds at most. Few are needed, and to stop there is no failure: nothing warns.
    tol : float, default=0.01
        Rounds end when values change by less, in standard deviations of their columns (or what ``scale``
        makes of these): their root mean square while the table is completed, the largest of a row when it
        is filled.
    max_donors : int, default=5000
        Donors of a column at most; those with the fewest holes are taken, and of equals some from all over
        the table. Time grows with its square.
    prepare : {"seen", "single"}, default="seen"
        What ``fit`` learns ahead: what the holes of the table itself ask; with "single" also every
        pattern with one hole (in rounds: every column), for services that fit on complete tables. Never
        changes a fill.

    Attributes
    ----------
    alpha_ : float
        The ridge weight used.
    learning_grid_ : tuple of int
        The candidate numbers of learning neighbours; a pattern with fewer donors uses fewer.
    strategy_ : StrategyChoice
        The strategy used, a string; its attribute ``reason`` says why.
    n_iter_ : int
        Rounds that completing the table took; 1 if there are none.

    See Also
    --------
    iim.PAPER : The settings of the paper.

    Notes
    -----
    Learning neighbours are ranked by distance, then by row, the donor itself first; the Euclidean
    distance is summed in column order. Between candidate numbers of learning neighbours, each is judged
    by the squared errors (``validation``) on the donors that have this donor among their k nearest (if
    there are none, on its own k nearest), and the smallest wins; of equals, the larger number. A row's fill
    depends on the table given to ``fit`` and on the row itself, not on other rows of the call, on threads
    or on blocks; the order of the rows at fit matters only through ties in distance or cost and through
    rounding, where ``max_donors`` leaves rows out of rounds, where trials take some rows of many, and where
    more than 64 donors have a donor near: its held-out errors are then those on the first 64.

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
    distance: str = parameter(default="learned", check=one_of("learned", "scaled"))
    level: str = parameter(default="auto", check=one_of("auto", "fitted", "own"))
    weights: str = parameter(default="auto", check=one_of("auto", *WEIGHTS))
    reach: float | None = parameter(default=1.0, check=exactly(None) | real_number(least=0.0))
    donors: str = parameter(default="available", check=one_of("available", "complete"))
    min_donors: str | int = parameter(default="auto", check=one_of("auto") | whole_number(least=1))
    strategy: str = parameter(default="auto", check=one_of("auto", "patterns", "iterative"))
    start: str = parameter(default="knn", check=one_of("knn", "mean"))
    max_iter: int = parameter(default=5, check=whole_number(least=1))
    tol: float = parameter(default=0.01, check=real_number(least=0.0))
    max_donors: int = parameter(default=5000, check=whole_number(least=1))
    prepare: str = parameter(default="seen", check=one_of("seen", "single"))
    n_jobs: int | None = parameter(default=-1, check=NUMBER_OF_JOBS)

    _loop: PatternLoop[PatternModels, IndividualModels] | RoundLoop = fitted()
    _calibration: Calibration | None = fitted()
    """How wrong fills are; None until that is asked."""
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
            Whether the cells also get a standard deviation and intervals. If ``calibrate`` has not been
            called, it is now, which takes the time of several fits.

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
        """Find out how wrong fills are, for standard deviations, intervals and draws.

        Known cells of the table given to ``fit`` are hidden, in several turns, and filled as if they were
        missing, with the settings of ``fit``. What is learned is kept, also by ``save`` and pickle, until
        the next ``fit``; no fill changes. It takes the time of several fits, and is done when it is needed
        if this method is not called. The cells are always the same ones, so that the result is, too.

        Returns
        -------
        self
            The fitted imputer.
        """
        check_is_fitted(self)
        self._calibrated()
        return self

    def sample(self, X: Any, n_draws: int = 5, random_state: Any = None) -> list[Any]:
        """Fill the holes of a table several times, each time with errors drawn as large as fills have.

        For multiple imputation: do the same analysis on each table, and pool the results. Every missing
        cell is its fill plus an error, drawn from those that ``calibrate`` finds in its column, in the
        cell's own scale; then it is rounded and limited as a fill. A row gets the same draws in any table;
        rows that know the same values get the same draws. The holes of a row are drawn independently of
        each other, given their fills: columns that are often missing together come out less related than
        they are.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns)
            The table to fill.
        n_draws : int, default=5
            How many tables. More make pooled results steadier; the first ones stay the same.
        random_state : int, RandomState or None, default=None
            A whole number gives the same draws each time.

        Returns
        -------
        list of array or frame
            Each as ``transform`` gives it.
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
        # scikit-learn makes frames of what `transform` returns, and of nothing else.
        names, kind = list(map(str, self.get_feature_names_out())), output_kind(self)
        return [array_as_kind(filled, names, kind) for filled in tables]

    def _gather(self, fills: Iterable[Fills], matrix: MaskedMatrix, known: Integers) -> Candidates:
        # No more neighbours than there are rows to be donors, however many are asked for.
        n_donors = min(self._loop.method.settings.n_neighbors, self._loop.learned_from.n_rows)
        return gather_candidates(map(self._bounded, fills), int(matrix.missing.sum()), known, n_donors)

    def _certainty(self, cells: Candidates) -> Certainty:
        places = np.searchsorted(self._known_columns, cells.columns)
        return Certainty(
            self._calibrated(), cells.imputed, cells.spread, places, cells.columns, self._limits
        )

    def _calibrated(self) -> Calibration:
        # Threads that come here at once all compute it, and get the same.
        if self._calibration is None:
            with self._running("calibrating") as context:
                self._calibration = calibrate(
                    self._loop,
                    lambda values, place: self._limits.apply(values, self._known_columns[place]),
                    context,
                )
        return self._calibration

    def explain(self, X: Any, row: int, column: Any) -> Explanation:
        """Why a missing cell gets its value.

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
            The donors asked, their models and votes; a small table when printed or shown in a notebook.
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
                f"holds {matrix.values[row, target]:g}."
            )
        one_row = matrix.take(np.array([row]))
        with self._running("filling") as context:
            wanted = np.arange(one_row.n_columns)[None, :] == target
            cells = self._loop.fill_cells(one_row, wanted, context, explaining=True)
            fills = next(fills for fills in cells if fills.pattern.target == target)
        explained = gather_explanation(self._loop.source, fills, one_row.values[0], row)
        return replace(explained, value=float(self._bounded(fills).values[0]))

    def _begin(self, matrix: MaskedMatrix, context: Context) -> tuple[Sequence[RowGroup], Context]:
        plan = make_plan(matrix.missing, *self._settings(), strategy=self.strategy)
        # Completing a table in rounds, learning from it, and learning ahead: about as long each.
        n_parts = 1 + (plan.rounds is not None) + (self.prepare == "single")
        self._loop = begin(matrix, plan.settings, plan.rounds, context.part(0, n_parts))
        self._calibration = None
        self.alpha_ = plan.settings.alpha
        self.learning_grid_ = tuple(plan.settings.learning_grid)
        self.strategy_ = plan.strategy
        self.n_iter_ = self._loop.n_rounds
        return plan.groups, context.part(int(plan.rounds is not None), n_parts)

    def _end(self, context: Context) -> None:
        if self.prepare == "single":
            n_parts = 2 + (self._loop.rounds is not None)
            self._loop.learn_single_holes(context.part(n_parts - 1, n_parts))
        self._loop.models.close()
        self._loop.method.tunings.close()

    def _bounded(self, fills: Fills) -> Fills:
        """The same cells, rounded and limited as ``transform`` gives them."""
        column = self._known_columns[fills.pattern.target]
        return replace(fills, values=self._limits.apply(fills.values, column))

    def _settings(self) -> tuple[Settings, RoundSettings]:
        """All decisions, as the parameters ask for them, and those of rounds."""
        rounds = RoundSettings(
            start=self.start,
            max_iter=int(self.max_iter),
            tol=float(self.tol),
            max_donors=int(self.max_donors),
            alpha_of_holes=AUTO_ALPHA_OF_HOLES if isinstance(self.alpha, str) else 0.0,
        )
        if self.learning_neighbors is not None:
            grid: tuple[int, ...] = (int(self.learning_neighbors),)
        elif isinstance(self.learning_grid, str):
            grid = AUTO_GRID
        else:
            grid = tuple(sorted({int(candidate) for candidate in self.learning_grid}))
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
            reach=np.inf if self.reach is None else float(self.reach),
            donors=self.donors,
            min_donors=2 * int(self.n_neighbors)
            if isinstance(self.min_donors, str)
            else int(self.min_donors),
        )
        return settings, rounds
