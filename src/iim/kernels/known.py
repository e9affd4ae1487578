"""Models on the known columns of a row, where nearly every row knows other columns.

The models of a row's nearest donors are learned again, on the columns that the row knows, over the learning
neighbours that these donors chose with all columns.
"""

from __future__ import annotations

import numpy as np

from iim._arrays import Booleans, Floats, Integers
from iim.kernels._jit import kernel
from iim.kernels.gram import LANES, ROWS_AT_ONCE, Solution, make_solution, penalise_intercept, solve


@kernel
def sum_neighbors(
    points: Floats, targets: Floats, found: Integers, n_learning: int, rows: Floats, sums: Floats
) -> None:
    """Sums of products of ``(1, F, A)`` over a donor's learning neighbours, relative to it. O(l m^2).

    ``rows``, of shape (ROWS_AT_ONCE, n_observed + 2), is scratch for the neighbours of one pass, which are
    added one after the other.
    """
    own, n_observed = found[0], points.shape[1]
    sums[:] = 0.0
    for first in range(0, n_learning, ROWS_AT_ONCE):
        rows[:] = 0.0
        for at in range(min(ROWS_AT_ONCE, n_learning - first)):
            other = found[first + at]
            rows[at, 0] = 1.0
            for column in range(n_observed):
                rows[at, 1 + column] = points[other, column] - points[own, column]
            rows[at, 1 + n_observed] = targets[other] - targets[own]
        for line in range(n_observed + 2):
            one, two, three, four = rows[0, line], rows[1, line], rows[2, line], rows[3, line]
            for entry in range(line + 1):
                total = sums[line, entry] + one * rows[0, entry]
                total += two * rows[1, entry]
                total += three * rows[2, entry]
                sums[line, entry] = total + four * rows[3, entry]


@kernel
def list_known(missing: Booleans, known: Integers) -> int:
    """List the columns that a row knows, and return how many."""
    n_known = 0
    for column in range(missing.shape[0]):
        if not missing[column]:
            known[n_known] = column
            n_known += 1
    return n_known


@kernel
def load_known(sums: Floats, known: Integers, lane: int, products: Floats) -> None:
    """Copy a donor's sums of the known columns to a lane; zeros after them give slopes of 0. O(m^2)."""
    n_known, last = known.shape[0], sums.shape[0] - 1
    for line in range(last + 1):
        for entry in range(line + 1):
            products[line, entry, lane] = 0.0
    products[0, 0, lane], products[last, 0, lane] = sums[0, 0], sums[last, 0]
    products[last, last, lane] = sums[last, last]
    for line in range(n_known):
        products[1 + line, 0, lane] = sums[1 + known[line], 0]
        products[last, 1 + line, lane] = sums[last, 1 + known[line]]
        for entry in range(line + 1):
            products[1 + line, 1 + entry, lane] = sums[1 + known[line], 1 + known[entry]]


@kernel
def first_columns(products: Floats, n_columns: int, solution: Solution) -> Solution:
    """The models of the first columns only; the targets' sums move up to them. The others have slopes 0."""
    last = products.shape[0] - 1
    for entry in range(n_columns + 1):
        for lane in range(LANES):
            products[1 + n_columns, entry, lane] = products[last, entry, lane]
    return Solution(
        solution.slopes[:n_columns],
        solution.level,
        solution.factor[:n_columns],
        solution.floor[:n_columns],
        solution.mean[:n_columns],
        solution.pull[:n_columns],
        solution.miss,
        solution.share,
    )


