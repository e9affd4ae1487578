"""Which cells are hidden."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from iim.evaluation.hiding import count_to_hide, hide_cells, hide_clusters
from iim.matrix import MaskedMatrix
from strategies import holed, tables_with_holes

HIDES = st.one_of(st.floats(0.001, 0.999), st.integers(1, 40))


def as_matrix(table):
    table = np.asarray(table, float)
    return MaskedMatrix(table, np.isnan(table), tuple(f"x{at}" for at in range(table.shape[1])))


def with_known_columns(table):
    return table[:, ~np.isnan(table).all(axis=0)]


class TestCount:
    @pytest.mark.parametrize(
        ("n_known", "hide", "expected"),
        [
            (100, 0.05, 5),
            (100, 0.054, 5),
            (100, 0.056, 6),
            (3, 0.05, 1),  # at least one
            (3, 0.99, 2),  # the last one stays
            (3, 2, 2),
            (3, 50, 2),
            (100, 7, 7),
            (100, np.int64(7), 7),
            (100, np.float32(0.25), 25),
            (2, 0.5, 1),
            (1, 0.5, 0),
            (0, 3, 0),
        ],
    )
    def test_by_hand(self, n_known, hide, expected):
        assert count_to_hide(n_known, hide) == expected


class TestAnyHiding:
    @given(tables_with_holes(), HIDES, st.integers(0, 2**32 - 1), st.integers(1, 5))
    def test_known_cells_only_never_the_last_and_as_many_as_asked(self, table, hide, seed, cluster_size):
        table = with_known_columns(table)
        matrix = as_matrix(table)
        columns = range(matrix.n_columns)
        for hidden in (
            hide_cells(matrix.missing, columns, hide=hide, seed=seed, repeat=0),
            hide_clusters(matrix, columns, hide=hide, cluster_size=cluster_size, seed=seed, repeat=0),
        ):
            assert not (hidden & matrix.missing).any()
            n_known = (~matrix.missing).sum(axis=0)
            assert ((~matrix.missing & ~hidden).sum(axis=0) >= np.minimum(1, n_known)).all()
            assert hidden.sum(axis=0).tolist() == [count_to_hide(n, hide) for n in n_known.tolist()]

    @pytest.mark.parametrize("cluster_size", [1, 3])
    def test_a_column_does_not_depend_on_the_other_columns_asked_for(self, cluster_size):
        matrix = as_matrix(holed())
        how = {"hide": 0.1, "cluster_size": cluster_size, "seed": 3, "repeat": 1}
        alone = hide_clusters(matrix, [2], **how)
        among = hide_clusters(matrix, [0, 1, 2, 3], **how)
        assert alone[:, 2].any()
        assert not alone[:, [0, 1, 3]].any()
        assert (alone[:, 2] == among[:, 2]).all()

    def test_seed_repeat_and_column_are_coordinates(self):
        missing = np.zeros((200, 2), bool)

        def rows(column, **where):
            return np.flatnonzero(
                hide_cells(missing, [column], hide=20, **{"seed": 0, "repeat": 0, **where})[:, column]
            ).tolist()

        assert rows(0) == rows(0)
        different = [rows(0), rows(1), rows(0, repeat=1), rows(0, seed=1)]
        assert len({tuple(each) for each in different}) == 4

    def test_nothing_is_changed(self):
        matrix = as_matrix(holed())
        before = matrix.values.tobytes(), matrix.missing.tobytes()
        hide_clusters(matrix, [0, 1], hide=0.2, cluster_size=4, seed=0, repeat=0)
        assert (matrix.values.tobytes(), matrix.missing.tobytes()) == before


HOW = {"seed": 0, "repeat": 0}


class TestClusters:
    def test_rows_lose_values_with_their_nearest_ones(self):
        # Ten groups of three rows, far from each other: whole groups go.
        place = np.repeat(np.arange(10.0), 3) * 100 + np.tile([0.0, 0.1, 0.2], 10)
        matrix = as_matrix(np.column_stack([place, np.random.default_rng(0).normal(size=30)]))
        hidden = hide_clusters(matrix, [1], hide=12, cluster_size=3, **HOW)
        assert hidden[:, 1].reshape(10, 3).sum(axis=1).tolist().count(3) == 4
        assert hidden.sum() == 12

    def test_the_last_cluster_is_cut_short(self):
        place = np.repeat(np.arange(10.0), 3) * 100 + np.tile([0.0, 0.1, 0.2], 10)
        matrix = as_matrix(np.column_stack([place, np.ones(30)]))
        hidden = hide_clusters(matrix, [1], hide=10, cluster_size=3, **HOW)
        assert sorted(hidden[:, 1].reshape(10, 3).sum(axis=1).tolist()) == [0] * 6 + [1, 3, 3, 3]

    def test_columns_count_the_same_whatever_their_unit(self):
        # The second column tells the groups; the first is larger, and noise.
        rng = np.random.default_rng(0)
        group = np.repeat(np.arange(10.0), 3)
        noise = np.tile([0.0, 1e6], 15) * 1e-3 + 1e9
        matrix = as_matrix(np.column_stack([noise, group, rng.normal(size=30)]))
        scaled = as_matrix(np.column_stack([noise * 1e-9, group, matrix.values[:, 2]]))
        how = {"hide": 12, "cluster_size": 3, **HOW}
        assert (hide_clusters(matrix, [2], **how) == hide_clusters(scaled, [2], **how)).all()

    def test_clusters_of_one_are_random_cells(self):
        matrix = as_matrix(holed())
        columns = [0, 1, 2, 3]
        single = hide_clusters(matrix, columns, hide=0.1, cluster_size=1, **HOW)
        assert (single == hide_cells(matrix.missing, columns, hide=0.1, **HOW)).all()

    def test_a_hole_counts_as_the_column_mean(self):
        # Known places are 0 and 100, ten rows each: their mean, 50, is far from both.
        place = np.r_[np.zeros(10), np.full(10, 100.0), np.full(10, np.nan)]
        matrix = as_matrix(np.column_stack([place, np.arange(30.0)]))
        firsts = set()
        for seed in range(20):
            hidden = hide_clusters(matrix, [1], hide=10, cluster_size=10, seed=seed, repeat=0)[:, 1]
            counts = hidden.reshape(3, 10).sum(axis=1).tolist()
            assert sorted(counts) == [0, 0, 10]
            firsts.add(counts.index(10))
        assert firsts == {0, 1, 2}

    @pytest.mark.parametrize("share", [0.0, 0.3, 0.8])
    @pytest.mark.parametrize("cluster_size", [2, 3, 7])
    def test_as_counted_without_a_tree_whatever_the_holes(self, share, cluster_size):
        # With 80 % of the cells missing, hardly any row is whole: clusters are there all the same.
        table = holed(90, 5, share=share, seed=1)
        hidden = hide_clusters(as_matrix(table), range(5), hide=20, cluster_size=cluster_size, **HOW)
        for column in range(5):
            others = np.delete(table, column, axis=1)
            scaled = (others - np.nanmean(others, axis=0)) / np.nanstd(others, axis=0)
            scaled[np.isnan(scaled)] = 0.0
            known = np.flatnonzero(~np.isnan(table[:, column]))
            drawn = np.random.default_rng([0, 0, column]).permutation(known)
            n_wanted = min(20, known.size - 1)
            gone = []
            for row in drawn:
                if row not in gone:
                    distances = ((scaled[drawn] - scaled[row]) ** 2).sum(axis=1)
                    distances[drawn == row] = -1.0
                    nearest = drawn[np.argsort(distances, kind="stable")][:cluster_size]
                    gone += [near for near in nearest if near not in gone]
            assert sorted(gone[:n_wanted]) == np.flatnonzero(hidden[:, column]).tolist()

    def test_duplicates_do_not_push_a_row_out_of_its_own_cluster(self):
        matrix = as_matrix(np.column_stack([np.zeros(50), np.arange(50.0)]))
        hidden = hide_clusters(matrix, [1], hide=9, cluster_size=4, **HOW)
        assert hidden.sum() == 9
