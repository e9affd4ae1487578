"""Words of a command line as options: several after one, negative numbers, what is refused."""

import pytest

from iim.cli.parser import WrongUsage
from iim.cli.running import parser_of


def parsed(line):
    return parser_of("impute").parse(line.split())


@pytest.mark.parametrize(
    ("line", "na", "rest"),
    [
        ("in --na ? n/a -200", ["?", "n/a", "-200"], {}),
        ("in --na -200 -o out", ["-200"], {"output": "out"}),
        ("in --na -.5 -,5 -1e9 -inf --quiet", ["-.5", "-,5", "-1e9", "-inf"], {"quiet": True}),
        ("in --na -", ["-"], {}),
        ("in --na=-x", ["-x"], {}),
        ("in --columns a b --na x y", ["x", "y"], {"columns": ["a", "b"]}),
        ("in --na ? --na n/a --na -200", ["?", "n/a", "-200"], {}),
        ("--na ? n/a -o out in", ["?", "n/a"], {"output": "out"}),
        ("--na ? n/a -- in", ["?", "n/a"], {}),
        ("-qo out in --na ?", ["?"], {"output": "out", "quiet": True}),
        ("in --set a=1 b=2 --set c=3", None, {"settings": ["a=1", "b=2", "c=3"]}),
        ("in --no-header", None, {"header": False}),
        ("-", None, {"json": False, "quiet": False, "method": None}),
    ],
)
def test_options(line, na, rest):
    options = parsed(line)
    assert options.path == ("-" if line == "-" else "in")
    assert options.na == na
    assert {name: getattr(options, name) for name in rest} == rest


def test_a_value_may_hold_blanks_and_be_empty():
    assert parser_of("impute").parse(["in", "--na", "not known", ""]).na == ["not known", ""]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("in --na", "--na: expected at least one argument"),
        ("in --unknown", "no such option: --unknown."),
        ("in --colums a", "no such option: --colums. Did you mean '--columns'?"),
        ("in --col a", "no such option: --col."),
        ("in other", "one argument too many: 'other'"),
        # These were called options that do not exist.
        ("in -", "one argument too many: '-'"),
        ("in -5", "one argument too many: '-5'"),
        ("--na ? in", "INPUT: missing. Put it before options that take several"),
        (
            "in -m kn",
            "-m/--method: one of mean, knn, knne, .* is needed; received 'kn'. Did you mean 'knn'?",
        ),
    ],
)
def test_what_cannot_be_read(line, message):
    with pytest.raises(WrongUsage, match=message) as found:
        parsed(line)
    assert found.value.command == "iim impute"


def test_a_missing_option_may_stand_anywhere():
    # The advice is for arguments: --na takes no other option for its value.
    with pytest.raises(WrongUsage, match=r"^-o/--output: missing$"):
        parser_of("fit").parse(["in.csv"])


def test_help_has_no_colours_of_argparse():
    # Python 3.14 has them, on terminals and with FORCE_COLOR.
    assert parser_of("impute").color is False
