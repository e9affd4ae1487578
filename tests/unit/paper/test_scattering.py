"""Cells missing from all columns of a table of two columns, y = 2 x."""

import numpy as np
import pytest

from iim.paper import bench as bench_module
from iim.paper import scattering
from iim.paper.bench import Bench
from iim.paper.datasets import Data
from iim.paper.scattering import IMPUTERS, scatter
from iim.paper.sections.holes import normalised_error

X = np.random.default_rng(0).normal(size=80)
VALUES = np.column_stack([X, 2 * X])
INPUTS = {"data": "made", "share": 0.2, "seed": 1}


@pytest.fixture(autouse=True)
def made(monkeypatch):
    monkeypatch.setattr(bench_module, "load", lambda key, _: Data(key, ("x", "y"), VALUES.copy()))


@pytest.mark.parametrize("method", IMPUTERS)
def test_all_imputers_fill_the_same_cells(method):
    record = scatter({**INPUTS, "method": method}, Bench())
    cells = [one["truth"] for one in record["columns"]]
    assert cells == [one["truth"] for one in scatter({**INPUTS, "method": "Mean"}, Bench())["columns"]]
    assert 10 <= sum(map(len, cells)) <= 60
    assert np.isfinite(normalised_error(record))
    assert record["seconds"].keys() == {"all"}


def test_truth_and_fills_belong_together(monkeypatch):
    """An imputer that knows the truth has no error; one that is off by a spread has an error of 1."""
    shift = 0.0
    known = {
        "tell": lambda table: np.where(np.isnan(table), VALUES[: len(table)] + shift * VALUES.std(0), table)
    }
    monkeypatch.setattr(scattering, "IMPUTERS", known)
    assert normalised_error(scatter({**INPUTS, "method": "tell"}, Bench())) == 0.0
    shift = 1.0
    assert normalised_error(scatter({**INPUTS, "method": "tell"}, Bench())) == pytest.approx(1.0)


def test_scaling_does_not_change_what_neighbours_of_one_scale_say():
    """Columns that are multiples of each other: scaled or not, the nearest are the same."""
    filled = IMPUTERS["KNNImputer, scaled, k = 10"](np.array([[1.0, 2.0], [2.0, 4.0], [3.0, np.nan]]))
    assert filled[2, 1] == pytest.approx(3.0)
