"""Tables as they are: columns of any kind beside those that are filled, in every container."""

import pickle
from datetime import date

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from polars.testing import assert_frame_equal as assert_polars_equal
from sklearn import config_context
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline

import iim
from iim import MeanImputer
from strategies import untied

N_ROWS = 30
HUGE = 2**60 + 1
"""A whole number that float64 cannot hold."""

NUMBERS = ["a", "b", "count"]
OTHERS = ["text", "category", "day", "list", "huge"]
KEYS = ["mean", "knn", "glr", "iim"]


def cells():
    table = untied(N_ROWS, 2, seed=3)
    return {
        "text": ["x", None] * (N_ROWS // 2),
        "a": [None if row == 3 else value for row, value in enumerate(table[:, 0])],
        "category": ["u", "v", None] * (N_ROWS // 3),
        "b": [None if row in (3, 8) else value for row, value in enumerate(table[:, 1])],
        "day": [None, *[date(2024, 1, day) for day in range(1, N_ROWS)]],
        "list": [[1, 2]] * N_ROWS,
        "count": [None if row == 5 else int(4 * value) + HUGE for row, value in enumerate(table[:, 0])],
        "huge": [None if row == 7 else HUGE + row for row in range(N_ROWS)],
    }


def as_pandas():
    types = {"a": "float64", "b": "float32", "category": "category", "day": "datetime64[ns]"}
    types |= {"text": "string", "count": "Int64", "huge": "Int64", "list": "object"}
    frame = pd.DataFrame({name: pd.Series(column, dtype=types[name]) for name, column in cells().items()})
    frame.index = pd.MultiIndex.from_arrays([[2, 1] * (N_ROWS // 2), ["p"] * N_ROWS], names=["i", None])
    frame.columns.name = "names"
    frame.attrs["source"] = {"file": "sensors"}
    return frame


def as_arrow_backed():
    frame = as_pandas()
    return frame.astype({"a": "double[pyarrow]", "b": "float[pyarrow]", "count": "int64[pyarrow]"})


def as_polars():
    return pl.DataFrame(cells()).with_columns(
        pl.col("category").cast(pl.Categorical), pl.col("b").cast(pl.Float32)
    )


def as_pyarrow():
    return pa.table(cells())


FRAMES = {"pandas": as_pandas, "arrow-backed": as_arrow_backed, "polars": as_polars, "pyarrow": as_pyarrow}
every_frame = pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)


def plain(cell):
    if isinstance(cell, (list, np.ndarray)):
        return list(cell)
    return None if pd.isna(cell) else cell


def to_lists(frame):
    """Cells by column as plain Python objects, nulls as None."""
    if isinstance(frame, pd.DataFrame):
        return {name: list(map(plain, frame[name].tolist())) for name in frame}
    return frame.to_pydict() if isinstance(frame, pa.Table) else frame.to_dict(as_series=False)


def dtypes(frame):
    if isinstance(frame, pa.Table):
        return dict(zip(frame.schema.names, frame.schema.types, strict=True))
    return dict(frame.dtypes) if isinstance(frame, pd.DataFrame) else dict(frame.schema)


@every_frame
@pytest.mark.parametrize("key", KEYS)
def test_other_columns_pass_through_and_whole_numbers_stay(make, key):
    frame = make()
    imputer = iim.METHODS[key](columns=NUMBERS, round_integers=True)
    filled = imputer.fit_transform(frame)
    assert type(filled) is type(frame)
    assert dtypes(filled) == dtypes(frame)
    before, after = to_lists(make()), to_lists(filled)
    assert to_lists(frame) == before
    assert list(after) == list(before)
    mask = to_lists(imputer.imputed_mask(frame))
    for name, came in before.items():
        if name in OTHERS:
            assert after[name] == came
            assert not any(mask[name])
        else:
            assert mask[name] == [cell is None for cell in came]
            kept = [cell for cell, new in zip(after[name], mask[name], strict=True) if not new]
            assert kept == [cell for cell in came if cell is not None]
            assert None not in after[name]
    assert isinstance(after["count"][5], int)


@pytest.mark.parametrize("make", [as_pandas, as_arrow_backed])
def test_pandas_keeps_index_names_and_notes(make):
    frame = make()
    imputer = MeanImputer(columns=NUMBERS, add_indicator=True).fit(frame)
    for result in (imputer.transform(frame), imputer.imputed_mask(frame)):
        pd.testing.assert_index_equal(result.index, frame.index)
        assert result.columns.name == "names"
        assert result.attrs == {"source": {"file": "sensors"}}
        assert result.attrs["source"] is not frame.attrs["source"]


@pytest.mark.parametrize(
    "index",
    [[1, 1, 1, 0], pd.date_range("2024", periods=4)[::-1], ["b", None, "a", "b"], [0.5, np.nan, 1, 2]],
    ids=["repeated", "dates", "text", "numbers"],
)
def test_any_index_is_kept(index):
    frame = pd.DataFrame({"t": list("abcd"), "a": [1.0, np.nan, 3.0, 5.0]}, index=index)
    imputer = MeanImputer(columns=["a"])
    filled = imputer.fit_transform(frame)
    pd.testing.assert_index_equal(filled.index, frame.index)
    assert filled["a"].tolist() == [1.0, 3.0, 3.0, 5.0]
    pd.testing.assert_index_equal(imputer.imputed_mask(frame).index, frame.index)


@pytest.mark.parametrize(
    ("dtype", "with_holes", "whole"),
    [
        ("float64", "float64", "float64"),
        ("float32", "float32", "float32"),
        ("float16", "float64", "float64"),
        ("Float64", "Float64", "Float64"),
        ("Float32", "Float32", "Float32"),
        ("double[pyarrow]", "double[pyarrow]", "double[pyarrow]"),
        ("Int8", "float64", "Int8"),
        ("UInt64", "float64", "UInt64"),
        ("uint8[pyarrow]", "float64", "uint8[pyarrow]"),
        ("boolean", "float64", "boolean"),
        ("bool[pyarrow]", "float64", "bool[pyarrow]"),
        ("object", "float64", "float64"),
        ("category", "float64", "float64"),
        ("Sparse[float]", "float64", "float64"),
    ],
)
def test_what_becomes_of_dtypes_in_pandas(dtype, with_holes, whole):
    values = [True, False, True, None] if "bool" in dtype else [1, 4, 4, None]
    frame = pd.DataFrame({"v": pd.Series(values, dtype=dtype), "w": [1.0, 2.0, 3.0, 4.0]})
    assert MeanImputer().fit_transform(frame)["v"].dtype == with_holes
    filled = MeanImputer(round_integers=True).fit_transform(frame)["v"]
    assert filled.dtype == whole
    assert filled.tolist() == (
        [True, False, True, True]
        if whole.startswith("bool")
        else [1, 4, 4, *([1.0] if "bool" in dtype else [3])]
    )
    full = frame.iloc[:3].copy()
    pd.testing.assert_frame_equal(MeanImputer().fit_transform(full), full)


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64, np.uint64])
def test_whole_number_arrays_stay_when_filled_with_whole_numbers(dtype):
    top = np.iinfo(dtype).max
    table = np.array([[1, 7], [4, 99], [5, top]], dtype=dtype)
    filled = MeanImputer(missing_values=99, columns=[0, 1]).fit_transform(table)
    assert filled.dtype == np.float64
    filled = MeanImputer(missing_values=99, round_integers=True, max_value=20).fit_transform(table)
    assert filled.dtype == dtype
    assert filled.tolist() == [[1, 7], [4, 20], [5, int(top)]]
    marked = MeanImputer(missing_values=99, round_integers=True, max_value=20, add_indicator=True)
    assert marked.fit_transform(table).tolist() == [[1, 7, 0], [4, 20, 1], [5, int(top), 0]]
    assert marked.transform(table).dtype == dtype


def test_a_column_that_was_not_whole_at_fit_is_not_rounded():
    imputer = MeanImputer(missing_values=-1, round_integers=True).fit([[0.5, 1], [1.0, 2]])
    filled = imputer.transform(np.array([[-1, -1]]))
    assert filled.dtype == np.float64
    assert filled.tolist() == [[0.75, 2.0]]


def object_table():
    table = np.empty((4, 4), dtype=object)
    table[:, 0] = [1, 2.0, None, 4]
    table[:, 1] = ["x", None, "y", "z"]
    table[:, 2] = [HUGE, None, 3, 4]
    table[:, 3] = [0.5, np.nan, 2, 1]
    return table


def test_arrays_of_objects_keep_what_they_must():
    table = object_table()
    imputer = MeanImputer(columns=[0], add_indicator=True)
    filled = imputer.fit_transform(table)
    assert filled.dtype == object
    assert filled[:, 0].tolist() == [1, 2.0, 7 / 3, 4]
    assert filled[:, 1].tolist() == ["x", None, "y", "z"]
    assert filled[:, 2].tolist() == [HUGE, None, 3, 4]
    assert filled[:, 4].tolist() == [0.0, 0.0, 1.0, 0.0]
    assert type(filled[0, 4]) is float
    mask = imputer.imputed_mask(table)
    assert mask.dtype == bool
    assert np.argwhere(mask).tolist() == [[2, 0]]
    assert imputer.get_feature_names_out().tolist() == ["x0", "x1", "x2", "x3", "missingindicator_x0"]


def test_arrays_of_objects_become_floats_if_nothing_is_lost():
    filled = MeanImputer(columns=[0]).fit_transform(object_table()[:, [0, 3]])
    assert filled.dtype == np.float64
    assert filled[2].tolist() == [7 / 3, 2.0]
    assert np.isnan(filled[1, 1])
    assert MeanImputer(columns=[0]).fit_transform(object_table()[:, [0, 2]]).dtype == object


def test_lists_with_text_are_read_cell_by_cell():
    filled = MeanImputer(columns=[0, 1]).fit_transform([[1.0, 2, "x"], [None, 4, "y"], [3, None, "z"]])
    assert filled.tolist() == [[1.0, 2, "x"], [2.0, 4, "y"], [3, 3.0, "z"]]


def test_masked_arrays_become_plain():
    whole = np.ma.masked_equal(np.array([[1, 5], [4, -1], [7, 6]]), -1)
    filled = MeanImputer(round_integers=True).fit_transform(whole)
    assert not isinstance(filled, np.ma.MaskedArray)
    assert filled.tolist() == [[1, 5], [4, 6], [7, 6]]
    single = np.ma.masked_invalid(np.array([[1, np.nan], [2, 3]], dtype=np.float32))
    assert MeanImputer().fit_transform(single).dtype == np.float32
    assert single.mask.sum() == 1


def test_float16_arrays_become_float64():
    assert (
        MeanImputer().fit_transform(np.array([[1, np.nan], [2, 3]], dtype=np.float16)).dtype == np.float64
    )


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (
            pd.DataFrame([[1.0, 2.0]], columns=pd.MultiIndex.from_product([["a"], ["b", "c"]])),
            r"of the columns have 2 levels \(a pandas MultiIndex\); one is needed\. Flatten them first",
        ),
        (
            np.zeros(3, dtype=[("a", float), ("b", int)]),
            r"a structured array, with the fields 'a', 'b'\. Make",
        ),
        (
            pd.DataFrame({"v": [1.0, 2.0], "height": [1, "n/a"]}),
            r"Column 'height' holds text in 1 of 2 rows \(first: row 1, 'n/a'\)\. Mark it as missing with "
            r"`missing_values=\['n/a'\]` .*, or leave the column out with `columns=`\.$",
        ),
        (
            pd.DataFrame({"d": pd.to_datetime(["2024-01-01"])}),
            r"numeric, or leave the column out with `columns=`",
        ),
        (
            pd.DataFrame({"o": [[1], [2]]}),
            r"Column 'o' holds \[1\] in row 0: .* leave the column out with `col",
        ),
    ],
)
def test_tables_that_cannot_be_used_say_what_to_do(table, message):
    with pytest.raises(iim.UnusableTable, match=message):
        MeanImputer().fit(table)


