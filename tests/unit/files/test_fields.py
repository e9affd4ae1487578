"""Where cells lie, checked against Python's own reader of CSV."""

import csv
import io

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from iim.exceptions import UnusableTable
from iim.files.fields import Dialect, as_table, find_fields, split_lines

COMMAS = Dialect(",")

# Quotes where they belong, where they do not, blanks, line ends inside quotes.
CELL = st.one_of(
    st.sampled_from(
        ["", "1", "2.5", " 3 ", '"a,b"', '"line\nend"', '"say ""hi"""', '5" pipe', "x", '""', "é"]
    ),
    st.text(alphabet='ab1 ,"\n', max_size=6).map(lambda text: '"' + text.replace('"', '""') + '"'),
)


def cells_of(data: bytes, dialect: Dialect = COMMAS) -> list[list[str]]:
    starts, ends, n_fields = find_fields(data, dialect)
    cells = [data[start:end].decode() for start, end in zip(starts, ends, strict=True)]
    stops = np.cumsum(n_fields)
    return [cells[stop - n : stop] for stop, n in zip(stops, n_fields, strict=True)]


def test_cells_by_hand():
    data = b'a,b\r\n1,"x, y"\r\n\r\n,"two\nlines"\n3,""'
    assert cells_of(data) == [["a", "b"], ["1", '"x, y"'], ["", '"two\nlines"'], ["3", '""']]


def unquoted(cell: str) -> str:
    quoted = len(cell) >= 2 and cell[0] == cell[-1] == '"'
    return cell[1:-1].replace('""', '"') if quoted else cell


@given(
    st.lists(st.lists(CELL, min_size=2, max_size=4), min_size=1, max_size=6),
    st.sampled_from(["\n", "\r\n"]),
)
@example([['5" pipe', '"a\nb"'], ["1", "2"]], "\n")
def test_cells_are_those_of_the_standard_library(rows, end):
    text = end.join(",".join(row) for row in rows) + end
    expected = [row for row in csv.reader(io.StringIO(text, newline="")) if row]
    assert [[unquoted(cell) for cell in row] for row in cells_of(text.encode())] == expected


@given(st.lists(st.lists(CELL, min_size=2, max_size=3), min_size=1, max_size=8), st.integers(1, 60))
def test_lines_are_split_where_they_end_wherever_a_block_does(rows, size):
    data = ("\n".join(",".join(row) for row in rows) + "\n").encode()
    found, carried, at = [], b"", 0
    while at < len(data) or carried:
        last = at + size >= len(data)
        block = carried + data[at : at + size]
        at += size
        n_bytes = split_lines(block, COMMAS, last=last)
        found += cells_of(block[:n_bytes])
        carried = block[n_bytes:] if not last else b""
    assert found == cells_of(data)


def test_a_ragged_line_is_named():
    with pytest.raises(
        UnusableTable, match=r"t\.csv: line 4 has 3 cells, but the first line has 2\. Every line"
    ):
        as_table(b'1,"a\nb"\n\n3,4,5\n', COMMAS, 2, name="t.csv", first_line=1)
    with pytest.raises(UnusableTable, match=r"line 2 has 1 cell, .* So do 1 more lines near it"):
        as_table(b"1,2\n3\n4\n", COMMAS, 2, name="t.csv", first_line=1)


def test_bare_cells_have_no_blanks_and_no_quotes():
    data = b' 1 ,"2"\n"\t3 ",""\n'
    fields = as_table(data, COMMAS, 2, name="t.csv", first_line=1)
    starts, ends = fields.bare(fields.starts.ravel(), fields.ends.ravel())
    bare = [data[start:end] for start, end in zip(starts, ends, strict=True)]
    assert bare == [b"1", b"2", b"3", b""]


def test_old_line_ends_and_other_delimiters():
    assert cells_of(b"a;b\r1;2\r", Dialect(";", "\r")) == [["a", "b"], ["1", "2"]]
