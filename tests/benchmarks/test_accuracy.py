"""The accuracy benchmark runs, resumes, and computes what it says. Tables are tiny; nothing is timed."""

import json
import math
import os

import numpy as np
import pytest

from accuracy import measuring, running, tables
from accuracy.ablation import ablation_rows, make_ablation, read_ablation
from accuracy.commands import main
from accuracy.contenders import (
    AUTO,
    DEFAULT,
    PAPER,
    PLAIN,
    SWITCHED_OFF,
    TREES,
    Contender,
    contenders,
    main_keys,
)
from accuracy.measuring import NOT_FINISHED, make_run, measure, score
from accuracy.running import _Child, _cores
from accuracy.scoring import Run, Task, compare_pair, make_scores, read_scores
from accuracy.tables import PATTERNS, STAGES, UNSEEN, Case, hide, make_case
from accuracy.targets import check
from iim import IIMImputer


@pytest.mark.parametrize("data", UNSEEN)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_development_and_final_runs_hide_cells_of_different_rows(monkeypatch, data, pattern):
    monkeypatch.setitem(STAGES, "development", UNSEEN)
    hidden = {stage: make_case(data, pattern, 0, stage=stage).hidden.any(axis=1) for stage in STAGES}
    assert all(rows.any() for rows in hidden.values())
    assert not (hidden["development"] & hidden["final"]).any()
    others = [make_case(data, pattern, seed, stage="final").hidden.any(axis=1) for seed in range(1, 4)]
    assert not any((hidden["development"] & rows).any() for rows in others)


def test_unseen_tables_are_no_part_of_development(capsys, tmp_path):
    with pytest.raises(ValueError, match="received iris"):
        make_case("iris", "single", 0)
    with pytest.raises(SystemExit):
        main(["run", "--stage", "development", "--datasets", "iris", "--out", str(tmp_path)])
    assert "received iris" in capsys.readouterr().err


def test_a_table_is_given_by_its_coordinates():
    one, again, other = (make_case("iris", "cells-20", seed, stage="final") for seed in (0, 0, 1))
    assert np.array_equal(one.hidden, again.hidden)
    assert not np.array_equal(one.hidden, other.hidden)
    assert np.array_equal(np.isnan(one.values), one.hidden)
    assert not np.isnan(one.truth).any()
    assert np.array_equal(one.values[~one.hidden], one.truth[~one.hidden])


def test_large_tables_are_represented_by_a_fixed_sample(monkeypatch):
    monkeypatch.setattr(tables, "MOST_ROWS", 20)
    tables.load.cache_clear()
    try:
        small, _ = tables.load("iris")
        tables.load.cache_clear()
        again, _ = tables.load("iris")
    finally:
        tables.load.cache_clear()
    assert small.shape == (20, 4)
    assert np.array_equal(small, again)


def test_single_holes_are_balanced_over_columns():
    hidden = PATTERNS["single"](403, 7, np.random.default_rng(0))
    assert hidden.sum() == 100
    assert hidden.sum(axis=1).max() == 1
    assert set(hidden.sum(axis=0)) == {14, 15}


def test_no_row_loses_its_last_cell():
    hidden = tables.cells(0.95)(500, 3, np.random.default_rng(0))
    assert not hidden.all(axis=1).any()
    assert (hidden.sum(axis=1) == 2).mean() > 0.9
    share = PATTERNS["cells-20"](5000, 10, np.random.default_rng(0)).mean()
    assert share == pytest.approx(0.2, abs=0.01)


def test_rows_that_are_not_eligible_stay_complete():
    truth = np.arange(40.0).reshape(20, 2)
    case = hide(truth, ("a", "b"), np.arange(5, 9), "cells-20", random=np.random.default_rng(3))
    assert case.hidden.any()
    assert not case.hidden[:5].any()
    assert not case.hidden[9:].any()


