"""Errors that begin with the partition, and count rows from its beginning."""

import pickle

import pytest

import iim
from iim.cluster._places import Place

TEXT = "Column 'a' holds text in 3 of 120 rows (first: row 17, 'n/a')."


@pytest.mark.parametrize(
    "kind",
    [iim.InvalidParameter, iim.UnusableCell, iim.UnusableFile, iim.UnusableTable, ValueError, TypeError],
)
def test_an_error_keeps_its_class_and_can_be_pickled(kind):
    with pytest.raises(kind) as caught, Place(3).named():
        raise kind(TEXT)
    assert type(caught.value) is kind
    assert str(caught.value) == f"Partition 3: {TEXT}"
    copied = pickle.loads(pickle.dumps(caught.value))
    assert (type(copied), str(copied)) == (kind, str(caught.value))


def test_an_error_of_another_kind_gets_a_note():
    with pytest.raises(UnicodeDecodeError) as caught, Place(3, begins_at=120).named():
        b"\xff".decode("utf-8")
    assert caught.value.__notes__ == ["Partition 3 (from index 120)."]
    assert pickle.loads(pickle.dumps(caught.value)).__notes__ == ["Partition 3 (from index 120)."]


def test_what_is_no_error_goes_through():
    with pytest.raises(KeyboardInterrupt) as caught, Place(3).named():
        raise KeyboardInterrupt
    assert not hasattr(caught.value, "__notes__")


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (TEXT, "Column 'a' holds text in 3 of 1120 rows (first: row 1017, 'n/a')."),
        (
            "Column 'a' holds [] in row 17: numbers are needed.",
            "Column 'a' holds [] in row 1017: numbers are needed.",
        ),
        ("Column 'a' is a date (first: row 0, 'x').", "Column 'a' is a date (first: row 1000, 'x')."),
        (
            "in all 3 known cells (text; first: row 7, 'x').",
            "in all 3 known cells (text; first: row 1007, 'x').",
        ),
        ("3 of 5 columns, row 17", "3 of 5 columns, row 17"),
    ],
)
def test_rows_are_counted_from_the_beginning_of_the_partition(message, expected):
    with pytest.raises(iim.UnusableTable) as caught, Place(0, first_row=1000).named():
        raise iim.UnusableTable(message)
    assert str(caught.value) == f"Partition 0: {expected}"
