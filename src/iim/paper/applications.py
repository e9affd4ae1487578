"""The paper's applications: clustering and classification of incomplete tables, and of imputed ones.

The paper uses Weka for both. Here k-means is scikit-learn's and the classifier our own, set to Weka's
defaults as far as these are known. Settings that the paper does not print (numbers of clusters and
neighbours, share of incomplete rows, averaging of F1) are ours: CLUSTERING and CLASSIFYING. They were
chosen among a few so that all methods together come close to its table, so agreement with the table is no
evidence.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike
from sklearn.cluster import KMeans
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits

from iim._arrays import Booleans, Floats, Integers
from iim.evaluation.attempts import attempt

CLUSTERING = {"asf": {"n_clusters": 20, "share": 0.1}, "ca": {"n_clusters": 30, "share": 0.3}}
"""Number of clusters, and share of the rows that lose a value, by data set: ours, not in the paper."""

CLASSIFYING = {"n_neighbors": 10, "n_folds": 5}
"""Number of neighbours of the classifier (ours; the paper's k elsewhere), and of folds (the paper's)."""

MAX_ITERATIONS = 500
"""Seed of k-means; Weka's default."""

HIDING, BEGINNING = range(2)
"""Purposes of a seed. With one draw for both, k-means would start with exactly the incomplete rows."""


class Fills(Protocol):
    """An object that learns from a table with missing values and fills them."""

    def fit(self, X: Any) -> Any:
        """Learn."""

    def transform(self, X: Any) -> Any:
        """Fill."""


def cluster(
    values: Floats, removed: Booleans, imputer: Fills | None, *, n_clusters: int, seed: int
) -> dict[str, Any]:
    """Cluster a table, then again after removing values and imputing them, or discarding their rows.

    Columns are scaled to the range from 0 to 1 by the smallest and largest value of the *complete* table in
    every case. (Weka uses those of the table at hand: there a single outlying fill squeezes all other
    values of its column together.) k-means starts once, with rows drawn by ``seed``: the same rows of the
    complete and of the imputed table. After discarding, the initial rows are drawn from the rows left, as
    without a complete table.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_columns)
        The complete table.
    removed : ndarray of shape (n_rows, n_columns)
        True where a value is removed.
    imputer : imputer or None
        Fills the missing values; None discards incomplete rows instead ("Missing" in the paper).
    n_clusters : int
        Number of clusters, both times.
    seed : int
        Seed of the initial rows.

    Returns
    -------
    dict
        ``counts``: for each cluster found, how many of its rows each cluster of the complete table has.
        ``n_rows``, fewer than the table's if rows were discarded. ``seconds`` of imputing, and ``warned``:
        warnings of the imputer.
    """
    low, high = values.min(axis=0), values.max(axis=0)
    truth = _k_means(_to_unit(values, low, high), n_clusters, seed)
    seconds, warned = 0.0, list[str]()
    kept: Booleans = np.ones(len(values), bool)
    if imputer is None:
        kept = np.asarray(~removed.any(axis=1))
        again = values[kept]
    else:
        holed = np.where(removed, np.nan, values)
        (again,), seconds, warned = _impute(imputer, holed, holed)
    found = _k_means(_to_unit(again, low, high), n_clusters, seed)
    return {
        "counts": shared_rows(truth[kept], found).tolist(),
        "n_rows": int(kept.sum()),
        "seconds": seconds,
        "warned": warned,
    }


def shared_rows(truth: ArrayLike, found: ArrayLike) -> Integers:
    """Number of rows that each found cluster shares with each true one, in the order of their labels."""
    _, true_cluster = np.unique(truth, return_inverse=True)
    _, found_cluster = np.unique(found, return_inverse=True)
    counts = np.zeros((found_cluster.max() + 1, true_cluster.max() + 1), np.intp)
    np.add.at(counts, (found_cluster, true_cluster), 1)
    return counts


def purity(counts: Integers) -> float:
    """Share of the rows that are in the most common true cluster of their cluster; 1 is perfect.

    Parameters
    ----------
    counts : ndarray of shape (n_found, n_true)
        From :func:`shared_rows`.
    """
    return int(counts.max(axis=1).sum()) / int(counts.sum())