def test_errors_and_overshoot_by_hand():
    truth = np.array([[0.0, 5.0], [2.0, 5.0], [4.0, 7.0], [6.0, 7.0]])
    hidden = np.array([[False, False], [True, False], [True, False], [False, False]])
    filled = np.array([[0.0, 5.0], [5.0, 5.0], [9.0, 7.0], [6.0, 7.0]])
    found = score(Case(np.where(hidden, np.nan, truth), truth, hidden, ("a", "b")), filled)
    # Misses of 3 and 5: mean square 17; squares of distances from the mean 3 are 9, 1, 1, 9: variance 5.
    assert found["errors"] == {"a": pytest.approx(math.sqrt(17 / 5))}
    assert found["n_cells"] == {"a": 2}
    # Observed are 0 and 6; 9 is half a width above.
    assert found["overshoot"] == pytest.approx(0.5)
    filled[1, 0] = np.nan
    empty = score(Case(np.where(hidden, np.nan, truth), truth, hidden, ("a", "b")), filled)
    assert empty["errors"] == {"a": None}
    json.dumps(empty, allow_nan=False)


def record(errors, *, failure=None, fit=1.0, overshoot=0.0):
    about = {"failure": failure, "versions": {}, "date": "2026-01-01"}
    if failure:
        return about
    seconds = {"fit": fit, "fill": 1.0, "total": fit + 1.0}
    return {**about, "errors": errors, "seconds": seconds, "overshoot": overshoot, "shape": [9, 2]}


def made_up(**errors):
    """Records on one attribute of iris, by method: a list of errors by pattern, each a list by seed."""
    records = {}
    for method, patterns in errors.items():
        for pattern, seeds in zip(PATTERNS, patterns, strict=False):
            for seed, error in enumerate(seeds):
                run = Run("iris", pattern, seed, method)
                records[run] = record({}, failure="broken") if error is None else record({"a": error})
    return make_scores(records, list(errors), stage="final")


def test_a_task_has_the_median_over_seeds_and_a_failure_is_the_worst():
    scores = made_up(xgb=[[1.0, 9.0, 2.0], [3.0, None, 4.0]], iim=[[None, None, 1.0], [1.0, 2.0, 3.0]])
    assert scores.tasks == [Task("iris", "single", "a"), Task("iris", "cells-5", "a")]
    assert scores.of("xgb").tolist() == [2.0, 4.0]
    assert np.isnan(scores.of("iim")[0])
    assert scores.of("iim")[1] == 2.0
    assert scores.mean("xgb") == 3.0
    assert scores.mean("iim") == 2.0
    assert scores.measured.all()
    # By task: xgb 1, iim last; then iim 1, xgb 2.
    assert dict(scores.ranking().ranks) == {"xgb": 1.5, "iim": 1.5}


def test_a_task_without_all_seeds_is_not_measured_and_its_method_not_ranked():
    scores = made_up(xgb=[[1.0, 1.0], [1.0, 1.0]], iim=[[2.0, 2.0], [2.0, 2.0]], knn=[[3.0, 3.0], [3.0]])
    assert scores.measured.tolist() == [[True, True, True], [True, True, False]]
    assert dict(scores.ranking().ranks) == {"xgb": 1.0, "iim": 2.0}


def test_ranks_share_places_and_have_the_critical_difference_of_nemenyi():
    scores = made_up(xgb=[[1.0], [2.0], [1.0]], iim=[[1.0], [1.0], [2.0]], knn=[[3.0], [3.0], [3.0]])
    ranking = scores.ranking()
    assert dict(ranking.ranks) == {"xgb": 1.5, "iim": 1.5, "knn": 3.0}
    # Demsar's table: 2.343 for three methods; times the root of 3 * 4 / (6 * 3).
    assert ranking.critical == pytest.approx(2.343 * math.sqrt(12 / 18), abs=0.002)


def test_pairs_are_compared_on_common_tasks():
    scores = made_up(xgb=[[2.0], [4.0], [None]], iim=[[1.0], [4.0], [9.0]])
    pair = compare_pair(scores, "iim", "xgb")
    assert (pair.ours, pair.theirs, pair.below) == (2.5, 3.0, pytest.approx(1 / 6))
    assert (pair.wins, pair.ties, pair.losses) == (1, 1, 0)
    assert compare_pair(scores, "iim", "knn") is None


