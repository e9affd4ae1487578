"""What every registered method promises, with its default settings and with those of the paper."""

import copy
import pickle
import re
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone

import iim
from cases import CASES, Case, assert_same, every, fit_or_refuse, row_by_row
from iim.imputers._loops import LoopImputer
from strategies import holed, untied

PATIENCE = 300
"""Seconds to wait for a thread; only a hang takes that long."""

every_case = every(CASES)
every_method = pytest.mark.parametrize("key", iim.METHODS)


def emptied(table, share: float, seed: int):
    """The table with holes; its last row knows nothing."""
    random = np.random.default_rng(seed)
    table = table.copy()
    table[random.random(table.shape) < share] = np.nan
    table[-1] = np.nan
    return table


def known_table():
    """A table to learn from: no hole in its last column, and a zero with a sign."""
    table = untied(48, 4, seed=3)
    table[5] = table[4]
    table[7, 2] = -0.0
    with_holes = emptied(table, 0.15, seed=4)
    with_holes[:, 3] = table[:, 3]
    with_holes[7, 2] = -0.0
    return with_holes


def new_table():
    """Rows to fill: near the known ones and far from them, with holes where ``fit`` saw none."""
    table = np.vstack([untied(24, 4, seed=3), 3 * untied(8, 4, seed=5)])
    patterns = np.array(list(product([False, True], repeat=4)))
    table[np.tile(patterns, (2, 1))] = np.nan
    return table


KNOWN, NEW = known_table(), new_table()


@cache
def pickled(case: Case) -> bytes:
    return pickle.dumps(case.fit(KNOWN))


def fitted(case: Case):
    """Fitted to the known table, and as good as new: it has not met a pattern since."""
    return pickle.loads(pickled(case))


def check_fills(imputer, table, rows) -> None:
    """Whatever a table and some rows look like."""
    kept = imputer._kept
    for came in (table, rows):
        before = came.copy()
        filled = imputer.transform(came)
        assert_same(came, before)
        assert filled.shape == (len(came), kept.size)
        assert np.isfinite(filled).all()
        known = ~np.isnan(came[:, kept])
        assert_same(filled[known], came[:, kept][known])
        assert_same(row_by_row(imputer, came), filled)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", iim.ImputationWarning)
        assert_same(clone(imputer).fit_transform(table), imputer.transform(table))


# Observed cells, finite fills, and what must not matter.


@every_case
def test_known_cells_are_kept_and_holes_are_filled(case):
    check_fills(fitted(case), KNOWN, NEW)


@every_case
def test_the_order_of_rows_does_not_matter(case):
    imputer = fitted(case)
    order = np.random.default_rng(0).permutation(len(NEW))
    assert_same(fitted(case).transform(NEW[order]), imputer.transform(NEW)[order])


@every_case
def test_a_row_that_knows_nothing_gets_what_the_columns_say(case):
    filled = fitted(case).transform(np.full((2, KNOWN.shape[1]), np.nan))
    assert_same(filled[0], filled[1])
    # Methods that draw do so here, too, and may come to lie a little outside.
    assert (np.nanmin(KNOWN, axis=0) - 5 < filled).all()
    assert (filled < np.nanmax(KNOWN, axis=0) + 5).all()


MEANS = ("mean", "knn", "knne", "ifc", "gmm", "svd", "ills", "glr", "loess", "eracer", "xgb", "iim", "auto")
"""Methods that fill the column mean where nothing is known."""


@every([case for case in CASES if case.key in MEANS])
def test_a_row_that_knows_nothing_gets_the_means(case):
    filled = fitted(case).transform(np.full((1, KNOWN.shape[1]), np.nan))[0]
    np.testing.assert_allclose(filled, np.nanmean(KNOWN, axis=0), rtol=1e-12)


ALTERNATIVES = (
    *(1, 3, 0.7, 1.5, None, [1, 2]),
    *("auto", "none", "standard", "complete", "available", "all", "slopes", "leave-one-out"),
    *("uniform", "tricube", "distance", "mean", "conditional", "patterns", "single", False),
    *("reused", "held_out", "scaled", "learned", "fitted"),
)
"""Values of which every parameter can take one that it does not have."""


