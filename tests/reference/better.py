"""Models judged on what they have not learned from, and distances learned from slopes: the slow witness.

Letters as in ``paper``; X is on one scale already, and the ridge leaves the intercept free. A level is
"fitted", where a model keeps its intercept, or "own", where the same slopes go through the value of their
tuple. R is the map that tuples are moved by, W = R R the metric. Every model without a tuple is learned
again without it.
"""

from __future__ import annotations

import numpy as np

from reference import paper

LEAST_FREEDOM = 1e-3
MOST_JUDGES = 64
PASSES = 4
LEVELS = ("fitted", "own")
WEIGHTS = ("votes", "distance", "closest")


def value(phi, x):
    """What a model says of x."""
    return np.concatenate([[1.0], x]) @ phi


def placed(phi, i, X, Y, level):
    """The model, such that it passes t_i where the level says."""
    if level == "fitted":
        return phi
    return np.concatenate([[Y[i] - X[i] @ phi[1:]], phi[1:]])


def near(X, k):
    """The k nearest other tuples of every tuple."""
    return [paper.NN(X[j], X, k + 1, own=j)[1:] for j in range(len(X))]


def judges(nearest):
    """For every tuple, whom it is judged on: those that have it near; if nobody has, its own nearest."""
    lists = [[j for j in range(len(nearest)) if i in nearest[j]] for i in range(len(nearest))]
    return [found or nearest[i] for i, found in enumerate(lists)]


def held_out_errors(i, ell, j, order, X, Y, alpha):
    """Errors on t_j of t_i's model over its first ell learning neighbours but t_j: fitted, and own."""
    T_i = order[:ell]
    phi = LR_of(T_i, i, X, Y, alpha)
    if j not in T_i:
        return [Y[j] - value(placed(phi, i, X, Y, level), X[j]) for level in LEVELS]
    unit = np.array([float(t == j) for t in T_i])
    felt = paper.LR(X[T_i], unit, alpha, "slopes")  # how the model follows Y[j]
    if 1.0 - value(felt, X[j]) < LEAST_FREEDOM:
        # Lower bound on 1 - leverage.
        error = (Y[j] - value(phi, X[j])) / LEAST_FREEDOM
        return [error, error + value(phi - error * felt, X[i]) - Y[i]]
    phi = LR_of([t for t in T_i if t != j], i, X, Y, alpha)
    return [Y[j] - value(placed(phi, i, X, Y, level), X[j]) for level in LEVELS]


def LR_of(T, i, X, Y, alpha):  # noqa: N802 - after the paper's name
    """The model of t_i over the tuples T; over itself alone a constant."""
    if len(T) == 1:
        return np.concatenate([[Y[i]], np.zeros(X.shape[1])])
    return paper.LR(X[T], Y[T], alpha, "slopes")


def errors(i, ells, whom, X, Y, alpha):
    """E[level, ell, j]."""
    order = paper.NN(X[i], X, max(ells), own=i)
    E = [[held_out_errors(i, ell, j, order, X, Y, alpha) for j in whom] for ell in ells]
    return np.array(E).transpose(2, 0, 1)


def best(cost):
    """The smallest cost; of equals the last, which is the larger ell."""
    return max(at for at in range(len(cost)) if cost[at] == min(cost))


def adaptive(ells, k, X, Y, alpha, level):
    """Algorithm 3 with held-out costs: the costs, the chosen ell and the model of every tuple."""
    lists = judges(near(X, k))
    cost, chosen, Phi = [], [], []
    for i in range(len(X)):
        E = errors(i, ells, lists[i][:MOST_JUDGES], X, Y, alpha)[LEVELS.index(level)]
        cost.append((E**2).sum(axis=1))
        chosen.append(ells[best(cost[i])])
        Phi.append(placed(paper.phi_of(i, chosen[i], X, Y, alpha, "slopes"), i, X, Y, level))
    return np.array(cost), np.array(chosen), np.array(Phi)


