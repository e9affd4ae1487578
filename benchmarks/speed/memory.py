"""Peak memory of a large table, above the data, in a process of its own."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import iim
from speed.layout import columns
from speed.measuring import seconds_of
from speed.plan import Plan
from speed.tables import made_with_holes

MOST = 2.0
"""GB above the data that a million rows may take."""

TARGET_ROWS = 1_000_000
GIGA = 1e9
TIMEOUT = 3600


def measure(plan: Plan) -> dict[str, Any]:
    """A child process for each number of rows."""
    sizes = plan.sizes((100_000, 300_000, 1_000_000), (1000,))
    sizes = sorted(
        {size for size in sizes if size < plan.rows} | ({plan.rows} if not plan.quick else set())
    )
    points = [_in_a_child(size, plan) for size in sizes]
    return {"data": made_with_holes(100).about.split(",")[0] + ", n x 5, defaults", "points": points}


def lines(record: dict[str, Any]) -> Iterator[str]:
    """GB by number of rows."""
    yield f"{record['data']}: fit_transform with progress, 5 % of the rows with a hole (seed 0)"
    yield ""
    rows = [("rows", "data GB", "before GB", "peak GB", "above the data GB", "seconds", "target")]
    for point in record["points"]:
        target = f"<= {MOST:g}" if point["rows"] == TARGET_ROWS else ""
        sizes = [f"{point[name]:.3f}" for name in ("data", "before", "peak", "above")]
        rows.append((f"{point['rows']:,}", *sizes, f"{point['seconds']:.1f}", target))
    yield from columns(rows)
    yield "  before: resident with the table, libraries and compiled kernels; above: peak less before"
    yield ""


def _in_a_child(n_rows: int, plan: Plan) -> dict[str, Any]:
    paths = [str(Path(__file__).resolve().parents[1]), os.environ.get("PYTHONPATH", "")]
    # Its progress goes to the terminal, its one line of JSON comes here.
    done = subprocess.run(  # noqa: S603 (our own interpreter and module)
        [sys.executable, "-m", "speed.memory", str(n_rows), str(plan.workers)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=TIMEOUT,
    )
    return json.loads(done.stdout)


def _measure_here(n_rows: int, workers: int) -> dict[str, Any]:
    # The compiler needs memory of its own: once before, on a small table.
    iim.IIMImputer(n_jobs=workers).fit_transform(made_with_holes(200).values)
    table = made_with_holes(n_rows).values
    _forget_peak()
    before = _resident("VmRSS") or _peak()
    imputer = iim.IIMImputer(n_jobs=workers, progress=_Tenths())
    taken = seconds_of(lambda: imputer.fit_transform(table))
    peak = _peak()
    found = {
        "data": table.nbytes / GIGA,
        "before": before / GIGA,
        "peak": peak / GIGA,
        "above": (peak - before) / GIGA,
        "seconds": taken,
    }
    return {"rows": n_rows, **{name: round(value, 4) for name, value in found.items()}}


class _Tenths:
    """Tells of progress in tenths, one line each: readable in a terminal and in a file."""

    def __init__(self) -> None:
        self._told = 0

    def __call__(self, fraction: float) -> None:
        if int(10 * fraction) != self._told:
            self._told = int(10 * fraction)
            sys.stderr.write(f"    {self._told * 10} %\n")


def _forget_peak() -> None:
    """Let the peak begin anew, where the system can: making the table must not count."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def _peak() -> int:
    """Bytes resident at the peak."""
    known = _resident("VmHWM")
    if known:
        return known
    import resource  # noqa: PLC0415 (not on every system)

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _resident(name: str) -> int:
    """A line of the process's status in bytes; 0 where there is none."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
    except OSError:
        return 0
    found = [line.split()[1] for line in status.splitlines() if line.startswith(f"{name}:")]
    return 1024 * int(found[0]) if found else 0


if __name__ == "__main__":
    print(json.dumps(_measure_here(*map(int, sys.argv[1:3]))))
