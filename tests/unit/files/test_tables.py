"""Whole files: read, filled, written, with nothing changed but the holes."""

import codecs
import gzip
import io
import time

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import iim
from iim.exceptions import InvalidParameter, UnusableCell, UnusableTable
from iim.files import Choice, Layout, NotWritten, fill_file, read_file, write_file
from iim.files.arrow import holes_in
from iim.files.fields import Fields


def read(data, *, layout=None, sample=None, seed=0, **choice):
    stdin = io.BytesIO(data if isinstance(data, bytes) else data.encode())
    return read_file("-", layout or Layout(), Choice(**choice), stdin=stdin, sample=sample, seed=seed)


def filled(data, *, layout=None, output=None, imputer=None, **choice):
    """The bytes of a table filled with means, as whole numbers where they are."""
    table = read(data, layout=layout, **choice)
    imputer = imputer or iim.MeanImputer(round_integers=True)
    stdout = io.BytesIO()
    result = imputer.fit(table.frame).transform(table.frame)
    write_file(table, result, "-", output, stdout=stdout)
    return stdout.getvalue()


TABLE = (
    b'\xef\xbb\xbfid,"name, full",when,count,x\r\n'
    b'1,"Ann ""A""",2024-01-01,3,0.10\r\n'
    b"2,Bob,2024-01-02,NA,\r\n"
    b"\r\n"
    b'3,Cid,2024-01-03,5," 1.50"\r\n'
    b'4,,2024-01-04,"",2.00'
)


def test_only_holes_change():
    assert filled(TABLE) == (TABLE.replace(b",NA,\r\n", b",4,1.2\r\n").replace(b',"",2.00', b',"4",2.00'))


def test_what_passes_through_is_named():
    table = read(TABLE)
    assert table.passed == {"id": "id", "name, full": "text", "when": "date"}
    assert table.frame.column_names == ["count", "x"]
    assert table.n_rows == 4
    assert table.notices == ()


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_every_delimiter_and_line_end(delimiter, end):
    rows = [["a", "b", "c"], ["1", "x", "2"], ["3", "y", "{}"], ["5", "z", "{}"]]
    text = end.join(delimiter.join(row) for row in rows) + end
    assert filled(text.format("", "NA")) == text.format("2", "2").encode()


def test_decimal_commas_come_back_as_such():
    assert filled("a;b\n1,5;2\n;3\n4,0;4\n") == b"a;b\n1,5;2\n2,75;3\n4,0;4\n"
    quoted = filled('a,b\n"1,5",2\n,3\n"4,0",4\n')
    assert quoted == b'a,b\n"1,5",2\n"2,75",3\n"4,0",4\n'


def test_sentinels_are_filled_by_value():
    assert filled("a,b\n1,2\n-200.0,3\n3,?\n", na=("-200", "?")) == b"a,b\n1,2\n2,3\n3,2\n"


def test_columns_are_chosen_or_ignored():
    text = "a,b,c\n1,2,3\n,,\n3,4,5\n"
    assert filled(text, columns=("a",)) == b"a,b,c\n1,2,3\n2,,\n3,4,5\n"
    assert filled(text, ignore=("a", "c")) == b"a,b,c\n1,2,3\n,3,\n3,4,5\n"
    with pytest.raises(UnusableTable, match=r"has no column 'aa'\. Did you mean 'a'\?"):
        read(text, columns=("aa",))
    with pytest.raises(UnusableTable, match=r"has no column 'z'\. It has 'a', 'b', 'c'\."):
        read(text, ignore=("z",))


def test_an_empty_column_stays_as_it_is():
    assert read("a,b\n1,\n,\n").passed == {"b": "empty"}
    assert filled("a,b\n1,\n,NA\n") == b"a,b\n1,\n1,NA\n"


def test_whole_numbers_are_written_as_the_column_is():
    assert filled("a,b\n1,1.0\n,\n3,3.0\n") == b"a,b\n1,1.0\n2,2.0\n3,3.0\n"
    assert filled("a\n1\nNA\n2\n", imputer=iim.MeanImputer()) == b"a\n1\n1.5\n2\n"


