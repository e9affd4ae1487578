"""Files filled piece by piece: the same bytes as filled at once, whatever the pieces."""

import gc
import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import iim
from iim.exceptions import UnusableTable
from iim.files import Choice, Layout, fill_file, read_file, write_file
from iim.files.arrow import holes_in


def stream(imputer, data, **how):
    stdout = io.BytesIO()
    done = fill_file(
        imputer,
        "-",
        "-",
        layout=how.get("layout", Layout()),
        output_format=how.get("output"),
        choice=Choice(**how.get("choice", {})),
        stdin=io.BytesIO(data),
        stdout=stdout,
        tell=how.get("tell"),
    )
    return stdout.getvalue(), done


def csv_of(values, labels):
    lines = [
        ",".join([label, *("" if np.isnan(value) else f"{value:.3f}" for value in row)])
        for label, row in zip(labels, values, strict=True)
    ]
    return ("label,a,b,c\n" + "\n".join(lines) + "\n").encode()


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(0)
    values = random.normal(size=(300, 3))
    values[:, 2] = values[:, 0] + values[:, 1]
    values[random.random(values.shape) < 0.1] = np.nan
    labels = ['"two\nlines"' if row % 11 == 0 else f"r{row}" for row in range(300)]
    return csv_of(values, labels)


@pytest.mark.parametrize("method", ["mean", "knn"])
@pytest.mark.parametrize("block", [50, 777, 1 << 22])
def test_pieces_never_change_a_byte(table, method, block, monkeypatch):
    whole = read_file("-", Layout(), Choice(), stdin=io.BytesIO(table))
    imputer = iim.METHODS[method]().fit(whole.frame)
    expected = io.BytesIO()
    write_file(whole, imputer.transform(whole.frame), "-", stdout=expected)
    monkeypatch.setattr("iim.files.text.BLOCK", block)
    told = []
    written, done = stream(imputer, table, tell=told.append)
    assert written == expected.getvalue()
    assert done.n_rows == 300
    assert done.n_filled == {name: holes_in(whole.frame.column(name)).sum() for name in "abc"}
    assert done.passed == {"label": "not in the model"}
    assert told == sorted(told)


def test_parquet_in_pieces_is_parquet_at_once(monkeypatch):
    random = np.random.default_rng(1)
    frame = pa.table(
        {
            "n": pa.array([None if row % 5 == 0 else row for row in range(100)]),
            "x": pa.array(random.normal(size=100), mask=random.random(100) < 0.2),
            "t": pa.array(["a"] * 100),
        }
    )
    buffer = io.BytesIO()
    pq.write_table(frame, buffer)
    imputer = iim.KnnImputer(round_integers=True).fit(frame.select(["n", "x"]))
    at_once, _ = stream(imputer, buffer.getvalue())
    monkeypatch.setattr("iim.files.arrow.ROWS", 7)
    in_pieces, done = stream(imputer, buffer.getvalue())
    assert pq.read_table(io.BytesIO(in_pieces)).equals(pq.read_table(io.BytesIO(at_once)))
    assert pq.read_table(io.BytesIO(in_pieces)).schema == frame.schema
    assert done.n_filled == {"n": 20, "x": frame.column("x").null_count}


def test_columns_are_found_by_name_in_any_order():
    imputer = iim.MeanImputer().fit(pa.table({"a": [1.0, 3.0], "b": [10.0, 20.0]}))
    assert stream(imputer, b"b,note,a\n,x,\n1,y,2\n")[0] == b"b,note,a\n15,x,2\n1,y,2\n"
    with pytest.raises(UnusableTable, match=r"has no column 'a'.* The model needs it\."):
        stream(imputer, b"b,c\n1,2\n")


def test_models_of_some_columns_and_with_indicators():
    frame = pa.table({"t": ["x", "y"], "a": [1.0, 3.0], "b": [None, 20.0]})
    imputer = iim.MeanImputer(columns=["a", "b"], add_indicator=True).fit(frame)
    assert stream(imputer, b"a,b\n,\n")[0] == b"a,b\n2,20\n"


