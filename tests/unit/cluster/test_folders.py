"""Folders of Parquet files as tables: found, looked at, read, written."""

from dataclasses import replace

import dask
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from iim.cluster.folders import (
    as_dask,
    describe_to_fill,
    describe_to_learn,
    describing,
    find_files,
    write_pieces,
)
from iim.cluster.folders.finding import file_system
from iim.cluster.parted.storage import folder_at
from iim.exceptions import MissingDependency, UnusableFile, UnusableTable
from iim.files import Choice
from parquet_folders import measurements, read_folder, write_folder


@pytest.fixture(autouse=True)
def here():
    """Tasks run in this thread."""
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture
def folder(tmp_path):
    return write_folder(tmp_path / "data", measurements())


def learn(folder, **choice):
    return describe_to_learn("data", find_files(str(folder)), Choice(**choice))


def write(folder, *tables):
    folder.mkdir(exist_ok=True)
    for at, table in enumerate(tables):
        pq.write_table(pa.table(table), folder / f"{at}.parquet")
    return folder


# Files


def test_files_are_in_the_order_of_their_numbers(folder):
    assert [found.path for found in find_files(str(folder))] == [
        str(folder / f"part-{number}.parquet") for number in (0, 5, 10)
    ]


def test_what_lies_beside_data_is_left_out(folder):
    for name in ("_SUCCESS", "_metadata.parquet", ".hidden.parquet", "notes.txt"):
        (folder / name).write_bytes(b"")
    (folder / ".iim-0.part").mkdir()
    (folder / ".iim-0.part" / "part-0.parquet").write_bytes(b"")
    assert len(find_files(str(folder))) == 3


def test_folders_in_folders_are_remembered(tmp_path):
    for year in (2025, 2026):
        inner = tmp_path / f"year={year}"
        inner.mkdir()
        pq.write_table(pa.table({"a": [1.0]}), inner / "a.parquet")
    assert [found.folder for found in find_files(str(tmp_path))] == ["year=2025", "year=2026"]


def test_a_single_file_is_a_folder_of_one(folder):
    (found,) = find_files(str(folder / "part-0.parquet"))
    assert (found.path, found.folder) == (str(folder / "part-0.parquet"), "")


def test_where_there_is_nothing_to_read(tmp_path):
    with pytest.raises(FileNotFoundError, match="No such file"):
        find_files(str(tmp_path / "absent"))
    with pytest.raises(UnusableTable, match=r"has no Parquet files: one whose name ends in .parquet"):
        find_files(str(tmp_path))
    (tmp_path / "a.csv").write_text("a\n1\n")
    with pytest.raises(UnusableTable, match=r"a.csv is no Parquet file by its name. With --engine dask"):
        find_files(str(tmp_path / "a.csv"))


def test_addresses_that_nobody_knows(monkeypatch):
    with pytest.raises(UnusableFile, match="'odd://place' is no address that fsspec knows"):
        find_files("odd://place")

    def fail(*_, **__):
        raise ImportError("Install s3fs to access S3")

    monkeypatch.setattr("fsspec.core.url_to_fs", fail)
    with pytest.raises(MissingDependency, match=r"'s3://b': Install s3fs to access S3."):
        file_system("s3://b")


def test_a_file_that_is_no_parquet(folder):
    (folder / "part-5.parquet").write_bytes(b"PAR1 nothing")
    with pytest.raises(
        UnusableTable, match=r"part-5.parquet cannot be read as Parquet: .*It may be damaged"
    ):
        learn(folder)


# Columns


def test_numbers_are_learned_from_and_the_rest_is_named(folder):
    table = learn(folder)
    assert table.frame == table.filled == ("x", "y", "z", "k")
    assert dict(table.passed) == {"id": "id", "station": "text", "day": "dates"}
    assert (table.n_rows, table.n_files, len(table.pieces)) == (240, 3, 3)
    assert learn(folder, columns=("id", "x")).frame == ("id", "x")
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
    folder = write(tmp_path / "data", table)
    found = learn(folder, na=("-9",))
    assert found.frame == ("a", "flag")
    assert set(found.passed.values()) == {"empty"}
    # One file that knows a value is enough.
    write(tmp_path / "data", {**table, "a": pa.nulls(2)}, {**table, "nan": [nan, 4.0]})
    found = learn(folder, na=("-9",))
    assert found.frame == ("a", "nan", "flag")


