"""Memory grows neither as rows x learning neighbours nor as rows x rows."""

import subprocess
import sys

import pytest

CHILD = """
import resource, numpy, iim

def peak():  # in MB
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

def table(n_rows):
    values = numpy.random.default_rng(0).normal(size=(n_rows, 3))
    values[: n_rows // 20, 0] = numpy.nan
    return values

imputer = iim.IIMImputer(learning_grid=[1, 10, 900], n_jobs=2)
imputer.fit_transform(table(1000))  # compiled, imported, pools made
before = peak()
imputer.fit_transform(table(20_000))
print(peak() - before)
"""


@pytest.mark.slow
def test_peak_memory_is_far_below_rows_times_learning_neighbours():
    run = subprocess.run(
        [sys.executable, "-c", CHILD], capture_output=True, text=True, check=True, timeout=300
    )
    rows_times_learning = 20_000 * 900 * 8 / 2**20  # 137 MB for the distances alone
    assert float(run.stdout) < rows_times_learning / 3