@every_case
def test_parameters_set_after_fit_wait_for_the_next_fit(case):
    imputer = fitted(case)
    before = imputer.transform(NEW)
    for name, check in imputer._checks.items():
        if name not in iim.imputers.Imputer._checks:
            now = getattr(imputer, name)
            imputer.set_params(**{name: next(v for v in ALTERNATIVES if v != now and check.accepts(v))})
    assert_same(imputer.transform(NEW), before)
    # Patterns that are learned only now, too.
    assert_same(pickle.loads(pickle.dumps(imputer)).transform(NEW), before)


@every_case
def test_a_row_is_filled_alone_as_in_a_crowd(case):
    # Enough rows and columns for matrix products that work in blocks, and sum in another order there.
    imputer = case.fit(untied(150, 9, seed=1))
    crowd = untied(203, 9, seed=2)
    crowd[:, 4] = np.nan
    crowd[:40, 6] = np.nan
    filled = imputer.transform(crowd)
    assert_same(row_by_row(imputer, crowd[::7]), np.ascontiguousarray(filled[::7]))
    in_parts = np.vstack([imputer.transform(part) for part in np.array_split(crowd, 13)])
    assert_same(in_parts, filled)


@every_case
def test_filling_twice_changes_nothing(case):
    imputer = fitted(case)
    filled = imputer.transform(NEW)
    assert_same(imputer.transform(filled), filled)


@every_case
def test_a_second_fit_forgets_the_first(case):
    imputer = case.make().fit(untied(20, 3, seed=9)).fit(KNOWN)
    assert_same(imputer.transform(NEW), fitted(case).transform(NEW))


@every_case
def test_transform_leaves_the_imputer_as_it_was(case):
    imputer = fitted(case)
    parameters, before = imputer.get_params(), pickle.dumps(imputer)
    first = imputer.transform(NEW)
    assert pickle.dumps(imputer) == before
    assert imputer.get_params() == parameters
    assert_same(imputer.transform(NEW), first)


@every_case
@pytest.mark.parametrize(
    "copied",
    [copy.deepcopy, lambda imputer: pickle.loads(pickle.dumps(imputer))],
    ids=["deepcopy", "pickle"],
)
def test_a_copy_fills_as_the_original(case, copied):
    imputer = case.fit(KNOWN)
    expected = imputer.transform(NEW)
    assert_same(copied(imputer).transform(NEW), expected)


@every_case
def test_a_clone_is_not_fitted_and_learns_the_same(case):
    imputer = fitted(case)
    cloned = clone(imputer)
    assert not hasattr(cloned, "n_features_in_")
    assert repr(cloned.get_params()) == repr(imputer.get_params())
    assert_same(cloned.fit(KNOWN).transform(NEW), imputer.transform(NEW))


@every_case
def test_several_threads_fill_as_one_does(case, eager_switching):
    expected = fitted(case).transform(NEW)
    # It has met no pattern yet: all threads learn, each from another end.
    imputer, start = fitted(case), threading.Barrier(4)
    orders = [np.random.default_rng(seed).permutation(len(NEW)) for seed in range(4)]

    def fill(order):
        start.wait(PATIENCE)
        filled = np.empty_like(expected)
        for part in np.array_split(order, 5):
            filled[part] = imputer.transform(NEW[part])
        return filled

    with ThreadPoolExecutor(4) as pool:
        for filled in [pool.submit(fill, order) for order in orders]:
            assert_same(filled.result(PATIENCE), expected)


@every([case for case in CASES if case.has("random_state")])
@pytest.mark.parametrize("seed", [0, 7])
def test_the_same_seed_gives_the_same_fills(case, seed):
    first, second = (case.fit(KNOWN, random_state=seed).transform(NEW) for _ in range(2))
    assert_same(second, first)
    first, second = (
        case.fit(KNOWN, random_state=np.random.RandomState(seed)).transform(NEW) for _ in range(2)
    )
    assert_same(second, first)


@every([case for case in CASES if case.has("random_state")])
def test_without_a_seed_a_fitted_imputer_still_repeats_itself(case):
    imputer = case.fit(KNOWN, random_state=None)
    assert_same(row_by_row(imputer, NEW), imputer.transform(NEW))