def test_functions_that_read_all_columns_give_other_advice():
    with pytest.raises(iim.UnusableTable, match=r"or leave the column out of the table\.$"):
        iim.diagnose(pd.DataFrame({"v": [1.0, 2.0], "height": [1, "n/a"]}))


@pytest.mark.parametrize("kind", ["pandas", "polars"])
@every_frame
def test_set_output_keeps_the_types_of_columns(make, kind):
    frame = make()
    imputer = MeanImputer(columns=NUMBERS, round_integers=True, add_indicator=True).set_output(
        transform=kind
    )
    filled, mask = imputer.fit_transform(frame), imputer.imputed_mask(frame)
    for result in (filled, mask):
        assert type(result).__module__.split(".")[0] == kind
    assert list(filled.columns) == list(imputer.get_feature_names_out())
    assert list(mask.columns) == list(filled.columns)[:8]
    assert set(map(str, dtypes(mask).values())) <= {"bool", "Boolean"}
    lists = to_lists(filled)
    assert lists["text"] == cells()["text"]
    assert lists["count"][:5] == cells()["count"][:5]
    assert "int" in str(filled["count"].dtype).lower()
    assert to_lists(mask)["b"] == [row in (3, 8) for row in range(N_ROWS)]
    if isinstance(frame, pd.DataFrame) and kind == "pandas":
        pd.testing.assert_index_equal(mask.index, frame.index)


