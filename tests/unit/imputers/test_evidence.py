"""Where fills come from, as a user asks for it."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

import iim
from strategies import holed, untied

EXAMPLE = iim.samples.example("numpy")


def test_candidates_of_all_cells():
    table = holed()
    imputer = iim.IIMImputer(n_neighbors=5, strategy="patterns").fit(table)
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
    candidates = iim.IIMImputer(n_neighbors=4, strategy="patterns").fit(table).candidates(table)
    assert candidates.donors.tolist() == [[0, 1, -1, -1], [-1] * 4, [-1] * 4]
    assert np.isnan(candidates.values[0, 2:]).all()
    assert candidates.weights[1].tolist() == [0.0] * 4
    assert candidates.n_learning.tolist() == [[1, 1, 0, 0], [0] * 4, [0] * 4]
    assert candidates.fallbacks.tolist() == ["none", "column mean", "column mean"]


def test_candidates_of_rounds_are_as_many_as_were_chosen_for_a_column():
    table = holed(share=0.2)
    imputer = iim.IIMImputer(n_neighbors=5, strategy="iterative").fit(table)
    candidates, chosen = imputer.candidates(table), imputer._loop.rounds.rounds[-1].columns
    assert candidates.values.shape[1] == max(one.n_neighbors for one in chosen)
    n_donors = [chosen[column].n_neighbors for column in candidates.columns]
    known = ~np.isnan(table)[candidates.rows].all(axis=1)
    assert (candidates.donors >= 0).sum(axis=1).tolist() == np.where(known, n_donors, 0).tolist()
    np.testing.assert_allclose(
        (candidates.weights * np.nan_to_num(candidates.values)).sum(axis=1)[known],
        candidates.imputed[known],
        atol=1e-12,
    )
    assert (candidates.imputed == imputer.transform(table)[candidates.rows, candidates.columns]).all()


@pytest.mark.parametrize("strategy", ["patterns", "iterative"])
def test_candidates_tell_the_chosen_numbers_of_learning_neighbours(strategy):
    table = holed()
    imputer = iim.IIMImputer(n_neighbors=5, strategy=strategy).fit(table)
    candidates = imputer.candidates(table)
    assert candidates.n_learning.shape == candidates.donors.shape
    assert set(candidates.n_learning[candidates.donors >= 0]) <= set(imputer.learning_grid_)
    assert (candidates.n_learning[candidates.donors < 0] == 0).all()
    for at in range(0, len(candidates), 7):
        why = imputer.explain(table, candidates.rows[at], int(candidates.columns[at]))
        n_asked = why.donors.size
        assert candidates.n_learning[at, :n_asked].tolist() == why.n_learning.tolist()


def test_explain_names_columns_and_donors():
    frame = iim.samples.example("pandas")
    imputer = iim.IIMImputer(**{**iim.PAPER, "n_neighbors": 3, "learning_grid": range(1, 9)}).fit(frame)
    why = imputer.explain(frame, row=8, column="A2")
    assert (why.row, why.column, why.fallback) == (8, "A2", "none")
    assert why.observed == ("A1",)
    assert why.n_learning.tolist() == [4, 4, 4]
    text = str(why)
    assert text.startswith("row 8, A2 = 1.18426: 3 donors predict 1.17206 to 1.23308 from A1 = 5\n")
    assert "in the values of the table" in text
    assert "-4.357 + 1.106 A1" in text
    assert repr(why) == text


WIDE = untied(60, 20, seed=4)


def test_a_wide_model_is_shown_by_what_matters():
    table = WIDE.copy()
    table[3, 7] = np.nan
    why = iim.IIMImputer(n_neighbors=4).fit(table).explain(table, 3, 7)
    np.testing.assert_allclose(why.intercepts + why.slopes @ why.known, why.candidates)
    lines = str(why).splitlines()
    assert max(map(len, lines)) <= 100
    assert "and 14 more columns" in " ".join(lines[:2])
    assert str(why).count("(14 more columns)") == 4
    # The first of the columns shown is the one that moves the vote most.
    moved = (why.weights[:, None] * np.abs(why.effects)).sum(axis=0)
    assert f"from {why.observed[moved.argmax()]} = " in lines[0]


def test_what_a_wide_model_leaves_out_is_summed_up():
    table = WIDE.copy()
    table[3, 7] = np.nan
    why = iim.IIMImputer(n_neighbors=1).fit(table).explain(table, 3, 7)
    # After its weight, which is 1.
    model = " ".join(str(why).split(" 1.000 ")[1].split())
    known = dict(zip(why.observed, why.known, strict=True))
    terms = re.findall(r"([+-]) (\S+) (x\d+|\(14 more columns\))", model)
    assert len(terms) == 6
    said = float(model.split()[0])
    said += sum(float(sign + slope) * known.get(name, 1.0) for sign, slope, name in terms)
    assert said == pytest.approx(why.candidates[0], abs=0.01)


def test_explanations_are_escaped_in_notebooks():
    table = pd.DataFrame(EXAMPLE, columns=["<script>", "b"])
    why = iim.IIMImputer().fit(table).explain(table, 8, "b")
    shown = why._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt; = 5" in shown
    assert shown.count("<tr>") == 9


def test_a_single_donor_is_one():
    imputer = iim.IIMImputer(n_neighbors=1).fit(EXAMPLE)
    assert ": 1 donor predicts " in str(imputer.explain(EXAMPLE, 8, 1))


def test_candidates_as_a_frame_and_as_text():
    table = pl.DataFrame(holed(), schema=list("abcd")).fill_nan(None)
    candidates = iim.IIMImputer(n_neighbors=5, strategy="patterns").fit(table).candidates(table)
    frame = candidates.to_frame()
    assert isinstance(frame, pl.DataFrame)
    assert frame.columns == [
        *("row", "column", "imputed", "smallest", "largest", "spread", "n_donors", "fallback"),
    ]
    assert frame["spread"].to_list() == candidates.spread.tolist()
    assert frame["imputed"].to_list() == candidates.imputed.tolist()
    assert (frame["smallest"] <= frame["imputed"]).all()
    assert (frame["imputed"] <= frame["largest"]).all()
    assert set(frame["n_donors"]) == {5}
    assert frame["column"].to_list() == ["abcd"[column] for column in candidates.columns]
    assert isinstance(candidates.to_frame("pandas"), pd.DataFrame)
    text = repr(candidates)
    assert text.startswith(f"Candidates of {len(candidates)} missing cells, in the values of the table.")
    assert f"... and {len(candidates) - 10} more" in text
    assert "<table " in candidates._repr_html_()


def test_candidates_without_donors_or_cells():
    nothing = np.full((1, 2), np.nan)
    imputer = iim.IIMImputer().fit(EXAMPLE)
    frame = imputer.candidates(nothing).to_frame("pandas")
    assert frame["n_donors"].tolist() == [0, 0]
    assert frame["smallest"].isna().all()
    assert "column mean" in repr(imputer.candidates(nothing))
    assert (
        repr(imputer.candidates(EXAMPLE[:1]))
        == "Candidates of 0 missing cells, in the values of the table."
    )
    assert len(imputer.candidates(EXAMPLE[:1]).to_frame("pandas")) == 0


def test_explain_and_candidates_show_rounded_values():
    table = np.round(10 * holed())
    imputer = iim.IIMImputer(round_integers=True, max_value="observed").fit(table)
    candidates, filled = imputer.candidates(table), imputer.transform(table)
    assert candidates.imputed.tolist() == filled[candidates.rows, candidates.columns].tolist()
    assert (candidates.imputed == np.rint(candidates.imputed)).all()
    row, column = int(candidates.rows[0]), int(candidates.columns[0])
    why = imputer.explain(table, row, column)
    assert why.value == candidates.imputed[0]
    assert why.voted != why.value
    assert f"({why.voted:.6g} before bounds and rounding)" in str(why)


def test_explain_a_column_that_is_left_out():
    imputer = iim.IIMImputer(columns=[0]).fit(EXAMPLE)
    with pytest.raises(iim.InvalidParameter, match="received 'x1', which is left out by `columns`"):
        imputer.explain(EXAMPLE, 8, "x1")


def test_explain_respects_bounds_and_means():
    imputer = iim.IIMImputer(min_value=5.0).fit(EXAMPLE)
    why = imputer.explain(EXAMPLE, 8, 1)
    assert why.value == 5.0
    assert f"x1 = 5 ({why.voted:.6g} before bounds and rounding): 8 donors predict" in str(why)
    nothing = np.full((1, 2), np.nan)
    imputer = iim.IIMImputer().fit(EXAMPLE)
    assert str(imputer.explain(nothing, 0, "x1")) == "row 0, x1 = 4.35: the column's mean"


@pytest.mark.parametrize(
    ("row", "column", "message"),
    [
        (0, 1, r"a missing cell is needed; row 0 of column 1 has the value 5\.8"),
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
