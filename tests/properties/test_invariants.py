"""What holds for every table, by every method, with several settings of some.

With the compiler on and the profile "ci", hypothesis draws about 3,400 tables here: for what holds of any
table 102 for each cheap method with its default settings and with those of the paper (17 cases), 42 for
each costly one (10) and for other settings (9); for each of the 14 methods 30 as arrays and frames and 12
with an infinite value; for every case (36) 9 whose rows and columns are turned round. Without the compiler
a tenth of that; with ``IIM_HYPOTHESIS=long``, 33 times as many.
"""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.base import clone

import iim
from cases import (
    CASES,
    PLAIN,
    VARIANTS,
    as_new,
    assert_same,
    every,
    examples,
    fit_or_refuse,
    fit_quietly,
    row_by_row,
)
from iim.core.execution import context
from strategies import mixed_tables, tables_with_holes, untied

pytestmark = pytest.mark.filterwarnings("ignore::iim.FallbackWarning")

every_case = every(CASES + VARIANTS)
SEEDS = st.integers(0, 2**32 - 1)

CHEAP = {"mean", "knn", "knne", "ifc", "ills", "glr", "loess", "blr", "pmm"}
"""Methods that take more examples in the time of the others."""

ANY_TABLE = given(
    table=tables_with_holes(max_columns=4), n_learned=st.integers(1, 24), keep=st.booleans(), seed=SEEDS
)


@every([case for case in CASES if case.key in CHEAP])
@examples(1.7)
@ANY_TABLE
def test_any_table_is_filled_by_cheap_methods(case, table, n_learned, keep, seed):
    check_fills(case, table, n_learned, keep, seed)


@every([case for case in CASES if case.key not in CHEAP])
@examples(0.7)
@ANY_TABLE
def test_any_table_is_filled_by_costly_methods(case, table, n_learned, keep, seed):
    check_fills(case, table, n_learned, keep, seed)


@every(VARIANTS)
@examples(0.7)
@ANY_TABLE
def test_any_table_is_filled_with_other_settings(case, table, n_learned, keep, seed):
    check_fills(case, table, n_learned, keep, seed)


def check_fills(case, table, n_learned, keep, seed):
    """Learn from the first rows, fill all."""
    learned, came = table[:n_learned], table.copy()
    imputer = fit_or_refuse(case, learned, keep_empty_features=keep)
    if imputer is None:
        return
    filled = imputer.transform(table)
    assert_same(table, came)
    # Columns that were empty at fit are left out, or filled with 0.
    empty = np.isnan(learned).all(axis=0)
    kept = table if keep else table[:, ~empty]
    assert filled.shape == kept.shape
    assert np.isfinite(filled).all()
    known = ~np.isnan(kept)
    assert_same(filled[known], kept[known])
    if keep:
        assert (filled[np.isnan(table) & empty] == 0.0).all()
    # Any order of the rows, in one call or many, known patterns or new ones.
    order = np.random.default_rng(seed).permutation(len(table))
    assert_same(as_new(imputer).transform(table[order]), filled[order])
    few = order[:8]
    assert_same(row_by_row(imputer, table[few]), filled[few])
    # A table without holes comes back as it is.
    complete = np.where(np.isnan(table), 0.5, table)
    complete[:, ~empty] = filled if not keep else filled[:, ~empty]
    assert_same(imputer.transform(complete), complete if keep else complete[:, ~empty])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", iim.ImputationWarning)
        assert_same(clone(imputer).fit_transform(learned), imputer.transform(learned))


def listed(frame):
    """All that a frame's columns hold, to compare: polars finds no two columns of objects equal."""
    return [(name, str(frame[name].dtype), repr(frame[name].to_list())) for name in frame.columns]


# Containers are read and written for all methods alike: their default settings are enough.
every_default = every([case for case in CASES if case.name == "default"])


@every_default
@examples(0.5)
@given(table=mixed_tables(max_columns=4))
def test_arrays_and_frames_get_the_same_bits(case, table):
    array = table.array()
    imputer = fit_or_refuse(case, array, keep_empty_features=True)
    if imputer is None:
        return
    filled = imputer.transform(array)
    objects = table.objects()
    assert_same(fit_quietly(clone(imputer), objects).transform(objects), filled)
    has_hole = np.isnan(array).any(axis=0)
    for frame in (table.pandas(), table.polars()):
        came = listed(frame)
        result = fit_quietly(clone(imputer), frame).transform(frame)
        assert listed(frame) == came
        assert list(result.columns) == table.names
        for at, name in enumerate(table.names):
            single = table.kinds[at] == "float32" and str(frame[name].dtype).lower() == "float32"
            expected = filled[:, at]
            if single and has_hole[at]:
                with np.errstate(under="ignore"):
                    expected = np.clip(expected, *single_range()).astype(np.float32).astype(np.float64)
            assert_same(np.array(result[name].to_list(), np.float64), expected)
            if not has_hole[at]:
                assert result[name].dtype == frame[name].dtype
            else:
                assert str(result[name].dtype).lower() == ("float32" if single else "float64")


def single_range():
    limits = np.finfo(np.float32)
    return float(limits.min), float(limits.max)