def test_types_that_go_together(tmp_path):
    folder = write(
        tmp_path / "data",
        {"a": pa.array([1, 2], pa.int32()), "b": [1, 2]},
        {"a": pa.array([1, None], pa.int64()), "b": [0.5, None]},
        {"a": pa.nulls(1), "b": pa.nulls(1)},
    )
    table = learn(folder)
    assert dict(table.types) == {"a": pa.int64(), "b": pa.float64()}
    frame = as_dask(table).compute()
    assert frame["a"].tolist()[:3] == [1, 2, 1]
    assert frame["b"].dropna().tolist() == [1.0, 2.0, 0.5]
    assert len(frame) == 5


def test_types_that_do_not_go_together(tmp_path):
    folder = write(tmp_path / "data", {"a": [True, False]}, {"a": [1, 2]})
    with pytest.raises(
        UnusableTable, match=r"column 'a' has types that do not go together \(bool in .*int64"
    ):
        learn(folder)
    write(tmp_path / "data", {"a": [2**53 + 1]}, {"a": [0.5]})
    table = learn(folder, columns=("a",))
    with pytest.raises(
        UnusableTable, match=r"0.parquet: column 'a' is int64 there and double in other files"
    ):
        as_dask(table).compute()


def test_a_column_of_mostly_numbers_is_one_of_numbers(tmp_path):
    numbers, words = {"a": [1.0] * 3, "b": [0.0] * 3}, {"a": ["x"] * 2, "b": [0.0] * 2}
    folder = write(tmp_path / "data", numbers, words)
    assert learn(folder).frame == ("a", "b")
    write(folder, numbers, {"a": ["x"] * 4, "b": [0.0] * 4})
    assert dict(learn(folder).passed) == {"a": "text"}
    with pytest.raises(
        UnusableTable, match=r"column 'a' is text, where numbers are needed. Leave it out of"
    ):
        learn(folder, columns=("a", "b"))


def test_names_that_no_file_or_not_every_file_has(tmp_path):
    folder = write(tmp_path / "data", {"a": [1.0], "b": [1.0]}, {"a": [1.0]})
    with pytest.raises(UnusableTable, match="data has no column 'c'"):
        learn(folder, ignore=("c",))
    with pytest.raises(UnusableTable, match=r"1.parquet has no column 'b', which other files of data have"):
        learn(folder)
    assert learn(folder, ignore=("b",)).frame == ("a",)


def test_tables_without_rows_or_numbers(tmp_path):
    folder = write(tmp_path / "data", {"a": pa.array([], pa.float64())})
    with pytest.raises(UnusableTable, match="data has columns, but no rows"):
        learn(folder)
    write(folder, {"a": ["x"]})
    with pytest.raises(UnusableTable, match=r"data has no column of numbers to work with \('a': text\)"):
        learn(folder)


# Pieces


def test_large_files_are_cut_between_groups_of_rows(folder, monkeypatch):
    monkeypatch.setattr(describing, "PIECE_BYTES", 1)
    table = learn(folder)
    assert [piece.n_rows for piece in table.pieces] == [50, 30] * 3
    assert as_dask(table)["x"].compute().tolist() == measurements()["x"].to_pylist()


def to_fill(folder, names, used=None, **choice):
    return describe_to_fill(
        "data",
        find_files(str(folder)),
        Choice(**choice),
        columns=(names, used or names),
        markers=("-99",),
    )


