"""Rounds over all columns, cell by cell: the slow witness of ``strategy="iterative"``.

Models are those of the paper's Algorithm 3 (``paper.adaptive``), learned anew for every column and round
from tuples whose holes are filled. Columns are brought to mean 0 and standard deviation 1 beforehand.
Letters as in ``paper``; V is the table with its fills.
"""

from __future__ import annotations

import numpy as np

from reference import paper


def standardised(table):
    """The table on one scale, by its known values."""
    return (table - np.nanmean(table, axis=0)) / np.nanstd(table, axis=0)


def near(x, V, known, A, k):
    """The k nearest rows that know A, on what x knows."""
    F = np.flatnonzero(~np.isnan(x))
    rows = np.flatnonzero(known[:, A])
    d = paper.distances(x[F], V[rows][:, F])
    return rows[sorted(range(len(rows)), key=lambda i: (d[i], i))[:k]]


def near_at_first(x, X, known, A, k):
    """The same before the holes of X are filled: on what both know, as if it stood for all that x knows."""
    F = np.flatnonzero(~np.isnan(x))
    rows = np.flatnonzero(known[:, A])
    d = []
    for i in rows:
        both = F[known[i, F]]
        d.append(((X[i, both] - x[both]) ** 2).sum() * len(F) / len(both) if len(both) else np.inf)
    return rows[sorted(range(len(rows)), key=lambda i: (d[i], i))[:k]]


def started(x, V, asked, start):
    """x with its first fills: means are 0 on this scale."""
    x_filled = x.copy()
    for A in np.flatnonzero(np.isnan(x)):
        x_filled[A] = V[asked[A], A].mean() if start == "knn" else 0.0
    return x_filled


def vote(A, x_filled, asked, V, known, ells, k, alpha):
    """What the asked rows' models of A say of x, as it is filled by now."""
    others = [B for B in range(V.shape[1]) if B != A]
    rows = np.flatnonzero(known[:, A])
    _, Phi = paper.adaptive(
        [ell for ell in ells if ell <= len(rows)], k, V[rows][:, others], V[rows, A], alpha, "slopes"
    )
    one = np.concatenate([[1.0], x_filled[others]])
    candidates = np.array([one @ Phi[list(rows).index(j)] for j in asked])
    return paper.combine(candidates)[0]


def complete(X, ells, k, alpha, *, start, max_iter, tol):
    """The table with its holes filled in rounds, and how many it took."""
    known = ~np.isnan(X)
    V = np.array(
        [
            started(x, X, {A: near_at_first(x, X, known, A, k) for A in np.flatnonzero(np.isnan(x))}, start)
            for x in X
        ]
    )
    order = np.argsort((~known).sum(axis=0), kind="stable")
    for turn in range(1, max_iter + 1):
        asked = {(i, A): near(X[i], V, known, A, k) for i, A in np.argwhere(~known)}
        before = V.copy()
        for A in order:
            current = V.copy()
            for i in np.flatnonzero(~known[:, A]):
                said = vote(A, current[i], asked[i, A], current, known, ells, k, alpha)
                V[i, A] = settle(current[i, A], within(said, X[known[:, A], A]), turn)
        if np.sqrt(np.mean((V - before)[~known] ** 2)) <= tol:
            break
    return V, turn


def within(said, values):
    """The nearest value in the range of the known ones."""
    return min(max(said, values.min()), values.max())


def settle(before, said, turn):
    """The mean of the votes so far."""
    return before + (said - before) / turn if turn > 1 else said


def replay(x, X, V, ells, k, alpha, *, start, max_iter, tol):
    """A row filled from the frozen table."""
    known = ~np.isnan(X)
    holes = np.isnan(x)
    asked = {A: near(x, V, known, A, k) for A in np.flatnonzero(holes)}
    x_filled = started(x, V, asked, start)
    for turn in range(1, max_iter + 1):
        before = x_filled.copy()
        for A in np.argsort((~known).sum(axis=0), kind="stable"):
            if holes[A]:
                said = vote(A, x_filled, asked[A], V, known, ells, k, alpha)
                said = within(said, X[known[:, A], A]) if holes.sum() > 1 else said
                x_filled[A] = settle(x_filled[A], said, turn)
        if np.abs(x_filled - before).max() <= tol:
            break
    return x_filled