@every_case
def test_progress_rises_to_one_and_changes_nothing(case):
    told = []
    imputer = case.fit(KNOWN, progress=told.append)
    check_progress(told)
    told.clear()
    assert_same(imputer.transform(NEW), fitted(case).transform(NEW))
    check_progress(told)


@every([case for case in CASES if issubclass(iim.METHODS[case.key], LoopImputer)])
def test_learning_many_patterns_tells_its_progress_on_the_way(case):
    told = []
    case.make(progress=told.append).fit(holed(150, 5, 0.1, seed=4))
    check_progress(told)
    assert len({fraction for fraction in told if 0.0 < fraction < 1.0}) > 3


def check_progress(told: list[float]) -> None:
    assert told == sorted(told)
    assert all(0.0 <= fraction <= 1.0 for fraction in told)
    # A method that has nothing to wait for may be silent; one that speaks comes to an end.
    assert told == [] or told[-1] == 1.0


# Containers.


def frames():
    """The same tables as pandas and polars frames: a whole-number column without holes among them."""
    columns = ["b", "a", "whole", "c"]
    whole = np.arange(len(KNOWN)) * 7 % 11
    table = KNOWN.copy()
    table[:, 2] = whole
    rows = np.arange(100, 100 + len(table))[::-1]
    in_pandas = pd.DataFrame(table, columns=columns, index=rows).astype({"whole": "int64"})
    in_polars = pl.DataFrame({name: in_pandas[name].to_numpy() for name in columns}).fill_nan(None)
    return table, in_pandas, in_polars


@every_case
def test_frames_are_filled_as_arrays_are(case):
    table, in_pandas, in_polars = frames()
    expected = case.fit(table).transform(table)
    from_pandas = case.fit(in_pandas).transform(in_pandas)
    assert_same(np.ascontiguousarray(from_pandas.to_numpy(np.float64)), expected)
    assert from_pandas.index.equals(in_pandas.index)
    assert from_pandas.dtypes.equals(in_pandas.dtypes)
    from_polars = case.fit(in_polars).transform(in_polars)
    assert isinstance(from_polars, pl.DataFrame)
    assert_same(np.ascontiguousarray(from_polars.cast(pl.Float64).to_numpy()), expected)
    assert from_polars.schema == in_polars.schema


@every_case
def test_single_precision_stays_single(case):
    frame = frames()[1].astype({"a": "float32"})
    filled = case.fit(frame).transform(frame)
    assert filled.dtypes.equals(frame.dtypes)
    assert not filled.isna().any(axis=None)


@every_case
@pytest.mark.parametrize("keep", [False, True], ids=["dropped", "kept"])
def test_a_column_without_values_is_told_of(case, keep):
    table = KNOWN.copy()
    table[:, 1] = np.nan
    with pytest.warns(iim.ImputationWarning, match="No value is known in 1 of 4 columns: 'x1'"):
        imputer = case.make(keep_empty_features=keep).fit(table)
    filled = imputer.transform(NEW)
    without = case.fit(np.delete(table, 1, axis=1)).transform(np.delete(NEW, 1, axis=1))
    if keep:
        assert (filled[np.isnan(NEW[:, 1]), 1] == 0).all()
        filled = np.delete(filled, 1, axis=1)
    assert_same(np.ascontiguousarray(filled), without)


@every_case
@pytest.mark.parametrize("holed_at_fit", [[0, 1], [2, 3], [0, 1, 2, 3], []], ids=str)
def test_holes_may_be_in_other_columns_later(case, holed_at_fit):
    # The second and the last column are constant at fit, and not later.
    table = untied(40, 4, seed=8)
    constants = {1: 0.1, 3: -2.0}
    table[:, list(constants)] = list(constants.values())
    for row, column in enumerate(holed_at_fit):
        table[row::9, column] = np.nan
    imputer = case.fit(table)
    for columns in ([0], [1], [2], [3], [0, 1], [2, 3], [0, 1, 2], []):
        rows = untied(6, 4, seed=9)
        rows[:, columns] = np.nan
        filled = imputer.transform(rows)
        assert_same(row_by_row(imputer, rows), filled)
        kept = np.setdiff1d(range(4), columns)
        assert_same(filled[:, kept], rows[:, kept])
        assert np.isfinite(filled).all()
        if case.name == "default":
            # Nothing but its one value is known of a constant column. Raw ridges and short boosting, as in
            # the paper, come near it only.
            for column in constants.keys() & set(columns):
                assert (filled[:, column] == constants[column]).all()