@every_default
@examples(0.2)
@given(
    table=mixed_tables(max_columns=3, max_rows=9),
    infinity=st.sampled_from([np.inf, -np.inf]),
    kind=st.sampled_from(["array", "objects", "pandas", "polars"]),
    seed=SEEDS,
)
def test_infinite_values_are_refused(case, table, infinity, kind, seed):
    random = np.random.default_rng(seed)
    column = int(random.integers(len(table.kinds)))
    assume(table.kinds[column] in {"float64", "float32", "object"})
    whole = getattr(table, kind)()
    imputer = fit_or_refuse(case, table.array(), keep_empty_features=True)
    table.values[random.integers(len(table.values)), column] = infinity
    broken = getattr(table, kind)()
    with pytest.raises(iim.UnusableTable, match=r"infinite values in 1 of|has values beyond"):
        case.fit(broken)
    if imputer is not None:
        fit_quietly(imputer, whole)
        before = imputer.transform(whole)
        with pytest.raises(iim.UnusableTable, match="infinite values in 1 of"):
            imputer.transform(broken)
        if isinstance(whole, np.ndarray):
            assert_same(imputer.transform(whole), before)
        else:
            assert listed(imputer.transform(whole)) == listed(before)


# What must not matter: the order of the training table, threads, blocks, the search.

ROUNDING = {"xgb": 0.2}
"""How far fills may move with the order of the training table, in standard deviations; 1e-9 for others.

Trees are grown with 32 bits, and a split that rounding moves moves a fill.
"""

ROW_ORDER_DECIDES = {
    "iim-no ridge": "models that interpolate their neighbours have equal costs of 0, up to rounding",
    "auto": "the cells by which methods are chosen are drawn by their positions",
    "iim-rounds": "the cells by which rounds are chosen are drawn by their positions",
    "iim-short rounds": "the cells by which rounds are chosen are drawn by their positions",
}
COLUMN_ORDER_DECIDES = {
    **ROW_ORDER_DECIDES,
    "blr": "parameters are drawn for the columns by their positions",
    "pmm": "parameters are drawn for the columns by their positions",
    "ifc": "the first centres are drawn from the rows in order of their first columns",
    "gmm": "the first groups are drawn from the rows in order of their first columns",
    "svd-default": "the cells by which the rank is chosen are drawn by their positions",
    "xgb": "of equally good splits, trees take the one on the first column",
}
"""Cases, or all cases of a method, whose fills differ then; and why."""


def decided_by(reasons, case) -> bool:
    return case.key in reasons or str(case) in reasons


@every_case
@examples(0.15)
@given(
    n_rows=st.integers(30, 100),
    n_columns=st.integers(2, 5),
    share=st.sampled_from([0.0, 0.05, 0.2]),
    seed=SEEDS,
)
def test_the_order_of_the_training_table_matters_by_rounding_only(case, n_rows, n_columns, share, seed):
    random = np.random.default_rng(seed)
    table, new = untied(n_rows, n_columns, seed), untied(20, n_columns, seed + 1)
    table[random.random(table.shape) < share] = np.nan
    new[random.random(new.shape) < 0.3] = np.nan
    if case.has("strategy") and "strategy" not in case.settings:
        # "auto" tries both on cells that are drawn by their positions.
        case = replace(case, settings={**case.settings, "strategy": "patterns"})
    filled, rounding = case.fit(table).transform(new), ROUNDING.get(case.key, 1e-9)
    rows, columns = random.permutation(n_rows), random.permutation(n_columns)
    if not decided_by(ROW_ORDER_DECIDES, case):
        moved = case.fit(table[rows]).transform(new) - filled
        assert np.abs(moved).max() <= rounding
    if not decided_by(COLUMN_ORDER_DECIDES, case):
        if case.has("min_donors"):
            # Of the columns whose removal gives a pattern equally many donors more, the first is dropped.
            case = replace(case, settings={"min_donors": 1, **case.settings})
            filled = case.fit(table).transform(new)
        moved = case.fit(table[:, columns]).transform(new[:, columns]) - filled[:, columns]
        assert np.abs(moved).max() <= rounding


BLOCKS = [(1, 256), (2, 256), (3, 1), (2, 37), (1, 10**6)]
"""Threads, and rows in a block."""


def fill_with(monkeypatch, case, table, n_jobs, block_size):
    monkeypatch.setattr(context.Context, "block_size", block_size)
    n_threads, _, *others = context.Context.__init__.__defaults__
    monkeypatch.setattr(context.Context.__init__, "__defaults__", (n_threads, block_size, *others))
    return case.fit(table, n_jobs=n_jobs).transform(table)


@every([case for case in CASES + VARIANTS if case.has("n_jobs")])
@pytest.mark.parametrize("ties", [False, True], ids=["smooth", "ties"])
def test_threads_and_blocks_do_not_change_a_bit(monkeypatch, case, ties):
    table = untied(80 if PLAIN else 300, 4)
    table = np.round(table, 1) if ties else table
    table[np.random.default_rng(1).random(table.shape) < 0.15] = np.nan
    first, *others = (fill_with(monkeypatch, case, table, *how) for how in BLOCKS)
    for filled in others:
        assert_same(filled, first)


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
