"""Folders of Parquet files as tables: found, described, read, written."""

import dask
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import iim
from iim.cluster import parquet
from iim.cluster.parquet import open_folder, table_to_fill, table_to_learn, without_ids, write_tasks
from iim.exceptions import UnusableTable
from iim.files import Choice
from parquet_folders import measurements, read_folder, write_folder


@pytest.fixture(autouse=True)
def _in_this_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture
def folder(tmp_path):
    return write_folder(tmp_path / "data", measurements())


def learn(folder, **choice):
    table = table_to_learn(open_folder(str(folder)), Choice(**choice))
    return without_ids(table, wanted="columns" in choice)


def to_fill(folder, *columns, used=None, **choice):
    """Described for a model that was learned from these columns."""
    frame = pd.DataFrame({name: [0.0, 1.0] for name in columns})
    imputer = iim.MeanImputer(columns=used, missing_values=[-99]).fit(frame)
    return table_to_fill(open_folder(str(folder)), Choice(**choice), imputer)


def write(folder, *tables):
    folder.mkdir(exist_ok=True)
    for at, table in enumerate(tables):
        pq.write_table(pa.table(table), folder / f"{at}.parquet")
    return folder


def fill(table, target, fills):
    target.mkdir()
    filled = table.dask().fillna(fills)
    return dask.compute(*write_tasks(table, filled, target))


# Files


def test_files_are_in_the_order_of_their_numbers_and_what_lies_beside_is_left_out(folder):
    for name in ("_metadata.parquet", ".hidden.parquet", "notes.txt", "_SUCCESS"):
        (folder / name).write_bytes(b"")
    (folder / ".iim-0.part").mkdir()
    (folder / ".iim-0.part" / "part-0.parquet").write_bytes(b"")
    assert list(open_folder(str(folder)).schemas) == [
        str(folder / f"part-{number}.parquet") for number in (0, 5, 10)
    ]


def test_folders_that_are_called_as_files_are_looked_into(tmp_path):
    write(tmp_path / "data", {"a": [0.5]})
    write(tmp_path / "data" / "1.parquet", {"a": [1.5]})
    (tmp_path / "data" / "1.parquet" / "0.parquet").rename(tmp_path / "data" / "1.parquet" / "0.PQ")
    folder = open_folder(str(tmp_path / "data"))
    assert [piece.output for piece in folder.pieces] == ["0.parquet", "1.parquet/0.PQ"]


def test_a_file_that_is_no_parquet(folder):
    (folder / "part-5.parquet").write_bytes(b"PAR1 nothing")
    with pytest.raises(
        UnusableTable, match=r"part-5.parquet cannot be read as Parquet: .*It may be damaged"
    ):
        open_folder(str(folder))


def test_two_columns_of_one_name(tmp_path):
    (tmp_path / "data").mkdir()
    twice = pa.Table.from_arrays([pa.array([1.0]), pa.array([2.0])], names=["a", "a"])
    pq.write_table(twice, tmp_path / "data" / "0.parquet")
    with pytest.raises(UnusableTable, match=r"0.parquet: two columns are called 'a'"):
        open_folder(str(tmp_path / "data"))


# Columns


def test_numbers_are_learned_from_and_the_rest_is_named(folder):
    table = learn(folder)
    assert table.reader.columns == table.filled == ("x", "y", "z", "k")
    assert dict(table.passed) == {"id": "id", "station": "text", "day": "date"}
    assert (table.n_rows, len(table.folder.schemas), len(table.folder.pieces)) == (240, 3, 3)
    assert learn(folder, columns=("id", "x")).filled == ("id", "x")
    assert learn(folder, ignore=("x", "k")).passed["x"] == "ignored"


def test_an_id_is_without_doubles_in_each_file(tmp_path):
    a = {"nr": [1, 2, 3], "key": [1, 2, 2], "row": [1, None, 3], "a": [0.5, 1.5, 2.5]}
    table = learn(write(tmp_path / "data", a, a, {name: cells[:1] for name, cells in a.items()}))
    assert dict(table.passed) == {"nr": "id"}


