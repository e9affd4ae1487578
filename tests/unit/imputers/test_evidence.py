"""Where fills come from, as a user asks for it."""

import numpy as np
import pytest

import iim
from strategies import holed

EXAMPLE = iim.samples.example("numpy")


def test_candidates_of_all_cells():
    table = holed()
    imputer = iim.IIMImputer(n_neighbors=5).fit(table)
    filled = imputer.transform(table)
    candidates = imputer.candidates(table)
    rows, columns = np.nonzero(np.isnan(table))
    assert candidates.rows.tolist() == rows.tolist()
    assert candidates.columns.tolist() == columns.tolist()
    assert len(candidates) == rows.size
    assert (candidates.imputed == filled[rows, columns]).all()
    assert candidates.values.shape == candidates.weights.shape == candidates.donors.shape == (rows.size, 5)
    np.testing.assert_allclose(candidates.weights.sum(axis=1), 1.0)
    np.testing.assert_allclose((candidates.weights * candidates.values).sum(axis=1), candidates.imputed)
    for donors, column in zip(candidates.donors, columns, strict=True):
        assert not np.isnan(table[donors, column]).any()


def test_candidates_where_fewer_were_asked():
    table = np.array([[0.0, 1.0], [1.0, 3.0], [0.5, np.nan], [np.nan, np.nan]])
    candidates = iim.IIMImputer(n_neighbors=4).fit(table).candidates(table)
    assert candidates.donors.tolist() == [[0, 1, -1, -1], [-1] * 4, [-1] * 4]
    assert np.isnan(candidates.values[0, 2:]).all()
    assert candidates.weights[1].tolist() == [0.0] * 4
    assert candidates.fallbacks.tolist() == ["none", "column mean", "column mean"]


def test_explain_names_columns_and_donors():
    frame = iim.samples.example("pandas")
    imputer = iim.IIMImputer(**{**iim.PAPER, "n_neighbors": 3, "learning_grid": range(1, 9)}).fit(frame)
    why = imputer.explain(frame, row=8, column="A2")
    assert (why.row, why.column, why.fallback) == (8, "A2", "none")
    assert why.observed == ("A1",)
    assert why.n_learning.tolist() == [4, 4, 4]
    text = str(why)
    assert "row 8, A2 = 1.18426, from A1 = 5" in text
    assert "-4.357 + 1.106 A1" in text
    assert repr(why) == text


def test_explain_respects_bounds_and_means():
    imputer = iim.IIMImputer(min_value=5.0).fit(EXAMPLE)
    why = imputer.explain(EXAMPLE, 8, 1)
    assert why.value == 5.0
    assert f"x1 = 5 (limited, from {why.voted:.6g}), from x0 = 5" in str(why)
    nothing = np.full((1, 2), np.nan)
    imputer = iim.IIMImputer().fit(EXAMPLE)
    assert str(imputer.explain(nothing, 0, "x1")) == "row 0, x1 = 4.35: the column's mean"


@pytest.mark.parametrize(
    ("row", "column", "message"),
    [
        (0, 1, r"a missing cell is needed; row 0 of column 1 holds 5\.8"),
        (99, 1, r"`row` of explain: a whole number from 0 to 8 is needed; received 99"),
        (8, "A9", r"`column`: one of 'x0', 'x1', or a position, is needed; received 'A9'"),
        (8, 7, "received 7"),
    ],
)
def test_explain_refuses_what_is_not_there(row, column, message):
    with pytest.raises(iim.InvalidParameter, match=message):
        iim.IIMImputer().fit(EXAMPLE).explain(EXAMPLE, row, column)


def test_explain_an_empty_column():
    table = np.column_stack([EXAMPLE, np.full(9, np.nan)])
    with pytest.warns(iim.ImputationWarning):
        imputer = iim.IIMImputer().fit(table)
    with pytest.raises(iim.InvalidParameter, match="received 'x2', which was empty"):
        imputer.explain(table, 0, "x2")
