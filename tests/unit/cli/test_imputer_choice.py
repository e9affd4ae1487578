"""From words to an imputer: literals, settings, bounds."""

import pytest

from iim.cli.exits import WrongOptions
from iim.cli.imputer_choice import bounds_for, parse_bounds, parse_literal, parse_settings
from iim.cli.parser import refusal


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5", 5),
        ("-0.1", -0.1),
        ("1e-3", 0.001),
        ("true", True),
        ("False", False),
        ("none", None),
        ("null", None),
        ('"5"', "5"),
        ("'text'", "text"),
        ("[1, 2,3]", [1, 2, 3]),
        ("(1, 2)", (1, 2)),
        ("votes", "votes"),
        ("__import__('os')", "__import__('os')"),
        ("", ""),
        ("((((", "(((("),
    ],
)
def test_literals(text, value):
    assert parse_literal(text) == value
    assert type(parse_literal(text)) is type(value)


def test_settings_by_name():
    assert parse_settings(["a=5", "b = votes", "c=x=y"]) == {"a": 5, "b": "votes", "c": "x=y"}


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        (["n_neighbors"], "--set: NAME=VALUE is needed, such as n_neighbors=5; received 'n_neighbors'"),
        (["=5"], "--set: NAME=VALUE is needed"),
        (["a=1", "a=2"], "--set: each parameter once is needed; received 'a' twice"),
    ],
)
def test_wrong_settings(entries, message):
    with pytest.raises(WrongOptions, match=message):
        parse_settings(entries)


@pytest.mark.parametrize(
    ("entries", "bounds"),
    [
        ([], {}),
        (["0"], {None: 0.0}),
        (["-5.5", "a=Observed"], {None: -5.5, "a": "observed"}),
        (["a=b=1"], {"a=b": 1.0}),
        (["=1"], {"": 1.0}),
        (["observed"], {None: "observed"}),
    ],
)
def test_bounds(entries, bounds):
    assert parse_bounds("--min", entries) == bounds


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        (["x"], "--min: a number, 'observed', COLUMN=number or COLUMN=observed is needed; received 'x'"),
        (["a="], "received 'a='"),
        (["nan"], "received 'nan'"),
        (["0", "1"], "--min: each column once is needed; received a bound for all columns twice"),
        (["a=0", "a=1"], "received 'a' twice"),
    ],
)
def test_wrong_bounds(entries, message):
    with pytest.raises(WrongOptions, match=message):
        parse_bounds("--min", entries)


@pytest.mark.parametrize(
    ("bounds", "taken"),
    [
        ({}, None),
        ({None: 0.0}, 0.0),
        ({None: "observed"}, "observed"),
        ({"a": 1.0}, {"a": 1.0}),
        ({None: 0.0, "b": "observed"}, {"a": 0.0, "b": "observed"}),
    ],
)
def test_bounds_as_an_imputer_takes_them(bounds, taken):
    assert bounds_for("--min", bounds, ["a", "b"]) == taken


def test_a_bound_of_a_column_that_is_not_filled():
    with pytest.raises(
        WrongOptions, match=r"--max: one of height, age is needed; received 'hight'\. Did you"
    ):
        bounds_for("--max", {"hight": 1.0}, ["height", "age"])


def test_a_long_list_of_names_is_cut():
    message = refusal("x", [f"column{at}" for at in range(50)])
    assert "column29 and 20 more is needed" in message
