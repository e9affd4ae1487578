import json

import pytest

import iim
from iim.paper import running
from iim.paper.records import Store
from iim.paper.running import run
from iim.paper.tasks import Task

SEVEN = {"value": 7}


def tasks(n, kind="count"):
    return [Task(kind, {"seed": seed}) for seed in range(n)]


@pytest.fixture
def done(monkeypatch):
    """What was measured, in order; seed 13 is Ctrl-C, the others are seven."""
    calls = []

    def count(inputs, bench):
        calls.append(inputs["seed"])
        if inputs["seed"] == 13:
            raise KeyboardInterrupt
        return dict(SEVEN)

    monkeypatch.setitem(running.KINDS, "count", count)
    return calls


def fails(error):
    def measure(inputs, bench):
        raise error

    return measure


def test_what_has_a_record_is_not_done_again(tmp_path, done):
    store = Store(tmp_path)
    first = run(tasks(3), store)
    assert (first.n_done, first.n_kept, first.not_done) == (3, 0, {})
    again = run(tasks(5), store)
    assert (again.n_done, again.n_kept) == (2, 3)
    assert done == [0, 1, 2, 3, 4]
    assert again.found.of(tasks(5)[0])["value"] == 7


def test_the_same_task_is_done_once(tmp_path, done):
    run([*tasks(2), *tasks(2)], Store(tmp_path))
    assert done == [0, 1]


def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path, done):
    store, wanted = Store(tmp_path), [*tasks(2), Task("count", {"seed": 13}), Task("count", {"seed": 20})]
    with pytest.raises(KeyboardInterrupt):
        run(wanted, store)
    assert done == [0, 1, 13]
    wanted.pop(2)
    assert run(wanted, store).n_kept == 2
    assert done == [0, 1, 13, 20]


def test_a_record_says_how_it_came_about(tmp_path, done):
    run(tasks(1), Store(tmp_path))
    (path,) = tmp_path.rglob("*.json")
    record = json.loads(path.read_text("utf-8"))
    assert record["task"] == {"kind": "count", "seed": 0}
    assert record["versions"]["iim"] == iim.__version__
    assert record["took"] >= 0.0


@pytest.mark.parametrize(
    ("error", "word", "reason"),
    [
        (iim.MissingDependency("xgboost is not here"), "not installed", "xgboost is not here"),
        (iim.UnusableFile("ca.csv is needed"), "no data", "ca.csv is needed"),
        (ValueError("rank 9 of 2 columns"), "failed", "fails failed: ValueError: rank 9 of 2 columns"),
        (ZeroDivisionError("nothing"), "failed", "fails failed: ZeroDivisionError: nothing"),
    ],
)
def test_what_cannot_be_done_is_told_and_tried_again(tmp_path, monkeypatch, done, error, word, reason):
    monkeypatch.setitem(running.KINDS, "fails", fails(error))
    store, wanted = Store(tmp_path), [*tasks(2, "fails"), *tasks(2)]
    for _ in range(2):
        outcome = run(wanted, store)
        assert outcome.not_done == {reason: 2}
        assert outcome.found.why(wanted[0]) == word
        assert outcome.found.of(wanted[0]) is None
    assert (outcome.n_done, outcome.n_kept) == (0, 2)


def test_a_fill_that_is_no_number_is_a_failure(tmp_path, monkeypatch, done):
    monkeypatch.setitem(running.KINDS, "wild", lambda *_: {"filled": [float("inf")]})
    outcome = run([*tasks(1, "wild"), *tasks(1)], Store(tmp_path))
    assert outcome.n_done == 1
    (reason,) = outcome.not_done
    assert reason.startswith("wild failed: ValueError: ")


def test_a_damaged_record_is_measured_again(tmp_path, done):
    store = Store(tmp_path)
    run(tasks(2), store)
    store.path_of(tasks(2)[1]).write_text("{", encoding="utf-8")
    assert run(tasks(2), store).n_done == 1
    assert done == [0, 1, 1]


def test_a_bug_is_not_swallowed(tmp_path, monkeypatch):
    monkeypatch.setitem(running.KINDS, "fails", fails(AttributeError("oh")))
    with pytest.raises(AttributeError, match="oh"):
        run(tasks(1, "fails"), Store(tmp_path))


def test_progress_goes_by_weight_over_what_is_left(tmp_path, done):
    store, told = Store(tmp_path), []
    light, heavy = Task("count", {"seed": 0}), Task("count", {"seed": 1}, weight=3.0)
    run([light, heavy], store, progress=told.append)
    assert told == [0.25, 1.0]
    run([light, heavy, *tasks(3)], store, progress=told.append)
    assert told == [0.25, 1.0, 1.0]