def test_what_is_written_differs_in_holes_only(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(describing, "PIECE_BYTES", 1)
    table = to_fill(folder, ["k", "z", "other"], ["k", "z"])
    assert dict(table.passed)["id"] == "not in the model"
    ddf = as_dask(table)
    assert ddf.columns.tolist() == ["k", "z", "other"]
    target = folder_at(tmp_path / "out", None)
    counts = dask.compute(*write_pieces(table, ddf.fillna({"k": 5, "z": 0.25}), target))
    original, written = measurements(), read_folder(tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        f"part-{at:05}.parquet" for at in range(6)
    ]
    assert written.schema.equals(original.schema)
    assert written["k"].to_pylist() == original["k"].fill_null(5).to_pylist()
    assert written["z"].to_pylist() == original["z"].fill_null(0.25).to_pylist()
    for name in ("id", "station", "x", "y", "day"):
        assert written[name].equals(original[name])
    assert sum(each["k"] for each in counts) == original["k"].null_count


def test_columns_left_out_help_and_keep_their_holes(folder, tmp_path):
    table = to_fill(folder, ["k", "z"], ignore=("k",))
    assert (table.frame, table.filled, table.passed["k"]) == (("k", "z"), ("z",), "ignored")
    filled = as_dask(table).fillna({"k": 5, "z": 0.25})
    dask.compute(*write_pieces(table, filled, folder_at(tmp_path / "out", None)))
    assert read_folder(tmp_path / "out")["k"].null_count == measurements()["k"].null_count


def test_types_of_each_file_stay(tmp_path):
    folder = write(
        tmp_path / "data",
        {"a": pa.array([1, None], pa.int32()), "d": pa.array([1, None], pa.decimal128(5, 2))},
        {"a": pa.array([-99, 2], pa.int64()), "d": pa.array([None, 2], pa.decimal128(5, 2))},
        {"a": pa.nulls(2), "d": pa.nulls(2)},
    )
    table = to_fill(folder, ["a", "d"])
    filled = as_dask(table).fillna({"a": 7, "d": 0.125})
    dask.compute(*write_pieces(table, filled, folder_at(tmp_path / "out", None)))
    tables = [pq.read_table(tmp_path / "out" / f"part-0000{at}.parquet") for at in range(3)]
    assert [each.schema.types for each in tables] == [
        [pa.int32(), pa.decimal128(5, 2)],
        [pa.int64(), pa.decimal128(5, 2)],
        [pa.int64(), pa.float64()],
    ]
    assert [each["a"].to_pylist() for each in tables] == [[1, 7], [7, 2], [7, 7]]
    assert [float(cell) for cell in tables[0]["d"].to_pylist()] == [1.0, 0.12]


def test_folders_in_folders_are_written_to_such_folders(tmp_path):
    for year in (2025, 2026):
        write(tmp_path / "data", {"a": [0.5]})
        write(tmp_path / "data" / f"year={year}", {"a": [float(year)]})
    table = to_fill(tmp_path / "data", ["a"])
    dask.compute(*write_pieces(table, as_dask(table), folder_at(tmp_path / "out", None)))
    found = {
        path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.parquet")
    }
    assert found == {"part-00000.parquet", "year=2025/part-00001.parquet", "year=2026/part-00002.parquet"}


def test_object_stores_are_read_and_written(tmp_path):
    system, _ = file_system("memory://")
    for name in ("a", "b"):
        with system.open(f"/engine-test/in/{name}.parquet", "wb") as file:
            pq.write_table(pa.table({"a": [1.0, None]}), file)
    table = describe_to_fill(
        "in", find_files("memory://engine-test/in"), Choice(), columns=(["a"], ["a"]), markers=()
    )
    assert [piece.path for piece in table.pieces] == [
        f"memory:///engine-test/in/{name}.parquet" for name in "ab"
    ]
    target = folder_at("memory://engine-test/out", None)
    dask.compute(*write_pieces(table, as_dask(table).fillna(3.0), target))
    assert pq.read_table(pa.BufferReader(target.read("part-00001.parquet")))["a"].to_pylist() == [1.0, 3.0]
    system.rm("/engine-test", recursive=True)


def test_files_without_rows_are_written_too(tmp_path):
    folder = write(tmp_path / "data", {"a": [1.0, None]}, {"a": pa.array([], pa.float64())})
    table = to_fill(folder, ["a"])
    dask.compute(*write_pieces(table, as_dask(table).fillna(2.0), folder_at(tmp_path / "out", None)))
    assert pq.read_table(tmp_path / "out" / "part-00001.parquet").num_rows == 0


def test_what_a_model_needs(tmp_path):
    folder = write(tmp_path / "data", {"aa": [1.0], "b": ["x"]})
    with pytest.raises(
        UnusableTable, match=r"0.parquet has no column 'a'. Did you mean 'aa'\? The model needs"
    ):
        to_fill(folder, ["a"])
    with pytest.raises(UnusableTable, match="column 'b' is text, but the model fills it with numbers"):
        to_fill(folder, ["b"])


def test_many_files_keep_their_order_by_name(tmp_path):
    table = to_fill(write(tmp_path / "data", {"a": [1.0]}), ["a"])
    many = replace(table, pieces=table.pieces * 3)
    tasks = write_pieces(many, as_dask(many), folder_at(tmp_path / "out", None))
    dask.compute(*tasks)
    np.testing.assert_array_equal(
        sorted(path.name for path in (tmp_path / "out").iterdir()),
        [f"part-0000{at}.parquet" for at in range(3)],
    )
