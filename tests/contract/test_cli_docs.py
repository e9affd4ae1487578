"""The page of the command line tells the truth: every command and option is there, every session is run.

``python tests/contract/test_cli_docs.py --write`` renews what the commands print, there and in the README.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

ROOT = Path(__file__).resolve().parents[2]
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "tests"))

from command_line import iim  # noqa: E402
from iim.cli.commands import COMMANDS  # noqa: E402
from iim.cli.exits import CODES_IN_WORDS  # noqa: E402
from iim.cli.running import parser_of  # noqa: E402

PAGES = [ROOT / "docs" / "cli.md", ROOT / "README.md"]
SESSION = re.compile(r"(?<=```console\n).*?(?=```)", re.DOTALL)
MEASURED = re.compile(r"\d+\.\d s\b|\(\d+ kB\)|\b\d+\.\d{3}\b|\b\d{1,2} s\b")
"""What differs from run to run: times, and sizes that depend on versions."""

ROUNDING = re.compile(r"(\d+\.\d{6})\d+")
"""Digits of fills in which machines may differ."""


def run_line(line: str) -> str:
    """What a line of a session writes to a terminal: standard output, then standard error."""
    command, _, target = line.partition(" > ")
    data, words = b"", ""
    for part in command.split(" | "):
        name, *arguments = shlex.split(part)
        if name == "iim":
            done = iim(*arguments, stdin=data)
            data, words = done.out, words + done.err
        else:
            data = subprocess.run([name, *arguments], input=data, capture_output=True, check=True).stdout
    if target:
        Path(target).write_bytes(data)
        data = b""
    return data.decode() + words


def run_session(session: str) -> str:
    """The session anew, with what its commands print now."""
    lines = [line[2:] for line in session.splitlines() if line.startswith("$ ")]
    return "".join(f"$ {line}\n{run_line(line)}" for line in lines)


def rewritten(page: Path) -> str:
    """The page with its sessions anew, run in order in the folder that is the current one.

    A session that differs only in what was measured stays as it is.
    """

    def renew(found: re.Match[str]) -> str:
        session = run_session(found[0])
        return found[0] if comparable(session) == comparable(found[0]) else session

    return SESSION.sub(renew, page.read_text("utf-8"))


def comparable(text: str) -> list[str]:
    """Lines without what was measured, and without how columns are padded for it."""
    return [" ".join(MEASURED.sub("#", ROUNDING.sub(r"\1", line)).split()) for line in text.splitlines()]


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_session_prints_what_the_page_says(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sessions = SESSION.findall(page.read_text("utf-8"))
    assert sessions
    for session in sessions:
        assert comparable(run_session(session)) == comparable(session)


@pytest.fixture(scope="module")
def page():
    return PAGES[0].read_text("utf-8")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_part_with_an_example(page, name):
    (part,) = re.findall(rf"^### iim {name}\n(.*?)(?=^##)", page, re.MULTILINE | re.DOTALL)
    assert re.search(rf"```console\n\$ iim {name}\b", part)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_on_the_page(page, name):
    for action in parser_of(name)._actions:
        for option in action.option_strings:
            assert re.search(rf"`{option}[ `]", page), option


def test_every_exit_code_is_on_the_page(page):
    listed = re.findall(r"^\| (\d+) \| (.+) \|$", page, re.MULTILINE)
    assert {int(code): words for code, words in listed} == CODES_IN_WORDS


def test_the_examples_of_the_help_are_commands_that_can_be_read():
    for name in COMMANDS:
        parser = parser_of(name)
        for line in parser.description.partition("Examples\n--------\n")[2].splitlines():
            _, *arguments = shlex.split(line.partition("| iim")[2] or line.strip(), comments=False)
            arguments = [each for each in arguments if each != name]
            assert parser.parse(shlex_until_redirection(arguments))


def shlex_until_redirection(arguments: list[str]) -> list[str]:
    return arguments[: arguments.index(">")] if ">" in arguments else arguments


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit("usage: python tests/contract/test_cli_docs.py --write")
    for path in PAGES:
        with TemporaryDirectory() as folder:
            os.chdir(folder)
            text = rewritten(path)
            os.chdir(ROOT)
        path.write_text(text, "utf-8")
