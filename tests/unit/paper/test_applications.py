"""Clusters and classes with holes: scores and distances by hand, and no leak."""

import json
import os
import subprocess
import sys
import warnings

import numpy as np
import pytest

from iim.evaluation.hiding import hide_one_per_row
from iim.exceptions import FallbackWarning, InvalidParameter
from iim.imputers import METHODS
from iim.paper.applications import (
    classify,
    cluster,
    holed_distance,
    nearest_class,
    purity,
    shared_rows,
    weighted_f1,
)

HOLE = np.nan


def blobs(n_rows=60, seed=0):
    """Three groups of rows, far apart, in three columns; and the group of each."""
    random = np.random.default_rng(seed)
    group = np.arange(n_rows) % 3
    centers = np.array([[0.0, 0.0, 100.0], [10.0, 0.0, 200.0], [0.0, 10.0, 300.0]])
    return centers[group] + random.normal(size=(n_rows, 3)), group


def holed_blobs(n_rows=60, seed=0):
    table, group = blobs(n_rows, seed)
    removed = hide_one_per_row(*table.shape, share=0.3, seed=[seed, 0])
    return np.where(removed, np.nan, table), group


class Spy:
    """Fills with column means, and keeps what it is given."""

    seen: list

    def __init__(self, seen):
        self.seen = seen

    def fit(self, X):
        self.seen.append(("fit", X.copy()))
        self.means = np.nanmean(X, axis=0)
        return self

    def transform(self, X):
        self.seen.append(("transform", X.copy()))
        return np.where(np.isnan(X), self.means, X)


class TestScores:
    def test_purity_by_hand(self):
        truth = [0, 0, 0, 1, 1, 2]
        found = [7, 7, 3, 3, 3, 3]
        # Cluster 3 has one row of 0, two of 1, one of 2; cluster 7 has two of 0.
        np.testing.assert_array_equal(shared_rows(truth, found), [[1, 2, 1], [2, 0, 0]])
        assert purity(shared_rows(truth, found)) == pytest.approx(4 / 6)

    def test_names_of_clusters_do_not_matter(self):
        assert purity(shared_rows(["a", "b", "a"], [5, 1, 5])) == 1.0

    def test_weighted_f1_by_hand(self):
        # Class 0: precision 2/3, recall 2/3. Class 1: precision 0, recall 0.
        assert weighted_f1([0, 0, 0, 1], [0, 0, 1, 0]) == pytest.approx(0.75 * 2 / 3)

    def test_weighted_f1_with_a_class_that_nobody_has(self):
        assert weighted_f1(["a", "a"], ["a", "b"]) == pytest.approx(2 / 3)


class TestRemoveOnePerRow:
    def test_each_row_drawn_loses_one_value(self):
        removed = hide_one_per_row(50, 4, share=0.3, seed=[1, 0])
        assert removed.any(axis=1).sum() == removed.sum() == 15
        assert removed.any(axis=0).all()

    def test_the_seed_decides(self):
        one, same, other = (hide_one_per_row(50, 4, share=0.3, seed=[seed, 0]) for seed in (1, 1, 2))
        np.testing.assert_array_equal(one, same)
        assert (one != other).any()

    @pytest.mark.parametrize(("share", "n_removed"), [(0.01, 1), (0.99, 2)])
    def test_some_rows_lose_and_some_keep(self, share, n_removed):
        assert hide_one_per_row(3, 2, share=share, seed=[0, 0]).sum() == n_removed

    @pytest.mark.parametrize(("n_rows", "share"), [(1, 0.5), (10, 0.0), (10, 1.0), (10, np.nan)])
    def test_what_cannot_be_done_is_refused(self, n_rows, share):
        with pytest.raises(InvalidParameter, match="a share between 0 and 1, both excluded"):
            hide_one_per_row(n_rows, 2, share=share, seed=[0, 0])


class TestDistance:
    def test_by_hand(self):
        known = np.array([[0.0, 10.0], [4.0, HOLE], [HOLE, 30.0]])
        asked = np.array([[1.0, 20.0], [HOLE, 30.0]])
        # Scaled: known (0, 0), (1, ?), (?, 1); asked (0.25, 0.5), (?, 1).
        expected = [
            [0.25**2 + 0.5**2, 0.75**2 + 0.5**2, 0.75**2 + 0.5**2],
            [1.0 + 1.0, 1.0 + 1.0, 1.0 + 0.0],
        ]
        np.testing.assert_allclose(holed_distance(asked, known), expected)

    def test_a_value_outside_the_known_range(self):
        known = np.array([[0.0], [10.0], [HOLE]])
        np.testing.assert_allclose(
            holed_distance(np.array([[15.0], [-5.0]]), known),
            [[2.25, 0.25, 2.25], [0.25, 2.25, 2.25]],
        )

    def test_constant_and_empty_columns(self):
        known = np.array([[3.0, HOLE], [3.0, HOLE], [HOLE, HOLE]])
        distance = holed_distance(np.array([[9.0, 1.0], [HOLE, HOLE]]), known)
        # A constant column is 0 for every value; a hole is as far away as ever.
        np.testing.assert_array_equal(distance, [[1.0, 1.0, 2.0], [2.0, 2.0, 2.0]])

    def test_without_holes_it_is_the_euclidean_one(self):
        random = np.random.default_rng(0)
        known, asked = random.normal(size=(20, 3)), random.normal(size=(5, 3))
        width = np.ptp(known, axis=0)
        gaps = (asked[:, None] - known) / width
        np.testing.assert_allclose(holed_distance(asked, known), (gaps**2).sum(axis=2))


