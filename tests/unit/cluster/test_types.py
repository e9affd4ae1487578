"""Types of columns: which can have holes, and what they cannot hold."""

import numpy as np
import pandas as pd
import pytest

import iim
from iim.cluster._types import EXACT, into_type, one_hole, refuse_inexact

WHOLE = ["int64", "Int64", "int64[pyarrow]", "uint64", "UInt64", "uint64[pyarrow]"]


@pytest.mark.parametrize(
    "dtype",
    [
        "float64",
        "float32",
        "Float64",
        "double[pyarrow]",
        "Int8",
        "int64[pyarrow]",
        "boolean",
        "bool[pyarrow]",
    ]
    + ["object", "string", "category", "datetime64[ns]", "timedelta64[ns]", "datetime64[ns, UTC]"],
)
def test_a_type_with_nulls_has_a_hole(dtype):
    column = one_hole(pd.Series([], dtype=dtype), (), nullable=True)
    assert column.dtype == dtype
    assert column.isna().tolist() == [True]


@pytest.mark.parametrize("dtype", ["int64", "uint8", "bool", "Int64", "int64[pyarrow]", "boolean"])
def test_a_type_without_nulls_has_a_number_unless_one_is_a_marker(dtype):
    empty = pd.Series([], dtype=dtype)
    column = one_hole(empty, (), nullable=False)
    assert (column.dtype, column.tolist()) == (dtype, [0])
    # A text, a fraction and a number out of range are in no such column.
    assert one_hole(empty, ("n/a", 0.5, -(10**30)), nullable=False).tolist() == [0]
    assert one_hole(empty, ("n/a", 1), nullable=False).tolist() == [1]


@pytest.mark.parametrize("dtype", WHOLE)
def test_a_whole_number_that_floats_do_not_have_is_refused(dtype):
    largest = 2**64 - 1 if dtype.lower().startswith("u") else 2**63 - 1
    known = pd.Series([EXACT, EXACT + 2, 0], dtype=dtype)
    refuse_inexact(known, "a", np.dtype(np.float64), ())
    for number in (EXACT + 1, largest):
        column = pd.Series([1, number, number], dtype=dtype)
        with pytest.raises(iim.UnusableTable) as caught:
            refuse_inexact(column, "a", np.dtype(np.float64), ())
        assert str(caught.value) == (
            "Column 'a' holds whole numbers that float64 cannot hold in 2 of 3 rows (first: row 1, "
            f"{number}). It becomes float64 in all partitions, since some may have missing values. Use "
            "`round_integers=True` and fit again to keep its type, or leave the column out with `columns=`."
        )
        refuse_inexact(column, "a", np.dtype(np.float64), (number, "n/a"))
        refuse_inexact(column, "a", column.dtype, ())


def test_negative_numbers_are_looked_at_too():
    refuse_inexact(pd.Series([-(2**63), -EXACT]), "a", np.dtype(np.float64), ())
    with pytest.raises(iim.UnusableTable, match=r"first: row 1, -9007199254740993\)"):
        refuse_inexact(pd.Series([None, -EXACT - 1], dtype="Int64"), "a", np.dtype(np.float64), ())


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([1, 0], dtype="Int64"),
        pd.Series([1, 0], dtype="int64[pyarrow]"),
        pd.Series([True, False]),
        pd.Series([True, False], dtype="bool[pyarrow]"),
        pd.Series([1, 0.0], dtype=object),
        pd.Series([1, 0], dtype="category"),
        pd.Series([1, 0], dtype="float16"),
    ],
    ids=lambda column: str(column.dtype),
)
def test_a_column_without_holes_is_brought_to_the_type_with_holes(column):
    brought = into_type(column, "a", np.dtype(np.float64))
    assert (brought.dtype, brought.tolist()) == (np.float64, [1.0, 0.0])


@pytest.mark.parametrize(("wanted", "shown"), [("int64", "2.5"), ("float32", "0.1"), ("Float32", "0.1")])
def test_a_value_is_never_changed_by_its_type(wanted, shown):
    column = pd.Series([1.0, float(shown)])
    with pytest.raises(iim.UnusableTable) as caught:
        into_type(column, "a", pd.api.types.pandas_dtype(wanted))
    assert str(caught.value) == (
        f"Column 'a', of type float64 here, has to be {wanted} by the description of the table, which "
        f"cannot hold its values in 1 of 2 rows (first: row 1, {shown}). Give the column one type in all "
        "partitions."
    )


@pytest.mark.parametrize(("value", "wanted"), [(-1.0, "uint8"), (1e300, "int64"), (1e300, "Int64")])
def test_a_value_out_of_range_is_refused(value, wanted):
    # By pandas itself or after it, which depends on its version.
    with pytest.raises(
        iim.UnusableTable, match=f"^Column 'a', of type float64 here, has to be {wanted} by"
    ):
        into_type(pd.Series([1.0, value]), "a", pd.api.types.pandas_dtype(wanted))


def test_a_column_that_cannot_be_brought_to_a_type_is_refused():
    with pytest.raises(
        iim.UnusableTable, match=r"^Column 'a', of type datetime64.* has to be float64 by .*: "
    ):
        into_type(pd.Series(pd.date_range("2020", periods=2)), "a", np.dtype(np.float64))
