"""How commands end: a code and one line for every kind of error, and no file left behind."""

import errno
import io
import os
import signal
from pathlib import Path

import pytest

import iim.files
from command_line import iim as iim_command
from command_line import make_environment, small_file
from iim.cli import signals
from iim.cli.exits import CODES_IN_WORDS, CannotWrite, ExitCode, explain
from iim.cli.running import run
from iim.exceptions import (
    InvalidParameter,
    MissingDependency,
    UnusableCell,
    UnusableFile,
    UnusableTable,
)

FULL = OSError(errno.ENOSPC, "No space left on device", "out.csv")

ERRORS = [
    (InvalidParameter("`k`: 1 is needed."), ExitCode.WRONG_INPUT, "`k`: 1 is needed."),
    (UnusableTable("Two\nlines."), ExitCode.WRONG_INPUT, "Two lines."),
    (UnusableCell("Column 'a' holds text."), ExitCode.WRONG_INPUT, "Column 'a' holds text."),
    (UnusableFile("Not a model."), ExitCode.WRONG_INPUT, "Not a model."),
    (
        FileNotFoundError(errno.ENOENT, "No such file or directory", "in.csv"),
        ExitCode.WRONG_INPUT,
        "cannot read 'in.csv': No such file or directory",
    ),
    (
        PermissionError(errno.EACCES, "Permission denied", "in.csv"),
        ExitCode.WRONG_INPUT,
        "cannot read 'in.csv': Permission denied",
    ),
    (
        IsADirectoryError(errno.EISDIR, "Is a directory", b"folder"),
        ExitCode.WRONG_INPUT,
        "cannot read b'folder': Is a directory",
    ),
    (OSError(errno.EIO, "Input/output error"), ExitCode.WRONG_INPUT, "cannot read standard input: Input/"),
    (OSError("odd"), ExitCode.WRONG_INPUT, "cannot read standard input: odd"),
    (FULL, ExitCode.CANNOT_WRITE, "cannot write 'out.csv': No space left on device"),
    (CannotWrite("out.csv", FULL), ExitCode.CANNOT_WRITE, "cannot write 'out.csv': No space left"),
    (CannotWrite("-", FULL), ExitCode.CANNOT_WRITE, "cannot write standard output: No space left"),
    (MissingDependency("pyarrow is needed."), ExitCode.NOT_INSTALLED, "pyarrow is needed."),
    (
        ModuleNotFoundError("No module named 'rich'", name="rich"),
        ExitCode.NOT_INSTALLED,
        "the package rich is not installed. Install it: pip install rich",
    ),
    (ModuleNotFoundError("No module named 'iim.absent'", name="iim.absent"), ExitCode.BUG, "a bug in iim"),
    (MemoryError(), ExitCode.WRONG_INPUT, "the table needs more memory than is available"),
    (KeyError("x"), ExitCode.BUG, "a bug in iim: KeyError: 'x'. Please report it"),
    (ValueError("\x1b[2J"), ExitCode.BUG, "a bug in iim: ValueError: �[2J."),
    (RecursionError("deep"), ExitCode.BUG, "a bug in iim: RecursionError: deep"),
    (KeyboardInterrupt(), ExitCode.INTERRUPTED, "interrupted"),
]


@pytest.mark.parametrize(("error", "code", "message"), ERRORS, ids=lambda part: type(part).__name__)
@pytest.mark.parametrize("options", [[], ["--json", "-o", "x.csv"], ["--quiet"]])
def test_every_error_is_a_line_and_a_code(monkeypatch, tmp_path, error, code, message, options):
    monkeypatch.chdir(tmp_path)

    def fail(*_, **__):
        raise error

    monkeypatch.setattr(iim.files, "read_file", fail)
    done = iim_command("impute", "in.csv", *options)
    assert done.code == code
    assert done.err.startswith(f"iim: error: {message}")
    assert len(done.err.splitlines()) == 1
    assert done.out == b""
    assert list(tmp_path.iterdir()) == []


def test_every_code_is_in_words():
    assert set(CODES_IN_WORDS) == set(ExitCode)
    # What shells and other programs mean by them.
    assert [ExitCode.INTERRUPTED, ExitCode.PIPE_CLOSED, ExitCode.TERMINATED] == [
        128 + 2,
        128 + 13,
        128 + 15,
    ]