class TestNearestClass:
    def test_majority_of_the_nearest(self):
        known = np.array([[0.0], [1.0], [2.0], [9.0], [10.0]])
        labels = np.array(["a", "b", "b", "a", "a"])
        asked = np.array([[0.2], [9.1]])
        np.testing.assert_array_equal(nearest_class(known, labels, asked, n_neighbors=1), ["a", "a"])
        np.testing.assert_array_equal(nearest_class(known, labels, asked, n_neighbors=3), ["b", "a"])
        np.testing.assert_array_equal(nearest_class(known, labels, asked, n_neighbors=99), ["a", "a"])

    def test_rows_as_far_as_the_last_one_vote_too(self):
        known = np.array([[0.0], [0.0], [0.0], [8.0]])
        labels = np.array([1, 2, 2, 1])
        np.testing.assert_array_equal(nearest_class(known, labels, np.array([[1.0]]), n_neighbors=1), [2])

    def test_of_equals_the_first_class(self):
        known, labels = np.array([[0.0], [0.0], [8.0]]), np.array([2, 1, 2])
        np.testing.assert_array_equal(nearest_class(known, labels, np.array([[0.0]]), n_neighbors=2), [1])


class TestCluster:
    def test_the_truth_is_found_again_after_imputing(self):
        table, _ = blobs()
        removed = hide_one_per_row(*table.shape, share=0.1, seed=[0, 0])
        result = cluster(table, removed, METHODS["knn"](), n_clusters=3, seed=0)
        counts = np.array(result["counts"])
        assert counts.shape == (3, 3)
        assert counts.sum() == result["n_rows"] == 60
        assert purity(counts) == 1.0
        assert result["seconds"] > 0.0
        assert json.loads(json.dumps(result)) == result

    def test_discarded_rows_count_or_not(self):
        table, _ = blobs()
        removed = hide_one_per_row(*table.shape, share=0.25, seed=[0, 0])
        result = cluster(table, removed, None, n_clusters=3, seed=0)
        right = np.array(result["counts"]).max(axis=1).sum()
        assert result["n_rows"] == 45
        assert purity(np.array(result["counts"])) == right / 45

    def test_a_perfect_imputer_changes_nothing(self):
        table, _ = blobs()

        class Perfect(Spy):
            def transform(self, X):
                return np.where(np.isnan(X), table, X)

        removed = hide_one_per_row(*table.shape, share=0.5, seed=[0, 0])
        # Five clusters of three groups: where k-means ends hangs on where it begins.
        result = cluster(table, removed, Perfect([]), n_clusters=5, seed=3)
        assert purity(np.array(result["counts"])) == 1.0

    def test_the_imputer_sees_no_removed_value(self):
        table, _ = blobs()
        removed = hide_one_per_row(*table.shape, share=0.2, seed=[0, 0])
        spy = Spy([])
        cluster(table, removed, spy, n_clusters=3, seed=0)
        for _, given in spy.seen:
            np.testing.assert_array_equal(np.isnan(given), removed)
            np.testing.assert_array_equal(given[~removed], table[~removed])

    def test_one_wild_fill_does_not_squeeze_its_column(self):
        table, group = blobs()
        begin = np.random.default_rng([0, 1]).permutation(60)[:3]
        removed = np.zeros(table.shape, bool)
        # A row that k-means does not begin with; two of the three groups differ in this column only.
        removed[np.setdiff1d(np.arange(60), begin)[0], 2] = True
        table[:, :2] = 0.0

        class Wild(Spy):
            def transform(self, X):
                return np.where(np.isnan(X), 3e4, X)

        counts = np.array(cluster(table, removed, Wild([]), n_clusters=3, seed=0)["counts"])
        # Out there it may have a cluster of its own; the others are where they were.
        assert counts.sum() == 60
        assert counts.max(axis=1).sum() >= 2 * len(group) // 3

    @pytest.mark.long
    def test_threads_change_nothing(self):
        """k-means of scikit-learn adds up in the order in which threads finish; here only one does."""
        script = (
            "import numpy as np; from iim.paper.applications import cluster; "
            "t = np.random.default_rng(0).normal(size=(3000, 4)); "
            "print(cluster(t, t > 2, None, n_clusters=12, seed=0)['counts'])"
        )
        said = {
            subprocess.run(
                [sys.executable, "-c", script],
                env={**os.environ, "OMP_NUM_THREADS": str(n_threads)},
                capture_output=True,
                text=True,
                check=True,
            ).stdout
            for n_threads in (1, 4)
        }
        assert len(said) == 1