def test_a_file_without_header():
    text = "1,2\n,4\n3,6\n"
    with pytest.raises(UnusableTable, match="nothing but numbers"):
        read("1,2\n3,4\n")
    assert filled(text, layout=Layout(header=False)) == b"1,2\n2,4\n3,6\n"
    assert filled("1,2\n3,4\n,6\n", layout=Layout(header=True)) == b"1,2\n3,4\n3,6\n"
    assert read(text, layout=Layout(header=False)).frame.column_names == ["x0", "x1"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "latin-1", "cp1252", "utf-8", "gbk", "utf-32"])
def test_encodings_come_back_as_they_were(encoding):
    text = "größe,name\n1,ü\n,é\n3,ß\n" if encoding != "gbk" else "大小,name\n1,中\n,文\n3,字\n"
    expected = text.replace("\n,", "\n2,").encode(encoding)
    assert filled(text.encode(encoding), layout=Layout(encoding=encoding)) == expected


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "standard input is empty"),
        (b"\n\n", "standard input is empty"),
        (b"a,b\n", "has columns, but no rows"),
        (b"a,b\n1,2\n3\n", "line 3 has 1 cell"),
        (b"a,a\n1,2\n", "two columns are called 'a'"),
        ("ä,b\n1,2\n".encode("latin-1"), "not in UTF-8: byte 0xE4 in line 1"),
        ("a,b\n1,2\n".encode("utf-16"), "looks like UTF-16"),
        ("a,b\n1,2\n".encode("utf-16-le"), "looks like UTF-16"),
        (b"a,b\n1,\x00\n", "holds bytes of zero"),
        (b"PK\x03\x04rest", "zip file"),
        (b"PAR1 and then nothing", "cannot be read as Parquet"),
        (b"\x1f\x8bnonsense", "compressed with gzip, but damaged"),
        (b"name,date\nx,2020-01-01\n", "no column of numbers"),
        (b"a,b\n1,2\n3,?\n5,6\n7,8\n", r"column 'b' holds '\?' in line 3"),
        (b"a\ninf\n1\n2\n", "holds 'inf' in line 2"),
    ],
)
def test_files_that_cannot_be_used(data, message):
    with pytest.raises(UnusableTable, match=message) as caught:
        read(data)
    assert "\n" not in str(caught.value)


def test_columns_without_a_name_get_one():
    table = read(",a,\n0,1,2\n1,,4\n")
    assert table.columns == ("column 1", "a", "column 3")
    assert table.passed == {"column 1": "id"}
    assert "a column without a name is called 'column 1', 'column 3' here" in table.notices[0]


def test_text_among_numbers_is_told_apart_from_numbers_among_text():
    assert read("a,b\n1,x\n2,7\n3,y\n").passed == {"b": "text"}
    with pytest.raises(UnusableCell, match=r"--na 'x'.*--ignore 'b'"):
        read("a,b\n1,x\n2,7\n3,8\n")
    with pytest.raises(UnusableCell, match="column 'b' holds 'x' in line 2"):
        read("a,b\n1,x\n2,7\n3,y\n", columns=("a", "b"))


@given(st.data())
def test_bytes_outside_holes_stay_whatever_they_are(data):
    number = st.one_of(st.integers(-999, 999).map(str), st.floats(-1e6, 1e6).map(repr), st.just("0.10"))
    hole = st.sampled_from(["", "NA", '""', "nan", " "])
    text = st.sampled_from(["x", '"a,b"', '"q ""r"""', '"two\nlines"', "é", ""])
    n_rows = data.draw(st.integers(2, 8))
    rows = [
        [
            data.draw(text),
            data.draw(number) if row < 2 else data.draw(st.one_of(number, hole)),
            data.draw(number),
        ]
        for row in range(n_rows)
    ]
    ends = [data.draw(st.sampled_from(["\n", "\r\n", "\n\n"])) for _ in rows]
    content = "t,a,b\n" + "".join(",".join(row) + end for row, end in zip(rows, ends, strict=True))
    result = filled(content, ignore=("t",)).decode()
    mean = np.mean([float(row[1]) for row in rows if row[1].strip(' "').lower() not in ("", "na", "nan")])
    for row in rows:
        if row[1].strip(' "').lower() in ("", "na", "nan"):
            row[1] = None
    # What stands between is unchanged: walk through the result and find all known cells in their order.
    at = len("t,a,b\n")
    for row, end in zip(rows, ends, strict=True):
        before, after = f"{row[0]},", f",{row[2]}{end}"
        assert result.startswith(before, at)
        at += len(before)
        stop = result.index(after, at)
        cell = result[at:stop]
        if row[1] is None:
            assert float(cell.strip(' "')) == pytest.approx(mean, abs=0.51)
        else:
            assert cell == row[1]
        at = stop + len(after)
    assert at == len(result)


