"""What every method promises of columns, bounds, whole numbers and the mask of filled cells."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import iim
from strategies import tables_with_holes, untied

every_method = pytest.mark.parametrize("key", iim.METHODS)

EXAMPLES = max(1, settings.default.max_examples // 3)


def made_up_frame():
    """Numbers with holes in three columns, among others that are no numbers."""
    table = untied(40, 3, seed=5)
    frame = pd.DataFrame(
        {
            "name": ["x", None] * 20,
            "a": table[:, 0],
            "when": pd.date_range("2024-01-01", periods=40),
            "n": pd.array(np.rint(3 * table[:, 1]).astype(int) + 4, dtype="Int16"),
            "b": table[:, 2].astype(np.float32),
        },
        index=[f"row {row % 7}" for row in range(40)],
    )
    for row, column in ((1, 1), (3, 3), (5, 4), (8, 3), (8, 4), (13, 1), (13, 3), (13, 4)):
        frame.iloc[row, column] = None
    return frame


CHOSEN = {
    "columns": ["a", "n", "b"],
    "min_value": {"a": -0.25, "n": "observed", "b": 0.1},
    "max_value": {"a": 0.25, "n": 4.5},
    "round_integers": True,
}


@every_method
def test_columns_bounds_whole_numbers_and_the_mask(key):
    frame = made_up_frame()
    before = frame.copy(deep=True)
    imputer = iim.METHODS[key](**CHOSEN).fit(frame)
    filled, mask = imputer.transform(frame), imputer.imputed_mask(frame)
    pd.testing.assert_frame_equal(frame, before)
    pd.testing.assert_frame_equal(clone(imputer).fit_transform(frame), filled)
    # The mask tells what was filled, and only that.
    assert mask.columns.tolist() == filled.columns.tolist() == frame.columns.tolist()
    pd.testing.assert_index_equal(mask.index, frame.index)
    assert mask.dtypes.tolist() == [np.dtype(bool)] * 5
    assert mask.to_numpy().sum() == 8
    assert (mask[CHOSEN["columns"]] == frame[CHOSEN["columns"]].isna()).all(axis=None)
    pd.testing.assert_frame_equal(filled.mask(mask), frame.mask(mask))
    # All else is as it was.
    assert filled.dtypes.equals(frame.dtypes)
    pd.testing.assert_frame_equal(filled[["name", "when"]], frame[["name", "when"]])
    # And the fills are where they may be.
    new = {name: filled.loc[mask[name].to_numpy(), name].astype(float) for name in CHOSEN["columns"]}
    assert new["a"].between(-0.25, 0.25).all()
    assert new["n"].between(float(frame["n"].min()), 4).all()
    assert (new["b"] >= 0.1).all()
    # Columns that are left out play no part.
    alone = iim.METHODS[key](**{**CHOSEN, "columns": None}).fit_transform(frame[CHOSEN["columns"]])
    pd.testing.assert_frame_equal(filled[CHOSEN["columns"]], alone)


@every_method
def test_bounds_change_only_fills_that_break_them(key):
    table = untied(40, 3, seed=6)
    table[np.random.default_rng(1).random(table.shape) < 0.1] = np.nan
    free = iim.METHODS[key]().fit_transform(table)
    bounded = iim.METHODS[key](min_value=-0.3, max_value=0.4).fit_transform(table)
    expected = np.where(np.isnan(table), np.clip(free, -0.3, 0.4), table)
    assert bounded.tobytes() == expected.tobytes()


LATER = {
    "columns": [0],
    "min_value": 5.0,
    "max_value": {"n": 1.0},
    "round_integers": True,
    "missing_values": 4,
    "add_indicator": True,
    "keep_empty_features": True,
}


@every_method
def test_shared_parameters_set_after_fit_wait_for_the_next_fit(key):
    frame = made_up_frame()[["a", "n", "b"]].assign(gone=np.nan)
    with pytest.warns(iim.ImputationWarning, match="'gone'"):
        imputer = iim.METHODS[key]().fit(frame)
    before, mask = imputer.transform(frame), imputer.imputed_mask(frame)
    imputer.set_params(**LATER)
    pd.testing.assert_frame_equal(imputer.transform(frame), before)
    pd.testing.assert_frame_equal(imputer.imputed_mask(frame), mask)
    assert imputer.get_feature_names_out().tolist() == ["a", "n", "b"]


@pytest.mark.parametrize("key", ["mean", "knn", "glr", "iim"])
@settings(max_examples=EXAMPLES)
@given(
    table=tables_with_holes(max_columns=4),
    low=st.sampled_from([-np.inf, -3.0, 0.25, "observed"]),
    width=st.sampled_from([1.0, 7.5, np.inf]),
    whole=st.booleans(),
    dtype=st.sampled_from([np.float64, np.float32]),
    chosen=st.sampled_from([None, [0]]),
)
def test_any_table_is_filled_within_its_limits(key, table, low, width, whole, dtype, chosen):
    table = np.clip(table, -1e38, 1e38).astype(dtype)
    high = np.inf if isinstance(low, str) else max(low, -8.0) + width
    imputer = iim.METHODS[key](
        columns=chosen, min_value=low, max_value=high, round_integers=whole, keep_empty_features=True
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", iim.ImputationWarning)
        filled = imputer.fit_transform(table)
    mask = imputer.imputed_mask(table)
    n_filled = table.shape[1] if chosen is None else 1
    assert (mask[:, :n_filled] == np.isnan(table[:, :n_filled])).all()
    assert not mask[:, n_filled:].any()
    assert filled.dtype == dtype
    assert filled[~mask].tobytes() == table[~mask].tobytes()
    for column in range(n_filled):
        known = table[~mask[:, column], column]
        new = filled[mask[:, column], column].astype(np.float64)
        assert np.isfinite(new).all()
        if low != "observed":
            assert (new >= low).all()
        elif known.size:
            assert (new >= known.min()).all()
        assert (new <= high).all()
        if whole and (known == np.rint(known)).all():
            assert (new == np.rint(new)).all()
    # A second pass changes nothing, and a row is filled alone as in a crowd.
    assert imputer.transform(filled).tobytes() == filled.tobytes()
    alone = np.vstack([imputer.transform(row[np.newaxis]) for row in table])
    assert alone.tobytes() == filled.tobytes()


@pytest.mark.parametrize("key", ["mean", "knn", "glr", "iim"])
def test_the_mask_leaves_the_imputer_and_the_table_as_they_were(key):
    frame = made_up_frame()
    imputer = iim.METHODS[key](**CHOSEN).fit(frame)
    attributes = dict(vars(imputer))
    imputer.imputed_mask(frame)
    assert vars(imputer) == attributes
    pd.testing.assert_frame_equal(frame, made_up_frame())
