import numpy as np
import pandas as pd
import polars as pl
import pytest

from iim import demo, samples


def test_the_example_is_the_paper_s():
    table = samples.example("numpy")
    assert table.shape == (9, 2)
    assert table[:8, 1].mean() == pytest.approx(4.35)
    assert np.isnan(table[8, 1])


@pytest.mark.parametrize(("backend", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_frames(backend, kind):
    assert isinstance(samples.sensors(backend), kind)


def test_sensors_differ_from_the_truth_only_by_their_gaps():
    table, truth = samples.sensors("numpy"), samples.sensors("numpy", complete=True)
    gaps = np.isnan(table)
    assert 0.03 < gaps.mean() < 0.1
    assert not np.isnan(truth).any()
    assert (table[~gaps] == truth[~gaps]).all()


@pytest.mark.slow
def test_the_demo_fills_both_tables_better_than_the_mean(capsys):
    demo.main()
    out = capsys.readouterr().out
    assert "Filled: 1.184" in out
    errors = [line.split() for line in out.splitlines()[-5:]]
    for _, _, ours, mean in errors:
        assert float(ours) < 0.3 * float(mean)
