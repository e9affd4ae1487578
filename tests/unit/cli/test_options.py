"""Words as values of options: numbers, delimiters."""

from argparse import ArgumentTypeError

import pytest

from iim.cli.options import delimiter, share, threads, whole


@pytest.mark.parametrize(
    ("text", "meant"),
    [("tab", "\t"), ("TAB", "\t"), (r"\t", "\t"), ("semicolon", ";"), ("|", "|"), ("space", " ")],
)
def test_delimiters(text, meant):
    assert delimiter(text) == meant


@pytest.mark.parametrize(
    ("read", "text", "value"),
    [(whole(0), "0", 0), (threads, "-1", -1), (share, "0.5", 0.5), (share, "20", 20)],
)
def test_numbers(read, text, value):
    assert read(text) == value
    assert type(read(text)) is type(value)


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (delimiter, "::", "one character, or tab, comma, semicolon, pipe, space is needed; received '::'"),
        (whole(1), "0", "a whole number, 1 or more, is needed; received '0'"),
        (whole(1), "1.5", "a whole number, 1 or more, is needed; received '1.5'"),
        (threads, "0", "a whole number other than 0 is needed"),
        (share, "half", "a share or a number of cells is needed; received 'half'"),
    ],
)
def test_what_is_no_value(read, text, message):
    with pytest.raises(ArgumentTypeError, match=message):
        read(text)
