"""The speed suite runs, its arithmetic is right, its committed records are whole. Nothing is timed."""

import json
import sys

import numpy as np
import pytest

from speed import history, running
from speed.lists import learn_from_lists, neighbor_lists
from speed.measuring import Target, Task, compared, exponent, exponent_between_ends, interleaved
from speed.plan import Plan
from speed.readme import BLOCK, README, renewed
from speed.tables import made, made_with_holes


@pytest.mark.skipif(sys.platform == "win32", reason="peak memory is read in the ways of Unix")
@pytest.mark.long
@pytest.mark.slow
def test_every_topic_runs_on_tiny_tables(tmp_path, capsys):
    out = tmp_path / "records.json"
    assert running.main(["--quick", "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    records = json.loads(out.read_text("utf-8"))
    assert list(records) == list(running.TOPICS)
    assert all(record["about"]["quick"] for record in records.values())
    assert all(f"== {name}: " in printed for name in running.TOPICS)
    assert "target" in printed
    assert "QUICK" in printed


def test_a_topic_measured_again_leaves_the_others_in_the_file(tmp_path):
    path = tmp_path / "records.json"
    for name, record in (("one", {"a": 1}), ("two", {"b": 2}), ("one", {"a": 3})):
        running.keep(path, name, record)
    assert json.loads(path.read_text("utf-8")) == {"one": {"a": 3}, "two": {"b": 2}}


def test_an_unknown_topic_is_refused_by_name(capsys):
    with pytest.raises(SystemExit):
        running.main(["rations"])
    assert "received rations" in capsys.readouterr().err


def test_the_committed_records_are_whole_and_in_earnest():
    records = json.loads(running.RESULTS.read_text("utf-8"))
    assert set(records) == set(running.TOPICS)
    assert not any(record["about"]["quick"] for record in records.values())


def test_the_tables_of_the_readme_are_those_of_the_records():
    text = README.read_text("utf-8")
    assert {found[2] for found in BLOCK.finditer(text)} == {*running.TOPICS, "history"}
    assert text == renewed(text, running.kept_lines), "run: python benchmarks/speed --show"


@pytest.mark.parametrize("power", [0.0, 1.0, 1.5])
def test_the_exponent_of_an_exact_power_is_found(power):
    sizes = np.array([10.0, 30.0, 100.0, 1000.0])
    seconds = 0.01 * sizes**power
    assert exponent(sizes, seconds) == pytest.approx(power, abs=1e-12)
    assert exponent_between_ends(sizes, seconds) == pytest.approx(power, abs=1e-12)


def test_the_exponent_is_that_of_least_squares():
    # log10: (0, 0), (1, 2), (2, 1): slope 1/2 by hand, and the same between the ends.
    assert exponent([1, 10, 100], [1, 100, 10]) == pytest.approx(0.5)
    assert exponent_between_ends([1, 10, 100], [1, 100, 10]) == pytest.approx(0.5)
    # (0, 0), (1, 0), (2, 0), (3, 3): slope 0.9 by hand, 1 between the ends.
    assert exponent([1, 10, 100, 1000], [1, 1, 1, 1000]) == pytest.approx(0.9)
    assert exponent_between_ends([1, 10, 100, 1000], [1, 1, 1, 1000]) == pytest.approx(1.0)


def test_ratios_are_of_medians_and_turned_round_where_the_target_says_faster():
    times = {"we": [1.0, 2.0, 9.0], "they": [4.0, 4.0, 6.0]}
    slower = compared(times, Target("we", "they", most=0.7))
    assert (slower["ratio"], slower["rounds"], slower["at most"]) == (0.5, [0.25, 1.5], 0.7)
    faster = compared(times, Target("we", "they", least=3))
    assert (faster["times as fast"], faster["rounds"], faster["at least"]) == (2.0, [0.667, 4.0], 3)


def test_tasks_take_turns_and_slow_ones_fewer():
    calls = []
    tasks = [Task("a", lambda: calls.append("a")), Task("b", lambda: calls.append("b"), rounds=1)]
    times = interleaved(tasks, 3)
    assert "".join(calls) == "abaa"
    assert [len(times[name]) for name in "ab"] == [3, 1]


def test_new_rows_of_a_generated_table_follow_the_same_laws():
    one, again, other = made(2000, 4), made(2000, 4), made(2000, 4, batch=1)
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)
    assert np.allclose(np.corrcoef(one.T), np.corrcoef(other.T), atol=0.1)
    table = made_with_holes(100)
    assert np.isnan(table.values).sum() == table.rows.size == 5
    assert table.donors().shape == (95, 4)


def test_both_ways_of_learning_give_the_same_bits():
    table = made_with_holes(200)
    points, targets, places = table.donors(), table.targets(), np.arange(0, 190, 7)
    lists = neighbor_lists(points, places, 40, workers=1)
    grids = (range(1, 41, 5), range(1, 41))
    for grid in grids:
        incremental, straightforward = (
            learn_from_lists(points, targets, places, lists, grid, incremental=way, workers=2)
            for way in (True, False)
        )
        assert np.array_equal(incremental, straightforward)
        assert np.isfinite(incremental).all()
        assert (incremental[:, -1] != 0).all()


def point(commit, day, **ratios):
    known = {name: {"ratio": value, "rounds": [value, value]} for name, value in ratios.items()}
    return {"commit": commit, "date": f"2026-01-{day:02}T00:00:00+00:00", "ratios": known}


def test_only_what_got_worse_by_more_than_a_fifth_is_named():
    points = [point("aaa", 1, a=0.1, b=1.0), point("bbb", 2, a=1.0, b=1.0, c=1.0)]
    points.append(point("ccc", 3, a=1.19, b=1.3, c=0.5, d=9.0))
    assert list(history.grown_worse(points)) == ["b: 1 in bbb, 1.3 in ccc (+30%)"]
    assert next(history.grown_worse(points, limit=1.1)).startswith("a: 1 in bbb, 1.19 in ccc")
    assert list(history.grown_worse(points[:1])) == []


def test_history_is_kept_in_the_order_of_commits_one_line_each(tmp_path):
    path = tmp_path / "history.jsonl"
    for entry in (point("bbb", 2, a=1.0), point("aaa", 1, a=2.0), point("bbb", 2, a=3.0)):
        history.append(path, entry)
    assert [entry["commit"] for entry in history.read(path)] == ["aaa", "bbb"]
    assert len(path.read_text("utf-8").splitlines()) == 2
    assert "3.000" in list(history.lines(history.read(path)))[-1]


def test_history_exits_with_one_if_something_got_worse(tmp_path, capsys):
    path = tmp_path / "history.jsonl"
    history.append(path, point("aaa", 1, a=1.0))
    assert history.main(["--file", str(path)]) == 0
    history.append(path, point("bbb", 2, a=2.0))
    assert history.main(["--file", str(path)]) == 1
    assert "WORSE: a: 1 in aaa, 2 in bbb (+100%)" in capsys.readouterr().out


@pytest.mark.slow
def test_the_ratios_of_the_history_can_be_measured():
    ratios = history._measure_source(history.ROOT / "src", Plan(quick=True, rounds=1))
    assert len(ratios) == 5
    assert all(ratio["ratio"] > 0 for ratio in ratios.values())


@pytest.mark.skipif(history.commit_of("HEAD~0") == "unknown", reason="commits are known in a checkout only")
def test_another_commit_is_measured_in_a_folder_of_its_own(monkeypatch):
    seen = []

    def measure(source, plan):
        seen.append((source, (source / "iim" / "__init__.py").is_file()))
        return {"a": {"ratio": 1.0, "rounds": [1.0, 1.0]}}

    monkeypatch.setattr(history, "_measure_source", measure)
    # "HEAD" is the working tree; by this other name it is unpacked like any earlier commit.
    here, there = (history.measure_commit(name, Plan(quick=True)) for name in ("HEAD", "HEAD~0"))
    assert here == there
    assert here["commit"] == history.commit_of("HEAD")
    assert [known for _, known in seen] == [True, True]
    assert seen[0][0] == history.ROOT / "src" != seen[1][0]
    assert not seen[1][0].exists()
