"""How sure fills are, as a user asks for it: standard deviations, intervals, draws."""

import pickle
import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import iim
from cases import examples
from strategies import tables_with_holes, untied

N_ROWS = 1200


def noisy(n_rows=N_ROWS, seed=0):
    """Three columns, the last with noise that grows with the first, without holes."""
    generator = np.random.default_rng(seed)
    first, second = generator.uniform(0, 1, (2, n_rows))
    noise = (0.05 + first**2) * generator.normal(size=n_rows)
    return np.column_stack([first, second, first + 2 * second + noise])


def with_holes(table, share=0.25, seed=1):
    """One hole in some rows."""
    generator = np.random.default_rng(seed)
    holed = table.copy()
    rows = np.flatnonzero(generator.random(len(table)) < share)
    holed[rows, generator.integers(table.shape[1], size=rows.size)] = np.nan
    return holed


TRUTH = noisy()
HOLED = with_holes(TRUTH)
SMALL = HOLED[:160]


@pytest.fixture(scope="module")
def fitted():
    return iim.IIMImputer().fit(HOLED).calibrate()


@pytest.fixture(scope="module")
def small():
    return iim.IIMImputer(n_neighbors=5).fit(SMALL).calibrate()


class TestIntervals:
    @pytest.mark.parametrize("coverage", [0.5, 0.8, 0.9])
    def test_they_hold_what_they_claim(self, fitted, coverage):
        truth = noisy(4000, seed=7)
        holed = with_holes(truth, share=0.9, seed=8)
        cells = fitted.candidates(holed, calibrated=True)
        low, high = cells.interval(coverage)
        inside = (low <= truth[cells.rows, cells.columns]) & (truth[cells.rows, cells.columns] <= high)
        assert abs(inside.mean() - coverage) < 0.03
        for column in range(3):
            assert abs(inside[cells.columns == column].mean() - coverage) < 0.07

    @pytest.mark.parametrize(("strategy", "times"), [("patterns", 3.0), ("iterative", 1.2)])
    def test_they_are_longer_where_noise_is_larger(self, strategy, times):
        rows = np.column_stack([np.linspace(0.02, 0.98, 200), np.full(200, 0.5), np.full(200, np.nan)])
        imputer = iim.IIMImputer(strategy=strategy).fit(HOLED)
        std = imputer.candidates(rows, calibrated=True).std
        assert std[-60:].mean() > times * std[:60].mean()

    def test_std_is_the_size_of_the_errors(self, fitted):
        truth = noisy(4000, seed=9)
        holed = with_holes(truth, share=0.9, seed=10)
        cells = fitted.candidates(holed, calibrated=True)
        scores = (truth[cells.rows, cells.columns] - cells.imputed) / cells.std
        assert 0.85 < np.sqrt(np.mean(scores**2)) < 1.15

    def test_larger_shares_make_longer_intervals_around_the_fill(self, small):
        cells = small.candidates(SMALL, calibrated=True)
        before = np.zeros(len(cells))
        for coverage in (0.05, 0.5, 0.9, 0.99):
            low, high = cells.interval(coverage)
            np.testing.assert_allclose((low + high) / 2, cells.imputed, rtol=1e-9)
            assert (high - low >= before).all()
            before = high - low

    def test_they_keep_bounds_and_whole_numbers(self):
        table = np.column_stack([SMALL[:, 0], np.rint(5 * TRUTH[:160, 2])])
        table[::5, 1] = np.nan
        imputer = iim.IIMImputer(min_value="observed", max_value={1: 9.5}, round_integers=True).fit(table)
        cells = imputer.candidates(table, calibrated=True)
        low, high = cells.interval(0.99)
        whole = cells.columns == 1
        assert (np.rint(low[whole]) == low[whole]).all()
        assert (np.rint(high[whole]) == high[whole]).all()
        assert high[whole].max() == 9.0
        assert (low >= np.nanmin(table, axis=0)[cells.columns]).all()
        assert (low <= cells.imputed).all()
        assert (cells.imputed <= high).all()

    def test_the_mean_of_a_column_is_as_wrong_as_it_is_for_known_values(self, fitted):
        cells = fitted.candidates(np.full((1, 3), np.nan), calibrated=True)
        assert np.isnan(cells.spread).all()
        # Of many values some are kept, without the very ends.
        np.testing.assert_allclose(cells.std, np.nanstd(HOLED, axis=0), rtol=0.01)
        low, high = cells.interval(0.8)
        inside = (low <= HOLED) & (high >= HOLED)
        np.testing.assert_allclose(inside.sum(axis=0) / (~np.isnan(HOLED)).sum(axis=0), 0.8, atol=0.01)

    @pytest.mark.parametrize("strategy", ["patterns", "iterative"])
    def test_both_strategies(self, strategy):
        holed = TRUTH[:400].copy()
        holed[np.random.default_rng(3).random(holed.shape) < 0.2] = np.nan
        imputer = iim.IIMImputer(strategy=strategy).fit(holed)
        cells = imputer.candidates(holed, calibrated=True)
        low, high = cells.interval(0.8)
        truth = TRUTH[cells.rows, cells.columns]
        assert 0.72 < ((low <= truth) & (truth <= high)).mean() < 0.88

    def test_cells_of_frames(self, small):
        frame = pd.DataFrame(SMALL, columns=["a", "b", "c"])
        cells = iim.IIMImputer(n_neighbors=5).fit(frame).candidates(frame, calibrated=True)
        told = cells.to_frame()
        assert list(told) == [
            *("row", "column", "imputed", "smallest", "largest", "spread", "n_donors", "fallback"),
            *("std", "low_90", "high_90"),
        ]
        assert (told["std"] == cells.std).all()
        assert (told["low_90"] == cells.interval(0.9)[0]).all()
        same = small.candidates(SMALL, calibrated=True)
        assert (same.std == cells.std).all()
        assert "std" in repr(cells)
        assert "std" not in repr(small.candidates(SMALL))


