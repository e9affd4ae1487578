"""Delimiters and decimal marks, found in the first lines."""

import pytest

from iim.exceptions import InvalidParameter
from iim.files.dialects import Layout, find_dialect


def found(text, **said):
    dialect = find_dialect(text.encode(), Layout(**said), complete=True)
    return dialect.delimiter, dialect.decimal


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a,b\n1,2\n", (",", ".")),
        ("a;b\n1;2\n", (";", ".")),
        ("a;b\n1,5;2\n", (";", ",")),
        ("1,5;2,5;3\n1,5;2,5;3\n", (";", ",")),
        ("a\tb\n1.5\t2\n", ("\t", ".")),
        ("a|b|c\n1|2|3\n", ("|", ".")),
        ("a\n1\n", (",", ".")),
        ('a,b\n"1,234","x"\n', (",", ".")),
        ('a,b\n"0,5","x"\n', (",", ",")),
        ("name;note\nAnn;one, two\nBob;three, four\n", (";", ".")),
        ('"a;b",c\n"d;e",f\n', (",", ".")),
        ("a,b\n1,2\n1,2,3\n", (",", ".")),
        ("a;b\n1,5;2.5\n", (";", ".")),
    ],
)
def test_what_is_found(text, expected):
    assert found(text) == expected


def test_what_the_user_says_goes_first():
    assert found("a,b\n1,2\n", delimiter="|") == ("|", ",")
    assert found("a;b\n1;2\n", decimal=",") == (";", ",")
    assert found("a\tb\n1;5\t2\n", format="tsv") == ("\t", ".")


@pytest.mark.parametrize("delimiter", ["", "ab", '"', "\n", "é", "a", "7"])
def test_impossible_delimiters(delimiter):
    with pytest.raises(InvalidParameter, match="Delimiter: one character of ASCII"):
        found("a,b\n1,2\n", delimiter=delimiter)


def test_impossible_decimals():
    with pytest.raises(InvalidParameter, match=r"Decimal mark: '\.' or ',' is needed; received ';'"):
        found("a,b\n", decimal=";")
    with pytest.raises(InvalidParameter, match="are both ','"):
        found("a,b\n", decimal=",", delimiter=",")
