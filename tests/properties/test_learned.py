"""What holds with learned distances and the other defaults: bits, limits, and odd tables."""

import pickle
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.preprocessing import StandardScaler

import iim
from cases import COMPILED, as_new, assert_same, examples, row_by_row
from iim.core.execution import context
from iim.core.held_out import tuning as column_tuning
from strategies import tables_with_holes, untied, with_hole_column

LEVELS = pytest.mark.parametrize("level", ["auto", "fitted", "own"])


def known_table():
    """Holes in two columns, by whose own distances they are filled."""
    table = untied(120, 4, seed=1)
    table[:6, 3] = table[6:12, 0] = np.nan
    return table


def new_rows():
    """Every pattern of holes."""
    rows = untied(16, 4, seed=9)
    rows[np.array(list(product([False, True], repeat=4)))] = np.nan
    return rows


KNOWN, NEW = known_table(), new_rows()


def fit(table=KNOWN, **changed):
    return iim.IIMImputer(**changed).fit(table)


@COMPILED
def test_distances_are_learned_here():
    # Or the tests below would say nothing.
    moves = [models.transform.shape for models in fit()._loop.models.kept.values()]
    assert (3, 3) in moves


@COMPILED
@pytest.mark.filterwarnings("ignore::iim.FallbackWarning")
def test_a_row_is_filled_the_same_alone_in_company_and_later():
    imputer = fit()
    together = imputer.transform(NEW)
    assert_same(row_by_row(as_new(imputer), NEW), together)
    assert_same(as_new(imputer).transform(NEW[::-1].copy())[::-1], together)
    assert_same(fit().transform(np.vstack([NEW] * 40))[-16:], together)
    assert_same(iim.IIMImputer().fit_transform(KNOWN), fit().transform(KNOWN))
    assert_same(fit(prepare="single").transform(NEW), together)


@COMPILED
@pytest.mark.filterwarnings("ignore::iim.FallbackWarning")
def test_threads_and_blocks_never_change_a_bit(monkeypatch):
    expected = fit(n_jobs=1).transform(NEW)
    assert_same(fit(n_jobs=2).transform(NEW), expected)
    for size in (1, 5):
        monkeypatch.setattr(context.Context, "block_size", size)
        n_threads, _, *others = context.Context.__init__.__defaults__
        monkeypatch.setattr(context.Context.__init__, "__defaults__", (n_threads, size, *others))
        assert_same(fit(n_jobs=2).transform(NEW), expected)


@COMPILED
@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_rows_at_fit_matters_by_rounding_only(seed):
    order = np.random.default_rng(seed).permutation(len(KNOWN))
    shuffled = fit(KNOWN[order]).transform(KNOWN)
    np.testing.assert_allclose(shuffled, fit().transform(KNOWN), rtol=1e-7, atol=1e-9)


@COMPILED
@pytest.mark.filterwarnings("ignore::iim.FallbackWarning")
def test_pickles_and_files_fill_to_the_last_bit(tmp_path):
    imputer = fit()
    imputer.save(tmp_path / "model.iim")
    loaded = iim.load(tmp_path / "model.iim")
    expected = imputer.transform(NEW)
    assert_same(loaded.transform(NEW), expected)
    assert_same(pickle.loads(pickle.dumps(imputer)).transform(NEW), expected)
    for pattern, models in imputer._loop.models.kept.items():
        assert_same(loaded._loop.models.kept[pattern].transform, models.transform)
    for pattern, tuning in imputer._loop.method.tunings.kept.items():
        found = loaded._loop.method.tunings.kept[pattern]
        assert_same(found.metric, tuning.metric)
        assert found.observed == tuning.observed
        assert (found.level, found.weights, found.error) == (tuning.level, tuning.weights, tuning.error)


@COMPILED
@LEVELS
@pytest.mark.parametrize("validation", ["held_out", "reused"])
def test_one_learning_neighbour_is_knn(level, validation):
    table, rows = with_hole_column(untied(150, 4), 3, 12)
    ours = fit(
        table,
        n_neighbors=6,
        learning_neighbors=1,
        weights="uniform",
        distance="scaled",
        level=level,
        shrinkage="none",
        validation=validation,
    )
    scaler, known = StandardScaler().fit(table[:, :-1]), np.delete(np.arange(150), rows)
    knn = KNeighborsRegressor(6).fit(scaler.transform(table[known, :-1]), table[known, -1])
    theirs = knn.predict(scaler.transform(table[rows, :-1]))
    np.testing.assert_allclose(ours.transform(table)[rows, -1], theirs, rtol=1e-13)


@COMPILED
@pytest.mark.parametrize("distance", ["learned", "scaled"])
@pytest.mark.parametrize("weights", ["auto", "votes", "closest"])
def test_a_single_neighbour_has_one_level_only(distance, weights):
    made = {"learning_neighbors": 1, "distance": distance, "weights": weights}
    fitted = fit(**made, level="fitted").transform(KNOWN)
    assert_same(fit(**made, level="own").transform(KNOWN), fitted)
    assert_same(fit(**made, level="auto").transform(KNOWN), fitted)