def test_columns_without_a_value_are_empty(tmp_path):
    nan = float("nan")
    table = {
        "a": [1.0, 2.0],
        "null": pa.nulls(2),
        "nan": [nan, None],
        "marked": [-9, -9],
        "flag": [True, None],
        "none": pa.array([None, None], pa.bool_()),
    }
    found = learn(write(tmp_path / "data", table), na=("-9",))
    assert found.filled == ("a", "flag")
    assert set(found.passed.values()) == {"empty"}
    # One file that has a value is enough.
    write(tmp_path / "data", {**table, "a": pa.nulls(2)}, {**table, "nan": [nan, 4.0]})
    assert learn(tmp_path / "data", na=("-9",)).filled == ("a", "nan", "flag")


def test_types_that_go_together(tmp_path):
    folder = write(
        tmp_path / "data",
        {"a": pa.array([1, 2], pa.int32()), "b": [1, 2]},
        {"a": pa.array([1, None], pa.int64()), "b": [0.5, None]},
        {"a": pa.nulls(1), "b": pa.nulls(1)},
    )
    table = learn(folder)
    assert dict(table.reader.types) == {"a": pa.int64(), "b": pa.float64()}
    frame = table.dask().compute()
    assert frame["a"].tolist()[:3] == [1, 2, 1]
    assert frame["b"].dropna().tolist() == [1.0, 2.0, 0.5]
    assert len(frame) == 5


def test_types_that_do_not_go_together(tmp_path):
    folder = write(tmp_path / "data", {"a": [True, False]}, {"a": [1, 2]})
    with pytest.raises(
        UnusableTable, match=r"column 'a' has types that cannot be combined \(bool in .*int64"
    ):
        learn(folder)
    write(folder, {"a": [1.0]}, {"a": ["x"]})
    with pytest.raises(
        UnusableTable, match=r"column 'a' has types that cannot .*double in .*0.parquet, string in .*1.parq"
    ):
        learn(folder)
    write(folder, {"a": [2**53 + 1]}, {"a": [0.5]})
    with pytest.raises(
        UnusableTable, match=r"0.parquet: column 'a' is int64 there and double in other files"
    ):
        learn(folder)


def test_names_that_no_file_or_not_every_file_has(tmp_path):
    folder = write(tmp_path / "data", {"a": [1.0], "b": [1.0]}, {"a": [1.0]})
    with pytest.raises(UnusableTable, match="data has no column 'c'"):
        learn(folder, ignore=("c",))
    with pytest.raises(UnusableTable, match=r"1.parquet has no column 'b', which other files have"):
        learn(folder)
    assert learn(folder, ignore=("b",)).filled == ("a",)


def test_tables_without_rows_or_numbers(tmp_path):
    folder = write(tmp_path / "data", {"a": pa.array([], pa.float64())})
    with pytest.raises(UnusableTable, match="data has columns, but no rows"):
        learn(folder)
    write(folder, {"a": ["x"]})
    with pytest.raises(UnusableTable, match=r"data has no column of numbers to work with \('a': text\)"):
        learn(folder)
    with pytest.raises(
        UnusableTable, match=r"column 'a' is string, where numbers are needed. Leave it out of"
    ):
        learn(folder, columns=("a",))


def test_what_a_model_needs(tmp_path):
    folder = write(tmp_path / "data", {"aa": [1.0], "b": ["x"]})
    with pytest.raises(UnusableTable, match=r"data has no column 'a'. Did you mean 'aa'\? The model needs"):
        to_fill(folder, "a")
    with pytest.raises(UnusableTable, match="column 'b' is string, but the model fills it with numbers"):
        to_fill(folder, "b")


# Pieces


def test_large_files_are_cut_between_row_groups(folder, monkeypatch):
    monkeypatch.setattr(parquet, "PIECE_BYTES", 1)
    table = learn(folder)
    assert [len(part) for part in dask.compute(*table.dask().to_delayed())] == [50, 30] * 3
    assert table.dask()["x"].compute().tolist() == measurements()["x"].to_pylist()
    assert [piece.output for piece in table.folder.pieces][:2] == [
        "part-0.parquet/00000.parquet",
        "part-0.parquet/00001.parquet",
    ]


