"""What holds for every table: observed cells, finite fills, independence of what must not matter."""

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import iim
from iim.core import workers
from strategies import tables_with_holes, untied

SETTINGS = st.sampled_from(
    [
        {},
        iim.PAPER,
        {"learning_neighbors": 3, "weights": "uniform"},
        {"n_neighbors": 2, "weights": "distance", "scale": "robust", "min_donors": 1},
        {"penalty": "all", "alpha": 0.0, "donors": "complete", "keep_empty_features": True},
        {"learning_grid": [2, 7, 500], "prepare": "single"},
    ]
)


def fitted(table, settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", iim.ImputationWarning)  # empty columns are part of the game
        return iim.IIMImputer(**settings).fit(table)


def kept(imputer, table):
    """The columns of the table that the imputer gives back."""
    return table if imputer.keep_empty_features else table[:, ~np.isnan(imputer_table(imputer)).all(axis=0)]


def imputer_table(imputer):
    full = np.full((imputer._training.matrix.n_rows, imputer.n_features_in_), np.nan)
    full[:, imputer._known_columns] = imputer._training.matrix.values
    return full


@given(table=tables_with_holes(), settings=SETTINGS)
def test_observed_cells_are_untouched_and_nothing_is_missing(table, settings):
    before = table.copy()
    imputer = fitted(table, settings)
    filled = imputer.transform(table)
    assert before.tobytes() == table.tobytes()
    came = kept(imputer, table)
    known = ~np.isnan(came)
    assert filled.shape == came.shape
    assert filled[known].tobytes() == came[known].tobytes()
    assert np.isfinite(filled).all()


@given(table=tables_with_holes(), settings=SETTINGS)
def test_filling_twice_changes_nothing(table, settings):
    imputer = fitted(table, {**settings, "keep_empty_features": True})
    filled = imputer.transform(table)
    assert imputer.transform(filled).tobytes() == filled.tobytes()


@given(table=tables_with_holes(), settings=SETTINGS)
def test_fit_then_transform_is_fit_transform(table, settings):
    imputer = fitted(table, settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", iim.ImputationWarning)
        at_once = clone(imputer).fit_transform(table)
    assert imputer.transform(table).tobytes() == at_once.tobytes()


@pytest.mark.filterwarnings("ignore::iim.FallbackWarning")
@given(table=tables_with_holes(), new=st.integers(0, 10**6), settings=SETTINGS)
def test_a_row_is_filled_alone_as_in_company(table, new, settings):
    imputer = fitted(table, settings)
    rng = np.random.default_rng(new)
    rows = rng.normal(scale=10, size=(7, table.shape[1])).round(1)
    rows[rng.random(rows.shape) < 0.4] = np.nan
    together = imputer.transform(rows)
    alone = np.vstack([imputer.transform(row[None]) for row in rows])
    fresh = pickle.loads(pickle.dumps(imputer)).transform(rows[::-1])[::-1]
    assert together.tobytes() == alone.tobytes() == np.ascontiguousarray(fresh).tobytes()
    assert np.isfinite(together).all()


@given(table=tables_with_holes(), settings=SETTINGS)
def test_arrays_and_frames_get_the_same_bits(table, settings):
    names = [f"c{column}" for column in range(table.shape[1])]
    array = fitted(table, settings).transform(table)
    pandas = pd.DataFrame(table, columns=names)
    polars = pl.DataFrame(table, schema=names)
    assert fitted(pandas, settings).transform(pandas).to_numpy(float).tobytes() == array.tobytes()
    from_polars = fitted(polars, settings).transform(polars)
    assert np.array(from_polars.rows(), float).tobytes() == array.tobytes()


@pytest.mark.parametrize("settings", [{}, iim.PAPER, {"learning_neighbors": 20}], ids=str)
@pytest.mark.parametrize("ties", [False, True])
def test_threads_and_blocks_do_not_change_a_bit(monkeypatch, settings, ties):
    table = untied(900, 5)
    table = np.round(table, 1) if ties else table
    table[np.random.default_rng(1).random(table.shape) < 0.05] = np.nan
    results = []
    for n_jobs, block_size in [(1, 256), (2, 256), (3, 1), (2, 37), (1, 10**6)]:
        monkeypatch.setattr(workers.Workers, "block_size", block_size)
        monkeypatch.setattr(workers.Workers.__init__, "__defaults__", (1, block_size))
        results.append(iim.IIMImputer(**settings, n_jobs=n_jobs).fit_transform(table).tobytes())
    assert len(set(results)) == 1


@pytest.mark.parametrize("settings", [{"learning_grid": [1, 30, 90]}, {"learning_neighbors": 50}], ids=str)
def test_the_shape_of_the_tree_does_not_change_a_bit(monkeypatch, settings):
    # Neighbours are found in another order; sums are formed in row order all the same.
    table = untied(700, 4)
    table[::9, 2] = np.nan
    results = []
    for leaf_size in (64, 5, 700):
        monkeypatch.setattr("iim.core.neighbors.LEAF_SIZE", leaf_size)
        results.append(iim.IIMImputer(**settings).fit_transform(table).tobytes())
    assert len(set(results)) == 1


@pytest.mark.parametrize("settings", [{}, iim.PAPER, {"weights": "distance"}], ids=str)
def test_row_and_column_order_matter_only_by_rounding(settings):
    table = untied(300, 4)
    table[np.random.default_rng(1).random(table.shape) < 0.03] = np.nan
    filled = iim.IIMImputer(**settings).fit_transform(table)
    rows = np.random.default_rng(2).permutation(300)
    shuffled = iim.IIMImputer(**settings).fit_transform(table[rows])
    np.testing.assert_allclose(shuffled, filled[rows], rtol=1e-9)
    columns = [2, 0, 3, 1]
    turned = iim.IIMImputer(**settings).fit_transform(table[:, columns])
    np.testing.assert_allclose(turned, filled[:, columns], rtol=1e-9)


@pytest.mark.parametrize("settings", [{"alpha": 1e-9}, {**iim.PAPER, "alpha": 1e-9}], ids=["ours", "paper"])
def test_exactly_linear_data_are_recovered(settings):
    rng = np.random.default_rng(0)
    F = rng.normal(size=(200, 3))
    table = np.column_stack([F, F @ [1.0, -2.0, 0.5] + 4.0])
    truth = table.copy()
    table[:30, 3] = np.nan
    grid = {"learning_grid": [20, 40]}
    filled = iim.IIMImputer(**{**settings, **grid}).fit_transform(table)
    np.testing.assert_allclose(filled, truth, rtol=1e-6, atol=1e-6)
