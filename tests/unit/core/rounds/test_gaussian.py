"""The Gaussian of a table: by hand, against the formulas, and against its witness."""

import numpy as np
import pytest

from iim.core.rounds import gaussian as module
from iim.core.rounds.gaussian import RIDGE, RIDGES, Gaussian, learn_gaussian
from iim.persistence.fields import Refused, Sizes
from reference import rounds as witness
from strategies import holed, untied

NAN = np.nan


def law_of(n_columns, seed=0, ridge=RIDGE):
    rng = np.random.default_rng(seed)
    mix = rng.normal(size=(n_columns, n_columns))
    return Gaussian(rng.normal(size=n_columns), mix @ mix.T, ridge)


def expected(law, rows):
    missing = np.isnan(rows)
    return law.expected(np.where(missing, 1e9, rows), missing)  # what is missing is not looked at


def without(law, rows, column):
    missing = np.isnan(rows)
    return law.without(np.where(missing, 1e9, rows), missing, column)


def with_holes(law, n_rows=60, share=0.4, seed=1):
    rng = np.random.default_rng(seed)
    rows = rng.multivariate_normal(law.mean, law.covariance, n_rows)
    rows[rng.random(rows.shape) < share] = NAN
    return rows


def test_conditional_means_by_hand():
    law = Gaussian(np.array([1.0, 10.0]), np.array([[4.0, 2.0], [2.0, 9.0]]))
    filled = expected(law, np.array([[3, NAN], [NAN, 13], [NAN, NAN], [5, 6]]))
    slopes = 2 / (4 + RIDGE), 2 / (9 + RIDGE)
    np.testing.assert_allclose(
        filled, [[3, 10 + 2 * slopes[0]], [1 + 3 * slopes[1], 13], [1, 10], [5, 6]], rtol=1e-14
    )


@pytest.mark.parametrize("ridge", RIDGES)
def test_conditional_means_by_the_formula(ridge):
    law = law_of(5, ridge=ridge)
    rows = with_holes(law)
    formula = [witness.expected(row, law.mean, law.covariance, ridge) for row in rows]
    np.testing.assert_allclose(expected(law, rows), formula, rtol=1e-9, atol=1e-10)
    assert expected(law, rows)[~np.isnan(rows)].tobytes() == rows[~np.isnan(rows)].tobytes()


@pytest.mark.parametrize("column", range(5))
def test_without_a_column_is_as_if_it_were_hidden(column):
    law = law_of(5)
    rows = with_holes(law)
    hidden = rows.copy()
    hidden[:, column] = NAN
    found, same = without(law, rows, column), expected(law, hidden)
    others = np.arange(5) != column
    np.testing.assert_allclose(found[:, others], same[:, others], rtol=1e-8, atol=1e-9)
    known = ~np.isnan(rows)
    assert found[known].tobytes() == rows[known].tobytes()


def test_a_look_kept_for_several_columns_changes_nothing(monkeypatch):
    law = law_of(4)
    rows = with_holes(law, 30)
    missing = np.isnan(rows)
    monkeypatch.setattr(module, "NUMBERS_AT_ONCE", 7 * 16)
    views = law.look(rows, missing)
    assert len(views) == 5
    for column in range(4):
        found = law.without(rows, missing, column, views)
        assert found.tobytes() == without(law, rows, column).tobytes()


def test_rows_do_not_notice_each_other(monkeypatch):
    law = law_of(4)
    rows = with_holes(law, 25)
    both = expected(law, rows), without(law, rows, 2)
    assert np.vstack([expected(law, row[None]) for row in rows]).tobytes() == both[0].tobytes()
    assert np.vstack([without(law, row[None], 2) for row in rows]).tobytes() == both[1].tobytes()
    monkeypatch.setattr(module, "NUMBERS_AT_ONCE", 3 * 16)
    assert [one.tobytes() for one in (expected(law, rows), without(law, rows, 2))] == [
        one.tobytes() for one in both
    ]
    assert expected(law, rows[:0]).shape == (0, 4)