class TestClassify:
    @pytest.mark.parametrize("key", [None, *METHODS])
    def test_every_method_and_none(self, key):
        if key == "xgb":
            pytest.importorskip("xgboost")
        table, group = holed_blobs()
        make = None if key is None else (lambda: METHODS[key](**METHODS[key].PAPER))
        result = classify(table, group, make, n_neighbors=3, seed=0)
        rows = sorted(row for fold in result["folds"] for row in fold["rows"])
        assert rows == list(range(60))
        assert [len(fold["rows"]) for fold in result["folds"]] == [12] * 5
        for fold in result["folds"]:
            np.testing.assert_array_equal(fold["truth"], group[fold["rows"]])
            assert weighted_f1(fold["truth"], fold["predicted"]) > 0.7
        assert json.loads(json.dumps(result)) == result

    def test_only_features_of_training_rows_reach_fit(self):
        table, group = holed_blobs()
        seen = []
        result = classify(table, group, lambda: Spy(seen), n_neighbors=3, seed=0)
        assert [what for what, _ in seen] == ["fit", "transform", "transform"] * 5
        for at, fold in enumerate(result["folds"]):
            train = np.setdiff1d(np.arange(60), fold["rows"])
            fitted, first, second = (given for _, given in seen[3 * at : 3 * at + 3])
            np.testing.assert_array_equal(fitted, table[train])
            np.testing.assert_array_equal(first, table[train])
            np.testing.assert_array_equal(second, table[fold["rows"]])

    def test_values_of_the_test_fold_change_nothing_that_is_learned(self):
        table, group = holed_blobs()
        seen, others = [], []
        rows = classify(table, group, lambda: Spy(seen), n_neighbors=3, seed=0)["folds"][0]["rows"]
        changed = table.copy()
        changed[rows] *= 1000.0
        classify(changed, group, lambda: Spy(others), n_neighbors=3, seed=0)
        np.testing.assert_array_equal(seen[0][1], others[0][1])
        np.testing.assert_array_equal(seen[1][1], others[1][1])

    def test_a_label_changes_no_fill(self):
        """Names of classes are all that is changed, so that folds stay the same."""
        table, group = holed_blobs()
        seen, others = [], []
        classify(table, group, lambda: Spy(seen), n_neighbors=3, seed=0)
        classify(table, np.array([5.0, 6.0, 1e9])[group], lambda: Spy(others), n_neighbors=3, seed=0)
        for (what, given), (other_what, other_given) in zip(seen, others, strict=True):
            assert what == other_what
            np.testing.assert_array_equal(given, other_given)

    def test_test_rows_are_classified_one_by_one(self):
        table, group = holed_blobs()
        known, asked = table[:40], table[40:]
        together = nearest_class(known, group[:40], asked, n_neighbors=5)
        alone = [nearest_class(known, group[:40], row[None], n_neighbors=5)[0] for row in asked]
        np.testing.assert_array_equal(together, alone)

    @pytest.mark.parametrize("key", ["iim", "mean", "svd", "gmm"])
    def test_columns_that_are_constant_or_empty_in_training(self, key):
        table, group = holed_blobs()
        rows = classify(table, group, None, n_neighbors=3, seed=0)["folds"][0]["rows"]
        empty = np.full(60, HOLE)
        empty[rows] = 1.0
        odd = np.column_stack([table, np.full(60, 3.0), empty])
        result = classify(odd, group, METHODS[key], n_neighbors=3, seed=0)
        # The imputer says that it leaves the empty column out.
        assert result["folds"][0]["warned"]
        assert weighted_f1(result["folds"][0]["truth"], result["folds"][0]["predicted"]) > 0.7

    def test_what_had_to_be_given_up_is_counted(self):
        class Poor(Spy):
            def fit(self, X):
                warnings.warn("fewer columns", FallbackWarning, stacklevel=1)
                return super().fit(X)

        table, group = holed_blobs()
        result = classify(table, group, lambda: Poor([]), n_neighbors=3, seed=0)
        assert [len(fold["warned"]) for fold in result["folds"]] == [1] * 5

    @pytest.mark.filterwarnings("always")
    def test_other_warnings_are_told_too(self):
        class Loud(Spy):
            def fit(self, X):
                warnings.warn("something else", UserWarning, stacklevel=1)
                return super().fit(X)

        table, group = holed_blobs()
        result = classify(table, group, lambda: Loud([]), n_neighbors=3, seed=0)
        assert [fold["warned"] for fold in result["folds"]] == [["something else"]] * 5
