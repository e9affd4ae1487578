"""Tables with holes, as hypothesis draws them."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

ROUND = st.integers(-8, 8).map(float)
"""Few different values: many ties and duplicates."""

SMOOTH = st.floats(-100, 100, allow_nan=False).map(lambda value: round(value, 3))
"""Values mostly apart."""


@st.composite
def complete_tables(draw, min_rows=1, max_rows=24, min_columns=1, max_columns=5, cells=None):
    """Tables without holes: of tied or smooth values, with constant columns, shifted and scaled."""
    shape = (draw(st.integers(min_rows, max_rows)), draw(st.integers(min_columns, max_columns)))
    if cells is None:
        cells = draw(st.sampled_from([ROUND, SMOOTH]))
    table = draw(hnp.arrays(np.float64, shape, elements=cells))
    if draw(st.integers(0, 4)) == 0:
        table[:, draw(st.integers(0, shape[1] - 1))] = draw(SMOOTH)
    return table


@st.composite
def tables_with_holes(draw, **limits):
    """Tables with holes anywhere: none, some, whole rows, whole columns, everything."""
    table = draw(complete_tables(**limits))
    share = draw(st.sampled_from([0.0, 0.05, 0.2, 0.5, 1.0]))
    if share == 1.0:
        holes = np.ones(table.shape, bool)
    else:
        seed = draw(st.integers(0, 2**32 - 1))
        holes = np.random.default_rng(seed).random(table.shape) < share
    table = table.copy()
    table[holes] = np.nan
    return table


def untied(n_rows, n_columns, seed=0):
    """A smooth random table: no two distances are equal."""
    rng = np.random.default_rng(seed)
    mix = rng.normal(size=(n_columns, n_columns))
    return np.tanh(rng.normal(size=(n_rows, n_columns)) @ mix) + 0.1 * rng.normal(size=(n_rows, n_columns))


def with_hole_column(table, column, n_holes, seed=0):
    """The table with some cells of one column emptied; and where."""
    rows = np.random.default_rng(seed).permutation(len(table))[:n_holes]
    table = table.copy()
    table[rows, column] = np.nan
    return table, np.sort(rows)


def holed(n_rows=80, columns=4, share=0.06, seed=0):
    """A smooth random table with holes anywhere."""
    table = untied(n_rows, columns, seed)
    table[np.random.default_rng(seed).random(table.shape) < share] = np.nan
    return table


def holed_line(seed=0):
    """200 rows of y = 2 x + 1 with 20 values of y emptied; and complete."""
    x = np.linspace(0, 10, 200)
    truth = np.column_stack([x, 2 * x + 1])
    return with_hole_column(truth, 1, 20, seed)[0], truth


def holed_groups(seed=0):
    """300 rows of four groups, apart from each other in every column, with 20 % holes; and complete."""
    rng = np.random.default_rng(seed)
    centers = np.column_stack([rng.permutation(4) * 20.0 for _ in range(4)])
    truth = centers[rng.integers(4, size=300)] + rng.normal(size=(300, 4))
    holes = rng.random(truth.shape) < 0.2
    holes[holes.all(axis=1), 0] = False
    return np.where(holes, np.nan, truth), truth