ARROW = pa.table(
    {
        "id": pa.array(range(40)),
        "label": pa.array([f"r{row}" for row in range(40)]),
        "count": pa.array([None if row % 5 == 0 else row for row in range(40)], pa.int16()),
        "flag": pa.array([None if row % 7 == 0 else row > 20 for row in range(40)]),
        "x": pa.array([float("nan") if row % 6 == 0 else row / 4 for row in range(40)], pa.float32()),
        "price": pa.array([None if row % 9 == 0 else row for row in range(40)]).cast(pa.decimal128(25, 2)),
        "level": pa.array([-200 if row == 3 else row for row in range(40)]),
        "nothing": pa.nulls(40),
    },
    metadata={"made": "for a test"},
)


def as_bytes(table, kind, **how):
    buffer = io.BytesIO()
    if kind == "parquet":
        pq.write_table(table, buffer, row_group_size=16, **how)
    else:
        feather.write_feather(table, buffer, chunksize=16, **how)
    return buffer.getvalue()


def from_bytes(data, kind):
    return pq.read_table(io.BytesIO(data)) if kind == "parquet" else feather.read_table(io.BytesIO(data))


@pytest.mark.parametrize("kind", ["parquet", "feather"])
def test_arrow_files_keep_types_and_known_cells(kind):
    data = as_bytes(ARROW, kind)
    table = read(data, na=("-200",))
    assert table.passed == {"id": "id", "label": "text", "nothing": "empty"}
    result = from_bytes(filled(data, na=("-200",)), kind)
    assert result.schema == ARROW.schema
    assert result.schema.metadata == ARROW.schema.metadata
    for name in ("count", "flag", "x", "price", "level"):
        was, now = ARROW.column(name).to_pylist(), result.column(name).to_pylist()
        known = [value is not None and value == value and value != -200 for value in was]
        assert [new for new, is_known in zip(now, known, strict=True) if is_known] == [
            old for old, is_known in zip(was, known, strict=True) if is_known
        ]
        assert all(value is not None and value == value for value in now)
    assert result.column("nothing").null_count == 40


def test_whole_numbers_that_are_not_rounded_become_floats():
    result = from_bytes(filled(as_bytes(ARROW, "parquet"), imputer=iim.MeanImputer()), "parquet")
    assert result.schema.field("count").type == pa.float64()
    assert result.schema.field("level").type == pa.int64()


def test_parquet_keeps_its_groups_and_compression():
    data = filled(as_bytes(ARROW, "parquet", compression="zstd"))
    metadata = pq.ParquetFile(io.BytesIO(data)).metadata
    assert [metadata.row_group(at).num_rows for at in range(metadata.num_row_groups)] == [16, 16, 8]
    assert metadata.row_group(0).column(0).compression == "ZSTD"


@pytest.mark.parametrize("kind", ["parquet", "feather"])
def test_text_becomes_arrow_and_back(kind):
    text = b'name,n,x\n"a,b",1,0.5\nc,,1.5\n"d ""e""",3,\n'
    result = from_bytes(filled(text, output=kind), kind)
    assert result.to_pydict() == {
        "name": ["a,b", "c", 'd "e"'],
        "n": [1, 2, 3],
        "x": [0.5, 1.5, 1.0],
    }
    back = filled(as_bytes(result, kind), output="csv")
    assert back == b'name,n,x\n"a,b",1,0.5\nc,2,1.5\n"d ""e""",3,1\n'


def test_text_gets_another_delimiter():
    text = 'name;x\n"a;b";1,5\nc,d;\n"e";2,50\n'
    assert filled(text, output="tsv") == b"name\tx\na;b\t1,5\nc,d\t2,0\ne\t2,50\n"


