"""What it takes to do the same again: it is run here."""

import math

import numpy as np
import pytest

import iim
from reports import quick
from strategies import holed
from tables_by_hand import SMALL

NAN = np.nan


def test_settings_are_plain_values():
    imputer = iim.PmmImputer(
        random_state=np.random.RandomState(0), columns=("a", "b"), min_value={"a": np.float64(0)}
    )
    settings = quick(SMALL, imputer).repeat.settings
    assert settings["random_state"] == "(RandomState)"
    assert settings["columns"] == ["a", "b"]
    assert settings["min_value"] == {"a": 0.0}


def test_the_snippet_runs_and_gives_the_same(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = quick(SMALL, iim.KnnImputer(n_neighbors=2, weights="distance"), compare=["mean", "knn"])
    assert "n_neighbors=2, weights='distance'" in found.repeat.snippet
    scope = {"table": SMALL}
    exec(found.repeat.snippet, scope)
    again = scope["report"].summary
    assert (tmp_path / "report.html").exists()
    assert again.columns == found.columns
    assert again.filled == found.filled
    assert [one.normalised_error for one in again.good.comparison.overall] == [
        one.normalised_error for one in found.good.comparison.overall
    ]


@pytest.mark.parametrize(
    "settings",
    [
        {"imputer": "pmm", "random_state": 7, "measure": True, "compare": ["mean", "pmm"]},
        {"imputer": "iim", "missing_values": [-200, NAN], "measure": True},
        {"imputer": None, "missing_values": -200, "measure": True, "random_state": 3},
        {"imputer": iim.KnnImputer(max_value=math.inf, min_value={0: 0.5, 1: -math.inf})},
        {"imputer": "knn", "compare": {"near": "knn", "mean": "mean"}, "title": "A 'title'"},
        {"imputer": "mean", "random_state": np.random.RandomState(0), "measure": True},
    ],
)
def test_the_snippet_repeats_all_numbers(tmp_path, monkeypatch, settings):
    monkeypatch.chdir(tmp_path)
    table = np.where(np.isnan(holed()), -200, holed()) if "missing_values" in settings else holed()
    found = quick(table, **settings)
    scope = {"table": table}
    exec(found.repeat.snippet, scope)
    assert "#" not in found.repeat.snippet
    again = scope["report"].summary
    assert (again.title, again.missing, again.columns) == (found.title, found.missing, found.columns)
    assert again.repeat.settings == found.repeat.settings
    assert again.repeat.snippet == found.repeat.snippet
    if found.good.comparison:
        errors = [[one.normalised_error for one in each.good.comparison.overall] for each in (again, found)]
        assert errors[0] == errors[1]


def test_ready_results_are_made_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = holed()
    comparison = iim.compare(table, ["mean", "knn"], [0, 1], repeats=2, random_state=5, progress=False)
    diagnosis = iim.diagnose(table, columns=[2], n_neighbors=4, progress=False)
    found = quick(table, "knn", compare=comparison, measure=diagnosis)
    scope = {"table": table}
    exec(found.repeat.snippet, scope)
    again = scope["report"].summary
    assert again.columns == found.columns
    assert again.filled == found.filled
    assert [one.normalised_error for one in again.good.comparison.overall] == [
        one.normalised_error for one in found.good.comparison.overall
    ]
    assert len(again.good.comparison.recommended) == 2


def test_the_snippet_says_what_it_cannot_repeat(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = holed()
    imputer = iim.PmmImputer(random_state=np.random.RandomState(0)).fit(table)
    found = quick(table, imputer, compare=["mean", ("my\nown", iim.KnnImputer(n_neighbors=2))])
    comments = [line for line in found.repeat.snippet.splitlines() if line.startswith("#")]
    assert comments == [
        "# random_state holds a RandomState, which cannot be written as code.",
        "# It was fitted before the report, maybe on another table; here it is fitted again.",
        "# Objects that were compared cannot be written as code: 'my\\nown'.",
    ]
    exec(found.repeat.snippet, {"table": table})
    only = quick(table, "mean", compare=[iim.KnnImputer(n_neighbors=2)])
    assert "compare" not in only.repeat.snippet.splitlines()[-1]


def test_versions_and_times():
    found = quick(SMALL).repeat
    assert found.settings["missing_values"] == "nan"
    assert set(found.seconds) == {"fill"}
    assert found.versions["iim"] == iim.__version__