def test_columns_left_out_help_but_keep_their_holes():
    imputer = iim.MeanImputer().fit(pa.table({"a": [1.0, 3.0], "b": [10.0, 20.0]}))
    written, done = stream(imputer, b"a,b\n,\n", choice={"ignore": ("b",)})
    assert written == b"a,b\n2,\n"
    assert done.n_filled == {"a": 1}
    assert done.passed == {"b": "ignored"}


def test_what_the_model_calls_missing_is_missing():
    imputer = iim.MeanImputer(missing_values=[-200, "?"]).fit(pa.table({"a": [1.0, 3.0], "b": [1.0, 1.0]}))
    assert stream(imputer, b"a,b\n-200.0,1\n?,1\n-9,1\n", choice={"na": ("-9",)})[0] == (
        b"a,b\n2,1\n2,1\n2,1\n"
    )


def test_a_model_without_names_is_refused():
    imputer = iim.MeanImputer().fit(np.ones((3, 2)))
    with pytest.raises(UnusableTable, match="without column names"):
        stream(imputer, b"a,b\n1,2\n")


def test_a_column_that_is_text_in_parquet_is_refused():
    imputer = iim.MeanImputer().fit(pa.table({"a": [1.0, 3.0]}))
    buffer = io.BytesIO()
    pq.write_table(pa.table({"a": ["x"]}), buffer)
    with pytest.raises(UnusableTable, match="column 'a' is text, but the model fills it with numbers"):
        stream(imputer, buffer.getvalue())


def test_no_rows():
    imputer = iim.MeanImputer().fit(pa.table({"a": [1.0, 3.0]}))
    with pytest.raises(UnusableTable, match="has columns, but no rows"):
        stream(imputer, b"a\n")


def test_whole_numbers_do_not_depend_on_blocks(monkeypatch):
    imputer = iim.MeanImputer(round_integers=True).fit(pa.table({"a": [5.0, 7.0], "b": [1.5, 2.5]}))
    data = b"a,b\n" + b",1.5\n" * 50 + b"3,2.5\n,\n"
    at_once, _ = stream(imputer, data)
    monkeypatch.setattr("iim.files.text.BLOCK", 32)
    assert stream(imputer, data)[0] == at_once
    assert at_once == data.replace(b"\n,1.5", b"\n6,1.5").replace(b"\n,\n", b"\n6,2.0\n")


def test_numbers_of_text_are_floats_in_parquet_however_they_begin(monkeypatch):
    imputer = iim.MeanImputer(round_integers=True).fit(pa.table({"a": [5.0, 7.0], "b": [1.0, 3.0]}))
    monkeypatch.setattr("iim.files.text.BLOCK", 16)
    data = b"a,b,c\n" + b"1,2,x\n" * 20 + b"1.5,,y\n"
    for choice in ({}, {"ignore": ("a",)}):
        written, _ = stream(imputer, data, output="parquet", choice=choice)
        table = pq.read_table(io.BytesIO(written))
        assert table.schema.types == [pa.float64(), pa.float64(), pa.string()]
        assert table.column("a").to_pylist()[-1] == 1.5


def test_a_failure_on_the_way_to_parquet_says_nothing_more(tmp_path, monkeypatch, capfd):
    monkeypatch.setattr("iim.files.text.BLOCK", 64)
    imputer = iim.MeanImputer().fit(pa.table({"a": [5.0, 7.0], "b": [1.0, 3.0]}))
    (tmp_path / "t.csv").write_bytes(b"a,b\n" + b"1,2\n" * 200 + b"1,x\n")
    with pytest.raises(UnusableTable, match=r"'x' in line 202.*learn a model without it"):
        fill_file(
            imputer,
            str(tmp_path / "t.csv"),
            str(tmp_path / "t.parquet"),
            layout=Layout(),
            choice=Choice(),
            stdin=io.BytesIO(),
            stdout=io.BytesIO(),
        )
    gc.collect()
    assert capfd.readouterr() == ("", "")
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]
