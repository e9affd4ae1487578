"""Help, version and completion: at once, in plain text, with an example for every command."""

import os
import re

import pytest
import typer

from command_line import iim
from iim import METHODS, __version__
from iim.cli.app import app
from iim.cli.exits import CODES_IN_WORDS, ExitCode
from iim.cli.keys import FORMATS, REPORTS
from iim.files import FORMATS as KNOWN_FORMATS
from iim.reporting.result import _RENDERERS

COMMANDS = list(typer.main.get_command(app).commands)


def test_the_names_that_are_known_without_loading_are_the_real_ones():
    assert FORMATS == KNOWN_FORMATS
    assert tuple(_RENDERERS) == REPORTS


def test_the_commands():
    assert COMMANDS == [
        "impute",
        "compare",
        "diagnose",
        "fit",
        "apply",
        "methods",
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


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command):
    done = iim(command, "--help")
    assert (done.code, done.err) == (0, "")
    assert done.text.startswith(f"Usage: iim {command} [OPTIONS]")
    examples = done.text.partition("Examples:\n")[2].partition("\n\n")[0]
    assert f"iim {command}" in examples
    assert "--json" in done.text
    assert "\x1b" not in done.text


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_has_a_text(command):
    for parameter in typer.main.get_command(app).commands[command].params:
        assert parameter.help, parameter.name
        assert parameter.help.endswith("."), parameter.name


def test_version():
    done = iim("--version")
    assert (done.code, done.text, done.err) == (0, f"iim {__version__}\n", "")


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (["imput"], "No such command 'imput'.", "See: iim --help"),
        (["--nonsense"], "No such option: --nonsense", "See: iim --help"),
        (["impute"], "Missing argument 'INPUT'.", "See: iim impute --help"),
        (["impute", "in.csv", "-o"], "Option '-o' requires an argument.", "See: iim impute --help"),
        (
            ["compare", "in.csv", "--repeats", "x"],
            "Invalid value for '--repeats'",
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
    assert iim("impute", **on_terminal).err.startswith("\x1b[1;31miim: error:\x1b[0m Missing")
    quiet = {"stderr_is_terminal": True, "variables": {"TERM": "xterm", "NO_COLOR": "1"}}
    assert iim("impute", **quiet).err.startswith("iim: error: Missing")


def complete(monkeypatch, words):
    *_, _last = words
    monkeypatch.setenv("_IIM_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "\n".join(words))
    monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
    done = iim(variables=dict(os.environ))
    assert done.code == 0
    assert done.err == ""
    return done.text.split()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["iim", ""], COMMANDS),
        (["iim", "di"], ["diagnose"]),
        (["iim", "impute", "in.csv", "--method", ""], list(METHODS)),
        (["iim", "impute", "in.csv", "-m", "l"], ["loess"]),
        (["iim", "compare", "in.csv", "--methods", "mean", "--methods", "kn"], ["knn", "knne"]),
        (["iim", "methods", "i"], ["ifc", "ills", "iim"]),
        (["iim", "impute", "in.csv", "--format", "p"], ["parquet"]),
        (["iim", "apply", "in.csv", "--output-format", ""], list(FORMATS)),
        (["iim", "impute", "in.csv", "--repo"], ["--report"]),
        (["iim", "datasets", "--download", "c"], ["ccs", "ccpp", "ca"]),
    ],
)
def test_completion(monkeypatch, words, offered):
    # Older versions of typer sort the commands.
    assert sorted(complete(monkeypatch, words)) == sorted(offered)


def test_a_completion_that_is_not_known(monkeypatch):
    monkeypatch.setenv("_IIM_COMPLETE", "complete_nothing")
    assert iim(variables=dict(os.environ)).code == 1


def test_a_script_for_completion_can_be_shown(monkeypatch):
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    done = iim("--show-completion", "bash")
    assert done.code in (0, ExitCode.WRONG_INPUT)
