import numpy as np
import pytest

import iim
from iim import IfcImputer
from iim.core.execution.context import Context
from iim.core.methods.fuzzy_clusters import blend, learn_centers, memberships
from strategies import holed, holed_groups, holed_line, untied

PAIRS = np.array([[0.0, 0.0], [0.0, 0.0], [4.0, 8.0], [4.0, 8.0]])
"""Two centres, (0, 0) and (4, 8), on which all rows lie."""


@pytest.mark.parametrize(
    ("fuzziness", "known", "filled"),
    [
        (2.0, 1.0, 0.8),  # distances 1 and 3, shares 9 to 1
        (3.0, 1.0, 2.0),  # shares 3 to 1
        (1.5, 1.0, 8 / 82),  # shares 81 to 1
        (2.0, 2.0, 4.0),  # halfway
        (2.0, 4.0, 8.0),  # on a centre
        (2.0, -2.0, 0.8),  # distances 2 and 6
    ],
)
def test_by_hand(fuzziness, known, filled):
    imputer = IfcImputer(2, fuzziness=fuzziness, scale="none").fit(PAIRS)
    assert sorted(imputer.centers_.tolist()) == [[0, 0], [4, 8]]
    assert imputer.transform([[known, np.nan]])[0, 1] == pytest.approx(filled, rel=1e-12)


def test_one_round_by_hand():
    # Centres 1 and 3, points 0 and 4: distances 1 and 3, shares 0.9 and 0.1, weights 0.81 and 0.01.
    centers, n_iter = learn_centers(
        np.array([[0.0], [4.0]]),
        np.zeros((2, 1), bool),
        np.array([[1.0], [3.0]]),
        fuzziness=2.0,
        tol=np.array([0.0]),
        max_iter=1,
        context=Context(),
    )
    np.testing.assert_allclose(centers, [[0.04 / 0.82], [4 - 0.04 / 0.82]], rtol=1e-12)
    assert n_iter == 1


def test_a_point_on_several_centres_is_shared_among_these():
    centers = np.array([[1.0, 2.0], [1.0, 6.0], [5.0, 0.0]])
    missing = np.array([[False, True]])
    shares = memberships(np.array([[1.0, np.nan]]), missing, centers, fuzziness=2.0)
    assert shares.tolist() == [[0.5, 0.5, 0.0]]
    assert blend(shares, centers).tolist() == [[1.0, 4.0]]


@pytest.mark.parametrize("fuzziness", [1.0 + 1e-12, 1.1, 50.0, 5000.0])
def test_any_fuzziness_gives_finite_shares_and_centres(fuzziness):
    table = holed()
    imputer = IfcImputer(4, fuzziness=fuzziness).fit(table)
    assert np.isfinite(imputer.centers_).all()
    assert np.isfinite(imputer.transform(table)).all()


def test_separate_clusters_give_their_centres():
    rng = np.random.default_rng(0)
    truth = np.array([[0.0, 0.0, 0.0], [100.0, 0.0, 50.0], [0.0, 100.0, -50.0]])
    table = truth[rng.integers(3, size=300)] + rng.normal(size=(300, 3))
    group = np.abs(table[:, None] - truth).sum(axis=2).argmin(axis=1)
    complete = table.copy()
    table[rng.random(table.shape) < 0.1] = np.nan
    table[np.isnan(table).all(axis=1)] = complete[0]
    imputer = IfcImputer(3).fit(table)
    order = np.abs(imputer.centers_[None] - truth[:, None]).sum(axis=2).argmin(axis=1)
    np.testing.assert_allclose(imputer.centers_[order], truth, atol=1.0)
    told_apart = np.isnan(table[:, 2]) & ~np.isnan(table[:, :2]).any(axis=1)
    filled = imputer.transform(table)
    np.testing.assert_allclose(filled[told_apart, 2], truth[group[told_apart], 2], atol=3.0)


def error(imputer, table, truth):
    return np.sqrt(np.mean((imputer.fit_transform(table) - truth)[np.isnan(table)] ** 2))


@pytest.mark.parametrize("seed", range(8))
def test_no_centre_starts_from_a_guess(seed):
    # Seeded with column means in the holes, centres stayed there: errors of up to 3.6 and 5.9.
    assert error(IfcImputer(random_state=seed), *holed_line(seed)) < 0.4
    assert error(IfcImputer(random_state=seed), *holed_groups(seed)) < 1.5


def test_the_order_of_training_rows_does_not_matter():
    table = np.vstack([holed(120, share=0.1), np.full((2, 4), np.nan)])
    shuffled = table[np.random.default_rng(0).permutation(len(table))]
    for settings in ({}, {"n_clusters": 4}, IfcImputer.PAPER):
        fills = [IfcImputer(**settings).fit(rows).transform(table) for rows in (table, shuffled)]
        assert fills[0].tobytes() == fills[1].tobytes()