def trials(ells, k, X, Y, alpha):
    """What every tuple's nearest others say of it, each chosen and learned without it; and all slopes.

    The first is said[level, j, at]. The slopes are those of the models with the fitted level.
    """
    nearest = near(X, k)
    lists = judges(nearest)
    E = [errors(i, ells, lists[i], X, Y, alpha) for i in range(len(X))]
    said = np.empty((len(LEVELS), len(X), len(nearest[0])))
    for j in range(len(X)):
        for at, i in enumerate(nearest[j]):
            here = lists[i].index(j)
            for level in range(len(LEVELS)):
                rest = np.delete(E[i][level], here, axis=1)
                said[level, j, at] = Y[j] - E[i][level, best((rest**2).sum(axis=1)), here]
    chosen = [ells[best((E[i][0] ** 2).sum(axis=1))] for i in range(len(X))]
    slopes = [paper.phi_of(i, ell, X, Y, alpha, "slopes")[1:] for i, ell in enumerate(chosen)]
    return said, np.array(slopes)


def combined(candidates, d, weights):
    """One value of the candidates; d are the squared distances of those who gave them."""
    if weights == "votes":
        return paper.combine(candidates)[0]
    if weights == "uniform":
        return float(np.mean(candidates))
    power = {"distance": 0.5, "closest": 1.0}[weights]
    w = (d == 0).astype(float) if (d == 0).any() else d**-power
    return float(w @ candidates / w.sum())


def limits(Y, reach):
    """How low and how high a candidate may be."""
    beyond = reach * (Y.max() - Y.min())
    return Y.min() - beyond, Y.max() + beyond


def metric(slopes):
    """The mean outer product of slopes, those longer than the 95 % quantile shortened to it."""
    length = np.linalg.norm(slopes, axis=1)
    limit = np.quantile(length, 0.95)
    W = np.zeros((slopes.shape[1], slopes.shape[1]))
    for b, size in zip(slopes, length, strict=True):
        cut = b * (limit / size) if size > limit else b
        W += np.outer(cut, cut)
    return W / len(slopes)


def root(W):
    """The symmetric root of W; small eigenvalues raised to 5 % of the largest, scaled to mean square 1."""
    V, s, _ = np.linalg.svd(W)
    r = np.sqrt(s)
    r = np.maximum(r, 0.05 * r.max())
    r = r / np.sqrt(np.mean(r**2))
    return V @ np.diag(r) @ V.T


def learned(ells, k, X, Y, alpha, *, reach=1.0, levels=LEVELS, weights=WEIGHTS, passes=PASSES):
    """The metric (None for plain distances), level, weights and relative error that serve best."""
    W, found = None, (None, levels[0], weights[0], np.inf)
    for _ in range(1 + passes):
        R = np.eye(X.shape[1]) if W is None else root(W)
        Z = X @ R
        nearest = near(Z, k)
        D = [paper.distances(Z[j], Z[nearest[j]]) for j in range(len(Z))]
        said, slopes = trials(ells, k, Z, Y, alpha)
        said = np.clip(said, *limits(Y, reach))
        ways = []
        for level in levels:
            for way in weights:
                filled = [combined(said[LEVELS.index(level), j], D[j], way) for j in range(len(Z))]
                ways.append((np.sqrt(np.mean((filled - Y) ** 2)), level, way))
        error, level, way = min(ways, key=lambda one: one[0])
        if not error / Y.std() < found[3]:
            break
        found = (W, level, way, error / Y.std())
        W = metric(slopes @ R)
    return found


def filled(xs, ells, k, X, Y, alpha, *, reach=1.0):
    """The values of tuples that lack them, all the way."""
    W, level, way, _ = learned(ells, k, X, Y, alpha, reach=reach)
    R = np.eye(X.shape[1]) if W is None else root(W)
    Z = X @ R
    _, _, Phi = adaptive(ells, k, Z, Y, alpha, level)
    values = []
    for z in xs @ R:
        T_x = paper.NN(z, Z, k)
        candidates = np.clip([value(Phi[j], z) for j in T_x], *limits(Y, reach))
        values.append(combined(candidates, paper.distances(z, Z[T_x]), way))
    return np.array(values)