@COMPILED
@pytest.mark.parametrize("weights", ["uniform", "votes", "auto"])
def test_all_learning_neighbours_are_one_ridge_regression(weights):
    table, rows = with_hole_column(untied(150, 4), 3, 12)
    ours = fit(
        table,
        learning_neighbors=138,
        alpha=0.7,
        weights=weights,
        distance="scaled",
        level="fitted",
        reach=None,
    )
    scaler, known = StandardScaler().fit(table[:, :-1]), np.delete(np.arange(150), rows)
    ridge = Ridge(alpha=0.7).fit(scaler.transform(table[known, :-1]), table[known, -1])
    theirs = ridge.predict(scaler.transform(table[rows, :-1]))
    np.testing.assert_allclose(ours.transform(table)[rows, -1], theirs, rtol=1e-9)


@COMPILED
def test_the_paper_is_the_paper_whatever_the_defaults_are():
    spelled = {"validation": "reused", "distance": "scaled", "level": "fitted", "weights": "votes"}
    assert iim.PAPER.items() >= {**spelled, "reach": None}.items()
    imputer = fit(**iim.PAPER)
    assert imputer._loop.method.tunings.kept.keys() <= set(imputer._loop.models.kept)
    assert all(tuning.metric.size == 0 for tuning in imputer._loop.method.tunings.kept.values())


@settings(examples(0.7))
@given(table=tables_with_holes(min_rows=2, min_columns=2), reach=st.sampled_from([0.0, 0.5]))
@pytest.mark.filterwarnings("ignore::iim.ImputationWarning")
def test_fills_stay_within_reach_of_known_values(table, reach):
    table = table[:, ~np.isnan(table).all(axis=0)]
    if table.shape[1] == 0:
        return
    filled = fit(table, reach=reach, strategy="patterns").transform(table)
    # In quarters, whose range does not overflow.
    filled, low, high = filled / 4, np.nanmin(table, axis=0) / 4, np.nanmax(table, axis=0) / 4
    slack = 1e-12 * np.maximum(np.abs(low), np.abs(high)) + reach * (high - low)
    assert ((filled >= low - slack) & (filled <= high + slack)).all()


@settings(examples(0.7))
@given(
    table=tables_with_holes(min_rows=5, min_columns=2),
    k=st.integers(1, 4),
    grid=st.sampled_from(["auto", [2, 3, 5], [1, 2, 4, 9]]),
    alpha=st.sampled_from(["auto", 0.0]),
    scale=st.sampled_from(["standard", "robust"]),
)
@pytest.mark.filterwarnings("ignore::iim.ImputationWarning")
def test_wild_tables_with_learned_distances(table, k, grid, alpha, scale):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(column_tuning, "FEWEST_ROWS", 4)
        imputer = fit(
            table, n_neighbors=k, learning_grid=grid, alpha=alpha, scale=scale, strategy="patterns"
        )
        filled = imputer.transform(table)
        assert np.isfinite(filled).all()
        assert_same(row_by_row(as_new(imputer), table), filled)


def odd_tables():
    rng = np.random.default_rng(0)
    smooth = untied(80, 4, seed=3)
    constant, tiny, both = smooth.copy(), smooth * 1e-300, smooth * [1e-300, 1e300, 1.0, 1e-150]
    constant[:, 1] = 4.2
    line = np.column_stack([smooth[:, 0], 2 * smooth[:, 0] + 1])
    repeated = smooth[rng.integers(12, size=80)]
    tables = {
        "constant column": constant,
        "constant target": np.column_stack([smooth[:, :2], np.ones(80)]),
        "repeated rows": repeated,
        "all alike": np.full((80, 3), 2.5),
        "two kinds of rows": np.repeat([[0.0, 1.0, 2.0], [3.0, 5.0, 9.0]], 40, axis=0),
        "tiny": tiny,
        "huge": smooth * 1e300,
        "tiny and huge": both,
        "largest": np.where(smooth > 0, 1.79e308, -1.79e308),
        "whole numbers": np.rint(smooth * 3),
        "one known column": line,
        "columns alike": np.column_stack([smooth[:, 0]] * 3 + [smooth[:, 1]]),
        "one far away": np.vstack([smooth, [[1e12, -1e12, 1e12, 5.0]]]),
        "many columns": untied(200, 60),
    }
    for table in tables.values():
        table[2:6, -1] = np.nan
    return tables


ODD = odd_tables()


@COMPILED
@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("changed", [{}, {"scale": "robust", "n_neighbors": 3, "level": "own"}], ids=str)
def test_odd_tables_are_filled_without_a_warning(name, changed):
    table = ODD[name]
    imputer = fit(table, **changed)
    filled = imputer.transform(table)
    assert np.isfinite(filled).all()
    known = table[~np.isnan(table[:, -1]), -1]
    assert (filled[2:6, -1] >= known.min()).all()
    assert (filled[2:6, -1] <= known.max()).all()
    assert_same(row_by_row(as_new(imputer), table[:6]), filled[:6])


@COMPILED
@pytest.mark.parametrize("alpha", [0.0, 1e300])
@pytest.mark.parametrize("name", [name for name in ODD if name != "many columns"])
def test_any_ridge_weight_fills_odd_tables(name, alpha):
    assert np.isfinite(fit(ODD[name], alpha=alpha).transform(ODD[name])).all()


@pytest.mark.filterwarnings("ignore::iim.FallbackWarning")
def test_two_rows():
    assert fit(np.array([[1.0, 2.0], [3.0, np.nan]])).transform([[7.0, np.nan]]).tolist() == [[7.0, 2.0]]