def learned(table, ridge=RIDGE):
    missing = np.isnan(table)
    return learn_gaussian(np.where(missing, 1e9, table), missing, ridge)


def test_of_a_complete_table_it_is_mean_and_covariance():
    table = untied(50, 3)
    law = learned(table)
    np.testing.assert_allclose(law.mean, table.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(law.covariance, np.cov(table.T, bias=True), rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("ridge", RIDGES)
@pytest.mark.parametrize("seed", range(3))
def test_it_is_learned_as_the_witness_learns_it(seed, ridge):
    table = witness.standardised(holed(40, 4, share=0.3, seed=seed))
    table = table[~np.isnan(table).all(axis=1)]
    law, (mean, covariance) = learned(table, ridge), witness.gaussian(table, ridge)
    np.testing.assert_allclose(law.mean, mean, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(law.covariance, covariance, rtol=1e-9, atol=1e-11)
    assert (law.covariance == law.covariance.T).all()


def test_a_correlation_is_found_behind_holes():
    # Of mean 0 and variance 1 each, with correlation 0.9; where the first is large, the second is missing.
    rng = np.random.default_rng(0)
    table = rng.multivariate_normal([0, 0], [[1, 0.9], [0.9, 1]], 2000)
    table[table[:, 0] > 0.5, 1] = NAN
    law = learned(table)
    assert np.nanmean(table[:, 1]) < -0.3
    np.testing.assert_allclose(law.mean, [0, 0], atol=0.08)
    np.testing.assert_allclose(law.covariance, [[1, 0.9], [0.9, 1]], atol=0.1)


def test_wide_tables_take_fewer_turns_down_to_none(monkeypatch):
    table = holed(30, 3, share=0.2)
    monkeypatch.setattr(module, "MOST_WORK", 0.0)
    law = learned(table)
    np.testing.assert_allclose(law.mean, np.nanmean(table, axis=0), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(law.covariance, np.diag(np.nanvar(table, axis=0)), rtol=1e-12)
    np.testing.assert_allclose(
        expected(law, table)[np.isnan(table)], law.mean[np.nonzero(np.isnan(table))[1]]
    )


def test_batches_are_of_little_matter(monkeypatch):
    table = holed(50, 4, share=0.2)
    whole = learned(table)
    monkeypatch.setattr(module, "NUMBERS_AT_ONCE", 7 * 16)
    np.testing.assert_allclose(learned(table).covariance, whole.covariance, rtol=1e-12, atol=1e-14)


def test_constant_columns_copies_and_outliers_are_borne():
    table = untied(40, 4)
    table[:, 1], table[:, 2], table[0, 3] = 0.0, 2 * table[:, 0], 1e9
    table[5:9, 0] = table[8:12, 2] = table[20, 1] = NAN
    law = learned(table)
    assert np.isfinite(law.covariance).all()
    filled = expected(law, table)
    assert filled[20, 1] == 0.0
    np.testing.assert_allclose(filled[5:8, 0], table[5:8, 2] / 2, rtol=0.01, atol=0.01)
    assert np.isfinite(without(law, table, 3)).all()


def test_a_table_without_columns_has_an_empty_one():
    law = learned(np.empty((3, 0)))
    assert law.mean.shape == (0,)
    assert law.covariance.shape == (0, 0)
    law.check_kept(Sizes())
    assert expected(law, np.empty((2, 0))).shape == (2, 0)


@pytest.mark.parametrize(
    ("covariance", "needed"),
    [
        ([[1.0, 0.5], [0.4, 1.0]], "symmetric"),
        ([[-RIDGE, 0.0], [0.0, 1.0]], "positive definite"),
        ([[1.0, 2.0], [2.0, 1.0]], "positive definite"),
    ],
)
def test_a_kept_matrix_without_inverse_is_refused(covariance, needed):
    with pytest.raises(Refused, match=needed):
        Gaussian(np.zeros(2), np.array(covariance)).check_kept(Sizes())
