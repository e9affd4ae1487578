"""Neighbours on what a row knows: by hand, and against a full sort of measured distances."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from iim.kernels.known_search import (
    LINES_AT_ONCE,
    TILE,
    expand,
    factorise_known,
    keep_smallest,
    known_distances,
    lay_tiles,
    list_near,
    lower_bounds,
    nearest_known_block,
    order_columns,
)
from strategies import ROUND, untied


def metric_of(n_columns, seed=0):
    """Positive definite."""
    mix = np.random.default_rng(seed).normal(size=(n_columns, n_columns))
    return mix @ mix.T + 0.1 * np.eye(n_columns)


@pytest.mark.parametrize("known", [[0, 1, 2, 3], [1, 3], [2], []])
def test_the_factor_is_that_of_the_known_part(known):
    metric, factor, n = metric_of(4), np.full((4, 4), 9.0), len(known)
    assert factorise_known(metric, np.array(known, np.intp), factor)
    np.testing.assert_allclose(
        np.tril(factor[:n, :n]), np.linalg.cholesky(metric[np.ix_(known, known)]), rtol=1e-12
    )


def test_a_direction_without_length_has_no_part():
    # Of rank one: the second pivot is 0.
    factor = np.empty((2, 2))
    assert not factorise_known(np.array([[1.0, 2.0], [2.0, 4.0]]), np.arange(2), factor)
    assert factor[np.tril_indices(2)].tolist() == [1, 2, 0]
    assert not factorise_known(np.zeros((2, 2)), np.arange(2), factor)
    assert factor[np.tril_indices(2)].tolist() == [0, 0, 0]


def test_distances_on_what_is_known_by_hand():
    columns, out = np.array([[0.0, 1, 2], [5, 5, 9]]), np.empty(3)
    known_distances(
        columns, np.array([1.0, 99]), np.array([0], np.intp), np.array([[2.0, 0], [0, 1]]), np.empty(3), out
    )
    assert out.tolist() == [4, 0, 4]
    known_distances(columns, np.array([1.0, 99]), np.array([], np.intp), np.eye(2), np.empty(3), out)
    assert out.tolist() == [0, 0, 0]


def test_ties_go_by_donor():
    distance, donor = np.full(3, np.inf), np.empty(3, np.intp)
    keep_smallest(np.array([2.0, 1, 1, 2, 1]), np.arange(5), distance, donor)
    assert donor.tolist() == [1, 2, 4]
    assert distance.tolist() == [1, 1, 1]
    # In several calls, with donors left out.
    keep_smallest(np.array([2.0, 1, 2]), np.arange(3), distance, donor)
    assert donor.tolist() == [1, 0, 2]
    keep_smallest(np.array([2.0, 1.0]), np.array([7, 9]), distance, donor)
    assert donor.tolist() == [1, 9, 0]


def search(points, metric, queries, missing, k, centre=None):
    """The nearest donors: distances and donors."""
    points, n_observed = np.ascontiguousarray(points, float), points.shape[1]
    centre = np.zeros(n_observed) if centre is None else centre
    tiles = np.empty((-(-len(points) // TILE), 2 * n_observed + 3, TILE), np.float32)
    lay_tiles(points, metric, centre, tiles)
    distance, donor = np.empty((len(queries), k)), np.empty((len(queries), k), np.intp)
    nearest_known_block(points, tiles, centre, metric, queries, missing, distance, donor)
    return distance, donor


def measure_all(points, metric, query, missing):
    """The distances to all donors."""
    known, n_donors = np.flatnonzero(~missing), len(points)
    factor, out = np.empty(metric.shape), np.empty(n_donors)
    factorise_known(metric, known, factor)
    known_distances(np.ascontiguousarray(points.T), query, known, factor, np.empty(n_donors), out)
    return out


def assert_full_sort(points, metric, queries, missing, k, **how):
    """Bit for bit."""
    distance, donor = search(points, metric, queries, missing, k, **how)
    for row in range(len(queries)):
        measured = measure_all(points, metric, queries[row], missing[row])
        nearest = np.argsort(measured, kind="stable")[:k]
        assert donor[row].tolist() == nearest.tolist()
        assert distance[row].tolist() == measured[nearest].tolist()


@given(
    table=hnp.arrays(np.float64, st.tuples(st.integers(1, 12), st.integers(1, 4)), elements=ROUND),
    k=st.integers(1, 5),
    seed=st.integers(0, 2**32 - 1),
)
def test_it_is_a_full_sort(table, k, seed):
    missing = np.random.default_rng(seed).random(table.shape) < 0.5
    k = min(k, len(table))
    # What is missing is not looked at.
    queries = np.where(missing, np.nan, table)
    distance, donor = search(table, np.eye(table.shape[1]), queries, missing, k)
    for row in range(len(table)):
        gaps = np.where(missing[row], 0.0, table - table[row])
        ranked = sorted((d, i) for i, d in enumerate((gaps**2).sum(axis=1)))
        assert list(zip(distance[row], donor[row], strict=True)) == ranked[:k]


def test_distances_are_those_of_the_metric():
    table, metric = untied(40, 4), metric_of(4)
    missing = np.random.default_rng(1).random((10, 4)) < 0.4
    distance, donor = search(table, metric, table[:10] + 0.1, missing, 40)
    for row in range(10):
        F = np.flatnonzero(~missing[row])
        gaps = (table - table[row] - 0.1)[:, F]
        d = np.einsum("ij,jk,ik->i", gaps, metric[np.ix_(F, F)], gaps)
        np.testing.assert_allclose(distance[row], np.sort(d), rtol=1e-9, atol=1e-15)
        assert sorted(donor[row].tolist()) == list(range(40))


@pytest.mark.parametrize("n_donors", [TILE - 1, TILE, 2 * TILE + 3])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("metric", [metric_of(9), np.eye(9)])
def test_all_tiles_are_searched(n_donors, share, metric):
    # Rounded, so that there are ties and duplicates.
    points, queries = untied(n_donors, 9).round(1), untied(12, 9, seed=1).round(1)
    points[1::7] = points[0]
    missing = np.random.default_rng(2).random(queries.shape) < share
    assert_full_sort(points, metric, queries, missing, 10)
    assert_full_sort(points, metric, queries, missing, 1, centre=points.mean(axis=0))


def test_more_neighbours_than_a_tile_holds():
    points = untied(2 * TILE, 3)
    assert_full_sort(points, metric_of(3), points[:3], np.zeros((3, 3), bool), TILE + 7)


# Without the compiler, numpy warns of numbers beyond single precision.
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("factor", [1e-160, 1e-20, 1e-3, 1e6, 1e20, 1e150])
def test_no_size_of_numbers_excludes_a_neighbour(factor):
    points, missing = untied(3 * TILE, 5) * factor, np.zeros((8, 5), bool)
    missing[::2, 1:3] = True
    with np.errstate(over="ignore"):
        assert_full_sort(points, metric_of(5), points[:8] * 1.01, missing, 5)


def test_outliers_and_distant_tables():
    points = untied(3 * TILE, 5)
    points[TILE::50] *= 1e7
    missing = np.random.default_rng(1).random((60, 5)) < 0.3
    assert_full_sort(points, metric_of(5), points[::26][:60] + 0.01, missing, 5)
    assert_full_sort(points + 1e6, metric_of(5), points[:60] + 1e6, missing, 5)


@pytest.mark.parametrize("metric", [np.zeros((4, 4)), np.ones((4, 4)), np.diag([1.0, 0, 0, 1])])
def test_a_singular_metric_excludes_nobody_wrongly(metric):
    points = untied(2 * TILE, 4).round(2)
    missing = np.random.default_rng(1).random((9, 4)) < 0.3
    assert_full_sort(points, metric, points[5:14], missing, 6)


def bound_all(points, metric, query, missing, centre):
    """The lower bounds of the distances to at most TILE donors."""
    n_observed, known = points.shape[1], np.flatnonzero(~missing)
    tiles, pull = np.empty((1, 2 * n_observed + 3, TILE), np.float32), np.empty(n_observed)
    lay_tiles(points, metric, centre, tiles)
    own = expand(metric, query, centre, known, pull)
    columns = np.concatenate([known, np.flatnonzero(missing)])
    size, out = n_observed + LINES_AT_ONCE, np.empty(TILE, np.float32)
    scratch = np.empty(size, np.intp), np.empty(size, np.float32)
    lower_bounds(tiles[0], metric, columns, known.size, pull, own, *scratch, out)
    return out[: len(points)]


@given(seed=st.integers(0, 2**32 - 1), n_observed=st.integers(1, 12), n_absent=st.integers(0, 12))
def test_bounds_are_below_the_distances_and_near_them(seed, n_observed, n_absent):
    random = np.random.default_rng(seed)
    metric, points = metric_of(n_observed, seed=seed), random.normal(size=(50, n_observed))
    query, missing = points[0] + random.normal(size=n_observed) / 100, np.zeros(n_observed, bool)
    missing[random.permutation(n_observed)[:n_absent]] = True
    measured = measure_all(points, metric, query, missing)
    bounds = bound_all(points, metric, query, missing, points.mean(axis=0))
    assert (bounds <= measured).all()
    # The bounds of rounding are this small.
    size = np.sqrt(np.diag(metric)) @ np.abs(points - points.mean(axis=0)).max(axis=0)
    assert (measured - bounds).max() <= 1e-3 * (1 + size**2)


def test_known_columns_come_first():
    columns = np.empty(4, np.intp)
    assert order_columns(np.array([True, False, True, False]), columns) == 2
    assert columns[:2].tolist() == [1, 3]
    assert set(columns[2:].tolist()) == {0, 2}


def test_who_may_be_near_is_listed():
    bounds, near = np.full(TILE, 9.0, np.float32), np.full(TILE + 2, -1)
    bounds[[1, 3, 4, 6, 7]] = 2, np.inf, np.nan, 2.5, -np.inf
    assert list_near(bounds, 100, 107, 2.0, near, 2) == 5
    assert near[:5].tolist() == [-1, -1, 101, 103, 104]
    assert list_near(bounds, 100, 900, 2.5, near, 0) == 5
    assert near[:5].tolist() == [101, 103, 104, 106, 107]
    assert list_near(np.full(TILE, 9.0, np.float32), 0, TILE, 8.9, near, 2) == 2
