"""Files that earlier versions wrote are read, and fill as they did then."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import iim
from iim.keeping.container import FORMAT_VERSION

FOLDER = Path(__file__).resolve().parents[1] / "model_files"
VERSIONS = [f"v{version}" for version in range(1, FORMAT_VERSION + 1)]

EXACT = {"mean", "knn", "knne", "loess", "iim"}
"""Sums and square roots in an order of our own: the same bits on every machine.

The others use a linear algebra library or functions such as powers and quantiles, whose last digits differ
between machines and versions; they may differ by one part in a billion.
"""


def read(path):
    return np.array([[float(cell) for cell in line.split(",")] for line in path.read_text("utf-8").split()])


@pytest.mark.parametrize("version", VERSIONS)
def test_every_method_of_every_version_has_its_file(version):
    # Made by `python tests/model_files/write.py --write`.
    there = {path.stem for path in (FOLDER / version).glob("*.iim")}
    assert there >= iim.METHODS.keys() if version == VERSIONS[-1] else there


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, id=f"{path.parent.name}-{path.stem}") for path in sorted(FOLDER.glob("*/*.iim"))],
)
def test_a_file_is_read_and_fills_as_it_did(path, tmp_path):
    rows, expected = read(path.parent / "rows.csv"), read(path.with_suffix(".csv"))
    imputer = iim.load(path)
    key = path.stem.partition("-")[0]
    assert type(imputer) is iim.METHODS[key]
    if hasattr(imputer, "feature_names_in_"):
        rows = pd.DataFrame(rows, columns=imputer.feature_names_in_)
    filled = np.asarray(imputer.transform(rows))
    if key in EXACT:
        assert filled.tobytes() == expected.tobytes()
    np.testing.assert_allclose(filled, expected, rtol=1e-9)
    # And is kept by this version as it was by that one.
    imputer.save(tmp_path / "again.iim")
    again = iim.load(tmp_path / "again.iim")
    assert np.asarray(again.transform(rows)).tobytes() == filled.tobytes()
    assert repr(again.get_params()) == repr(imputer.get_params())


@pytest.mark.parametrize("version", VERSIONS)
def test_parameters_and_attributes_come_back_as_they_were(version):
    params = iim.load(FOLDER / version / "iim-numpy.iim").get_params()
    assert repr(params["n_neighbors"]) == repr(np.int8(4))
    assert repr(params["learning_grid"]) == repr(np.array([1, 3, 8], np.uint8))
    assert repr(params["alpha"]) == repr(np.float32(0.5))
    assert params["missing_values"] == {-99, np.float32(-0.5)}
    assert params["min_value"].tolist() == [-1.0, -np.inf, -6.0]
    assert params["min_donors"] == 10**30
    frame = iim.load(FOLDER / version / "knn-frame.iim")
    assert frame.feature_names_in_.tolist() == ["first", "second", "d\u00fcnn"]
    assert frame.missing_values == [-99, "?", None, 10**40]
    assert frame.get_feature_names_out().tolist()[3:] == [
        "missingindicator_second",
        "missingindicator_d\u00fcnn",
    ]
    own = iim.load(FOLDER / version / "mean-own.iim")
    assert own.note_ == "March"
    assert own.by_column_.flags.f_contiguous
    np.testing.assert_array_equal(own.by_column_, np.arange(6.0).reshape(2, 3), strict=True)
    assert list(own.several_) == ["a", 3, True]
    assert own.several_["a"] == (1, [2.5, None])
    assert own.several_[True] == range(2, 9, 3)
    assert own.large_.tolist() == [2**40, -1]


def test_the_files_are_small():
    assert sum(path.stat().st_size for path in FOLDER.rglob("*.*")) < 200_000
