"""What the first call of a process costs: compiling on a new machine, loading what was compiled later."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from typing import Any

from speed.plan import Plan

FIRST_CALL = """
import time, numpy, iim
table = numpy.random.default_rng(0).normal(size=(50, 3)); table[0, 0] = numpy.nan
imputer = iim.IIMImputer()
begun = time.perf_counter()
imputer.fit_transform(table)
print(time.perf_counter() - begun)
"""


def measure(plan: Plan) -> dict[str, Any]:
    """Seconds without compiled kernels and with; only the latter if the plan is quick."""
    if plan.quick:
        return {"cached": round(_first_call(dict(os.environ)), 3)}
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
        compiled, cached = (_first_call(environment) for _ in range(2))
    return {"compiled": round(compiled, 2), "cached": round(cached, 3)}


def lines(record: dict[str, Any]) -> Iterator[str]:
    """Two lines."""
    if "compiled" in record:
        yield f"  first call, nothing compiled yet   {record['compiled']:6.1f} s"
    yield f"  first call of the next process     {record['cached']:6.2f} s"
    yield ""


def _first_call(environment: dict[str, str]) -> float:
    done = subprocess.run(  # noqa: S603 (our own interpreter and script)
        [sys.executable, "-c", FIRST_CALL],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    )
    return float(done.stdout)