def test_progress_is_told_by_rounds():
    told = []
    imputer = IfcImputer(max_iter=4, tol=0.0, progress=told.append).fit(holed())
    assert told == [0.25, 0.5, 0.75, 1.0]
    told.clear()
    imputer.transform(holed(share=0.3))
    assert told[-1] == 1.0


def plain_fuzzy_c_means(table, centers, fuzziness, rounds):
    """Cell by cell, as the formulas stand."""
    for _ in range(rounds):
        shares, filled = [], []
        for row in table:
            known = ~np.isnan(row)
            closeness = [
                np.sqrt(((row - center)[known] ** 2).sum()) ** (-2 / (fuzziness - 1)) for center in centers
            ]
            shares.append([one / sum(closeness) for one in closeness])
            blended = sum(u * center for u, center in zip(shares[-1], centers, strict=True))
            filled.append(np.where(known, row, blended))
        weights = np.array(shares) ** fuzziness
        centers = [
            sum(w * row for w, row in zip(weights[:, at], filled, strict=True)) / weights[:, at].sum()
            for at in range(len(centers))
        ]
    return np.array(centers)


@pytest.mark.parametrize("fuzziness", [1.5, 2.0, 3.5])
def test_learning_as_the_plain_formulas_do(fuzziness):
    table, start = holed(40, 3, share=0.2), untied(4, 3, seed=7)
    table = table[~np.isnan(table).all(axis=1)]
    centers, n_iter = learn_centers(
        np.nan_to_num(table),
        np.isnan(table),
        start,
        fuzziness=fuzziness,
        tol=np.zeros(3),
        max_iter=15,
        context=Context(),
    )
    assert n_iter == 15
    np.testing.assert_allclose(centers, plain_fuzzy_c_means(table, start, fuzziness, 15), rtol=1e-9)


def test_centres_of_many_columns_coincide_and_a_lower_fuzziness_keeps_them_apart():
    table = np.random.default_rng(0).normal(size=(200, 20))

    def spread(fuzziness):
        return IfcImputer(5, fuzziness=fuzziness).fit(table).centers_.std(axis=0).max()

    assert spread(2.0) < 0.01
    assert spread(1.1) > 0.1


def test_fewer_different_rows_than_clusters():
    assert IfcImputer(10).fit(PAIRS).centers_.shape == (2, 2)
    assert IfcImputer(10).fit(PAIRS[:1]).centers_.tolist() == [[0, 0]]


def test_rows_with_holes_serve_where_complete_ones_are_all_the_same():
    table = np.vstack(
        [np.zeros((30, 3)), [[10, 10, np.nan], [10, 10, np.nan], [20, np.nan, 5], [22, np.nan, 5]]]
    )
    assert len(IfcImputer(3).fit(table).centers_) == 3


def test_a_constant_column_gets_its_constant():
    table = np.column_stack([holed(), np.full(80, 0.1)])
    table[3:9, 4] = np.nan
    for scale in ("standard", "none"):
        assert (IfcImputer(scale=scale).fit_transform(table)[:, 4] == 0.1).all()


def test_a_row_with_nothing_known_gets_the_means():
    table = holed()
    filled = IfcImputer().fit(table).transform(np.full((1, 4), np.nan))
    np.testing.assert_allclose(filled[0], np.nanmean(table, axis=0))


def test_rounds_end_by_tol_or_max_iter():
    table = holed()
    assert IfcImputer(max_iter=2, tol=0.0).fit(table).n_iter_ == 2
    assert IfcImputer(tol=10.0).fit(table).n_iter_ == 1
    assert IfcImputer(2, fuzziness=1.5).fit(table).n_iter_ < 100


def test_random_state_decides_the_first_centres():
    table = holed()
    one, same, other = (IfcImputer(max_iter=1, random_state=seed).fit(table).centers_ for seed in (1, 1, 2))
    assert one.tobytes() == same.tobytes() != other.tobytes()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"n_clusters": 0},
            "`n_clusters` of IfcImputer: a whole number, 1 or more, is needed; received 0",
        ),
        ({"fuzziness": 1.0}, "`fuzziness` of IfcImputer: a finite number above 1 is needed; received 1.0"),
        ({"fuzziness": np.inf}, "received inf"),
        ({"scale": "raw"}, "'standard' or 'robust' or 'none' is needed; received 'raw'"),
        ({"max_iter": 0}, "a whole number, 1 or more, is needed; received 0"),
        ({"tol": -1}, "a finite number, 0 or more, is needed; received -1"),
        ({"random_state": "x"}, "`random_state` of IfcImputer: .* is needed; received 'x'"),
    ],
)
def test_impossible_values_are_refused(parameters, message):
    with pytest.raises(iim.InvalidParameter, match=message):
        IfcImputer(**parameters).fit(PAIRS)