def test_targets_name_what_was_measured():
    errors = {DEFAULT: 0.965, TREES: 1.0, PAPER: 1.2, AUTO: 0.9, "sk-knn": 0.96}
    records = {
        Run("iris", pattern, 0, method): record({"a": error}, overshoot=1.5)
        for pattern in PATTERNS
        for method, error in errors.items()
    }
    verdicts = check(make_scores(records, list(errors), stage="final"))

    def met(words):
        return [verdict.met for verdict in verdicts if words in verdict.target]

    for words in ("15% below", "3% below", "half of the tasks", "lowest mean", "6% below", "mean rank"):
        assert met(words) == [True], words
    assert met("of KNNImputer") == [False, False]
    assert met("range away") == met("fit time") == [False]
    assert [one.measured for one in verdicts if "scaled" in one.target] == ["not measured"]


def test_times_are_compared_on_the_same_table():
    records = {Run("iris", "single", seed, "iim"): record({"a": 1.0}, fit=6.0) for seed in range(3)}
    for seed in (0, 1):
        records[Run("iris", "single", seed, "iim-plain")] = record({"a": 1.0}, fit=1.0 + seed)
    scores = make_scores(records, ["iim", "iim-plain"], stage="final")
    assert scores.time_ratio("iim", "iim-plain", "fit") == 4.5


def test_changed_settings_get_a_record_of_their_own():
    known = contenders()
    one = make_run("final", "iris", "single", 0, contender=known["iim"])
    other = Contender("iim", "IIM", known["iim"].make, {**known["iim"].settings, "n_neighbors": 11})
    assert one.name.startswith("final/single/iris-iim-0-")
    assert make_run("final", "iris", "single", 0, contender=other).name != one.name
    assert "n_neighbors" in one.inputs["settings"]
    for contender in known.values():
        json.dumps(dict(contender.settings), allow_nan=False)


def test_what_a_method_raises_is_recorded(monkeypatch):
    def make(seed):
        raise RuntimeError("no luck")

    monkeypatch.setattr(measuring, "contenders", lambda: {"bad": Contender("bad", "bad", make)})
    inputs = {"data": "iris", "pattern": "single", "seed": 0, "stage": "final", "method": "bad"}
    assert measure(inputs)["failure"] == "RuntimeError: no luck"


class StuckPipe:
    def send(self, inputs):
        pass

    def recv(self):
        return "warm"

    def poll(self, _):
        return False

    def close(self):
        pass


class Process:
    killed = False

    def kill(self):
        self.killed = True

    def join(self):
        pass


def test_a_run_that_takes_too_long_is_stopped_and_recorded():
    child, process = _Child([]), Process()
    child._process, child._pipe = process, StuckPipe()
    assert child.measured({}, 0.5)["failure"] == f"{NOT_FINISHED} in 0.5 s"
    assert process.killed


def test_processes_share_the_cores():
    assert _cores(0, 1) == []
    shares = [_cores(job, 2) for job in range(2)]
    if hasattr(os, "sched_getaffinity") and len(os.sched_getaffinity(0)) > 1:
        assert not set(shares[0]) & set(shares[1])
        assert {*shares[0], *shares[1]} == os.sched_getaffinity(0)


class Here:
    """In place of a process of its own, which takes seconds to start."""

    def __init__(self, _):
        pass

    def measured(self, inputs, _):
        return measure(inputs)

    def stop(self):
        pass


def test_runs_are_done_once_and_reported(monkeypatch, tmp_path, capsys):
    wanted = ["--out", str(tmp_path), "--methods", "mean,sk-knn", "--datasets", "iris", "--seeds", "2"]
    wanted += ["--stage", "final", "--patterns", "single,cells-20"]
    assert main(["run", *wanted]) == 0
    assert "8 runs done, 0 had a record." in capsys.readouterr().out
    files = {path: path.read_bytes() for path in tmp_path.glob("final/*/*.json")}
    assert len(files) == 8
    kept, *rest = files
    for path in rest[:3]:
        path.unlink()
    monkeypatch.setattr(running, "_Child", Here)
    assert main(["run", *wanted]) == 0
    assert "3 runs done, 5 had a record." in capsys.readouterr().out
    assert kept.read_bytes() == files[kept]
    for path, before in files.items():
        assert json.loads(path.read_text("utf-8"))["errors"] == json.loads(before)["errors"]

    assert main(["report", "--out", str(tmp_path)]) == 0
    text = capsys.readouterr().out
    assert text.strip() == (tmp_path / "report.md").read_text("utf-8").strip()
    for words in ("iris 150 x 4", "seeds 0, 1", "8 tasks", "KNNImputer", "not measured", "Versions: iim"):
        assert words in text
    scores = read_scores(tmp_path)
    assert scores.mean("sk-knn") < scores.mean("mean")
    assert len((tmp_path / "tasks.csv").read_text("utf-8").splitlines()) == 1 + 8 * 2
    assert len((tmp_path / "methods.csv").read_text("utf-8").splitlines()) == 3
    assert main(["report", "--out", str(tmp_path), "--check"]) == 1


