"""Times of one step of learning: both ways learn the same, and growth is a slope."""

import pytest

from iim.paper.step_times import Step, growth, step_times


def test_growth_of_a_power():
    assert growth([1, 2, 4], [3, 12, 48]) == pytest.approx(2.0)
    assert growth([1, 2, 4], [5, 5, 5]) == pytest.approx(0.0)


def test_step_times():
    found = step_times(
        n_known=(4, 8),
        n_more=(2, 5),
        n_columns=(2, 5),
        base=Step(n_known=4, n_more=2, n_columns=3),
        n_models=20,
        rounds=2,
    )
    assert found["same"] is True
    assert found["base"] == {"n_known": 4, "n_more": 2, "n_columns": 3}
    assert [found[name]["values"] for name in ("n_known", "n_more", "n_columns")] == [
        [4, 8],
        [2, 5],
        [2, 5],
    ]
    for name in ("n_known", "n_more", "n_columns"):
        for way in ("straightforward", "incremental"):
            times = found[name][way]
            assert len(times) == 2
            assert min(times) > 0.0
            assert found[name]["exponents"][way] == pytest.approx(growth(found[name]["values"], times))


def test_a_series_of_one_has_no_growth():
    found = step_times(n_known=(4,), n_more=(2,), n_columns=(3,), base=Step(4, 2, 3), n_models=1, rounds=1)
    assert found["n_known"]["exponents"] == {"straightforward": None, "incremental": None}
    assert found["n_known"]["last_exponents"] == {"straightforward": None, "incremental": None}
