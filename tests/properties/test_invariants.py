"""What holds for every table, by every method, with several settings of some.

With the compiler on and the profile "ci", hypothesis draws for each case of tests/cases.py 60 tables for
what is to hold of any table, 30 as arrays and frames, 12 with an infinite value, 12 to be turned round;
``IIM_HYPOTHESIS=long`` draws 33 times as many.
"""

import os
import warnings

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.base import clone

import iim
from cases import (
    CASES,
    VARIANTS,
    as_new,
    assert_same,
    every,
    examples,
    fit_or_refuse,
    fit_quietly,
    row_by_row,
)
from iim.core import workers
from strategies import mixed_tables, tables_with_holes, untied

every_case = every(CASES + VARIANTS)
SEEDS = st.integers(0, 2**32 - 1)


@every_case
@examples(1.0)
@given(table=tables_with_holes(max_columns=4), n_learned=st.integers(1, 24), keep=st.booleans(), seed=SEEDS)
def test_any_table_is_filled(case, table, n_learned, keep, seed):
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
    assert_same(row_by_row(imputer, table), filled)
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


@every_case
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


@every_case
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
    with pytest.raises(iim.UnusableTable, match="infinite values in 1 of|holds values beyond"):
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