def test_set_output_for_everything():
    with config_context(transform_output="polars"):
        imputer = MeanImputer(columns=[0]).fit(object_table())
        assert isinstance(imputer.transform(object_table()), pl.DataFrame)
        assert imputer.imputed_mask(object_table()).columns == ["x0", "x1", "x2", "x3"]


def test_names_that_are_no_text_become_text_beside_indicators():
    frame = pd.DataFrame(untied(20, 3))
    frame.iloc[2, 1] = np.nan
    plain = MeanImputer().fit(frame)
    assert (
        plain.transform(frame).columns.tolist() == plain.imputed_mask(frame).columns.tolist() == [0, 1, 2]
    )
    marked = MeanImputer(add_indicator=True).fit(frame)
    assert marked.transform(frame).columns.tolist() == ["0", "1", "2", "missingindicator_1"]
    assert marked.imputed_mask(frame).columns.tolist() == ["0", "1", "2"]
    # scikit-learn refuses a mix of names.
    assert make_pipeline(marked, MeanImputer()).fit_transform(frame).shape == (20, 4)


def test_empty_columns_among_others():
    frame = pd.DataFrame({"t": ["x", "y"], "gone": [None, None], "v": [1.0, None]})
    with pytest.warns(iim.ImputationWarning, match="1 of 2 columns: 'gone'"):
        imputer = MeanImputer(columns=["gone", "v"]).fit(frame)
    assert imputer.transform(frame).columns.tolist() == ["t", "v"]
    assert imputer.imputed_mask(frame).to_numpy().tolist() == [[False, False], [False, True]]
    # A column that is left out and empty is no matter.
    assert MeanImputer(columns=["v"]).fit_transform(frame).columns.tolist() == ["t", "gone", "v"]
    with pytest.warns(iim.ImputationWarning):
        kept = MeanImputer(columns=["gone", "v"], keep_empty_features=True).fit(frame)
    assert kept.transform(frame)["gone"].tolist() == [0.0, 0.0]
    assert kept.imputed_mask(frame).columns.tolist() == ["t", "gone", "v"]


