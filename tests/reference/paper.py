"""Algorithms 1, 2 and 3 of the paper, from scratch, as they are printed.

Letters are the paper's: r the complete tuples (here split into X, their values on F, and Y, their values
on A_m), n = |r|, ell the number of learning neighbours, k the number of imputation neighbours, phi the
regression parameters with the intercept phi[C] first.

Rows count from 0. Three decisions that the text leaves open are made as the library documents them: ties
in distance go by row, ties in cost to the larger ell, and a tuple that validates nobody is validated on
its own k nearest other tuples.
"""

from __future__ import annotations

import numpy as np


def distances(x, X):
    """Formula (1) without the constant 1 / |F|: it changes no order."""
    d = np.zeros(len(X))
    for A in range(X.shape[1]):
        d += (X[:, A] - x[A]) ** 2
    return d


def NN(x, X, k, own=None):  # noqa: N802 - the paper's name
    """NN(t_x, F, k): rows of the k nearest tuples; ``own`` is t_x's own row, always its first."""
    d = distances(x, X)
    if own is not None:
        d[own] = -1.0
    return sorted(range(len(X)), key=lambda i: (d[i], i))[:k]


def design(X):
    """The matrix of Formula (8): a column of ones, then the values on F."""
    return np.column_stack([np.ones(len(X)), X])


def LR(X, Y, alpha, penalty="all"):  # noqa: N802 - the paper's name
    """Ridge regression, Formula (6): argmin |Y - (1, X) phi|^2 + alpha |phi|^2, by least squares.

    The normal equations of the formula square the condition number; the same minimum is found more
    accurately as the least-squares solution with sqrt(alpha) E appended. With ``penalty="slopes"`` the
    intercept is not part of the penalty.
    """
    m = X.shape[1]
    E = np.eye(m + 1)
    if penalty == "slopes":
        E[0, 0] = 0.0
    stacked = np.vstack([design(X), np.sqrt(alpha) * E])
    phi, *_ = np.linalg.lstsq(stacked, np.concatenate([Y, np.zeros(m + 1)]), rcond=None)
    return phi


def phi_of(i, ell, X, Y, alpha, penalty="all"):
    """One round of Algorithm 1: the model of t_i over its ell learning neighbours."""
    if ell == 1:  # Section "Handling Single Neighbor"
        return np.concatenate([[Y[i]], np.zeros(X.shape[1])])
    T_i = NN(X[i], X, ell, own=i)
    return LR(X[T_i], Y[T_i], alpha, penalty)


def learning(ell, X, Y, alpha, penalty="all"):
    """Algorithm 1: Phi, the models of all tuples with the same ell."""
    return np.array([phi_of(i, ell, X, Y, alpha, penalty) for i in range(len(X))])


def validated_by(i, k, X):
    """The tuples t_j that have t_i among their k nearest other tuples."""
    n = len(X)
    js = [j for j in range(n) if j != i and i in NN(X[j], X, k + 1, own=j)[1:]]
    return js or NN(X[i], X, k + 1, own=i)[1:]


def costs(i, ells, k, X, Y, alpha, penalty="all"):
    """cost[i][ell] of Algorithm 3."""
    cost = []
    for ell in ells:
        phi = phi_of(i, ell, X, Y, alpha, penalty)
        errors = [Y[j] - np.concatenate([[1.0], X[j]]) @ phi for j in validated_by(i, k, X)]
        cost.append(sum(error**2 for error in errors))
    return np.array(cost)


def adaptive(ells, k, X, Y, alpha, penalty="all"):
    """Algorithm 3: the chosen ell and the model of every tuple."""
    chosen, Phi = [], []
    for i in range(len(X)):
        cost = costs(i, ells, k, X, Y, alpha, penalty)
        best = max(at for at in range(len(ells)) if cost[at] == cost.min())
        chosen.append(ells[best])
        Phi.append(phi_of(i, ells[best], X, Y, alpha, penalty))
    return np.array(chosen), np.array(Phi)


def combine(candidates):
    """Formulas (11) to (13): candidates vote for each other."""
    c = np.array([sum(abs(a - b) for b in candidates) for a in candidates])
    w = np.full(len(c), 1.0 / len(c)) if (c == 0).all() else (1 / c) / (1 / c).sum()
    return float(w @ candidates), w


def imputation(x, k, Phi, X, weights="votes"):
    """Algorithm 2: the imputed value, the candidates, and the rows that gave them."""
    T_x = NN(x, X, k)
    candidates = np.array([np.concatenate([[1.0], x]) @ Phi[j] for j in T_x])
    value = combine(candidates)[0] if weights == "votes" else float(candidates.mean())
    return value, candidates, T_x
