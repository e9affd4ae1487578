"""Whatever a file is: one clear line, the right exit code, no traceback, no half-written file."""

import codecs
import gzip
import io
import os
import random
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import iim as package
from cases import long
from command_line import SMALL, heed_signals, iim, small_file
from iim.cli.exits import ExitCode

OLD = b"what was there before\n"
"""The content of an output that must stay as it is if anything goes wrong."""

TIMEOUT = 300
"""Seconds; far above what any child needs, so that only a hang meets it."""

COMMANDS = {
    "impute": ("impute", "-m", "mean"),
    "apply": ("apply", "--model", "model.iim"),
    "fit": ("fit", "-m", "mean"),
    "compare": ("compare", "--methods", "mean", "knn", "--repeats", "1"),
    "diagnose": ("diagnose", "--repeats", "1"),
}
WRITES = ("impute", "apply", "fit")


def binary(seed: int) -> bytes:
    return bytes([0, 255, *random.Random(seed).randbytes(500)])


BAD = {
    "empty": (b"", "is empty"),
    "blank lines only": (b"\n \n\n", "is empty"),
    "header only": (b"temperature,humidity\n", "has columns, but no rows"),
    "ragged rows": (b"temperature,humidity\n1,2\n3\n4,5\n", r"line 3 has 1 cell, but the first line has 2"),
    "mixed types": (
        b"temperature,humidity\n1,2\n3,wet\n4,5\n",
        r"column 'humidity' holds 'wet' in line 3.*--na 'wet'.*(--ignore 'humidity'|without it)",
    ),
    "UTF-16": ("temperature,humidity\n1,2\n3,\n".encode("utf-16"), "looks like UTF-16.*--encoding utf-16"),
    "UTF-16 without its mark": ("temperature,humidity\n1,2\n3,\n".encode("utf-16-be"), "looks like UTF-16"),
    "Latin-1": (
        "temperature,humidity,größe\n1,2,x\n3,,y\n".encode("latin-1"),
        "not in UTF-8: byte 0xF6 in line 1.*--encoding latin-1",
    ),
    "duplicate names": (
        b"temperature,humidity,humidity\n1,2,3\n",
        r"two columns are called 'humidity' \(columns 2 and 3\)",
    ),
    "binary": (binary(0), "no text file: it holds bytes of zero"),
    "a workbook": (b"PK\x03\x04" + binary(1), "a zip file, or a workbook"),
    "parquet called csv": (b"PAR1" + binary(2), "holds Parquet, not CSV.*--format parquet"),
    "damaged gzip": (
        gzip.compress(b"temperature,humidity\n1,2\n" * 99)[:-12],
        "gzip, but damaged or cut off",
    ),
    "an open quote": (
        b'temperature,humidity\n1,"2\n3,4\n5,6\n',
        "line 3 has 3 cells|holds '\"2' in line 2",
    ),
    "infinite": (b"temperature,humidity\n1,2\n3,inf\n4,5\n", "column 'humidity' holds 'inf' in line 3"),
    "numbers for a header": (b"1,2\n3,4\n", "nothing but numbers.*--header.*--no-header"),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a model, an old output, and where relative paths begin."""
    monkeypatch.chdir(tmp_path)
    frame = pa.table({"temperature": [1.0, 2.0, 4.0], "humidity": [5.0, None, 7.0]})
    package.MeanImputer().fit(frame).save("model.iim")
    Path("out").write_bytes(OLD)
    return tmp_path


def run(command: str, path: str, *more: str, **how):
    output = ("-o", "out") if command in WRITES else ()
    return iim(*COMMANDS[command][:1], path, *COMMANDS[command][1:], *output, *more, **how)


def assert_refused(done, code, before) -> None:
    """One line, the code, nothing on standard output, no file changed or left behind."""
    assert done.code == code, done.err
    assert done.out == b""
    lines = done.err.splitlines()
    assert len(lines) == 1, done.err
    assert lines[0].startswith("iim: error: ")
    assert "Traceback" not in done.err
    assert {path.name: path.read_bytes() for path in Path().iterdir() if path.is_file()} == before


def files() -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path().iterdir() if path.is_file()}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("kind", BAD)
def test_a_file_that_cannot_be_used(kind, command, folder):
    content, message = BAD[kind]
    Path("bad.csv").write_bytes(content)
    before = files()
    done = run(command, "bad.csv")
    assert_refused(done, ExitCode.WRONG_INPUT, before)
    assert re.search(message, done.err), done.err
    assert "bad.csv" in done.err


@pytest.mark.parametrize("command", ["impute", "fit", "compare", "diagnose"])
def test_no_numeric_column(command, folder):
    Path("bad.csv").write_bytes(b"name,when\nAnn,2020-01-01\nBob,2020-01-02\n")
    done = run(command, "bad.csv")
    assert done.code == ExitCode.WRONG_INPUT
    assert "has no column of numbers to work with ('name': text, 'when': date)" in done.err


def test_a_byte_order_mark_is_kept(folder):
    Path("t.csv").write_bytes(codecs.BOM_UTF8 + b"temperature,humidity\n1,2\n,4\n")
    assert run("impute", "t.csv", "-q").code == 0
    assert Path("out").read_bytes() == codecs.BOM_UTF8 + b"temperature,humidity\n1,2\n1,4\n"


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1"])
def test_other_encodings_work_once_they_are_named(encoding, folder):
    text = "temperature,humidity,größe\n1,2,ä\n,4,ö\n"
    Path("t.csv").write_bytes(text.encode(encoding))
    assert run("impute", "t.csv", "-q", "--encoding", encoding).code == 0
    assert Path("out").read_bytes() == text.replace("\n,", "\n1,").encode(encoding)


def test_empty_column_names_are_told_and_kept(folder):
    Path("t.csv").write_bytes(b",temperature,\n1,2,3\n2,,5\n")
    done = run("impute", "t.csv")
    assert done.code == 0
    assert "a column without a name is called 'column 1', 'column 3' here" in done.err
    assert Path("out").read_bytes() == b",temperature,\n1,2,3\n2,2,5\n"


def test_a_column_that_is_nearly_empty_is_filled(folder):
    random_numbers = np.random.default_rng(0).normal(size=(300, 2)).round(3)
    rows = [f"{a},{b},{'7.5' if row == 150 else ''}" for row, (a, b) in enumerate(random_numbers)]
    Path("t.csv").write_text("a,b,rare\n" + "\n".join(rows) + "\n")
    done = iim("impute", "t.csv", "-o", "out")
    assert done.code == 0, done.err
    assert "Traceback" not in done.err
    table = np.genfromtxt("out", delimiter=",", skip_header=1)
    assert not np.isnan(table).any()
    np.testing.assert_array_equal(table[:, 2], 7.5)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_directory(command, folder):
    Path("bad.csv").mkdir()
    before = files()
    done = run(command, "bad.csv")
    assert_refused(done, ExitCode.WRONG_INPUT, before)
    assert "bad.csv is a folder" in done.err


@pytest.mark.parametrize("command", COMMANDS)
def test_no_such_file(command, folder):
    done = run(command, "absent.csv")
    assert_refused(done, ExitCode.WRONG_INPUT, files())
    assert "cannot read 'absent.csv': No such file or directory" in done.err


@pytest.mark.parametrize("command", WRITES)
@pytest.mark.parametrize(
    ("place", "reason"), [("absent/out.csv", "the folder does not exist"), (".", "Is a directory")]
)
def test_a_place_that_cannot_be_written(command, place, reason, folder):
    small_file(folder, "small.csv")
    before = files()
    done = iim(*COMMANDS[command][:1], "small.csv", *COMMANDS[command][1:], "-o", place)
    assert_refused(done, ExitCode.CANNOT_WRITE, before)
    assert reason in done.err


def start(*arguments: object, **how) -> subprocess.Popen[bytes]:
    """A real process of the command line."""
    environment = {**os.environ, "PYTHONWARNINGS": "error", **how.pop("environment", {})}
    return subprocess.Popen(
        [sys.executable, "-m", "iim", *map(str, arguments)],
        stdout=how.pop("stdout", subprocess.PIPE),
        stderr=subprocess.PIPE,
        env=environment,
        **how,
    )


POSIX = pytest.mark.skipif(os.name != "posix", reason="signals, permissions and limits are POSIX's")


@POSIX
def test_no_permission(run_python):
    # Not below pytest's own folder, which only its owner can enter.
    folder = Path(tempfile.mkdtemp())
    try:
        shown = _run_without_rights(folder, run_python)
        left = list((folder / "shut").iterdir())
    finally:
        shutil.rmtree(folder)
    lines = shown.splitlines()
    if lines[0] != "True True":
        pytest.skip("a user who is not root cannot reach the folder of the test")
    assert lines[1:] == [
        "iim: error: cannot read 'secret.csv': Permission denied",
        "2",
        "iim: error: cannot write 'shut/out.csv': Permission denied",
        "3",
    ]
    assert left == []


def _run_without_rights(folder, run_python):
    small_file(folder, "secret.csv").chmod(0)
    small_file(folder, "small.csv").chmod(0o644)
    (folder / "shut").mkdir(mode=0o555)
    folder.chmod(0o755)
    return run_python(
        f"""
        import os
        os.chdir({str(folder)!r})
        from iim.cli.running import run
        from iim.cli.streams import Environment

        environment = Environment.of_process()
        mean = ("-m", "mean", "-q")
        # Once with all rights, so that everything is loaded.
        assert run(["impute", "small.csv", *mean, "-o", os.devnull], environment) == 0
        if os.getuid() == 0:
            # The superuser may read and write everywhere.
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
        print(os.access(".", os.R_OK | os.X_OK), os.access("small.csv", os.R_OK))
        os.dup2(1, 2)
        print(run(["impute", "secret.csv", *mean], environment), flush=True)
        print(run(["impute", "small.csv", *mean, "-o", "shut/out.csv"], environment), flush=True)
        """
    )


@POSIX
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_full_disk_behind_standard_output(folder):
    small_file(folder)
    with Path("/dev/full").open("wb") as full:
        process = start("impute", "small.csv", "-m", "mean", "-q", cwd=folder, stdout=full)
        _, err = process.communicate(timeout=TIMEOUT)
    assert process.returncode == ExitCode.CANNOT_WRITE
    assert err == b"iim: error: cannot write standard output: No space left on device\n"


def small_limit() -> None:
    import resource  # noqa: PLC0415 (POSIX only)

    # The write fails, and with the signal ignored it does so as on a full disk.
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))


@POSIX
@pytest.mark.parametrize("command", ["impute", "apply", "report"])
def test_a_full_disk_leaves_the_old_file(command, folder):
    lines = "".join(f"{row % 17},{row % 5 if row % 3 else ''}\n" for row in range(2000))
    Path("table.csv").write_text("temperature,humidity\n" + lines)
    Path("report.html").write_bytes(OLD)
    before = files()
    arguments = {
        "impute": ("impute", "table.csv", "-m", "mean", "-o", "out"),
        "apply": ("apply", "table.csv", "--model", "model.iim", "-o", "out"),
        "report": ("diagnose", "table.csv", "--repeats", "1", "--report", "report.html"),
    }[command]
    process = start(
        *arguments,
        cwd=folder,
        preexec_fn=small_limit,
        environment={"IIM_NUMBA_CACHE": "0"} if command != "report" else {},
    )
    out, err = process.communicate(timeout=TIMEOUT)
    assert process.returncode == ExitCode.CANNOT_WRITE, err
    assert out == b""
    assert b"File too large" in err
    assert b"Traceback" not in err
    assert files() == before


def test_input_and_output_may_be_one_file(folder):
    small_file(folder, "t.csv")
    mode = stat.S_IMODE(Path("t.csv").stat().st_mode)
    for _ in range(2):
        assert iim("impute", "t.csv", "-m", "mean", "-o", "t.csv", "-q").code == 0
    assert Path("t.csv").read_text() == iim("impute", "-", "-m", "mean", stdin=SMALL.encode()).text
    assert stat.S_IMODE(Path("t.csv").stat().st_mode) == mode
    Path("u.csv").write_bytes(b"temperature,humidity\n,6\n1,\n")
    assert iim("apply", "u.csv", "--model", "model.iim", "-o", "u.csv", "-q").code == 0
    assert Path("u.csv").read_bytes() == b"temperature,humidity\n2.3333333333333335,6\n1,6\n"


PHASES = {
    "while arguments are read": "iim.cli.parser.Parser.parse",
    "while the file is opened": "iim.files.tables.Opened",
    "while the dialect is found": "iim.files.text.find_dialect",
    "while cells are read": "iim.files.text.read_cells",
    "while learning": "iim.imputers.mean.MeanImputer._fit",
    "while filling": "iim.imputers.mean.MeanImputer._fill",
    "while bytes are written": "iim.files.text.TextSource.splice",
    "while the file is put in place": "iim.persistence.atomic.NewFile.commit",
    "while the report is made": "iim.reporting.Report.save",
    "while the summary is told": "iim.cli.commands.impute.tell_filling",
}


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, RuntimeError])
@pytest.mark.parametrize("phase", PHASES)
def test_an_end_in_every_phase(phase, error, folder, monkeypatch):
    small_file(folder)
    before = files()

    def end(*_, **__):
        raise error

    monkeypatch.setattr(PHASES[phase], end)
    done = iim("impute", "small.csv", "-m", "mean", "-o", "out", "--report", "r.html")
    code = {KeyboardInterrupt: 130, MemoryError: 2, RuntimeError: 1}[error]
    assert done.code == code, done.err
    assert "Traceback" not in done.err
    assert done.err.splitlines()[-1].startswith("iim: error: ")
    after = files()
    assert not [name for name in after if name.endswith(".part")]
    written = {name: content for name, content in after.items() if name not in ("out", "r.html")}
    assert written == {name: content for name, content in before.items() if name != "out"}
    # The old file or the whole new one.
    assert after["out"] in (OLD, iim("impute", "-", "-m", "mean", "-q", stdin=SMALL.encode()).out or OLD)


@POSIX
@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("delay", [1.0, *long(0.05, 3.0)])
def test_signals_at_any_time(number, delay, folder):
    values = np.random.default_rng(0).normal(size=(60_000, 4)).round(4)
    rows = [
        ",".join("" if (row + at) % 9 == 0 else str(value) for at, value in enumerate(line))
        for row, line in enumerate(values)
    ]
    Path("table.csv").write_text("a,b,c,d\n" + "\n".join(rows) + "\n")
    before = files()
    # As the command does it, with a word when the interpreter is up: before, nobody can catch a signal.
    code = "import sys; from iim.cli import main; print(flush=True); sys.exit(main())"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "impute", "table.csv", "-o", "out"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=heed_signals,  # noqa: PLW1509 (it only sets two signals)
    )
    assert process.stdout.readline() == b"\n"
    time.sleep(delay)
    process.send_signal(number)
    time.sleep(0.05)
    # A second one must not disturb the cleaning up after the first.
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=TIMEOUT)
    assert out == b""
    assert b"Traceback" not in err
    ended = {signal.SIGINT: 130, signal.SIGTERM: 143}[number]
    # In the first moments there is no handler yet, and nothing to clean up.
    assert process.returncode in ((ended, 130, -number, -signal.SIGINT) if delay < 1 else (ended,)), err
    assert files() == before


LOSE_A_SIGNAL = """
import hashlib, os, sys, time
import iim.cli, iim.cli.running
from iim.cli import signals
from iim.persistence.atomic import NewFile

def get_signal():
    os.kill(os.getpid(), {number})
    time.sleep(0.01)

class Dying:
    def __del__(self):
        get_signal()

def in_destructor():
    Dying()

def where_all_is_caught():
    try:
        get_signal()
    except:
        pass

def twice():
    where_all_is_caught()
    where_all_is_caught()

def wait():
    for _ in range(6000):
        time.sleep(0.01)

def compute():
    # In C, where Python can call no handler; some tens of seconds.
    hashlib.pbkdf2_hmac("sha512", b"", b"", 10**8)

def step():
    for _ in range(6000):
        time.sleep(0.01)
        signals.check()

def fail():
    raise RuntimeError

def run(_):
    with NewFile("out") as new:
        new.write(b"half")
        {where}()
        {then}()
        new.commit()
    return 0

iim.cli.running.run_process = run
sys.exit(iim.cli.main())
"""


@POSIX
@pytest.mark.parametrize("number", [signal.SIGINT, *long(signal.SIGTERM)])
@pytest.mark.parametrize("where", ["in_destructor", "where_all_is_caught", "twice"])
@pytest.mark.parametrize("then", ["wait", "compute", "step", "fail"])
def test_signals_that_others_lose(number, where, then, folder):
    before = files()
    code = LOSE_A_SIGNAL.format(number=int(number), where=where, then=then)
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        check=False,
        timeout=TIMEOUT,
        preexec_fn=heed_signals,
    )
    assert done.returncode == 128 + number, done.stderr
    # From `run_process`, which is not at work here, or from the thread that watches.
    told = {signal.SIGINT: b"iim: error: interrupted\n", signal.SIGTERM: b"iim: error: terminated\n"}
    assert done.stderr == (told[number] if then in ("wait", "compute") else b"")
    assert files() == before


def test_arrow_files_that_are_cut_off(folder):
    buffer = io.BytesIO()
    pq.write_table(pa.table({"temperature": [1.0, None], "humidity": [1.0, 2.0]}), buffer)
    Path("bad.parquet").write_bytes(buffer.getvalue()[:-20])
    Path("bad.feather").write_bytes(b"ARROW1\0\0" + b"x" * 50)
    for name in ("bad.parquet", "bad.feather"):
        done = run("impute", name)
        assert_refused(done, ExitCode.WRONG_INPUT, files())
        assert f"{name} cannot be read as" in done.err
    Path("text.parquet").write_bytes(b"a,b\n1,2\n")
    done = run("impute", "text.parquet")
    assert "text.parquet is not a Parquet file" in done.err
