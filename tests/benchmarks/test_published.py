"""The published protocols are followed, scores are right, runs resume, pages have the kept records."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from accuracy.contenders import Contender
from published import commands, suites
from published.layout import NAMES, PAGES, RESULTS, TOPIC, block, score_lines
from published.scoring import Scores, read_scores, records_of
from published.suites import SUITES, hide_density, hide_scattered, mae_x10, nrmse_x100
from trials.averages import Average
from trials.blocks import marks, renewed
from trials.methods import methods

TRUTH = np.random.default_rng(0).normal(5.0, 3.0, size=(60, 4))


class Zeros:
    def fit_transform(self, values):
        return np.where(np.isnan(values), 0.0, values)


@pytest.fixture
def fake(monkeypatch):
    """A method that fills zeros, and data of its own."""
    monkeypatch.setitem(methods(), "fake", Contender("fake", "Fake", lambda _: Zeros()))
    monkeypatch.setattr(suites, "read", lambda _: (TRUTH, []))
    for key, suite in SUITES.items():
        cells = [(table, rate) for table in suite.tables for rate in suite.rates]
        printed = {cell: {"good": 1.0, "m3_impute": 2.0} for cell in cells}
        monkeypatch.setitem(SUITES, key, replace(suite, read_printed=lambda printed=printed: printed))


@pytest.mark.parametrize("seed", range(5))
def test_holes_of_the_scattered_suite_are_those_of_its_formula(seed):
    n, d = TRUTH.shape
    u = np.random.RandomState(seed).randint(0, 2**32, n * d, dtype=np.uint32)
    known = ((u & 0xFFFFFF) * 2.0**-24 < 0.7).reshape(n, d)
    case = hide_scattered(TRUTH, "iris", 0.3, seed)
    assert np.array_equal(case.hidden, ~known)
    assert np.array_equal(np.isnan(case.values), case.hidden)
    assert np.array_equal(case.values[known], case.truth[known])


def test_columns_of_the_scattered_suite_are_scaled_by_the_complete_table():
    truth = np.column_stack([TRUTH, np.full(len(TRUTH), 7.0)])
    scaled = hide_scattered(truth, "iris", 0.3, 0).truth
    low, high = TRUTH.min(axis=0), TRUTH.max(axis=0)
    assert np.allclose(scaled[:, :4], (TRUTH - low) / (high - low))
    # A constant column has the range 1.
    assert not scaled[:, 4].any()


@pytest.mark.parametrize("rate", [0.1, 0.6])
def test_the_density_suite_shuffles_rows_keeps_a_cell_and_scales_by_what_is_known(rate):
    case = hide_density(TRUTH[:, :2], "geyser", rate, 0)
    assert not case.hidden.all(axis=1).any()
    # A row that would be empty is drawn again: so fewer than the rate are hidden, by the chance of that.
    many = hide_density(np.tile(TRUTH[:, :2], (200, 1)), "geyser", rate, 0)
    assert many.hidden.mean() == pytest.approx((rate - rate**2) / (1 - rate**2), abs=0.01)
    known = np.where(case.hidden, np.nan, case.truth)
    assert np.nanmin(known, axis=0).tolist() == [0.0, 0.0]
    assert np.all(np.nanmax(known, axis=0) < 1.0)
    assert np.allclose(np.nanmax(known, axis=0), 1.0, atol=1e-5)
    # The same rows in another order.
    slopes = np.polyfit(np.sort(case.truth[:, 0]), np.sort(TRUTH[:, 0]), 1)
    assert np.allclose(np.polyval(slopes, np.sort(case.truth[:, 0])), np.sort(TRUTH[:, 0]))
    assert not np.allclose(np.polyval(slopes, case.truth[:, 0]), TRUTH[:, 0])
    again, other = (hide_density(TRUTH[:, :2], "geyser", rate, seed) for seed in (0, 1))
    assert np.array_equal(case.hidden, again.hidden)
    assert not np.array_equal(case.hidden, other.hidden)


def test_errors_by_hand():
    truth = np.array([[0.0, 1.0], [0.5, 0.0]])
    hidden = np.array([[True, False], [True, False]])
    case = suites.Case(np.where(hidden, np.nan, truth), truth, hidden, ("a", "b"))
    filled = np.array([[0.3, 1.0], [0.1, 0.0]])
    assert mae_x10(case, filled) == pytest.approx(10 * (0.3 + 0.4) / 2)
    assert nrmse_x100(case, filled) == pytest.approx(100 * math.sqrt((0.09 + 0.16) / 2))


def test_tables_are_for_choosing_or_last():
    scattered, density = SUITES["scattered"], SUITES["density"]
    assert len(set(scattered.tables)) == 16
    assert len(set(density.tables)) == 11
    assert set(scattered.choosing) == {
        *("steel", "german", "concrete", "power", "airfoil", "iris", "letter", "ai4i")
    }
    assert set(density.choosing) == {"pollen", "geyser", "2d_linear", "2d_ring", "2d_sine", "gaussians"}


def test_ratios_means_and_ranks_by_hand():
    cells = [("iris", 0.3), ("spam", 0.3), ("cmc", 0.3)]
    printed = {cell: {"knn": 1.0, "grape": 3.0, "m3_impute": 2.0} for cell in cells}
    ours = dict(zip(cells, (Average(4.0, 1.0, (0,)), Average(1.0, 1.0, (0,))), strict=False))
    failing = {cells[0]: Average(math.nan, math.nan, (0,))}
    scores = Scores(SUITES["scattered"], printed, {"iim": ours, "auto": failing}, [])
    assert [scores.ratio("iim", cell) for cell in cells[:2]] == [2.0, 0.5]
    assert math.isnan(scores.ratio("iim", cells[2]))
    assert scores.mean_ratio("iim", scores.cells) == pytest.approx(1.0)
    assert scores.mean_ratio("iim", scores.of(["iris"])) == pytest.approx(2.0)
    # Behind all three; level with the first, so between places 1 and 2.
    assert [scores.rank("iim", cell) for cell in cells[:2]] == [4.0, 1.5]
    assert scores.mean_rank("iim", scores.cells) == pytest.approx(2.75)
    assert scores.rank("auto", cells[0]) == 4.0
    assert math.isnan(scores.mean_ratio("auto", scores.cells))


def test_the_bar_of_the_density_suite_is_the_best_of_each_cell():
    printed = {("geyser", 0.1): {"knn": 3.0, "mice": 2.0}, ("geyser", 0.2): {"knn": 3.0, "mice": 6.0}}
    ours = {cell: Average(6.0, 1.0, (0,)) for cell in printed}
    scores = Scores(SUITES["density"], printed, {"iim": ours}, [])
    assert [scores.ratio("iim", cell) for cell in printed] == [3.0, 2.0]
    assert scores.rank("iim", ("geyser", 0.2)) == 2.5


def test_runs_are_resumed_and_scores_need_no_data(fake, monkeypatch, tmp_path, capsys):
    wanted = ["run", "--method", "fake", "--table", "iris", "geyser", "--rate", "0.3", "0.6"]
    wanted += ["--seeds", "2", "--results", str(tmp_path)]
    assert commands.main(wanted) == 0
    # iris has one rate.
    assert "6 trials run, 0 had a record." in capsys.readouterr().out
    assert commands.main([*wanted, "--seeds", "3"]) == 0
    assert "3 trials run, 6 had a record." in capsys.readouterr().out
    assert {path.name for path in tmp_path.iterdir()} == {"scattered-fake.jsonl", "density-fake.jsonl"}

    monkeypatch.delenv("IIM_DATA", raising=False)
    (one, *_) = records_of(SUITES["scattered"], tmp_path).read().values()
    case = hide_scattered(TRUTH, "iris", 0.3, one["trial"]["seed"])
    assert one["error"] == pytest.approx(10 * np.abs(case.truth[case.hidden]).mean())
    assert commands.main(["score", "--results", str(tmp_path)]) == 0
    text = capsys.readouterr().out
    assert "m3_impute" in text
    assert "1 of 16" in text
    assert "2 of 66" in text
    assert "| Fake |" in block("density", tmp_path)


def test_names_that_are_unknown_are_refused(capsys):
    for words in (["--method", "nothing"], ["--table", "titanic"], ["--rate", "0.7"]):
        with pytest.raises(SystemExit):
            commands.main(["run", *words])
        assert "invalid choice" in capsys.readouterr().err


def test_nothing_measured_is_said(tmp_path):
    assert block("scattered", tmp_path) == "Not measured yet."
    assert "Nothing was measured." in list(score_lines(read_scores("density", tmp_path)))


def test_the_blocks_of_the_pages_are_those_of_the_kept_records():
    texts = {page: page.read_text("utf-8") for page in PAGES}
    assert {found[2] for text in texts.values() for found in marks(TOPIC).finditer(text)} <= set(NAMES)
    for text in texts.values():
        assert text == renewed(text, TOPIC, block), "run: python -m benchmarks.published layout"


def test_the_kept_records_are_whole():
    for key, suite in SUITES.items():
        for one in records_of(suite, RESULTS).read().values():
            trial = one["trial"]
            assert trial["suite"] == key
            assert trial["table"] in suite.tables
            assert trial["rate"] in suite.rates
            assert one["printed"]
            json.dumps(one, allow_nan=False)