def test_compressed_files(tmp_path):
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n1,2\n,3\n") + gzip.compress(b"3,4\n"))
    table = read_file(str(path), Layout(), Choice(), stdin=io.BytesIO())
    result = iim.MeanImputer().fit_transform(table.frame)
    for name in ("one.csv.gz", "two.csv.gz", "plain.csv"):
        write_file(table, result, str(tmp_path / name), stdout=io.BytesIO())
    assert gzip.decompress((tmp_path / "one.csv.gz").read_bytes()) == b"a,b\n1,2\n2,3\n3,4\n"
    assert (tmp_path / "one.csv.gz").read_bytes() == (tmp_path / "two.csv.gz").read_bytes()
    assert (tmp_path / "plain.csv").read_bytes() == b"a,b\n1,2\n2,3\n3,4\n"
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(UnusableTable, match="damaged or cut off"):
        read_file(str(path), Layout(), Choice(), stdin=io.BytesIO())


def test_a_sample_is_of_all_rows_and_does_not_depend_on_blocks(monkeypatch):
    text = "a,b\n" + "".join(f"{row},{row % 7}\n" for row in range(1000))
    whole = read(text, sample=50, seed=3).frame.to_pydict()
    monkeypatch.setattr("iim.files.text.BLOCK", 97)
    assert read(text, sample=50, seed=3).frame.to_pydict() == whole
    assert len(whole["a"]) == 50
    assert whole["a"] == sorted(whole["a"])
    assert read(text, sample=50, seed=4).frame.to_pydict() != whole
    table = read(text, sample=5000)
    assert table.frame.num_rows == table.n_rows == 1000
    parquet = as_bytes(pa.table({"a": list(range(100)), "b": [0.5] * 100}), "parquet")
    assert read(parquet, sample=10).frame.num_rows == 10


def test_writing_is_told_from_reading(tmp_path):
    table = read("a,b\n1,2\n,3\n")
    result = iim.MeanImputer().fit_transform(table.frame)
    with pytest.raises(NotWritten, match="No such file or directory"):
        write_file(table, result, str(tmp_path / "absent" / "t.csv"), stdout=io.BytesIO())
    with pytest.raises(NotWritten, match="Is a directory"):
        write_file(table, result, str(tmp_path), stdout=io.BytesIO())
    with pytest.raises(FileNotFoundError):
        read_file(str(tmp_path / "absent.csv"), Layout(), Choice(), stdin=io.BytesIO())
    with pytest.raises(UnusableTable, match="is a folder"):
        read_file(str(tmp_path), Layout(), Choice(), stdin=io.BytesIO())
    assert list(tmp_path.iterdir()) == []


