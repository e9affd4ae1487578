"""Table: x = 0 .. 39, y = 2 x + 1, z = 0: y loses values, and a straight line tells them."""

import warnings

import numpy as np
import pytest

import iim
from iim.paper import bench as bench_module
from iim.paper.attribute_fills import fill, sampled_rows, table_of
from iim.paper.bench import Bench
from iim.paper.datasets import Data

X = np.arange(40.0)
VALUES = np.column_stack([X, 2 * X + 1, np.zeros(40), X % 7])
INPUTS = {"data": "made", "target": "y", "hide": 4, "method": "glr", "settings": {"alpha": 0.0}, "seed": 0}


@pytest.fixture(autouse=True)
def made(monkeypatch):
    monkeypatch.setattr(bench_module, "load", lambda key, _: Data(key, ("x", "y", "z", "w"), VALUES.copy()))


def test_removed_values_are_filled_and_kept_beside_the_truth():
    record = fill(INPUTS, Bench())
    assert len(record["truth"]) == 4
    assert set(record["truth"]) < set(VALUES[:, 1])
    assert record["filled"] == pytest.approx(record["truth"])
    known = sorted(set(VALUES[:, 1]) - set(record["truth"]))
    assert record["mean"] == pytest.approx(np.mean(known))
    assert record["spread"] == pytest.approx(VALUES[:, 1].std())
    assert record["n_complete"] == 36
    assert record["seconds"].keys() == {"fit", "fill"}
    assert all(taken >= 0 for taken in record["seconds"].values())


def test_the_same_inputs_give_the_same_record_times_aside():
    inputs = {**INPUTS, "method": "blr", "settings": {}}
    assert fill(inputs, Bench())["filled"] == fill(inputs, Bench())["filled"]
    assert fill(inputs, Bench())["truth"] != fill({**inputs, "seed": 1}, Bench())["truth"]


def test_no_method_sees_a_removed_value(monkeypatch):
    """Other values in the removed cells change nothing but the truth."""
    first = fill(INPUTS, Bench())
    gone = np.isin(VALUES[:, 1], first["truth"])
    other = VALUES.copy()
    other[gone, 1] += 1e6
    monkeypatch.setattr(bench_module, "load", lambda key, _: Data(key, ("x", "y", "z", "w"), other))
    second = fill(INPUTS, Bench())
    assert second["filled"] == first["filled"]
    assert second["mean"] == first["mean"]


def test_fills_are_those_of_fit_transform():
    record = fill({**INPUTS, "method": "iim", "settings": {"n_neighbors": 3}}, Bench())
    table = VALUES.copy()
    gone = np.isin(VALUES[:, 1], record["truth"])
    table[gone, 1] = np.nan
    assert record["filled"] == iim.IIMImputer(n_neighbors=3).fit_transform(table)[gone, 1].tolist()


def test_columns_rows_and_a_factor():
    values, target = table_of({**INPUTS, "n_columns": 2, "factor": 10.0}, Bench())
    assert np.array_equal(values, 10 * VALUES[:, :2])
    assert target == 1
    # F grows in the order of the columns; the target stays where it is.
    values, target = table_of({**INPUTS, "n_observed": 1}, Bench())
    assert np.array_equal(values, VALUES[:, :2])
    values, target = table_of({**INPUTS, "n_observed": 2, "target": "w"}, Bench())
    assert np.array_equal(values, VALUES[:, [0, 1, 3]])
    assert target == 2
    values, _ = table_of({**INPUTS, "n_rows": 7}, Bench())
    assert values.shape == (7, 4)
    assert {tuple(row) for row in values} < {tuple(row) for row in VALUES}


def test_sampled_rows_are_all_if_they_are_few_enough():
    assert np.array_equal(sampled_rows(5, None), np.arange(5))
    assert np.array_equal(sampled_rows(5, 9), np.arange(5))
    rows = sampled_rows(1000, 20)
    assert np.array_equal(rows, np.unique(rows))
    assert rows.size == 20


def test_fewer_complete_rows_are_among_more_and_holes_stay():
    records = [
        fill({**INPUTS, "method": "mean", "settings": {}, "n_complete": n}, Bench()) for n in (5, 9, 36)
    ]
    assert [record["n_complete"] for record in records] == [5, 9, 36]
    assert len({tuple(record["truth"]) for record in records}) == 1
    assert len({record["mean"] for record in records}) == 3


def test_clusters_of_holes_are_near_each_other():
    record = fill({**INPUTS, "cluster_size": 4, "n_columns": 2}, Bench())
    lost = np.sort((np.array(record["truth"]) - 1) / 2)
    assert lost.max() - lost.min() <= 6


def test_data_are_read_once_and_methods_called_once_before_they_are_timed(monkeypatch):
    calls = []
    monkeypatch.setattr(
        bench_module,
        "load",
        lambda key, _: calls.append(key) or Data(key, ("x", "y", "z", "w"), VALUES),
    )
    bench = Bench()
    for seed in range(3):
        fill({**INPUTS, "seed": seed}, bench)
    assert calls == ["made"]
    warmed = []
    for _ in range(3):
        bench.warm("knn", lambda: warmed.append(1))
    assert warmed == [1]


def test_what_a_method_warns_of_is_kept(monkeypatch):
    class Warns(iim.MeanImputer):
        def fit(self, X, y=None):
            warnings.warn("a column was given up", iim.FallbackWarning, stacklevel=1)
            return super().fit(X, y)

    monkeypatch.setitem(iim.METHODS, "mean", Warns)
    record = fill({**INPUTS, "method": "mean", "settings": {}}, Bench())
    assert record["warned"] == ["a column was given up"]
