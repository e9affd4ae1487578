"""The command in a process of its own: signals, closed pipes, terminals, what is loaded."""

import os
import signal
import subprocess
import sys

import pytest

from command_line import heed_signals, iim, small_file

HEAVY = {
    "numpy",
    "sklearn",
    "numba",
    "scipy",
    "pandas",
    "polars",
    "pyarrow",
    "matplotlib",
    "rich",
}

SLOW = """
import sys
import time

import iim.cli.running
import iim.imputers.mean


def wait(self, matrix):
    print("waiting", file=sys.stderr, flush=True)
    time.sleep(60)


iim.imputers.mean.MeanImputer._fit = wait
sys.argv = ["iim", *sys.argv[1:]]
sys.exit(iim.cli.main())
"""


def start(*arguments, code=None, **settings):
    program = ["-m", "iim"] if code is None else ["-c", code]
    return subprocess.Popen(
        [sys.executable, *program, *map(str, arguments)],
        stdout=settings.pop("stdout", subprocess.PIPE),
        stderr=subprocess.PIPE,
        **settings,
    )


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
@pytest.mark.parametrize(
    ("number", "code", "message"),
    [
        (signal.SIGINT, 130, "iim: error: interrupted\n"),
        (signal.SIGTERM, 143, "iim: error: terminated\n"),
    ],
)
def test_signals_end_it_cleanly(tmp_path, number, code, message):
    path = small_file(tmp_path)
    process = start("impute", path, "-m", "mean", "-o", path, code=SLOW, preexec_fn=heed_signals)
    try:
        assert process.stderr.readline() == b"waiting\n"
        process.send_signal(number)
        out, err = process.communicate(timeout=300)
    finally:
        process.kill()
    assert (process.returncode, out, err.decode()) == (code, b"", message)
    assert [each.name for each in tmp_path.iterdir()] == ["small.csv"]


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
@pytest.mark.parametrize("module", ["iim.cli.running", "iim.cli.options"])
@pytest.mark.parametrize("then", ["raise", "raise RuntimeError", "return None"])
def test_ctrl_c_while_it_loads_has_no_traceback(module, then):
    # Python makes errors of its own of it, and some packages go on without what they could not load.
    code = f"""
import os, signal, sys, time
class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == "{module}":
            try:
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(60)
            except KeyboardInterrupt:
                {then}
sys.meta_path.insert(0, Interrupt())
from iim.cli import main
sys.exit(main())
"""
    process = start("impute", "absent.csv", code=code, preexec_fn=heed_signals)
    out, err = process.communicate(timeout=300)
    assert (process.returncode, out) == (130, b"")
    assert err in (b"", b"iim: error: interrupted\n")


def test_an_error_while_it_loads_has_a_traceback():
    code = """
import sys
sys.modules["iim.cli.running"] = None
from iim.cli import main
sys.exit(main())
"""
    process = start(code=code)
    _, err = process.communicate(timeout=300)
    assert process.returncode == 1
    assert b"Traceback" in err


@pytest.mark.skipif(os.name == "nt", reason="pipes of Unix")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_goes_away(tmp_path, unbuffered):
    # Without a buffer, Python's own stream writes but a part, and nobody would know.
    path = tmp_path / "long.csv"
    # More than any pipe takes in by itself.
    path.write_text("a,b\n" + "1.5,\n2.5,3\n" * 150_000, "utf-8")
    variables = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with start("impute", path, "-m", "mean", "-q", env=variables) as process:
        assert process.stdout.readline() == b"a,b\n"
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


CLOSED_INPUT = "iim: error: cannot read standard input: it is closed\n"
CLOSED_OUTPUT = "iim: error: cannot write standard output: it is closed\n"


@pytest.mark.skipif(os.name == "nt", reason="closes streams as shells of Unix do")
@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        ("impute - -m mean <&-", 2, CLOSED_INPUT),
        ("impute small.csv -m mean -q >&-", 3, CLOSED_OUTPUT),
        ("methods --json >&-", 3, CLOSED_OUTPUT),
        ("methods >&-", 3, CLOSED_OUTPUT),
        ("--help >&-", 3, CLOSED_OUTPUT),
        ("impute absent.csv 2>&-", 2, ""),
        ("impute small.csv -m mean -o out.csv <&- >&- 2>&-", 0, ""),
    ],
)
def test_streams_that_are_closed(tmp_path, arguments, code, told):
    path = small_file(tmp_path)
    command = f'"{sys.executable}" -m iim {arguments}'
    done = subprocess.run(command, shell=True, capture_output=True, timeout=300, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr.decode()) == (code, b"", told)
    if code == 0:
        # Nothing that others print went into the file, which could have had the number of a closed stream.
        expected = iim("impute", path, "-m", "mean").out
        assert (tmp_path / "out.csv").read_bytes() == expected


def loaded_by(*arguments):
    """What a command loads."""
    code = (
        "import sys; before = set(sys.modules); from iim.cli import main; main(); "
        "print(*sys.modules.keys() - before, file=sys.stderr)"
    )
    _, err = start(*arguments, code=code).communicate(timeout=300)
    return set(err.decode().split())


def test_help_loads_nothing_heavy():
    assert not loaded_by("--help") & HEAVY


def test_filling_a_file_loads_no_more_than_it_needs(tmp_path):
    loaded = loaded_by("impute", small_file(tmp_path), "-m", "mean", "-q")
    assert {"iim.imputers", "pyarrow"} <= loaded
    needless = {"matplotlib", "rich", "polars", "xgboost", "iim.comparing", "iim.reporting"}
    assert not loaded & {*needless, "pyarrow.parquet", "pyarrow.dataset"}