class TestCalibration:
    def test_no_fill_changes(self, small):
        fresh = iim.IIMImputer(n_neighbors=5).fit(SMALL)
        assert fresh.transform(SMALL).tobytes() == small.transform(SMALL).tobytes()
        assert fresh._calibration is None

    def test_it_is_the_same_with_any_number_of_threads_and_after_refitting(self, small):
        other = iim.IIMImputer(n_neighbors=5, n_jobs=None).fit(HOLED[160:320]).calibrate().fit(SMALL)
        assert other._calibration is None
        one, two = (each.candidates(SMALL, calibrated=True).std for each in (small, other))
        assert one.tobytes() == two.tobytes()

    def test_parameters_set_later_wait_for_the_next_fit(self, small):
        other = iim.IIMImputer(n_neighbors=5).fit(SMALL).set_params(n_neighbors=2, scale="none")
        assert other.calibrate().candidates(SMALL, calibrated=True).std.tobytes() == (
            small.candidates(SMALL, calibrated=True).std.tobytes()
        )

    @pytest.mark.parametrize("strategy", ["patterns", "iterative"])
    @pytest.mark.parametrize("calibrated_before", [True, False])
    def test_it_is_kept(self, strategy, calibrated_before, tmp_path):
        imputer = iim.IIMImputer(n_neighbors=5, strategy=strategy).fit(SMALL[:80])
        if calibrated_before:
            imputer.calibrate()
        imputer.save(tmp_path / "model.iim")
        loaded = iim.load(tmp_path / "model.iim")
        assert (loaded._calibration is not None) == calibrated_before
        pickled = pickle.loads(pickle.dumps(imputer))
        assert (pickled._calibration is not None) == calibrated_before
        expected = imputer.candidates(SMALL, calibrated=True)
        for other in (loaded, pickled):
            cells = other.candidates(SMALL, calibrated=True)
            assert cells.std.tobytes() == expected.std.tobytes()
            assert cells.interval(0.7)[0].tobytes() == expected.interval(0.7)[0].tobytes()
        assert not hasattr(clone(imputer), "_calibration")

    def test_columns_with_few_known_values_take_the_errors_of_all(self):
        table = np.column_stack([TRUTH[:200], np.full(200, np.nan)])
        table[:12, 3] = 1000 * TRUTH[:12, 2]
        table[100:120, 2] = np.nan
        imputer = iim.IIMImputer(n_neighbors=3, min_donors=5).fit(table)
        calibration = imputer.calibrate()._calibration
        assert calibration.voted[3].scores.size > 100
        assert calibration.voted[3].unit == pytest.approx(np.nanstd(table[:, 3]))
        assert np.isfinite(imputer.candidates(table, calibrated=True).std).all()

    @pytest.mark.parametrize(
        "table",
        [
            pytest.param([[1.0, 2.0, np.nan], [2.0, 5.0, 1.0]], id="two rows"),
            pytest.param([[1.0, np.nan, 3.0]] * 3 + [[1.0, 2.0, 3.0]], id="constant"),
            pytest.param([[1e308, -1e308], [-1e308, 1e308], [5.0, np.nan]] * 4, id="huge"),
            pytest.param([[1e-310, 2e-310], [3e-310, 1e-310], [5e-310, np.nan]] * 4, id="tiny"),
            pytest.param([[1.0], [2.0], [np.nan]], id="one column"),
        ],
    )
    def test_odd_tables(self, table):
        table = np.array(table)
        imputer = iim.IIMImputer(n_neighbors=2, min_donors=1, keep_empty_features=True).fit(table)
        cells = imputer.candidates(table, calibrated=True)
        low, high = cells.interval(0.9)
        assert (low <= cells.imputed).all()
        assert (cells.imputed <= high).all()
        assert (cells.std >= 0).all()
        assert all(np.isfinite(drawn).all() for drawn in imputer.sample(table, 2, random_state=0))

    @pytest.mark.filterwarnings("ignore::iim.ImputationWarning", "ignore::iim.FallbackWarning")
    @pytest.mark.parametrize("strategy", ["patterns", "iterative"])
    @settings(examples(0.1), suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(table=tables_with_holes(max_columns=4))
    def test_any_table(self, strategy, tmp_path, table):
        try:
            imputer = iim.IIMImputer(n_neighbors=3, min_donors=1, strategy=strategy).fit(table)
        except iim.UnusableTable:
            return
        cells = imputer.candidates(table, calibrated=True)
        low, high = cells.interval(0.8)
        assert (low <= cells.imputed).all()
        assert (cells.imputed <= high).all()
        assert not (cells.std < 0).any()
        drawn = imputer.sample(table, 1, random_state=0)[0]
        assert np.isfinite(drawn).all()
        imputer.save(tmp_path / "model.iim")
        loaded = iim.load(tmp_path / "model.iim")
        assert loaded.sample(table, 1, random_state=0)[0].tobytes() == drawn.tobytes()

    def test_nothing_is_claimed_where_nothing_can_be_hidden(self):
        imputer = iim.IIMImputer(min_value={0: 0.0}, min_donors=1).fit([[1.0, 2.0]])
        cells = imputer.candidates([[np.nan, 2.0]], calibrated=True)
        assert np.isnan(cells.std).all()
        low, high = cells.interval(0.5)
        assert (low.tolist(), high.tolist()) == ([0.0], [np.inf])
        assert imputer.sample([[np.nan, 2.0]], 2)[1].tolist() == [[1.0, 2.0]]

    def test_progress_is_told(self):
        told = []
        iim.IIMImputer(n_neighbors=5, progress=told.append).fit(SMALL[:60]).calibrate()
        assert told[-1] == 1.0


class TestSample:
    def test_tables_like_those_of_transform(self, small):
        tables = small.sample(SMALL, 3, random_state=0)
        assert len(tables) == 3
        missing = np.isnan(SMALL)
        for table in tables:
            assert type(table) is np.ndarray
            assert table.shape == SMALL.shape
            assert table[~missing].tobytes() == SMALL[~missing].tobytes()
            assert np.isfinite(table).all()
        assert not np.isclose(tables[0][missing], tables[1][missing]).any()

    @pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
    def test_frames_keep_kind_types_and_index(self, make):
        values = {"a": SMALL[:, 0].astype(np.float32), "b": SMALL[:, 1], "n": np.arange(160)}
        frame = make(values)
        if make is pl.DataFrame:
            frame = frame.with_columns(pl.col("a", "b").fill_nan(None))
        else:
            frame.index = np.arange(160)[::-1]
        imputer = iim.IIMImputer(n_neighbors=5, add_indicator=True).fit(frame)
        filled = imputer.transform(frame)
        for drawn in imputer.sample(frame, 2, random_state=1):
            assert type(drawn) is type(filled)
            assert list(drawn.columns) == list(filled.columns)
            assert list(map(str, drawn.dtypes)) == list(map(str, filled.dtypes))
            if make is pd.DataFrame:
                assert drawn.index.equals(filled.index)

    @pytest.mark.parametrize("kind", ["pandas", "polars"])
    def test_set_output_is_heard(self, kind):
        imputer = iim.IIMImputer(n_neighbors=5).set_output(transform=kind).fit(SMALL[:60])
        drawn, filled = imputer.sample(SMALL[:60], 1)[0], imputer.transform(SMALL[:60])
        assert type(drawn) is type(filled)
        assert list(drawn.columns) == list(filled.columns)

    @pytest.mark.parametrize("strategy", ["patterns", "iterative"])
    def test_a_row_gets_the_same_draws_in_any_table_and_with_any_number_of_threads(self, strategy):
        imputer = iim.IIMImputer(n_neighbors=5, strategy=strategy).fit(SMALL[:80])
        whole = imputer.sample(SMALL, 2, random_state=3)
        alone = imputer.set_params(n_jobs=None).sample(SMALL[90:97], 2, random_state=3)
        for one, other in zip(whole, alone, strict=True):
            assert one[90:97].tobytes() == other.tobytes()

    def test_random_state(self, small):
        one, two = small.sample(SMALL, 2, random_state=4), small.sample(SMALL, 5, random_state=4)
        assert one[1].tobytes() == two[1].tobytes()
        assert small.sample(SMALL, 1, random_state=5)[0].tobytes() != one[0].tobytes()
        assert small.sample(SMALL, 1)[0].tobytes() != small.sample(SMALL, 1)[0].tobytes()
        drawn = [small.sample(SMALL, 1, random_state=np.random.RandomState(6))[0] for _ in range(2)]
        assert drawn[0].tobytes() == drawn[1].tobytes()

    def test_draws_are_spread_as_std_says(self, fitted):
        cells = fitted.candidates(HOLED, calibrated=True)
        drawn = np.array(fitted.sample(HOLED, 200, random_state=0))[:, cells.rows, cells.columns]
        ratio = np.sqrt(np.mean((drawn - cells.imputed) ** 2, axis=0)) / cells.std
        assert abs(ratio.mean() - 1) < 0.03
        assert abs(np.corrcoef(drawn[0] - cells.imputed, drawn[1] - cells.imputed)[0, 1]) < 0.2

    def test_bounds_and_whole_numbers(self):
        table = pd.DataFrame({"x": TRUTH[:160, 0], "n": pd.array(np.rint(5 * TRUTH[:160, 2]), "Int64")})
        table.loc[::4, "n"] = pd.NA
        imputer = iim.IIMImputer(round_integers=True, max_value={"n": 9}, min_value={"n": 2}).fit(table)
        drawn = imputer.sample(table, 20, random_state=0)
        values = np.array([each["n"].to_numpy()[::4] for each in drawn], float)
        assert all(str(each["n"].dtype) == "Int64" for each in drawn)
        assert (np.rint(values) == values).all()
        assert values.min() == 2
        assert values.max() == 9

    def test_nothing_missing_and_columns_left_out(self):
        frame = pd.DataFrame({"text": ["a"] * 60, "x": TRUTH[:60, 0], "y": TRUTH[:60, 2]})
        imputer = iim.IIMImputer(n_neighbors=5, columns=["x", "y"]).fit(frame)
        assert imputer.sample(frame, 2)[1].equals(frame)
        frame.loc[3, "y"] = None
        assert list(imputer.sample(frame, 1)[0]["text"]) == ["a"] * 60

    def test_what_is_given_up_is_told(self):
        table = TRUTH[:60].copy()
        table[:30, 0] = table[30:, 1] = np.nan
        with pytest.warns(iim.FallbackWarning):
            imputer = iim.IIMImputer(n_neighbors=5, strategy="patterns").fit(table)
        with pytest.warns(iim.FallbackWarning, match="1 missing cell is filled by a fallback"):
            imputer.sample([[0.5, 0.5, np.nan]], 1)


class TestBadInput:
    @pytest.mark.parametrize("coverage", [0, 1, 1.5, -0.1, np.nan, "90%", True])
    def test_coverage(self, small, coverage):
        cells = small.candidates(SMALL, calibrated=True)
        with pytest.raises(iim.InvalidParameter, match="`coverage` of interval: a number between 0 and 1"):
            cells.interval(coverage)

    @pytest.mark.parametrize("n_draws", [0, -1, 2.5, "5", True])
    def test_n_draws(self, small, n_draws):
        with pytest.raises(iim.InvalidParameter, match="`n_draws` of sample: a whole number, 1 or more"):
            small.sample(SMALL, n_draws)

    def test_random_state(self, small):
        with pytest.raises(iim.InvalidParameter, match="`random_state` of sample: a whole number from 0"):
            small.sample(SMALL, 1, random_state=-1)

    def test_calibrated(self, small):
        with pytest.raises(iim.InvalidParameter, match="`calibrated` of candidates: True or False"):
            small.candidates(SMALL, calibrated="yes")

    def test_what_is_not_calibrated_says_how(self, small):
        cells = small.candidates(SMALL)
        assert (cells.spread >= 0).all()
        with pytest.raises(AttributeError, match=r"`std` .* Use `candidates\(X, calibrated=True\)`"):
            _ = cells.std
        with pytest.raises(AttributeError, match=r"`interval` .* Use `candidates\(X, calibrated=True\)`"):
            cells.interval(0.5)

    def test_unfitted(self):
        imputer = iim.IIMImputer()
        for call in (imputer.calibrate, lambda: imputer.sample(SMALL), lambda: imputer.candidates(SMALL)):
            with pytest.raises(NotFittedError):
                call()

    def test_another_number_of_columns(self, small):
        with pytest.raises(ValueError, match="features"):
            small.sample(SMALL[:, :2])


def test_room_is_taken_for_the_donors_there_are_not_for_those_asked_for():
    table = untied(60, 3)
    table[::2, 0] = np.nan
    every, many = (iim.IIMImputer(n_neighbors=n).fit(table) for n in (200, 10**6))
    expected, drawn = every.candidates(table), every.sample(table, 2, random_state=0)
    tracemalloc.start()
    try:
        found, again = many.candidates(table), many.sample(table, 2, random_state=0)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 50_000_000
    assert found.values.shape == expected.values.shape == (30, 60)
    np.testing.assert_array_equal(found.values, expected.values)
    np.testing.assert_array_equal(again, drawn)
