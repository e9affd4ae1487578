"""Frames and arrays in, the same out."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import iim
from iim.table.tables import read_table
from strategies import untied

HUGE = 2**60 + 1
"""A whole number that float64 cannot hold."""


def pandas_frame():
    table = untied(40, 3)
    frame = pd.DataFrame(
        {
            "a": table[:, 0],
            "b": table[:, 1].astype(np.float32),
            "c": table[:, 2],
            "whole": np.arange(40) + HUGE,
            "flag": np.arange(40) % 2 == 0,
        },
        index=pd.Index([f"row {row % 17}" for row in range(40)], name="where"),
    )
    frame.iloc[3, 0] = np.nan
    frame.iloc[[5, 6], 1] = np.nan
    return frame


def test_pandas_keeps_index_columns_order_and_dtypes():
    frame = pandas_frame()[["whole", "c", "b", "flag", "a"]]
    before = frame.copy(deep=True)
    filled = iim.IIMImputer().fit_transform(frame)
    pd.testing.assert_frame_equal(frame, before)
    assert isinstance(filled, pd.DataFrame)
    pd.testing.assert_index_equal(filled.index, frame.index)
    assert filled.columns.tolist() == frame.columns.tolist()
    assert filled.dtypes.astype(str).to_dict() == {
        "whole": "int64",
        "c": "float64",
        "b": "float32",
        "flag": "bool",
        "a": "float64",
    }
    assert filled["whole"].tolist() == frame["whole"].tolist()
    assert not filled.isna().any().any()
    known = frame.notna()
    for name in frame:
        assert filled.loc[known[name].to_numpy(), name].tolist() == frame[name].dropna().tolist()


def test_pandas_nullable_columns():
    frame = pd.DataFrame(
        {
            "i": pd.array([1, None, 3, 4, 5, 7], dtype="Int64"),
            "f": pd.array([1.5, 2.5, None, 4.5, 5.0, 7.0], dtype="Float64"),
            "full": pd.array([HUGE, 2, 3, 4, 5, 6], dtype="Int64"),
            "b": pd.array([True, None, False, True, True, False], dtype="boolean"),
        }
    )
    filled = iim.IIMImputer(n_neighbors=2).fit_transform(frame)
    assert filled["full"].dtype == "Int64"
    assert filled["full"][0] == HUGE
    assert filled.dtypes.astype(str).to_dict() == {
        "i": "float64",
        "f": "Float64",
        "full": "Int64",
        "b": "float64",
    }
    for name in "ifb":
        known = frame[name].notna()
        assert filled[name][known].tolist() == frame[name][known].astype(float).tolist()
    assert np.isfinite(filled.to_numpy(float)).all()


def test_pandas_object_columns_of_numbers():
    frame = pd.DataFrame({"a": [1, 2.5, None, 4, 5], "b": [1.0, 2, 3, 4, 5]}, dtype=object)
    filled = iim.IIMImputer().fit_transform(frame)
    assert filled["a"].dtype == np.float64
    assert filled["b"].dtype == object  # no hole, nothing to change
    assert filled["b"].tolist() == [1, 2, 3, 4, 5]


def test_masked_arrays():
    table = np.ma.masked_array([[1, 1], [2, 2], [3, 99], [4, 4]], mask=[[0, 0], [0, 0], [0, 1], [0, 0]])
    filled = iim.IIMImputer().fit_transform(table)
    assert filled[2, 1] == pytest.approx(3, abs=0.5)


def test_pandas_columns_without_string_names():
    frame = pd.DataFrame(untied(20, 3))
    frame.iloc[0, 1] = np.nan
    filled = iim.IIMImputer().fit_transform(frame)
    assert filled.columns.tolist() == [0, 1, 2]
    assert not filled.isna().any().any()
    frame[1] = np.nan
    with pytest.warns(iim.ImputationWarning, match="1 of 3 columns: 1"):
        assert iim.IIMImputer().fit_transform(frame).columns.tolist() == [0, 2]


def test_polars_keeps_columns_and_dtypes():
    table = untied(40, 2)
    frame = pl.DataFrame(
        {"a": table[:, 0], "b": table[:, 1].astype(np.float32), "i": list(range(40)), "n": [None] * 40}
    ).with_columns(pl.when(pl.col("i") == 4).then(None).otherwise(pl.col("i")).alias("j"))
    frame = frame.with_columns(pl.when(pl.col("i") < 2).then(None).otherwise(pl.col("b")).alias("b"))
    with pytest.warns(iim.ImputationWarning, match="'n'"):
        filled = iim.IIMImputer().fit_transform(frame)
    assert isinstance(filled, pl.DataFrame)
    assert filled.schema == {"a": pl.Float64, "b": pl.Float32, "i": pl.Int64, "j": pl.Float64}
    assert filled.null_count().sum_horizontal().item() == 0
    assert filled["a"].to_list() == frame["a"].to_list()


def test_nan_and_null_are_both_missing_in_polars():
    frame = pl.DataFrame({"a": [1.0, None, float("nan"), 4.0, 5.0], "b": [1.0, 2.0, 3.0, 4.0, 5.0]})
    filled = iim.IIMImputer().fit_transform(frame)
    assert np.isfinite(filled.to_numpy()).all()


def test_pyarrow_tables():
    table = pa.table({"a": [1.0, None, 3.0, 4.0], "b": [1.0, 2.0, 3.0, 4.0]})
    filled = iim.IIMImputer(n_neighbors=2).fit_transform(table)
    assert isinstance(filled, pa.Table)
    assert filled["a"].null_count == 0


def test_lazy_frames_are_refused():
    with pytest.raises(iim.UnusableTable, match=r"lazy polars frame.*`collect\(\)`"):
        iim.IIMImputer().fit(pl.LazyFrame({"a": [1.0]}))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_arrays_keep_float_dtypes(dtype):
    table = untied(30, 3).astype(dtype)
    table[0, 0] = np.nan
    filled = iim.IIMImputer().fit_transform(table)
    assert filled.dtype == dtype
    known = ~np.isnan(table)
    assert filled[known].tobytes() == table[known].tobytes()


def test_whole_number_arrays_without_holes_come_back_as_they_came():
    table = np.arange(12).reshape(6, 2) + HUGE
    filled = iim.IIMImputer().fit_transform(table)
    assert filled.dtype == table.dtype
    assert (filled == table).all()
    assert filled is not table


def test_a_fill_beyond_float32_stays_finite():
    table = np.array([[1, 3e38], [2, 3.2e38], [3, 3.4e38], [4, np.nan]], np.float32)
    filled = iim.IIMImputer(learning_neighbors=3, alpha=0.0).fit_transform(table)
    assert np.isfinite(filled).all()


@pytest.mark.parametrize("marker", [-200, -200.0])
def test_a_number_can_mean_missing(marker):
    table = np.column_stack([np.arange(20), np.arange(20) * 2])
    table[3, 1] = -200
    filled = iim.IIMImputer(missing_values=marker).fit_transform(table)
    assert filled[3, 1] == pytest.approx(6, abs=0.5)
    assert filled.dtype == np.float64


@pytest.mark.parametrize("marker", [None, np.nan, pd.NA, float("nan")])
def test_any_null_means_null(marker):
    frame = pd.DataFrame({"a": [1.0, None, 3.0, 4.0], "b": [1.0, 2.0, 3.0, 4.0]})
    assert np.isfinite(iim.IIMImputer(missing_values=marker).fit_transform(frame).to_numpy()).all()


@pytest.mark.filterwarnings("ignore::iim.FallbackWarning")
def test_several_markers_and_null_at_once():
    frame = pd.DataFrame({"a": [1, "n/a", 3, None, 5, "?"], "b": [1.0, 2, -1, 4, 5, 6]})
    filled = iim.IIMImputer(missing_values=["n/a", "?", -1]).fit_transform(frame)
    assert np.isfinite(filled.to_numpy(float)).all()
    assert filled["a"][[0, 2, 4]].tolist() == [1, 3, 5]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (
            pd.DataFrame({"h": [1.0, 2.0, 3.0], "height": [1, "n/a", "n/a"]}),
            r"Column 'height' holds text in 2 of 3 rows \(first: row 1, 'n/a'\)\. Mark it as missing with "
            r"`missing_values=\['n/a'\]`",
        ),
        (pd.DataFrame({"a": ["x", "y"]}), r"Column 'a' holds text in all 2 known cells"),
        (pl.DataFrame({"a": [None, "y"]}), r"in all 1 known cells \(text: .*; first: row 1, 'y'\)"),
        (np.array([["1", "b"]]), r"Column 'x0' holds text in all 1 known cells \(text: 1 of 1 texts read"),
        (pd.DataFrame({"a": pd.Categorical(["u", "v"])}), r"Column 'a' holds text"),
        (
            pd.DataFrame({"t": pd.to_datetime(["2020-01-01"])}),
            r"Column 't' is of type Datetime.*not a number",
        ),
        (pd.DataFrame({"o": [1.0, 10**400]}, dtype=object), r"Column 'o' holds 10+ in row 1"),
        (pd.DataFrame({"o": [1.0, [2]]}), r"Column 'o' holds \[2\] in row 1: numbers and missing values"),
        (
            pd.DataFrame({"a": [1.0, np.inf, -np.inf, 2.0]}),
            r"Column 'a' holds infinite values in 2 of 4 rows \(first: row 1, inf\)",
        ),
        (np.array([[1.0, -np.inf]]), r"Column 'x1' holds infinite values in 1 of 1 rows \(first: row 0"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), r"Column 'a' appears more than once"),
    ],
)
def test_tables_that_are_not_numbers_are_refused_by_cell(table, message):
    with pytest.raises(iim.UnusableTable, match=message):
        iim.IIMImputer().fit(table)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (np.empty((0, 3)), r"0 sample\(s\)"),
        (np.empty((3, 0)), r"0 feature\(s\)"),
        (pd.DataFrame({"a": []}), r"0 sample\(s\)"),
        (pd.DataFrame(index=[1, 2]), r"0 feature\(s\)"),
        (pl.DataFrame(), r"0 sample\(s\)"),
        (np.arange(3.0), r"Reshape your data"),
    ],
)
def test_empty_and_flat_tables_are_refused(table, message):
    with pytest.raises(ValueError, match=message):
        iim.IIMImputer().fit(table)


DAYS = np.array([["2020-01-01"], ["2020-01-02"]])


@pytest.mark.parametrize("unit", ["ns", "us", "D"])
@pytest.mark.parametrize(
    ("kind", "what", "example"),
    [("M", "dates", r"dates\.min\(\)"), ("m", "durations", r"np\.timedelta64\(1, 's'\)")],
)
def test_arrays_of_dates_were_read_as_numbers(unit, kind, what, example):
    days = (DAYS if kind == "M" else np.array([[5], [6]])).astype(f"{kind}8[{unit}]")
    objects = np.empty((2, 2), dtype=object)
    objects[:, 0], objects[:, 1] = list(days[:, 0]), 1.0
    message = rf"Column 'x0' holds {what} in 2 of 2 rows \(first: row 0, .*Numbers are needed: .*{example}"
    for table in (days, list(map(list, days)), objects, objects.tolist()):
        with pytest.raises(iim.UnusableTable, match=message):
            iim.MeanImputer().fit(table)
    assert read_table(objects, np.nan).set_aside == {"x0": f"date: {what}"}


def test_no_date_at_all_is_missing():
    table = np.array([[np.datetime64("NaT", "ns"), 1.0], [np.timedelta64("NaT", "ns"), 2.0]], dtype=object)
    with pytest.warns(iim.ImputationWarning, match="1 of 2 columns"):
        filled = iim.MeanImputer().fit_transform(table)
    assert filled.tolist() == [[1.0], [2.0]]


HUGE_MARKS = [10**400, -(10**400), [10**400, -1]]


@pytest.mark.parametrize("marker", HUGE_MARKS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.uint8, np.bool_, object])
def test_a_marker_beyond_float64_overflowed(marker, dtype):
    table = np.array([[0, 1], [1, 0], [1, 1]]).astype(dtype)
    for given in (table, pd.DataFrame(table), table.tolist()):
        filled = iim.MeanImputer(missing_values=marker).fit_transform(given)
        np.testing.assert_array_equal(np.asarray(filled).astype(float), table.astype(float))


@pytest.mark.parametrize("marker", HUGE_MARKS[::2])
def test_a_marker_beyond_float64_is_found_among_python_ints(marker, tmp_path):
    table = pd.DataFrame({"a": [1, 10**400, 3], "b": [1, 2, 3]}, dtype=object)
    imputer = iim.MeanImputer(missing_values=marker).fit(table)
    imputer.save(tmp_path / "model.iim")
    for one in (imputer, iim.load(tmp_path / "model.iim")):
        assert one.transform(table)["a"].tolist() == [1, 2, 3]
        assert one.imputed_mask(table)["a"].tolist() == [False, True, False]
    assert iim.diagnose(table, missing_values=marker, progress=False).n_missing == 1
    with pytest.raises(iim.UnusableTable, match=r"Column 'a' holds 10+ in row 1"):
        iim.MeanImputer().fit(table)


def test_messages_with_a_number_of_more_than_4300_digits_were_an_error_of_python(tmp_path):
    huge, table = 10**5000, np.eye(3)
    imputer = iim.MeanImputer(missing_values=huge).fit(table)
    with pytest.raises(iim.InvalidParameter, match=r"received a number of too many digits \(.*4096 bits\)"):
        imputer.save(tmp_path / "model.iim")
    with pytest.raises(iim.InvalidParameter, match=r"is needed; received a number of too many digits\."):
        iim.KnnImputer(n_neighbors=-huge).fit(table)
    with pytest.raises(iim.UnusableTable, match=r"Column 'x0' holds a number of too many digits in row 1"):
        iim.MeanImputer().fit(np.array([[1], [huge]], dtype=object))


@pytest.mark.parametrize("kind", [np.float32, np.float16, np.int8, np.uint64, np.bool_, bool, float, int])
def test_scalars_of_numpy_among_objects_are_compared_as_python_does(kind):
    cells = np.empty((2, 2), dtype=object)
    cells[:] = [[kind(1), kind(0)], [kind(1), kind(1)]]
    for marker in (10**400, 1e300, 0.1):
        filled = iim.MeanImputer(missing_values=marker).fit_transform(cells)
        assert filled.astype(float).tolist() == [[1.0, 0.0], [1.0, 1.0]]
        assert read_table(cells, marker).matrix.missing.sum() == 0


def test_single_precision_among_objects_is_not_rounded_to_a_marker():
    cells = np.array([[np.float32(0.1), 1.0], [2.0, 3.0]], dtype=object)
    assert iim.MeanImputer(missing_values=0.1).fit_transform(cells)[0, 0] == np.float32(0.1)


def test_a_complex_number_equals_no_marker():
    with pytest.raises(iim.UnusableCell, match=r"holds \(1\+0j\) in row 0"):
        iim.MeanImputer(missing_values=1).fit(pd.DataFrame({"a": [1 + 0j, 2.0]}, dtype=object))


def test_a_marker_beyond_single_precision_is_in_no_cell():
    table = np.array([[1.0, 2.0], [3.0, 4.0]], dtype=np.float32)
    assert iim.MeanImputer(missing_values=1e300).fit_transform(table).tolist() == table.tolist()


def test_a_column_of_text_is_not_said_to_mark_missing_cells():
    table = pd.DataFrame({"species": ["Adelie", "Gentoo"] * 4 + [None], "b": range(9)})
    with pytest.raises(iim.UnusableTable) as refused:
        iim.MeanImputer().fit(table)
    assert "missing" not in str(refused.value)
    assert str(refused.value).endswith(
        "Column 'species' holds text in all 8 known cells (category: 2 different texts in 8 rows; first: "
        "row 0, 'Adelie'). Numbers are needed: leave the column out with `columns=`."
    )
