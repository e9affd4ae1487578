"""Which cells are hidden."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from iim.core.hiding import hide_like_holes
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


def hide_once(missing, columns, *, n_rows, seed=0):
    (cells,) = hide_like_holes(missing, columns, n_rows=n_rows, repeats=1, seed=seed)
    return cells.hidden


class TestLikeHoles:
    @given(tables_with_holes(), st.integers(1, 50), st.integers(0, 100), st.integers(1, 5))
    def test_known_cells_only_and_rows_and_columns_keep_some(self, table, n_rows, seed, repeats):
        missing = np.isnan(with_known_columns(table))
        draws = hide_like_holes(missing, range(missing.shape[1]), n_rows=n_rows, repeats=repeats, seed=seed)
        assert len(draws) == repeats
        for hidden, typical in draws:
            assert not (typical & ~hidden).any()
            assert typical.sum(axis=1).max(initial=0) <= 1
            assert not (hidden & missing).any()
            left = ~missing & ~hidden
            assert left[hidden.any(axis=1)].any(axis=1).all()
            assert (2 * left.sum(axis=0) >= (~missing).sum(axis=0)).all()
            assert hidden.any(axis=1).sum() <= n_rows
        assert (sum(typical.astype(int) for _, typical in draws) <= 1).all()

    def test_without_holes_each_row_loses_one_cell_and_each_column_as_many(self):
        hidden = hide_once(np.zeros((100, 5), bool), range(5), n_rows=20)
        assert hidden.sum(axis=0).tolist() == [4] * 5
        assert hidden.sum(axis=1).max() == 1

    @pytest.mark.parametrize("share", [0.0, 0.1, 0.3, 0.6])
    def test_as_many_rows_as_asked_for(self, share):
        missing = np.random.default_rng(0).random((2000, 8)) < share
        draws = hide_like_holes(missing, range(8), n_rows=400, repeats=4, seed=0)
        assert [int(cells.hidden.any(axis=1).sum()) for cells in draws] == [400] * 4
        assert [int(cells.typical.sum()) for cells in draws] == [400] * 4

    def test_few_rows_come_again_with_other_cells_until_all_were_hidden(self):
        draws = hide_like_holes(np.zeros((5, 3), bool), range(3), n_rows=1, repeats=20, seed=0)
        assert sum(cells.typical for cells in draws).sum() == 15
        assert not draws[-1].hidden.any()

    def test_no_row_is_complete(self):
        missing = np.zeros((60, 3), bool)
        missing[np.arange(60), np.arange(60) % 3] = True
        assert hide_once(missing, range(3), n_rows=12).any(axis=1).sum() == 12

    def test_rows_come_to_look_like_those_with_holes(self):
        missing = np.zeros((200, 4), bool)
        missing[:30, [0, 2]] = True
        missing[30:40, 1] = True
        hidden = hide_once(missing, [0, 1, 2], n_rows=60, seed=1)
        complete = ~missing.any(axis=1)
        looks = [tuple(np.flatnonzero(row).tolist()) for row in hidden[complete & hidden.any(axis=1)]]
        assert {*looks} == {(0, 2), (1,)}
        # Three columns take turns, two of which are missing together.
        assert looks.count((0, 2)) == pytest.approx(2 * looks.count((1,)), abs=6)

    def test_a_column_without_holes_is_hidden_alone(self):
        missing = np.zeros((60, 3), bool)
        missing[:20, 0] = True
        hidden = hide_once(missing, [2], n_rows=18)
        assert hidden[:, 2].sum() == hidden.sum() == 18

    @pytest.mark.parametrize("share", [0.1, 0.25, 0.6])
    def test_hidden_cells_have_as_many_holes_beside_them_as_missing_ones(self, share):
        missing = np.random.default_rng(1).random((2000, 12)) < share
        draws = hide_like_holes(missing, range(12), n_rows=250, repeats=8, seed=0)
        n_holes = [(missing | hidden)[hidden.any(axis=1)].sum(axis=1).mean() for hidden, _ in draws]
        # A row is as likely to be drawn as it has holes.
        really = np.repeat(missing.sum(axis=1), missing.sum(axis=1)).mean()
        assert np.abs(np.array(n_holes) - really).max() < 0.3

    def test_rows_without_any_value_are_no_templates(self):
        missing = np.zeros((100, 4), bool)
        missing[:50] = True
        missing[50:60, 1] = True
        hidden = hide_once(missing, [1], n_rows=20)
        assert hidden[:, 1].sum() == hidden.sum() == 20

    def test_rows_that_have_too_many_holes_lose_the_one_cell(self):
        missing = np.ones((40, 5), bool)
        missing[:, :2] = False
        missing[0, 0] = True
        hidden = hide_once(missing, [0], n_rows=15)
        assert hidden[:, 0].sum() == hidden.sum() == 15

    def test_the_same_seed_gives_the_same_cells(self):
        missing = np.isnan(holed(50))
        first, again, other = (hide_once(missing, range(4), n_rows=15, seed=seed) for seed in (4, 4, 5))
        assert (first == again).all()
        assert (first != other).any()

    def test_more_repeats_do_not_change_the_first(self):
        missing = np.isnan(holed(50))
        few, many = (
            hide_like_holes(missing, range(4), n_rows=15, repeats=repeats, seed=0) for repeats in (2, 5)
        )
        assert all((one.hidden == other.hidden).all() for one, other in zip(few, many, strict=False))

    @pytest.mark.parametrize("shape", [(9, 1), (0, 3), (9, 0)])
    def test_nothing_can_be_hidden(self, shape):
        assert not hide_once(np.zeros(shape, bool), range(shape[1]), n_rows=5).any()
