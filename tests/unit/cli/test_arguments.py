"""Words as values: several after one option, literals, bounds, delimiters."""

from types import SimpleNamespace

import pytest

from iim.cli.arguments import (
    bounds_for,
    parse_bounds,
    parse_delimiter,
    parse_literal,
    parse_settings,
    spread,
)
from iim.cli.building import refuse
from iim.cli.exits import WrongOptions


def option(*names, flag=False, multiple=False, off=()):
    return SimpleNamespace(
        param_type_name="option",
        opts=list(names),
        secondary_opts=list(off),
        is_flag=flag,
        multiple=multiple,
    )


INPUT = SimpleNamespace(param_type_name="argument", opts=["path"], secondary_opts=[])
PARAMETERS = [
    INPUT,
    option("--na", multiple=True),
    option("--columns", multiple=True),
    option("--output", "-o"),
    option("--quiet", "-q", flag=True),
    option("--header", flag=True, off=["--no-header"]),
]


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("in --na ? n/a -200", "in --na=? --na=n/a --na=-200"),
        ("in --na -200 -o out", "in --na=-200 -o out"),
        ("in --na -.5 -,5 -1e9 --quiet", "in --na=-.5 --na=-,5 --na=-1e9 --quiet"),
        ("in --na - -- x", "in --na=- -- x"),
        ("in --na=? n/a -q", "in --na=? --na=n/a -q"),
        ("in --columns a b --na x y", "in --columns=a --columns=b --na=x --na=y"),
        # Before the input was named, a word may be the input.
        ("--na ? in", "--na=? in"),
        ("--na -200 in --na x y", "--na=-200 in --na=x --na=y"),
        ("-o out --na ? in", "-o out --na=? in"),
        ("-qo out --na ? in", "-qo out --na=? in"),
        ("-oout --na ? in", "-oout --na=? in"),
        ("-q --no-header in --na a b", "-q --no-header in --na=a --na=b"),
        # What is wrong stays as it is, for typer to refuse.
        ("in --na", "in --na"),
        ("in --unknown x --na a b", "in --unknown x --na=a --na=b"),
        ("in -x --na a b", "in -x --na=a --na=b"),
        ("-- --na x", "-- --na x"),
        ("", ""),
    ],
)
def test_values_are_spread_over_their_option(given, meant):
    assert spread(given.split(), PARAMETERS) == meant.split()


def test_a_value_may_hold_blanks_and_be_empty():
    assert spread(["in", "--na", "not known", ""], PARAMETERS) == ["in", "--na=not known", "--na="]


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
    assert bounds_for("--min", bounds, ["a", "b"], refuse) == taken


def test_a_bound_of_a_column_that_is_not_filled():
    with pytest.raises(
        WrongOptions, match=r"--max: one of height, age is needed; received 'hight'\. Did you"
    ):
        bounds_for("--max", {"hight": 1.0}, ["height", "age"], refuse)


def test_a_long_list_of_names_is_cut():
    message = str(refuse("--min", "x", [f"column{at}" for at in range(50)]))
    assert "column29 and 20 more is needed" in message


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        (None, None),
        ("tab", "\t"),
        ("TAB", "\t"),
        (r"\t", "\t"),
        ("semicolon", ";"),
        ("|", "|"),
        ("space", " "),
    ],
)
def test_delimiters(text, delimiter):
    assert parse_delimiter(text) == delimiter


def test_a_wrong_delimiter():
    with pytest.raises(
        WrongOptions, match="one character, or tab, comma, semicolon, pipe, space is needed"
    ):
        parse_delimiter("::")
