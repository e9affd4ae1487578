"""Rounds after a given plan, cell by cell: the slow witness of ``strategy="iterative"``.

Columns are brought to mean 0 and standard deviation 1 beforehand. Letters as in ``paper`` and ``better``:
X is the table with its holes, V the table with fills, W a metric and R its root, and mu and S are mean and
covariance of the Gaussian. ``how`` says how a column is filled in a round: the tuning of its distances and
models, then level, weights, number of neighbours, ridge weight and shares of the vote. ``models`` has what
all columns have in common: ells, k, alpha, penalty, validation and reach. Every row that knows a column is
its donor. Nothing is kept: whatever is needed is learned again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from reference import better, paper

RIDGE, CHANGE, TURNS = 1e-3, 1e-3, 30


class Models(NamedTuple):
    """What decides how many neighbours a model learns from, and how far it may go.

    With ``many`` donors, those numbers are chosen in the first round and in the last.
    """

    ells: tuple[int, ...]
    k: int
    alpha: float
    penalty: str = "slopes"
    validation: str = "held_out"
    reach: float = 1.0
    many: float = np.inf


def standardised(table):
    """The table on one scale, by its known values."""
    return (table - np.nanmean(table, axis=0)) / np.nanstd(table, axis=0)


def slopes(S, F, ridge):
    """The regression of all columns on those at F, with a ridge on the variances of F."""
    return np.linalg.solve(S[np.ix_(F, F)] + ridge * np.eye(len(F)), S[F]).T


def expected(x, mu, S, ridge=RIDGE):
    """x with the conditional means of what it lacks, given what it knows."""
    F = np.flatnonzero(~np.isnan(x))
    return np.where(np.isnan(x), mu + slopes(S, F, ridge) @ (x - mu)[F], x)


def left(x, S, ridge):
    """The conditional covariance of what x lacks, and 0 elsewhere."""
    F, H = np.flatnonzero(~np.isnan(x)), np.isnan(x)
    return np.where(H[:, None] & H, S - slopes(S, F, ridge) @ S[F], 0.0)


def gaussian(X, ridge=RIDGE):
    """Expectation-maximisation: mean and covariance of a table with holes."""
    mu, S = np.nanmean(X, axis=0), np.diag(np.nanvar(X, axis=0))
    for _ in range(TURNS):
        away = np.array([expected(x, mu, S, ridge) - mu for x in X])
        step = away.mean(axis=0)
        new = np.mean([np.outer(a, a) + left(x, S, ridge) for a, x in zip(away, X, strict=True)], axis=0)
        new -= np.outer(step, step)
        moved = max(np.abs(step).max(), np.abs(new - S).max())
        mu, S = mu + step, new
        if moved <= CHANGE:
            break
    return mu, S


def seen_by(A, X, V, law):
    """The table that A is learned from: before there are votes, its fills never know A itself."""
    if V is not None:
        return V
    hidden = X.copy()
    hidden[:, A] = np.nan
    return np.where(np.isnan(X), [expected(x, *law) for x in hidden], X)


def donors_of(A, how, X, V, law, models, kept):
    """The donors' points on all other columns, moved and not, their values, and the ell of each."""
    rows, others = ~np.isnan(X[:, A]), np.arange(X.shape[1]) != A
    points, Y = seen_by(A, X, V, law)[rows][:, others], X[rows, A]
    R = better.root(how.tuning.metric) if how.tuning.metric.size else np.eye(points.shape[1])
    Z, ells = points @ R, [ell for ell in models.ells if ell <= len(Y)] or [len(Y)]
    if A in kept:
        chosen = kept[A]
    elif models.validation == "held_out":
        chosen = better.adaptive(ells, models.k, Z, Y, models.alpha, how.tuning.level)[1]
    else:
        chosen, _ = paper.adaptive(ells, models.k, Z, Y, models.alpha, models.penalty)
    if len(Y) >= models.many:
        kept[A] = chosen
    return points, Z, R, Y, chosen


def vote(x, donors, how, models):
    """The vote for x, of which only what it knows is used: by nearest donors, and by their models."""
    points, Z, R, Y, chosen = donors
    F = np.flatnonzero(~np.isnan(x))
    W, gaps = (R @ R)[np.ix_(F, F)], points[:, F] - x[F]
    d = np.array([gap @ W @ gap for gap in gaps])
    T_x = sorted(range(len(d)), key=lambda i: (d[i], i))[: how.n_neighbors]
    candidates = []
    for i in T_x:
        T_i = paper.NN(Z[i], Z, chosen[i], own=i)
        if len(T_i) == 1:
            phi = np.concatenate([[Y[i]], np.zeros(len(F))])
        else:
            phi = paper.LR(points[T_i][:, F], Y[T_i], how.alpha, models.penalty)
        candidates.append(better.value(better.placed(phi, i, points[:, F], Y, how.level), x[F]))
    candidates = np.clip(candidates, *better.limits(Y, models.reach))
    return better.combined(candidates, d[T_x], how.weights)


def fill(rows, ways, X, V, law, models, kept=None):
    """Rows filled from what they know: V may be None before the first votes; kept has ells by column."""
    kept = {} if kept is None else kept
    filled, means = rows.copy(), np.nanmean(X, axis=0)
    for A, how in enumerate(ways):
        lacking = np.flatnonzero(np.isnan(rows[:, A]))
        donors = donors_of(A, how, X, V, law, models, kept) if len(lacking) else ()
        for i in lacking:
            if np.isnan(rows[i]).all():
                filled[i, A] = means[A]
                continue
            said = vote(np.delete(rows[i], A), donors, how, models)
            rest = 1.0 - how.vote - how.gaussian
            filled[i, A] = how.vote * said + how.gaussian * expected(rows[i], *law)[A] + rest * means[A]
    return filled


def complete(X, rounds, models, ridge=RIDGE):
    """The table after all rounds but the last, None if there are no others; and the Gaussian."""
    law, V, kept = (*gaussian(X, ridge), ridge), None, {}
    for ways in rounds[:-1]:
        V = fill(X, ways, X, V, law, models, kept)
    return V, law
