import json

import pytest

from iim.paper import tasks as tasks_module
from iim.paper.records import Found, Store
from iim.paper.tasks import Task


def task(**inputs):
    return Task("fill", {"data": "asf", "target": "A2", "method": "knn", "seed": 3, **inputs})


def test_a_record_is_named_for_people_and_told_apart_by_all_inputs():
    names = {task().name, task(hide=100).name, task(hide=0.05).name, task(seed=4).name}
    assert len(names) == 4
    assert task().name.startswith("fill/asf-A2-knn-3-")
    assert task().name == Task("fill", dict(reversed(task().inputs.items()))).name
    assert task().name != Task("learn", task().inputs).name


def test_a_hostile_name_stays_inside_of_the_folder():
    assert "/.." not in task(target="../../etc").name
    assert task(target="a b").name != task(target="a_b").name


def test_a_record_comes_back_exactly_and_once(tmp_path):
    store = Store(tmp_path / "raw")
    assert store.read(task()) is None
    store.write(task(), {"filled": [0.1 + 0.2, 1e-300, -0.0], "took": 0.5})
    assert store.read(task())["filled"] == [0.1 + 0.2, 1e-300, -0.0]
    assert store.read(task())["task"] == {"kind": "fill", **task().inputs}
    assert store.read(task(seed=4)) is None


@pytest.mark.parametrize("content", ['{"filled": [1.', "", "[]", '{"filled": []}', "\x00"])
def test_a_damaged_record_is_as_good_as_none(tmp_path, content):
    store = Store(tmp_path)
    store.write(task(), {"filled": []})
    assert store.read(task()) is not None
    store.path_of(task()).write_text(content, encoding="utf-8")
    assert store.read(task()) is None


def test_records_of_another_format_are_not_taken(monkeypatch):
    before = task().name
    monkeypatch.setattr(tasks_module, "FORMAT", -1)
    assert task().name != before


def test_what_is_no_number_is_not_written(tmp_path):
    with pytest.raises(ValueError, match="JSON"):
        Store(tmp_path).write(task(), {"filled": [float("nan")]})
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_reasons_are_kept_with_what_was_found(tmp_path):
    found = Found(Store(tmp_path))
    found.miss(task(), "not installed")
    assert found.of(task()) is None
    assert found.why(task()) == "not installed"
    assert found.why(task(seed=4)) == "not measured"


def test_records_are_plain_json(tmp_path):
    store = Store(tmp_path)
    store.write(task(settings={"grid": [1, 6]}), {"filled": [1.5]})
    (path,) = tmp_path.rglob("*.json")
    assert json.loads(path.read_text("utf-8"))["task"]["settings"] == {"grid": [1, 6]}
