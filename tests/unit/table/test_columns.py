"""One column: its cells and nulls, whoever holds them."""

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest

from iim.table.columns import count_facts, open_column, read_column

NAN = float("nan")


@pytest.mark.parametrize(
    "column",
    [
        [True, None, False, NAN],
        np.array([True, None, False, NAN], dtype=object),
        pd.Series([True, None, False, pd.NA], dtype="boolean"),
        pd.Series([True, None, False, NAN], dtype=object),
        pl.Series([True, None, False, None]),
    ],
)
def test_booleans_with_nulls_were_counted_one_by_one(column):
    opened = column if isinstance(column, (list, np.ndarray)) else nw.from_native(column, series_only=True)
    cells, null = open_column("a", opened)
    assert (cells.dtype, null.tolist()) == (np.dtype(bool), [False, True, False, True])
    assert cells[~null].tolist() == [True, False]
    numbers, missing = read_column("a", opened, named=(0,))
    assert missing.tolist() == [False, True, True, True]
    np.testing.assert_array_equal(numbers, [1, NAN, NAN, NAN])
    facts = count_facts("a", column, 0)
    assert (facts.n_rows, facts.n_known, facts.n_numbers, facts.n_booleans) == (4, 1, 1, 1)


@pytest.mark.parametrize("cells", [[1.5, None, -9.0, NAN], np.array([1.5, None, -9.0, NAN], dtype=object)])
def test_floats_among_objects_were_counted_one_by_one(cells):
    opened, null = open_column("a", cells)
    assert (opened.dtype, null.tolist()) == (np.dtype(float), [False, True, False, True])
    numbers, missing = read_column("a", cells, named=(-9,))
    assert missing.tolist() == [False, True, True, True]
    np.testing.assert_array_equal(numbers, [1.5, NAN, NAN, NAN])
    facts = count_facts("a", cells, -9)
    assert (facts.n_rows, facts.n_known, facts.n_numbers, facts.whole) == (4, 1, 1, False)


@pytest.mark.parametrize("cells", [[True, 2.0], [True, 2], [True, "no"], [1.5, 2**60], [np.True_, None]])
def test_objects_of_several_types_stay_objects(cells):
    assert open_column("a", cells)[0] is cells
