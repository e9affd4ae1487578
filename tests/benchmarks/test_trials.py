"""Trials are run once, records survive damage, methods are named settings, blocks are renewed."""

import json
import math

import numpy as np
import pytest

from accuracy.contenders import Contender
from accuracy.tables import Case
from iim import IIMImputer
from trials import methods as named
from trials.averages import Average, averages, geometric_mean, seeds_text
from trials.blocks import marks, renew_pages, renewed
from trials.methods import in_order, methods
from trials.records import PARTS, Records, key_of
from trials.running import Counts, Trial, run_trials

CASE = Case(np.array([[1.0, np.nan]]), np.array([[1.0, 3.0]]), np.array([[False, True]]), ("a", "b"))


class Filler:
    """Fills a number; counts how often it is asked."""

    n_fills = 0
    strategy_ = "patterns"

    def __init__(self, value):
        self.value = value

    def fit_transform(self, values):
        Filler.n_fills += 1
        return np.where(np.isnan(values), self.value, values)


def trial(seed, *, value=5.0, make=None, **settings):
    contender = Contender("fake", "Fake", make or (lambda _: Filler(value)), settings)
    coordinates = {"table": "tiny", "method": "fake", "seed": seed}
    return Trial(coordinates, contender, lambda: CASE, lambda _, filled: abs(filled[0, 1] - 3.0))


def test_a_trial_with_a_record_is_not_run_again_unless_asked(tmp_path):
    records = Records(tmp_path)
    Filler.n_fills = 0
    assert run_trials([trial(0), trial(1)], records) == Counts(run=2, kept=0, stale=0)
    # One more fill warms up.
    assert Filler.n_fills == 3
    assert run_trials([trial(0), trial(1), trial(2)], records) == Counts(run=1, kept=2, stale=0)
    assert run_trials([trial(0, k=7)], records) == Counts(run=0, kept=1, stale=1)
    assert run_trials([trial(0, value=4.0, k=7)], records, again=True) == Counts(run=1, kept=0, stale=0)
    # Lines are appended, and the last one of a trial counts.
    assert len((tmp_path / "fake.jsonl").read_text("utf-8").splitlines()) == 4
    found = records.read()
    assert len(found) == 3
    assert found[key_of(trial(0).coordinates)]["error"] == 1.0
    assert found[key_of(trial(1).coordinates)]["error"] == 2.0


def test_a_record_says_with_what_it_was_measured(tmp_path):
    run_trials([trial(3, k=7)], Records(tmp_path))
    (record,) = Records(tmp_path).read().values()
    assert record["trial"] == {"table": "tiny", "method": "fake", "seed": 3}
    assert (record["error"], record["strategy"], record["failure"]) == (2.0, "patterns", None)
    assert (record["shape"], record["n_cells"], record["settings"]) == ([1, 2], 1, {"k": 7})
    assert set(record["versions"]) == set(PARTS)
    assert record["commit"]
    assert record["seconds"] >= 0


def test_a_failure_is_recorded(tmp_path):
    def broken(seed):
        raise RuntimeError("no luck")

    run_trials([trial(0, make=broken), trial(1, value=math.nan)], Records(tmp_path))
    first, second = Records(tmp_path).read().values()
    assert first["failure"] == "RuntimeError: no luck"
    assert "left empty" in second["failure"]
    assert first["error"] is second["error"] is None


def test_a_line_that_was_cut_is_left_out_and_the_next_one_is_whole(tmp_path):
    records = Records(tmp_path, prefix="suite-")
    run_trials([trial(0)], records)
    path = tmp_path / "suite-fake.jsonl"
    path.write_text(path.read_text("utf-8") + '{"trial": {"ta', encoding="utf-8")
    assert run_trials([trial(0), trial(1)], records).kept == 1
    assert len(records.read()) == 2
    assert Records(tmp_path, prefix="other-").read() == {}


def record(method, table, seed, error, seconds=1.0):
    trial = {"method": method, "table": table, "seed": seed}
    failure = None if error is not None else "broken"
    return {"trial": trial, "error": error, "seconds": seconds, "failure": failure}


def test_errors_are_means_over_seeds_and_times_medians():
    listed = [record("a", "t", seed, error, error) for seed, error in enumerate([1.0, 2.0, 6.0])]
    listed += [record("b", "t", 0, 1.0), record("b", "t", 1, None)]
    found = averages(listed, by=("table",))
    assert found["a"] == {("t",): Average(3.0, 2.0, (0, 1, 2))}
    assert math.isnan(found["b"]["t",].error)
    assert found["b"]["t",].seconds == 1.0
    assert seeds_text(found["a"]) == "3"
    assert seeds_text({1: found["a"]["t",], 2: found["b"]["t",]}) == "2 to 3"
    assert geometric_mean([2.0, math.nan, 8.0]) == pytest.approx(4.0)
    assert math.isnan(geometric_mean([math.nan]))


def test_a_row_of_settings_is_a_method(monkeypatch):
    monkeypatch.setattr(named, "SETTINGS", {"iim": {}, "iim-five": {"n_neighbors": 5}})
    methods.cache_clear()
    try:
        known = methods()
        assert known["iim-five"].make(0).get_params()["n_neighbors"] == 5
        assert known["iim-five"].settings["n_neighbors"] == 5
        default = IIMImputer().get_params()
        assert known["iim"].make(0).get_params()["n_neighbors"] == default["n_neighbors"]
        assert known["hgb"].make(0).max_iter == named.BOOSTING_ROUNDS
        assert in_order({"knn", "gone", "iim-five"}) == ["iim-five", "knn", "gone"]
        for one in known.values():
            json.dumps(dict(one.settings), allow_nan=False)
    finally:
        methods.cache_clear()


def test_only_the_blocks_of_a_topic_are_renewed(tmp_path):
    text = "a\n<!-- one: x -->\nold\n<!-- end -->\nb\n<!-- two: x -->\nkept\n<!-- end -->\n"
    page = tmp_path / "page.md"
    page.write_text(text, encoding="utf-8")
    assert renew_pages([page], "one", lambda name: f"new {name}") == [page]
    after = page.read_text("utf-8")
    assert after == text.replace("old", "new x")
    assert after == renewed(after, "one", lambda name: f"new {name}")
    assert renew_pages([page], "one", lambda name: f"new {name}") == []
    assert [found[2] for found in marks("two").finditer(after)] == ["x"]