@pytest.mark.parametrize("piece_bytes", [1, 2**20], ids=["cut", "whole"])
def test_what_is_written_differs_in_holes_only(folder, tmp_path, monkeypatch, piece_bytes):
    monkeypatch.setattr(parquet, "PIECE_BYTES", piece_bytes)
    table = to_fill(folder, "k", "z", "other", used=["k", "z"])
    assert table.passed["id"] == "not in the model"
    assert table.reader.columns == ("k", "z", "other")
    counts = fill(table, tmp_path / "out", {"k": 5, "z": 0.25})
    original, written = measurements(), read_folder(tmp_path / "out")
    assert written.schema.equals(original.schema)
    assert written["k"].to_pylist() == original["k"].fill_null(5).to_pylist()
    assert written["z"].to_pylist() == original["z"].fill_null(0.25).to_pylist()
    for name in ("id", "station", "x", "y", "day"):
        assert written[name].combine_chunks().equals(original[name].combine_chunks())
    assert sum(each["k"] for each in counts) == original["k"].null_count
    assert not list((tmp_path / "out").glob(".*"))


def test_known_whole_numbers_beyond_floats_are_kept(tmp_path):
    large = [2**53 + 1, 2**63 - 1, None, -(2**63)]
    folder = write(tmp_path / "data", {"a": large, "id": large, "b": [1.5, 2.5, None, 0.5]})
    fill(to_fill(folder, "a", "b"), tmp_path / "out", {"a": 7, "b": 1.0})
    written = read_folder(tmp_path / "out")
    assert written["a"].to_pylist() == [2**53 + 1, 2**63 - 1, 7, -(2**63)]
    assert written["id"].to_pylist() == large
    assert written.schema.field("a").type == pa.int64()


def test_columns_left_out_help_and_keep_their_holes(folder, tmp_path):
    table = to_fill(folder, "k", "z", ignore=("k",))
    assert (table.reader.columns, table.filled) == (("k", "z"), ("z",))
    assert table.passed["k"] == "ignored"
    fill(table, tmp_path / "out", {"k": 5, "z": 0.25})
    assert read_folder(tmp_path / "out")["k"].null_count == measurements()["k"].null_count


def test_types_of_each_file_stay(tmp_path):
    folder = write(
        tmp_path / "data",
        {"a": pa.array([1, None], pa.int32()), "d": pa.array([1, None], pa.decimal128(5, 2))},
        {"a": pa.array([-99, 2], pa.int64()), "d": pa.array([None, 2], pa.decimal128(5, 2))},
        {"a": pa.nulls(2), "d": pa.nulls(2)},
        {"a": pa.array([], pa.int64()), "d": pa.nulls(0)},
    )
    fill(to_fill(folder, "a", "d"), tmp_path / "out", {"a": 7, "d": 0.125})
    tables = [pq.read_table(tmp_path / "out" / f"{at}.parquet") for at in range(4)]
    assert [each.schema.types for each in tables] == [
        [pa.int32(), pa.decimal128(5, 2)],
        [pa.int64(), pa.decimal128(5, 2)],
        [pa.int64(), pa.float64()],
        [pa.int64(), pa.float64()],
    ]
    assert [each["a"].to_pylist() for each in tables] == [[1, 7], [7, 2], [7, 7], []]
    assert [float(cell) for cell in tables[0]["d"].to_pylist()] == [1.0, 0.12]


def test_folders_in_folders_are_written_to_such_folders(tmp_path):
    for year in (2025, 2026):
        write(tmp_path / "data", {"a": [0.5]})
        write(tmp_path / "data" / f"year={year}", {"a": [float(year)]})
    fill(to_fill(tmp_path / "data", "a"), tmp_path / "out", {"a": 0.0})
    found = {
        path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.parquet")
    }
    assert found == {"0.parquet", "year=2025/0.parquet", "year=2026/0.parquet"}


@pytest.mark.parametrize("compression", ["none", "zstd", "gzip"])
def test_a_file_keeps_its_compression_and_row_groups(tmp_path, compression):
    (tmp_path / "data").mkdir()
    table = pa.table({"a": [1.0, None, 3.0]})
    pq.write_table(table, tmp_path / "data" / "0.parquet", compression=compression, row_group_size=2)
    fill(to_fill(tmp_path / "data", "a"), tmp_path / "out", {"a": 0.0})
    before, after = (pq.read_metadata(tmp_path / name / "0.parquet") for name in ("data", "out"))
    assert before.row_group(0).column(0).compression == after.row_group(0).column(0).compression
    assert after.num_row_groups == 2
