"""The command line within this process: what it returns and writes."""

import io
import re
import signal
from dataclasses import dataclass
from pathlib import Path

from iim.cli.running import run
from iim.cli.streams import Environment

SMALL = """station,time,temperature,humidity,count
a,2026-01-01,1.50,80,3
b,2026-01-02,2.5,,4
c,2026-01-03,,70,5
a,2026-01-04,4.0,65,
b,2026-01-05,5.0,60,7
c,2026-01-06,6.25,55,8
"""
"""A table with text, dates, numbers and whole numbers, and a hole in each column of numbers."""


COMPILING = re.compile(r"^iim: compiling its kernels.*\n", re.MULTILINE)
"""What the first command on a machine says, whichever test that is."""


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode()


def make_environment(stdin: bytes = b"", **settings: object) -> Environment:
    """Streams in memory."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="") for _ in range(2))
    return Environment(io.BytesIO(stdin), out, err, **settings)


def iim(*arguments: object, stdin: bytes = b"", **settings: object) -> Ended:
    """Run a command; settings are those of the environment."""
    environment = make_environment(stdin, **settings)
    code = run(list(map(str, arguments)), environment)
    return ended(code, environment)


def ended(code: int, environment: Environment) -> Ended:
    """What a command left in its streams."""
    environment.stdout.flush()
    environment.stderr.flush()
    err = environment.stderr.buffer.getvalue().decode()
    return Ended(code, environment.stdout.buffer.getvalue(), COMPILING.sub("", err))


def heed_signals() -> None:
    """In a child, before it begins: what is started in the background may have to ignore Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def small_file(folder: Path, name: str = "small.csv") -> Path:
    """The small table in a file."""
    path = folder / name
    path.write_text(SMALL, "utf-8")
    return path
