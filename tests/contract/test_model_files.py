"""Files that earlier versions wrote are read, and fill as they did then."""

from pathlib import Path

import numpy as np
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
    filled = imputer.transform(rows)
    if key in EXACT:
        assert filled.tobytes() == expected.tobytes()
    np.testing.assert_allclose(filled, expected, rtol=1e-9)
    # And is kept by this version as it was by that one.
    imputer.save(tmp_path / "again.iim")
    assert iim.load(tmp_path / "again.iim").transform(rows).tobytes() == filled.tobytes()


def test_the_files_are_small():
    assert sum(path.stat().st_size for path in FOLDER.rglob("*.*")) < 200_000