# Tables at the edge of what a table is.


def edge_tables():
    nan = np.nan
    smooth = untied(24, 3, seed=6)
    outlier = emptied(smooth, 0.2, seed=7)
    outlier[3, 1] = 1e300
    constant = emptied(smooth, 0.2, seed=7)
    constant[~np.isnan(constant[:, 1]), 1] = 0.1
    equal = np.tile([0.1, 2.0, -3.0], (12, 1))
    return {
        "one column": np.array([[1.0], [2.0], [nan], [4.0]]),
        "two columns": emptied(smooth[:, :2], 0.2, seed=8),
        "one row": np.array([[1.0, -2.0, 0.5]]),
        "one row with a hole": np.array([[1.0, nan]]),
        "two rows": np.array([[1.0, nan, 3.0], [nan, 5.0, 2.0]]),
        "nothing known": np.full((3, 2), nan),
        "one known cell": np.array([[nan, nan], [nan, 0.1], [nan, nan]]),
        "no hole": smooth,
        "equal rows": emptied(equal, 0.2, seed=8),
        "constant columns": constant,
        "all constant": emptied(np.ones((9, 3)), 0.2, seed=8),
        "duplicates": emptied(np.repeat(smooth[:6], 4, axis=0), 0.2, seed=9),
        "dependent columns": emptied(smooth[:, [0, 0, 1]] * [1.0, 2.0, 1.0], 0.2, seed=9),
        "no row without holes": np.where(np.eye(3, dtype=bool)[np.arange(24) % 3], nan, smooth),
        "more columns than rows": emptied(untied(5, 9, seed=1), 0.2, seed=2),
        "the largest": emptied(np.sign(smooth) * np.finfo(np.float64).max, 0.2, seed=7),
        "huge": emptied(smooth * 1e300, 0.2, seed=7),
        "tiny": emptied(smooth * 1e-300, 0.2, seed=7),
        "huge and tiny": emptied(smooth * [1e300, 1e-300, 1.0], 0.2, seed=7),
        "an outlier": outlier,
        "far from zero": emptied(smooth + 1e9, 0.2, seed=7),
    }


EDGES = edge_tables()


@pytest.mark.current
@pytest.mark.filterwarnings("ignore::iim.FallbackWarning")
@every_case
@pytest.mark.parametrize("name", EDGES)
def test_tables_at_the_edge_are_filled(case, name):
    table = EDGES[name]
    imputer = fit_or_refuse(case, table, keep_empty_features=True)
    if imputer is not None:
        patterns = np.array(list(product([False, True], repeat=min(3, table.shape[1]))))
        rows = np.nan_to_num(np.resize(table, (len(patterns), table.shape[1])), nan=0.25)
        rows[:, : patterns.shape[1]][patterns] = np.nan
        check_fills(imputer, table, rows)


# Parameters.

IMPOSSIBLE = [object(), "no such name", -1, 0, 0.5, 1.5, np.nan, np.inf, -np.inf, None, True, [], {}, [-1]]


@every_method
def test_every_parameter_has_a_check(key):
    method = iim.METHODS[key]
    assert set(method._checks) == set(method().get_params())


@every_case
def test_impossible_parameters_are_named(case):
    method = iim.METHODS[case.key]
    for name, check in method._checks.items():
        refused = [value for value in IMPOSSIBLE if not check.accepts(value)]
        assert refused[:1] == IMPOSSIBLE[:1], f"{name} may be anything"
        for value in refused:
            message = (
                re.escape(f"`{name}` of {method.__name__}: {check.allowed}") + ",? is needed; received "
            )
            with pytest.raises(iim.InvalidParameter, match=f"^{message}{re.escape(repr(value))}\\.$"):
                case.make(**{name: value}).fit(KNOWN)


@every_case
def test_its_own_settings_are_possible(case):
    imputer = case.make()
    checks = imputer._checks
    assert [name for name, value in imputer.get_params().items() if not checks[name].accepts(value)] == []