def test_debug_shows_where_it_came_from(monkeypatch, tmp_path):
    def fail(*_, **__):
        raise KeyError("here")

    monkeypatch.setattr(iim.files, "read_file", fail)
    done = iim_command("impute", small_file(tmp_path), "--debug")
    assert done.code == ExitCode.BUG
    assert "Traceback" in done.err
    assert "in fail" in done.err
    assert done.err.splitlines()[-1].startswith("iim: error: a bug in iim: KeyError")
    done = iim_command("impute", small_file(tmp_path))
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (KeyboardInterrupt(), ExitCode.INTERRUPTED),
        (RuntimeError("bug"), ExitCode.BUG),
    ],
)
@pytest.mark.parametrize("phase", ["_fit", "_fill"])
def test_an_end_in_any_phase_leaves_the_old_file(monkeypatch, tmp_path, phase, error, code):
    def fail(*_, **__):
        raise error

    path, output = small_file(tmp_path), tmp_path / "out.csv"
    output.write_text("old")
    monkeypatch.setattr(iim.MeanImputer, phase, fail)
    done = iim_command("impute", path, "-m", "mean", "-o", output)
    assert done.code == code
    assert {each.name for each in tmp_path.iterdir()} == {"small.csv", "out.csv"}
    # Counting comes after writing.
    assert output.read_text() == "old"


class Closed(io.RawIOBase):
    """A pipe whose reader has gone, or a disk that is full."""

    def __init__(self, error):
        super().__init__()
        self.error = error

    def writable(self):
        return True

    def write(self, _):
        raise self.error


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (BrokenPipeError(errno.EPIPE, "Broken pipe"), ExitCode.PIPE_CLOSED, ""),
        (
            OSError(errno.ENOSPC, "No space left on device"),
            ExitCode.CANNOT_WRITE,
            "iim: error: cannot write standard output: No space left on device\n",
        ),
    ],
)
@pytest.mark.parametrize(
    "command", [["impute", "-m", "mean"], ["apply", "-m", "mean", "--sample", "9"], ["diagnose", "-q"]]
)
def test_standard_output_that_cannot_be_written(tmp_path, command, error, code, message):
    path, environment = small_file(tmp_path), make_environment()
    closed = io.TextIOWrapper(io.BufferedWriter(Closed(error)))
    object.__setattr__(environment, "stdout", closed)
    assert run([command[0], str(path), *command[1:]], environment) == code
    environment.stderr.flush()
    assert environment.stderr.buffer.getvalue().decode() == message
    closed.buffer.raw.error = None
    closed.buffer.raw.write = len


def test_words_that_nobody_hears_stop_nothing(tmp_path):
    path, environment = small_file(tmp_path), make_environment()
    closed = io.TextIOWrapper(io.BufferedWriter(Closed(OSError(errno.EPIPE, "Broken pipe"))))
    object.__setattr__(environment, "stderr", closed)
    assert run(["impute", str(path), "-m", "mean"], environment) == 0
    assert b"3.85" in environment.stdout.buffer.getvalue()
    closed.buffer.raw.write = len


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        ("absent/out.csv", "the folder does not exist"),
        ("folder", "Is a directory"),
        ("small.csv/out.csv", "the folder does not exist"),
    ],
)
@pytest.mark.parametrize("command", [["impute"], ["apply", "--sample", "9"], ["fit"]])
def test_an_output_that_cannot_be_written_is_told_before_the_work(
    monkeypatch, tmp_path, command, output, reason
):
    def fail(*_, **__):
        raise AssertionError("read before the output was looked at")

    (tmp_path / "folder").mkdir()
    small_file(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(iim.files, "read_file", fail)
    done = iim_command(command[0], "small.csv", *command[1:], "-o", output)
    assert done.code == ExitCode.CANNOT_WRITE
    assert done.err == f"iim: error: cannot write '{output}': {reason}\n"


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may write anywhere"
)
def test_no_permission(tmp_path):
    path, folder = small_file(tmp_path), tmp_path / "locked"
    folder.mkdir(mode=0o500)
    done = iim_command("impute", path, "-m", "mean", "-o", folder / "out.csv")
    assert done.code == ExitCode.CANNOT_WRITE
    path.chmod(0)
    assert iim_command("impute", path).code == ExitCode.WRONG_INPUT


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_full_disk(tmp_path):
    done = iim_command("impute", small_file(tmp_path), "-m", "mean", "-o", "/dev/full")
    assert done.code == ExitCode.CANNOT_WRITE
    assert "cannot write '/dev/full': No space left on device" in done.err


def test_explain_knows_a_broken_pipe():
    assert explain(BrokenPipeError()) == (ExitCode.PIPE_CLOSED, None)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_that_a_library_turned_into_its_own_error(number, monkeypatch):
    monkeypatch.setattr(signals, "received", number)
    code = {signal.SIGINT: ExitCode.INTERRUPTED, signal.SIGTERM: ExitCode.TERMINATED}[number]
    assert explain(ImportError("initialization failed")) == (code, signals.WORDS[number])


def test_no_threads_are_refused(tmp_path):
    done = iim_command("impute", small_file(tmp_path), "--jobs", "0")
    assert done.code == ExitCode.WRONG_INPUT
    assert "a whole number other than 0 is needed" in done.err
