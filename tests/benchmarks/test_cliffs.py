"""Tables are functions of a seed, scores are right, runs resume, pages have the kept records."""

import math

import numpy as np
import pytest

from accuracy.contenders import Contender
from accuracy.tables import Case
from cliffs import commands
from cliffs.holes import LEAST_KNOWN, at_random, blocks, by_first_column, by_own_value, gap, with_known
from cliffs.layout import BLOCKS, PAGES, RESULTS, TOPIC, block, score_lines
from cliffs.scoring import LEAST_ERROR, PEERS, Scores, read_scores
from cliffs.tables import NOISE, TABLES, pooled_error
from trials.averages import Average
from trials.blocks import marks, renewed
from trials.commands import CHOOSING, LAST
from trials.methods import methods
from trials.records import Records


class Zeros:
    def fit_transform(self, values):
        return np.where(np.isnan(values), 0.0, values)


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_a_function_of_its_seed_with_holes_and_known_cells(name):
    one, again, other = (TABLES[name].make_case(seed) for seed in (0, 0, 1))
    assert np.array_equal(one.values, again.values, equal_nan=True)
    assert not np.array_equal(one.values, other.values, equal_nan=True)
    assert np.isfinite(one.truth).all()
    assert np.array_equal(np.isnan(one.values), one.hidden)
    assert 0.02 < one.hidden.mean() < 0.65
    assert not one.hidden.all(axis=1).any()
    assert ((~one.hidden).sum(axis=0) >= LEAST_KNOWN).all()


def test_both_halves_have_the_same_kinds():
    kinds = {half: {one.kind for one in TABLES.values() if one.half == half} for half in (CHOOSING, LAST)}
    # A single table has constant columns.
    assert kinds[CHOOSING] - kinds[LAST] == {"constant columns"}
    assert not kinds[LAST] - kinds[CHOOSING]
    n_choosing = sum(one.half == CHOOSING for one in TABLES.values())
    assert abs(2 * n_choosing - len(TABLES)) <= 2


def test_names_of_the_list_are_different():
    from cliffs.tables import _LISTED  # noqa: PLC0415 (private)

    assert len(TABLES) == len(_LISTED)


def test_holes_by_hand():
    random = np.random.default_rng(0)
    truth = np.arange(40.0).reshape(20, 2)
    assert np.flatnonzero(gap(1, 0.85, 1.0)(truth, random)[:, 1]).tolist() == [17, 18, 19]
    assert not gap(1, 0.85, 1.0)(truth, random)[:, 0].any()
    assert not blocks(2, 0.9, 2)(truth, random).all(axis=1).any()
    hidden = with_known(np.ones((20, 2), dtype=bool), random)
    assert (~hidden).sum(axis=0).tolist() == [LEAST_KNOWN, LEAST_KNOWN]


def test_chances_grow_with_the_first_column_or_with_the_value():
    random = np.random.default_rng(0)
    truth = random.normal(size=(4000, 3))
    hidden = by_first_column(0.3)(truth, random)
    assert not hidden[:, 0].any()
    assert hidden[:, 1:].mean() == pytest.approx(0.3, abs=0.02)
    assert hidden[truth[:, 0] > 0, 1].mean() > 2 * hidden[truth[:, 0] < 0, 1].mean()
    hidden = by_own_value(0.2)(truth, random)
    assert hidden.mean() == pytest.approx(0.2, abs=0.02)
    assert truth[hidden].mean() > 0.4
    assert at_random(0.6)(truth, random).mean() == pytest.approx(0.53, abs=0.02)


def test_the_error_is_pooled_over_cells_in_standard_deviations():
    # Standard deviations 2 and 0; the unit of the constant column is 1.
    truth = np.array([[1.0, 7.0], [5.0, 7.0], [1.0, 7.0], [5.0, 7.0]])
    hidden = np.array([[True, True], [True, False], [False, False], [False, False]])
    filled = truth + np.array([[4.0, 1.0], [2.0, 9.0], [9.0, 9.0], [9.0, 9.0]])
    case = Case(np.where(hidden, np.nan, truth), truth, hidden, ("a", "b"))
    assert pooled_error(case, filled) == pytest.approx(math.sqrt((2.0**2 + 1.0**2 + 1.0**2) / 3))