def classify(
    features: Floats,
    labels: ArrayLike,
    make_imputer: Callable[[], Fills] | None,
    *,
    n_neighbors: int = CLASSIFYING["n_neighbors"],
    n_folds: int = CLASSIFYING["n_folds"],
    seed: int,
) -> dict[str, Any]:
    """Classify the rows of each fold by their nearest neighbours in the others.

    The imputer is fitted on the features of the training folds, and fills these and those of the test fold.
    It never sees a label, and learns nothing from the test fold. Fills in columns of whole numbers are not
    rounded.

    Parameters
    ----------
    features : ndarray of shape (n_rows, n_columns)
        NaN where a value is missing.
    labels : array of shape (n_rows,)
        Classes.
    make_imputer : callable or None
        Makes an imputer for a fold; None passes missing values to the classifier ("Missing" in the paper).
    n_neighbors : int, default=10
        Number of neighbours of the classifier, see :func:`nearest_class`.
    n_folds : int, default=5
        Folds, each with about the same share of every class.
    seed : int
        Seed of the folds.

    Returns
    -------
    dict
        ``folds``: for each fold its ``rows``, their ``truth`` and ``predicted`` labels, ``seconds`` of
        imputing, and ``warned``: warnings of the imputer.
    """
    classes = np.asarray(labels)
    split = StratifiedKFold(n_folds, shuffle=True, random_state=seed).split(features, classes)
    folds = []
    for train, test in split:
        known, asked = features[train], features[test]
        seconds, warned = 0.0, list[str]()
        if make_imputer is not None:
            (known, asked), seconds, warned = _impute(make_imputer(), known, known, asked)
        predicted = nearest_class(known, classes[train], asked, n_neighbors=n_neighbors)
        folds.append(
            {
                "rows": test.tolist(),
                "truth": classes[test].tolist(),
                "predicted": predicted.tolist(),
                "seconds": seconds,
                "warned": warned,
            }
        )
    return {"folds": folds}


def nearest_class(known: Floats, labels: Any, asked: Floats, *, n_neighbors: int) -> Any:
    """The most common class among the nearest rows, as in Weka's IBk, with missing values.

    Rows at the distance of the last neighbour vote, too. Ties between classes go to the first.

    Parameters
    ----------
    known : ndarray of shape (n_known, n_columns)
        Rows whose class is known; NaN where a value is missing.
    labels : ndarray of shape (n_known,)
        Their classes.
    asked : ndarray of shape (n_asked, n_columns)
        Rows to classify.
    n_neighbors : int
        Number of nearest rows that vote; all if there are fewer.

    Returns
    -------
    ndarray of shape (n_asked,)
    """
    distance = holed_distance(asked, known)
    last = min(n_neighbors, len(known)) - 1
    near = distance <= np.partition(distance, last, axis=1)[:, last, None]
    classes, of_row = np.unique(labels, return_inverse=True)
    votes = np.stack([near[:, of_row == at].sum(axis=1) for at in range(len(classes))], axis=1)
    return classes[votes.argmax(axis=1)]


def holed_distance(asked: Floats, known: Floats) -> Floats:
    """Squared distances between rows with missing values, which count as far as possible, as in Weka.

    Columns are scaled to the range from 0 to 1 by the known values of ``known``; a constant one is 0. Two
    values differ by their difference, a value v and a missing one by the larger of v and 1 - v, two missing
    ones by 1.

    Parameters
    ----------
    asked, known : ndarray of shape (n_asked, n_columns) and (n_known, n_columns)
        NaN where a value is missing.

    Returns
    -------
    ndarray of shape (n_asked, n_known)
        Column by column, so that no more than a few arrays of this shape are in memory.
    """
    low = np.fmin.reduce(known, axis=0, initial=np.inf)
    high = np.fmax.reduce(known, axis=0, initial=-np.inf)
    asked, known = _to_unit(asked, low, high), _to_unit(known, low, high)
    total = np.zeros((len(asked), len(known)))
    for one, other in zip(asked.T, known.T, strict=True):
        gap = np.abs(one[:, None] - other)
        gap[np.isnan(one)] = np.fmax(np.maximum(other, 1.0 - other), 0.0)
        holes = np.isnan(other)
        gap[:, holes] = np.maximum(one, 1.0 - one)[:, None]
        gap[np.ix_(np.isnan(one), holes)] = 1.0
        total += gap * gap
    return total


def weighted_f1(truth: ArrayLike, predicted: ArrayLike) -> float:
    """F1 of each class, averaged with the true class sizes as weights, as in Weka; 1 is perfect."""
    return float(f1_score(truth, predicted, average="weighted", zero_division=0.0))


def _to_unit(values: Floats, low: Floats, high: Floats) -> Floats:
    # A constant column, or one without any value, has no influence: 0 wherever there is a value.
    varies = high > low
    shift, width = np.where(varies, low, 0.0), np.where(varies, high - low, np.inf)
    return (values - shift) / width


def _k_means(points: Floats, n_clusters: int, seed: int) -> Integers:
    begin = np.random.default_rng([seed, BEGINNING]).permutation(len(points))[:n_clusters]
    # To convergence, without a tolerance. On one thread, since several add up centres in random order.
    k_means = KMeans(n_clusters, init=points[begin], n_init=1, max_iter=MAX_ITERATIONS, tol=0.0)
    with threadpool_limits(limits=1):
        labels: Integers = k_means.fit(points).labels_
    return labels


def _impute(imputer: Fills, table: Any, *fill: Any) -> tuple[list[Floats], float, list[str]]:
    """Fit on one table and fill some; returns fills, time and warnings."""
    tried = attempt(
        lambda: imputer.fit(table),
        lambda _: [np.asarray(imputer.transform(each), dtype=np.float64) for each in fill],
    )
    return tried.result(), sum(tried.seconds), sorted({str(one.message) for one in tried.warned})
