"""Tables with holes, as hypothesis draws them."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import polars as pl
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

ROUND = st.integers(-8, 8).map(float)
"""Few different values: many ties and duplicates."""

PLAIN = {
    "validation": "reused",
    "distance": "scaled",
    "level": "fitted",
    "weights": "votes",
    "shrinkage": "none",
    "reach": None,
}
"""IIM without what goes beyond the paper: what the witnesses of the paper's algorithms tell of."""

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
def tables_with_holes(draw, *, wild=True, **limits):
    """Tables with holes anywhere: none, some, whole rows, whole columns, everything.

    Wild ones also have zeros with a sign, repeated rows, columns that repeat each other, values far from
    zero, and columns of any scale that a number can have.
    """
    table = draw(complete_tables(**limits))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    if wild:
        table = _made_wild(draw, table, random)
    share = draw(st.sampled_from([0.0, 0.05, 0.2, 0.5, 1.0]))
    holes = random.random(table.shape) < share
    if draw(st.integers(0, 5)) == 0:
        holes[:, random.integers(table.shape[1])] = True
    return np.where(holes, np.nan, table)


SCALES = (*(0, 0, 0, 0, 0, 0), *(-320, -300, -12, 6, 15, 150, 300, 308))
"""Powers of ten; the first is below the smallest number of full precision."""


def _made_wild(draw, table, random):
    n_rows, n_columns = table.shape
    table = np.where((table == 0.0) & (random.random(table.shape) < 0.3), -0.0, table)
    how = draw(st.sampled_from(["as it is", "as it is", "rows repeat", "columns repeat"]))
    if how == "rows repeat":
        table = table[random.integers(n_rows, size=n_rows)]
    elif how == "columns repeat":
        table[:, random.integers(n_columns)] = draw(st.sampled_from([1.0, -3.0])) * table[:, 0]
    if draw(st.integers(0, 4)) == 0:
        table = table + draw(st.sampled_from([1e6, -1e9, 1e15]))
    exponents = draw(st.sampled_from(SCALES))
    if draw(st.integers(0, 4)) == 0:
        exponents = random.choice(SCALES, size=n_columns)
    with np.errstate(over="ignore", under="ignore"):
        # In two steps: ten to the power -320 is no number of full precision itself.
        scaled = table * 10.0 ** (np.asarray(exponents) // 2) * 10.0 ** (-(-np.asarray(exponents) // 2))
    return np.clip(scaled, -np.finfo(np.float64).max, np.finfo(np.float64).max)


@dataclass(frozen=True)
class MixedTable:
    """One table in every container: columns of several kinds, each with the same values in all of them.

    Attributes
    ----------
    values : ndarray of shape (n_rows, n_columns)
        float64, NaN where missing.
    kinds : tuple of str
        What each column holds: float64, float32, int64, bool or object.
    nullable : bool
        Holes are nulls, and pandas columns are of its own dtypes that have nulls; otherwise they are NaN
        where the dtype has one.
    """

    values: np.ndarray
    kinds: tuple[str, ...]
    nullable: bool

    @property
    def names(self):
        return [f"c{column}" for column in range(len(self.kinds))]

    def array(self):
        return self.values.copy()

    def objects(self):
        """An array of Python's own numbers, None where missing."""
        table = np.empty(self.values.shape, object)
        for column in range(len(self.kinds)):
            table[:, column] = self._listed(column)
        return table

    def pandas(self):
        index = np.arange(len(self.values))[::-1] + 7
        return pd.DataFrame(
            {
                name: pd.Series(self._listed(at), index, self._pandas_dtype(at))
                for at, name in self._columns()
            },
            index=index,
        )

    def polars(self):
        own = {
            "float64": pl.Float64,
            "float32": pl.Float32,
            "int64": pl.Int64,
            "bool": pl.Boolean,
            "object": pl.Object,
        }
        frame = pl.DataFrame(
            [pl.Series(name, self._listed(at), own[self.kinds[at]]) for at, name in self._columns()]
        )
        floats = [name for at, name in self._columns() if self.kinds[at].startswith("float")]
        return frame if self.nullable else frame.with_columns(pl.col(floats).fill_null(np.nan))

    def _columns(self):
        return enumerate(self.names)

    def _listed(self, column):
        python = {"int64": int, "bool": bool}.get(self.kinds[column], float)
        return [None if np.isnan(value) else python(value) for value in self.values[:, column]]

    def _pandas_dtype(self, column):
        kind = self.kinds[column]
        # Plain integers and booleans have no hole.
        if kind != "object" and (self.nullable or np.isnan(self.values[:, column]).any()):
            return {"int64": "Int64", "bool": "boolean"}.get(
                kind, kind.capitalize() if self.nullable else kind
            )
        return kind


@st.composite
def mixed_tables(draw, **limits):
    """Tables with holes whose columns are of several kinds."""
    table = draw(tables_with_holes(**limits))
    one = draw(st.sampled_from([None, None, "float64", "float32", "int64", "bool", "object"]))
    kinds = tuple(
        one or draw(st.sampled_from(["float64", "float32", "int64", "bool", "object"]))
        for _ in range(table.shape[1])
    )
    return MixedTable(
        np.column_stack([_of_kind(column, kind) for column, kind in zip(table.T, kinds, strict=True)]),
        kinds,
        draw(st.booleans()),
    )


def _of_kind(column, kind):
    """The values of a column, made such that the kind can hold them."""
    if kind == "int64":
        return np.clip(np.rint(column), -(2.0**53), 2.0**53) + 0.0
    if kind == "bool":
        return np.where(np.isnan(column), np.nan, column > 0)
    if kind == "float32":
        largest = float(np.finfo(np.float32).max)
        with np.errstate(under="ignore"):
            return np.clip(column, -largest, largest).astype(np.float32).astype(np.float64)
    return column


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
