"""The paper's table by attribute: 100 values of one attribute of ASF removed, paper settings, ten seeds."""

import numpy as np
import pytest

import iim
from iim.evaluation.hiding import hide_cells
from iim.evaluation.scoring import r_squared, rms_error
from iim.paper import load
from iim.paper.published import published_number

ATTRIBUTES = ("A1", "A2", "A3", "A4", "A5", "A6")
SEEDS = range(10)

REPRODUCED = {
    "knn": 6,
    "knne": 5,
    "ifc": 5,
    "svd": 6,
    "glr": 6,
    "loess": 6,
    "blr": 6,
    "eracer": 6,
    "pmm": 6,
    "xgb": 6,
    # Better than printed on A4 and A6, as the authors' own program is.
    "iim": 4,
}
"""On how many of the six attributes the median over seeds is within 15 % of the printed value.

15 % because the rows that the authors removed are not known, and the error varies that much with them.
GMM and ILLS are left out: none of their settings that we tried gives the printed numbers.
"""

pytestmark = pytest.mark.data


@pytest.fixture(scope="module")
def asf(data_folder):
    return load("asf", data_folder).values


def fills(table, key, column, seed):
    """Truth and fills of the removed cells, and the mean of what is left."""
    removed = hide_cells(np.isnan(table), [column], hide=100, seed=seed, repeat=0)
    imputer = iim.METHODS[key](**iim.METHODS[key].PAPER)
    if "random_state" in imputer.get_params():
        imputer.set_params(random_state=seed)
    filled = imputer.fit_transform(np.where(removed, np.nan, table))
    rows = removed[:, column]
    return table[rows, column], filled[rows, column], table[~rows, column].mean()


@pytest.mark.parametrize("key", REPRODUCED)
def test_errors_are_those_of_the_paper(key, asf):
    ratios = []
    for column, attribute in enumerate(ATTRIBUTES):
        errors = [rms_error(*fills(asf, key, column, seed)[:2]) for seed in SEEDS]
        ratios.append(
            np.median(errors) / published_number("by_attribute", attribute, iim.METHODS[key].paper_name)
        )
    assert sum(abs(ratio - 1) <= 0.15 for ratio in ratios) >= REPRODUCED[key], ratios


@pytest.mark.parametrize(("name", "key"), [("R2_S", "knn"), ("R2_H", "glr")])
def test_coefficients_are_those_of_the_paper(name, key, asf):
    for column, attribute in enumerate(ATTRIBUTES):
        found = np.median([r_squared(*fills(asf, key, column, seed)) for seed in SEEDS])
        # Two digits are printed; the removed rows make the rest.
        assert found == pytest.approx(published_number("by_attribute", attribute, name), abs=0.05), (
            attribute
        )