@kernel
def predict_known(
    points: Floats,
    targets: Floats,
    places: Integers,
    pairs: Integers,
    asking: Integers,
    queries: Floats,
    columns: Integers,
    n_known: Integers,
    alphas: Floats,
    intercept_penalised: bool,
    products: Floats,
    everything: Solution,
    fitted: Floats,
    own: Floats,
    slopes: Floats,
) -> None:
    """Solve the models of all lanes, and predict.

    ``places`` and ``pairs`` say whose they are, and the first ``n_known`` of ``columns`` which columns each
    lane's row knows. O(m^3), with m the most that a row knows.
    """
    n_columns = n_known.max()
    origin, values = np.zeros((n_columns, LANES)), np.zeros(LANES)
    for lane in range(pairs.shape[0]):
        values[lane] = targets[places[lane]]
        for at in range(n_known[lane]):
            origin[at, lane] = points[places[lane], columns[lane, at]]
    solution = first_columns(products, n_columns, everything)
    for turn in range(alphas.shape[0]):
        solve(products, alphas[turn], solution)
        if intercept_penalised:
            penalise_intercept(products, alphas[turn], origin, values, solution)
        for lane in range(pairs.shape[0]):
            if products[0, 0, lane] == 1.0:
                # A single neighbour gives a constant: its own value.
                solution.slopes[:, lane] = 0.0
                solution.level[lane] = 0.0
            pair = pairs[lane]
            query, change = asking[pair], 0.0
            for at in range(n_known[lane]):
                gap = queries[query, columns[lane, at]] - origin[at, lane]
                change += solution.slopes[at, lane] * gap
            own[turn, pair] = values[lane] + change
            fitted[turn, pair] = own[turn, pair] + solution.level[lane]
    if slopes.shape[0] > 0:
        for lane in range(pairs.shape[0]):
            slopes[pairs[lane]] = 0.0
            for at in range(n_known[lane]):
                slopes[pairs[lane], columns[lane, at]] = solution.slopes[at, lane]


@kernel
def answer_known_block(
    points: Floats,
    targets: Floats,
    found: Integers,
    n_learning: Integers,
    first: Integers,
    asking: Integers,
    queries: Floats,
    missing: Booleans,
    alphas: Floats,
    intercept_penalised: bool,
    fitted: Floats,
    own: Floats,
    slopes: Floats,
) -> None:
    """Learn some donors' models on the known columns of each row that asks for them, and predict the row.

    Parameters
    ----------
    points, targets : ndarray of shape (n_donors, n_observed) and (n_donors,)
        The donors by place: scaled coordinates, not transformed, and values.
    found : ndarray of shape (n_asked, at least the largest of n_learning)
        Places of the nearest donors of each donor asked; itself first.
    n_learning : ndarray of shape (n_asked,)
        How many of them its models are learned from.
    first : ndarray of shape (n_asked + 1,)
        Where the rows that ask for each donor begin in ``asking``.
    asking : ndarray of shape (n_pairs,)
        Rows of ``queries``, by donor.
    queries, missing : ndarray of shape (n_queries, n_observed)
        Coordinates of the rows, and where they are missing: those are not used.
    alphas : ndarray of shape (n_alphas,)
        Ridge weights; each gives a model.
    intercept_penalised : bool
        Whether the ridge penalises the intercept too.
    fitted, own : ndarray of shape (n_alphas, n_pairs)
        Receive the predictions with either level: the model's value at the donor, or the donor's own.
    slopes : ndarray of shape (n_pairs or 0, n_observed)
        Receives the slopes with the last ridge weight; without rows they are not kept.

    Notes
    -----
    O(l m^2) per donor and O(m^3) per pair and ridge weight; memory O(m^2). Lanes are shared by donors, of
    which most are asked by a few rows only.
    """
    n_observed = points.shape[1]
    rows, sums = np.empty((ROWS_AT_ONCE, n_observed + 2)), np.empty((n_observed + 2, n_observed + 2))
    products = np.zeros((n_observed + 2, n_observed + 2, LANES))
    # A lane that no pair has used yet counts one neighbour: nothing divides by 0.
    products[0, 0] = 1.0
    places, pairs, lane = np.empty(LANES, np.intp), np.empty(LANES, np.intp), 0
    columns, n_known = np.empty((LANES, n_observed), np.intp), np.empty(LANES, np.intp)
    solution = make_solution(n_observed)
    for donor in range(found.shape[0]):
        sum_neighbors(points, targets, found[donor], n_learning[donor], rows, sums)
        for pair in range(first[donor], first[donor + 1]):
            n_known[lane] = list_known(missing[asking[pair]], columns[lane])
            load_known(sums, columns[lane, : n_known[lane]], lane, products)
            places[lane], pairs[lane] = found[donor, 0], pair
            lane += 1
            last = donor == found.shape[0] - 1 and pair == first[donor + 1] - 1
            if lane == LANES or last:
                predict_known(
                    points,
                    targets,
                    places[:lane],
                    pairs[:lane],
                    asking,
                    queries,
                    columns,
                    n_known[:lane],
                    alphas,
                    intercept_penalised,
                    products,
                    solution,
                    fitted,
                    own,
                    slopes,
                )
                lane = 0