def made_up(**errors):
    """Scores of methods on the first tables of the list, and on one of noise."""
    names = ["low_rank", "low_rank_half", "noise"]
    listed = {peer: [4.0, 1.0, 0.002] for peer in PEERS} | {"mean": [2.0, 4.0, 0.004]} | errors
    measured = {
        method: {name: Average(error, 1.0, (0,)) for name, error in zip(names, some, strict=False)}
        for method, some in listed.items()
    }
    return Scores(measured, [])


def test_ratios_are_to_the_best_of_the_simple_methods():
    scores = made_up(iim=[1.0, 3.0, 0.001], auto=[math.nan])
    first, second, noise = scores.tables()
    assert [scores.ratio("iim", table) for table in (first, second)] == [0.5, 3.0]
    # Both are below what counts.
    assert max(0.002, 0.001) < LEAST_ERROR
    assert scores.ratio("iim", noise) == 1.0
    assert scores.mean_ratio("iim", scores.tables()) == pytest.approx(1.5 ** (1 / 3))
    assert scores.to_mean("iim", noise) == 0.25
    assert scores.tables(kind=NOISE) == [noise]
    assert scores.tables(half=LAST) == [second]
    assert scores.worst("iim", 2) == [(second, 3.0), (noise, 1.0)]
    assert math.isnan(scores.ratio("auto", first))
    assert math.isnan(scores.ratio("auto", second))


def test_without_all_simple_methods_there_is_no_ratio():
    scores = made_up(iim=[1.0])
    partial = Scores({name: of for name, of in scores.measured.items() if name != "knn"}, [])
    assert math.isnan(partial.ratio("iim", partial.tables()[0]))


def test_runs_are_resumed_and_choose_the_first_half(monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(methods(), "fake", Contender("fake", "Fake", lambda _: Zeros()))
    wanted = ["run", "--table", "noise_10", "noise_20", "--seeds", "2", "--results", str(tmp_path)]
    assert commands.main([*wanted, "--method", "fake"]) == 0
    assert "2 trials run, 0 had a record." in capsys.readouterr().out
    assert commands.main([*wanted, "--method", "fake", *PEERS, "--half", "both"]) == 0
    assert "18 trials run, 2 had a record." in capsys.readouterr().out
    one = next(iter(Records(tmp_path).read().values()))
    case = TABLES[one["trial"]["table"]].make_case(one["trial"]["seed"])
    assert one["error"] == pooled_error(case, np.where(case.hidden, 0.0, case.truth))
    assert commands.main(["score", "--results", str(tmp_path), "--method", "fake", "mean"]) == 0
    text = capsys.readouterr().out
    assert "Fake, on noise, in errors of the mean: noise_10" in text
    for words in ("fake / best", "Fake, worst: noise_", "mean, worst", "noise / mean", "10 x 4"):
        assert words in text
    assert commands.main(["score", "--results", str(tmp_path), "--half", "last"]) == 0
    assert "noise_10" not in capsys.readouterr().out
    assert "| noise | 2 |" in block("kinds", tmp_path)


def test_nothing_measured_is_said(tmp_path):
    assert block("tables", tmp_path) == "Not measured yet."
    assert "Nothing was measured." in list(score_lines(read_scores(tmp_path)))


def test_the_blocks_of_the_pages_are_those_of_the_kept_records():
    texts = {page: page.read_text("utf-8") for page in PAGES}
    assert {found[2] for text in texts.values() for found in marks(TOPIC).finditer(text)} <= set(BLOCKS)
    for text in texts.values():
        assert text == renewed(text, TOPIC, block), "run: python -m benchmarks.cliffs layout"


def test_the_kept_records_are_of_tables_of_the_list():
    for one in Records(RESULTS).read().values():
        assert one["trial"]["table"] in TABLES