def test_an_empty_column_of_whole_numbers_is_kept_as_one():
    frame = pd.DataFrame({"n": pd.array([None, None], dtype="Int16"), "v": [1.0, 2.0]})
    with pytest.warns(iim.ImputationWarning):
        filled = MeanImputer(keep_empty_features=True, round_integers=True).fit_transform(frame)
    assert filled["n"].dtype == "Int16"


def test_the_whole_table_is_checked_at_transform():
    frame = as_pandas()
    imputer = MeanImputer(columns=NUMBERS).fit(frame)
    with pytest.raises(ValueError, match="feature names should match"):
        imputer.transform(frame.rename(columns={"text": "words"}))
    with pytest.raises(ValueError, match="X has 3 features, but MeanImputer is expecting 4"):
        MeanImputer(columns=[0]).fit(object_table()).transform(object_table()[:, :3])


def test_in_company():
    frame = as_pandas()
    imputer = MeanImputer(columns=NUMBERS, max_value={"b": "observed"}, round_integers=True).fit(frame)
    expected = imputer.transform(frame)
    for other in (pickle.loads(pickle.dumps(imputer)), clone(imputer).fit(frame)):
        pd.testing.assert_frame_equal(other.transform(frame), expected)
        pd.testing.assert_frame_equal(other.imputed_mask(frame), imputer.imputed_mask(frame))
    chosen = ColumnTransformer([("fill", MeanImputer(columns=[1]), ["text", "a"])], remainder="drop")
    filled = chosen.set_output(transform="pandas").fit_transform(frame)
    assert filled["fill__a"].tolist() == expected["a"].tolist()
    numbers = frame[["a", "b"]].reset_index(drop=True)
    model = make_pipeline(MeanImputer(columns=["a", "b"]), LinearRegression())
    assert model.fit(numbers, np.arange(N_ROWS)).predict(numbers).shape == (N_ROWS,)


def test_polars_frames_are_not_changed():
    frame = as_polars()
    before = frame.clone()
    MeanImputer(columns=NUMBERS, round_integers=True).fit_transform(frame)
    assert_polars_equal(frame, before)


def test_single_precision_stays_within_bounds():
    table = np.array([[1, 5], [2, np.nan], [3, 6]], dtype=np.float32)
    filled = MeanImputer(max_value=0.1).fit_transform(table)
    assert filled.dtype == np.float32
    assert float(filled[1, 1]) <= 0.1
    for frame in (pd.DataFrame(table), pl.DataFrame(table, schema=["a", "b"])):
        filled = MeanImputer(max_value=0.1).fit_transform(frame)
        assert filled.to_numpy().dtype == np.float32
        assert float(filled.to_numpy()[1, 1]) <= 0.1
