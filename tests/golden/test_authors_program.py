"""RMS errors of the authors' published program, on masks that can be rebuilt.

Within 3 % of each, and never more above: ties in distance (the data are integers) and the program's slip
for l = 1 explain the rest. Lower is allowed, but not by much: a large gain would mean a leak.
"""

import numpy as np
import pytest

import iim

FINE, COARSE = range(1, 101, 5), range(1, 1001, 50)


def read_csv(path):
    columns = path.read_text(encoding="utf-8").split("\n", 1)[0].split(",")
    return np.genfromtxt(path, delimiter=",", skip_header=1), columns


RUNS = [
    ("asf_a2_missing.csv", "A2", 150, FINE, 8.568),
    ("asf.csv", "A2", 100, FINE, 7.067),
    ("asf.csv", "A4", 100, FINE, 9.304),
    ("asf.csv", "A6", 100, FINE, 1.849),
    ("ccpp.csv", "PE", 478, FINE, 3.847),
    ("ca.csv", "longitude", 1000, COARSE, 0.5421),
]


@pytest.mark.data
@pytest.mark.parametrize(("file", "attribute", "n_holes", "grid", "published"), RUNS)
def test_rms_error(data_folder, file, attribute, n_holes, grid, published):
    table, columns = read_csv(data_folder / file)
    column = columns.index(attribute)
    if file == "asf_a2_missing.csv":  # the authors' own holes
        truth, _ = read_csv(data_folder / "asf.csv")
    else:
        truth = table.copy()
        table[np.random.default_rng(0).permutation(len(table))[:n_holes], column] = np.nan
    holes = np.isnan(table[:, column])
    assert holes.sum() == n_holes
    filled = iim.IIMImputer(**{**iim.PAPER, "learning_grid": grid}).fit_transform(table)
    error = np.sqrt(np.mean((filled[holes, column] - truth[holes, column]) ** 2))
    assert error == pytest.approx(published, rel=0.03)
