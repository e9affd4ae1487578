"""Help, version and completion: at once, in plain text, with an example for every command."""

import re

import pytest

from command_line import iim
from iim import __version__
from iim.cli.commands import COMMANDS
from iim.cli.exits import CODES_IN_WORDS, ExitCode
from iim.cli.running import parser_of
from iim.cli.tables import REPORTS
from iim.reporting.reports import _RENDERERS


def test_the_names_that_are_known_without_loading_are_the_real_ones():
    assert tuple(_RENDERERS) == REPORTS


def test_the_commands():
    assert list(COMMANDS) == [
        "impute",
        "compare",
        "diagnose",
        "fit",
        "apply",
        "methods",
        "cluster",
        "datasets",
        "reproduce",
        "demo",
    ]


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"]])
def test_help_names_the_commands_and_the_exit_codes(arguments):
    done = iim(*arguments)
    assert (done.code, done.err) == (0, "")
    for command in COMMANDS:
        assert re.search(rf"^  {command} +[A-Z].*[a-z]\.$", done.text, re.MULTILINE), command
    for code, words in CODES_IN_WORDS.items():
        assert re.search(rf"^ +{int(code)}  {re.escape(words)}$", done.text, re.MULTILINE)


def test_help_says_where_options_stand():
    # They were shown before the command, where they are refused.
    text = iim("--help").text
    assert text.startswith("Usage: iim COMMAND [OPTIONS] [ARGS]...")
    before, _, after = text.partition("General, after the name of a command:")
    assert "--version" in before
    assert "--json" in after


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command):
    done = iim(command, "--help")
    assert (done.code, done.err) == (0, "")
    assert done.text.startswith(f"Usage: iim {command} [OPTIONS]")
    examples = done.text.partition("Examples\n--------\n")[2].partition("\n\n")[0]
    assert f"iim {command}" in examples
    assert "--json" in done.text
    assert "\x1b" not in done.text


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_has_a_text(command):
    for action in parser_of(command)._actions:
        assert action.help, action.dest
        assert action.help.endswith("."), action.dest


def test_version():
    done = iim("--version")
    assert (done.code, done.text, done.err) == (0, f"iim {__version__}\n", "")


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (["imput"], "no such command: 'imput'. Did you mean 'impute'?", "See: iim --help"),
        (["--nonsense"], "no such option: --nonsense.", "See: iim --help"),
        (["--json"], "the command must stand before its options", "See: iim --help"),
        (["impute"], "INPUT: missing.", "See: iim impute --help"),
        (["fit", "in.csv"], "-o/--output: missing", "See: iim fit --help"),
        (["impute", "in.csv", "-o"], "-o/--output: expected one argument", "See: iim impute --help"),
        (
            ["compare", "in.csv", "--repeats", "x"],
            "--repeats: a whole number, 1 or more, is needed; received 'x'",
            "See: iim compare --help",
        ),
    ],
)
def test_a_wrong_command_line_is_one_line_and_a_hint(arguments, message, hint):
    done = iim(*arguments)
    assert (done.code, done.out) == (ExitCode.WRONG_INPUT, b"")
    line, last = done.err.splitlines()
    assert line.startswith(f"iim: error: {message.removesuffix('.')}")
    assert last == hint


def test_the_word_error_is_red_on_a_terminal_only():
    on_terminal = {"stderr_is_terminal": True, "variables": {"TERM": "xterm"}}
    assert iim("impute", **on_terminal).err.startswith("\x1b[1;31miim: error:\x1b[0m INPUT")
    quiet = {"stderr_is_terminal": True, "variables": {"TERM": "xterm", "NO_COLOR": "1"}}
    assert iim("impute", **quiet).err.startswith("iim: error: INPUT")


def test_completion_knows_commands_options_and_methods():
    pytest.importorskip("shtab")
    for shell in ("bash", "zsh", "tcsh", "fish"):
        done = iim("--print-completion", shell)
        assert done.code == 0
        for word in ("impute", "cluster", "print-completion", "output-format", "loess"):
            assert word in done.text
    done = iim("--print-completion", "cmd.exe")
    assert done.code == ExitCode.WRONG_INPUT
    assert "--print-completion: one of bash, zsh, tcsh" in done.err