def test_a_report_of_nothing_is_refused(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["report", "--out", str(tmp_path)])
    assert "a folder with records is needed" in capsys.readouterr().err


def test_an_ablation_differs_from_the_default_by_one_switch():
    known, default = contenders(), IIMImputer().get_params()
    # What is not switched off is what the plain IIM has, too.
    assert set(SWITCHED_OFF.values()) == set(PLAIN)
    assert not set(SWITCHED_OFF) & set(main_keys())
    for key, name in SWITCHED_OFF.items():
        params = known[key].make(0).get_params()
        changed = [
            one for one in default if not (params[one] is default[one] or params[one] == default[one])
        ]
        assert changed == [name]
        assert params[name] == PLAIN[name]


def test_an_ablation_is_about_common_tasks():
    iim, reused = [[1.0], [2.0], [3.0]], [[1.5], [2.0], [None]]
    scores = made_up(**{DEFAULT: iim, "iim-reused": reused, "iim-plain": [[2.0], [4.0], [9.0]]})
    found = make_ablation(scores)
    assert found.n_tasks == 2
    assert (found.default.mean, found.default.more, found.default.fit_time) == (1.5, 0.0, 1.0)
    assert [one.method for one in found.effects] == ["iim-reused", "iim-plain"]
    one, plain = found.effects
    assert (one.mean, plain.mean) == (1.75, 3.0)
    assert one.by_pattern["single"] == 1.5
    assert one.more == pytest.approx(1.75 / 1.5 - 1)
    head, _, row, _ = ablation_rows(found, {key: one.label for key, one in contenders().items()})
    shown = dict(zip(head, row, strict=True))
    assert shown["settings"] == "validation='reused'"
    assert (shown["error"], shown["better / equal / worse"]) == ("+16.7%", "0 / 1 / 1")
    # cells-20 has no common task, so no column.
    assert [name for name in head if name in PATTERNS] == ["single", "cells-5"]
    assert make_ablation(made_up(iim=iim)) is None
    assert make_ablation(made_up(**{"iim-reused": reused})) is None


@pytest.mark.long
def test_records_of_an_ablation_leave_the_main_tables_alone(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(running, "_Child", Here)
    wanted = ["--out", str(tmp_path), "--datasets", "iris", "--stage", "final", "--patterns", "single"]
    assert main(["run", *wanted, "--seeds", "2", "--methods", f"mean,{DEFAULT}"]) == 0
    capsys.readouterr()
    assert main(["report", "--out", str(tmp_path)]) == 0
    before = capsys.readouterr().out
    assert main(["run", *wanted, "--seeds", "1", "--methods", "ablation,iim-votes"]) == 0
    assert f"{len(SWITCHED_OFF)} runs done" in capsys.readouterr().out
    assert main(["report", "--out", str(tmp_path)]) == 0
    after = capsys.readouterr().out
    start, stop = after.index("## Ablation"), after.index("## Settings")
    assert after[:start] + after[stop:] == before
    for key in SWITCHED_OFF:
        assert contenders()[key].label in after[start:stop]
    # The default has two seeds, the ablation one: it is compared on that one.
    assert read_ablation(tmp_path, stage="final").seeds == [0]
    assert main(["report", "--out", str(tmp_path), "--methods", DEFAULT]) == 0
    assert "## Ablation" not in capsys.readouterr().out