def test_a_failure_on_the_way_leaves_the_old_file(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n1,2\n,3\n")
    imputer = iim.MeanImputer().fit(read(b"a,b\n1,2\n2,3\n").frame)
    wrong = b"a,b\n1,2\nx,3\n"
    with pytest.raises(UnusableCell, match="column 'a' holds 'x' in line 3"):
        fill_file(
            imputer,
            "-",
            str(path),
            layout=Layout(),
            choice=Choice(),
            stdin=io.BytesIO(wrong),
            stdout=io.BytesIO(),
        )
    assert path.read_bytes() == b"a,b\n1,2\n,3\n"
    assert list(tmp_path.iterdir()) == [path]


def filled_at(path, output, *, layout=None, imputer=None, **choice):
    """The bytes of a file filled with means into another."""
    table = read_file(str(path), layout or Layout(), Choice(**choice), stdin=io.BytesIO())
    result = (imputer or iim.MeanImputer(round_integers=True)).fit(table.frame).transform(table.frame)
    write_file(table, result, str(output), stdout=io.BytesIO())
    return output.read_bytes()


@pytest.mark.parametrize(
    ("came", "goes", "expected"),
    [
        ("t.txt", "t.txt", "\t"),
        ("t.csv", "t.csv", "\t"),
        ("t.tsv", "t.tsv", "\t"),
        ("t.txt", "u.csv", ","),
        ("t.tsv", "u.csv", ","),
        ("t.txt", "u.tsv", "\t"),
        ("t.tsv", "u.txt", "\t"),
    ],
)
def test_only_a_name_that_asks_for_it_changes_the_delimiter(came, goes, expected, tmp_path):
    (tmp_path / came).write_bytes(b"a\tb\n1\t2\n\t3\n")
    content = b"a,b\n1,2\n1,3\n".replace(b",", expected.encode())
    assert filled_at(tmp_path / came, tmp_path / goes) == content


def test_a_delimiter_that_was_given_stays(tmp_path):
    (tmp_path / "t.tsv").write_bytes(b"a,b\n1,2\n,3\n")
    layout = Layout(delimiter=",")
    assert filled_at(tmp_path / "t.tsv", tmp_path / "t.tsv", layout=layout) == b"a,b\n1,2\n1,3\n"


def test_markers_in_the_types_of_parquet():
    table = pa.table(
        {
            "narrow": pa.array([1, 2, -99.9, 4], pa.float32()),
            "long": pa.array([2**60 + 1, -200, 3, 4]),
            "small": pa.array([1, 2, 3, 4], pa.uint8()),
        }
    )
    read_back = read(as_bytes(table, "parquet"), na=("-99.9", "-200", "1e300", "0.5"))
    assert [column.null_count for column in read_back.frame.columns] == [1, 1, 0]
    assert read_back.markers == (-99.9, -200.0, 1e300, 0.5)


def test_markers_are_written_with_either_decimal_mark():
    text = "x;y\n1,5;2\n-99,9;3\n2,5;4\n"
    for marker in ("-99,9", "-99.9", " -99,90 "):
        table = read(text, na=(marker,))
        assert table.markers == (-99.9,)
        assert filled(text, na=(marker,)) == b"x;y\n1,5;2\n2,0;3\n2,5;4\n"
    assert read("a\n1\n2\n", na=("1_000", " - ")).markers == ("1_000", "-")
    assert read("a,b\n1,2\n-,3\n", na=(" - ",)).frame.column("a").to_pylist()[0] == 1.0


def test_what_passes_through_text_is_text_in_parquet():
    text = b"id,code,n\n9007199254740993,001,1\n9007199254740995,002,\n"
    result = from_bytes(filled(text, output="parquet", ignore=("code",)), "parquet")
    assert result.to_pydict() == {
        "id": ["9007199254740993", "9007199254740995"],
        "code": ["001", "002"],
        "n": [1, 1],
    }


def test_categories_of_several_groups_become_feather():
    pieces = [
        pa.table({"c": pa.array([letter] * 3).dictionary_encode(), "x": [1.0, None, 2.0]})
        for letter in "ab"
    ]
    buffer = io.BytesIO()
    with pq.ParquetWriter(buffer, pieces[0].schema) as writer:
        for piece in pieces:
            writer.write_table(piece)
    data = buffer.getvalue()
    result = from_bytes(filled(data, output="feather"), "feather")
    assert result.column("c").to_pylist() == ["a"] * 3 + ["b"] * 3
    same = from_bytes(filled(data), "parquet")
    assert same.column("c").to_pylist() == ["a"] * 3 + ["b"] * 3


def test_a_fill_that_does_not_fit_is_told():
    table = pa.table({"d": pa.array([1, None, 2]).cast(pa.decimal128(21, 2)), "x": [1.0, 2.0, 3.0]})
    narrow = table.set_column(0, "d", table.column("d").cast(pa.decimal128(4, 2)))
    with pytest.raises(UnusableTable, match=r"Column 'd' is of type decimal128\(4, 2\), which cannot hold"):
        filled(as_bytes(narrow, "parquet"), imputer=iim.MeanImputer(min_value={"d": 500}))


def test_the_names_of_rows_of_pandas_pass_through():
    table = pa.table({"x": [1.0, None], "__index_level_0__": [7, 7]})
    assert read(as_bytes(table, "parquet")).passed == {"__index_level_0__": "id"}


@pytest.mark.parametrize("data", [codecs.BOM_UTF8, codecs.BOM_UTF8 + b"\n"])
def test_a_mark_alone_is_an_empty_file(data):
    with pytest.raises(UnusableTable, match="is empty"):
        read(data)


def test_a_column_of_which_a_sample_knows_nothing(tmp_path):
    text = "a,b\n" + "".join(f"{row},{'1' if row == 0 else ''}\n" for row in range(1000))
    table = read(text, sample=10, seed=1)
    assert table.passed == {"b": "no value in the sample"}
    assert table.notices == (
        "The sample has no value in 'b': nothing is learned there. Use a larger sample.",
    )
    parquet = as_bytes(pa.table({"a": [1.0] * 500, "b": [1.0] + [None] * 499}), "parquet")
    assert read(parquet, sample=10, seed=1).passed == {"b": "no value in the sample"}


def test_a_first_line_of_any_length(monkeypatch):
    monkeypatch.setattr("iim.files.text.HEAD", 64)
    monkeypatch.setattr("iim.files.streams.HEAD", 64)
    names = [f"column_{at}" for at in range(40)]
    text = ",".join(names) + "\n" + ",".join(["1"] * 40) + "\n"
    assert read(text).columns == tuple(names)
    # What was left of a header that is longer than a block was taken for a row.
    monkeypatch.setattr("iim.files.text.BLOCK", 50)
    table = read(text)
    assert (table.columns, table.n_rows) == (tuple(names), 1)
    assert filled(text, ignore=names[1:]) == text.encode()


def test_a_first_line_that_is_too_long_is_not_read_in_part(monkeypatch):
    # Its beginning was taken for the names, and the rest for the first row.
    monkeypatch.setattr("iim.files.text.HEAD", 64)
    monkeypatch.setattr("iim.files.text.LONGEST_RECORD", 64)
    for line_end in ("\n", "\r\n"):
        names = "a,b," + "x" * 50 + line_end
        assert read(names + "1,2,3\n").columns == ("a", "b", "x" * 50)
        with pytest.raises(UnusableTable, match="line 1 is too long, or does not end"):
            read(names.replace("b", "b" * 50) + "1,2,3\n")


@pytest.mark.parametrize("encoding", ["rot13", "hex", "base64", "zlib", "undefined", "idna", "no-such"])
def test_encodings_that_are_none(encoding):
    with pytest.raises(UnusableTable, match="is unknown, or not a text encoding"):
        read(b"a,b\n1,2\n", layout=Layout(encoding=encoding))


def test_big_endian_stays_so():
    text = "a,b\n1,é\n,3\n2,4\n"
    data = codecs.BOM_UTF16_BE + text.encode("utf-16-be")
    expected = codecs.BOM_UTF16_BE + text.replace("\n,", "\n1.5,").encode("utf-16-be")
    assert (
        filled(data, layout=Layout(encoding="utf-16"), imputer=iim.MeanImputer(), ignore=("b",)) == expected
    )


def test_bytes_that_are_no_letters_survive_another_delimiter():
    data = b"a,b\n1,\x81\n,x\n"
    layout = Layout(encoding="cp1252")
    assert filled(data, layout=layout, output="tsv") == b"a\tb\n1\t\x81\n1\tx\n"


def test_very_many_blanks_cost_little():
    wide = " " * 30_000
    text = f"a,b\n1,2\n{wide}3{wide},4\n,5\n" + "5,6\n" * 2000
    assert filled(text).startswith(f"a,b\n1,2\n{wide}3{wide},4\n5,5\n5,6\n".encode())


def test_endings_that_promise_something_else(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"a,b\n1,2\n,3\n")
    with pytest.raises(InvalidParameter, match=r"end with \.xlsx are not written.*--output-format"):
        filled_at(tmp_path / "t.csv", tmp_path / "t.xlsx")


def test_thousands_are_not_taken_for_decimals():
    table = read("a;b\n1.234;2,5\n2.345;3,5\n;4,5\n")
    assert table.passed == {"a": "text"}
    with pytest.raises(UnusableCell, match=r"holds '1,5' in line 5.*set its decimal mark with --decimal"):
        read("a;b\n1;2\n3;4\n5;6\n1,5;2\n7;2.5\n")


def test_an_open_quote_is_named():
    with pytest.raises(UnusableCell, match=r"holds '\"2' in line 2.*Is a quote not closed there"):
        read('a,b\n1,"2\n3,4\n5,6\n')


def test_lines_of_old_files_are_counted():
    with pytest.raises(UnusableTable, match="line 3 has 1 cell"):
        read("a,b\r1,2\r3\r")


def test_text_becomes_arrow_in_time_that_grows_with_its_rows(monkeypatch):
    calls = []
    bare = Fields.bare
    monkeypatch.setattr(Fields, "bare", lambda *args: calls.append(1) or bare(*args))
    text = "name,x\n" + "".join(f"row {row},{row}\n" for row in range(500)) + "last one,\n"
    for output in ("parquet", "tsv"):
        calls.clear()
        filled(text, output=output)
        assert len(calls) < 20


@pytest.mark.parametrize("n_rows", [1, 3])
def test_time_grows_with_the_columns_and_not_with_their_square(n_rows):
    # It was more than ten minutes: names were looked up in lists of names, column by column.
    n_columns = 20_000
    rows = [
        ",".join("" if at % 7 == row + 1 else str(at) for at in range(n_columns)) for row in range(n_rows)
    ]
    text = ",".join(f"c{at}" for at in range(n_columns)) + "\n" + "\n".join(rows) + "\n"
    began = time.perf_counter()
    table = read(text)
    filled = [pa.array(np.nan_to_num(column.to_numpy(), nan=-1.0)) for column in table.frame.columns]
    stdout = io.BytesIO()
    write_file(table, pa.table(filled, names=table.frame.column_names), "-", stdout=stdout)
    assert time.perf_counter() - began < 60
    known = text.splitlines()[1].split(",")
    written = stdout.getvalue().decode().splitlines()[1].split(",")
    # A column without a value passes through.
    expected = "" if n_rows == 1 else "-1"
    assert written == [cell or expected for cell in known]


LONG = "x" * 1_000_000


@pytest.mark.parametrize(
    ("data", "choice"),
    [
        (f"{LONG},b\nu,v\n", {}),
        (f"{LONG},{LONG}\n1,2\n", {}),
        (f"{LONG},b\n1,2\nu,3\n4,5\n", {}),
        (f"{LONG},b\n1,2\n", {"columns": ("c",)}),
        (f"{LONG},b\n1,2\n", {"ignore": (LONG[1:],)}),
        (f"a,b\n1,2\n{LONG},3\n4,5\n", {}),
        (f"{'1' * 1_000_000},2\n1,2\n", {}),
    ],
)
def test_long_names_and_cells_are_shortened_in_messages(data, choice):
    with pytest.raises(UnusableTable) as caught:
        read(data, **choice)
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("marker", ["1e999", "-1e999", "9" * 400, "1e-999", "9" * 30])
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_markers_of_any_size_mark_what_they_equal(marker, kind):
    data = f"a,b\n1,2\n{marker},3\n2,4\n".encode()
    if kind == "parquet":
        data = as_bytes(pa.table({"a": [1, None, 2], "b": [2, 3, 4]}), kind)
    assert holes_in(read(data, na=(marker,)).frame.column("a")).tolist() == [False, True, False]


def test_ids_are_recognised_as_people_write_them():
    text = "PassengerId,Kunden-Nr.,paid,uuid,x\n1,12,0,a1,1\n2,13,1,b2,\n3,14,2,c3,4\n"
    assert read(text).passed == {"PassengerId": "id", "Kunden-Nr.": "id", "uuid": "id"}
    assert read(text, columns=("PassengerId", "x")).frame.column_names == ["PassengerId", "x"]


def test_the_kinds_of_columns_of_text():
    rows = "".join(f"{'ab'[row % 2]},t{row},2024-01-{row + 10},10:{row + 10},{row}\n" for row in range(9))
    assert read("city,name,day,time,n\n" + rows).passed == {
        "city": "category",
        "name": "text",
        "day": "date",
        "time": "date",
    }


@pytest.mark.parametrize("block", [32, 1 << 22])
def test_columns_given_up_as_text_are_as_if_read_whole(block, monkeypatch):
    monkeypatch.setattr("iim.files.text.BLOCK", block)
    text = "name,x\n" + "".join(f"n{row},{row if row % 5 else ''}\n" for row in range(500))
    assert read(text).passed == {"name": "text"}
    assert filled(text) == text.replace(",\n", ",250\n").encode()
