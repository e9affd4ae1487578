"""Ten thousand model files that fit their checksum and say what no iim has written.

Files of every method, of rounds and with a calibration are changed, one to three changes each: values of
the JSON replaced, moved, repeated, taken away; arrays of other types, shapes, lengths and entries. Each is
loaded and asked to fill rows, in a process with little memory. Printed, by method: how many are refused,
fill as before (what was changed plays no part in a fill, such as a time), or fill otherwise (another number
is another model: nobody can tell that it was not learned), and how many of the last come to no number
(from absurd ones, such as slopes of 1e308); the longest time, and the most memory beyond that of the sound
file. A file that is accepted must leave known cells alone, and fill the same when it is loaded again and
when it is saved and loaded. Exit code 1 if a process ends, a file takes more than a minute or ten times the
memory, or breaks one of these rules.

Run: ``python benchmarks/mutations.py``, or with ``--files 500 --seed 1`` for a short look.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

TESTS = Path(__file__).parents[1] / "tests"
sys.path.insert(0, str(TESTS))

import iim  # noqa: E402 (the tests' own modules come first)
from hostile_files import changed, forge  # noqa: E402
from iim.keeping.container import read_container  # noqa: E402
from iim.versions import versions  # noqa: E402
from strategies import holed, untied  # noqa: E402

PATIENCE = 60
"""Seconds for a file."""

ROOM = 2**30
"""Bytes that a process may take beyond what it has at the start."""

COUNTED = ("refused", "the same", "otherwise", "no number")

FREE = 128 * 2**20
"""Bytes that any file may take: the arrays of a fill, and what Python does not give back."""


def cases() -> dict[str, Any]:
    """Imputers to be fitted, by name."""
    found: dict[str, Any] = {key: method() for key, method in iim.METHODS.items()}
    found["iim, rounds"] = iim.IIMImputer(strategy="iterative")
    found["iim, calibrated"] = iim.IIMImputer(distance="scaled")
    found["iim, paper"] = iim.IIMImputer(**iim.PAPER)
    return found


def new_rows() -> np.ndarray:
    """Rows with every pattern of holes."""
    rows = untied(16, 4, seed=5)
    rows[np.array(list(product([False, True], repeat=4)))] = np.nan
    return rows


def try_files(name: str, n_files: int, seed: int) -> dict[str, Any]:
    """Change files of one case, and see what comes of them."""
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    rows, imputer = new_rows(), cases()[name].fit(holed(60, share=0.08))
    if name == "iim, calibrated":
        imputer.calibrate()
    before = imputer.transform(rows)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.iim"
        imputer.save(path)
        content, arrays = read_container(path)
        _fill(path, rows)
        here = _memory()
        resource.setrlimit(resource.RLIMIT_AS, (_mapped() + ROOM, resource.RLIM_INFINITY))
        rng = random.Random(f"{name} {seed}")  # noqa: S311 (no secret)
        found: dict[str, Any] = {
            "refused": 0,
            "the same": 0,
            "otherwise": 0,
            "no number": 0,
            "seconds": 0.0,
            "broken": [],
        }
        for number in range(n_files):
            forge(path, *changed(rng, content, arrays))
            begun = time.perf_counter()
            signal.alarm(PATIENCE)
            try:
                filled = _fill(path, rows)
            except iim.UnusableFile:
                found["refused"] += 1
            except Exception as error:  # noqa: BLE001 (it is what is looked for)
                found["broken"].append(f"file {number}: {type(error).__name__}: {error}"[:200])
            else:
                same = filled.shape == before.shape and filled.tobytes() == before.tobytes()
                found["the same" if same else "otherwise"] += 1
                found["no number"] += not np.isfinite(filled).all()
                found["broken"] += [f"file {number}: {what}" for what in _faults(path, rows, filled)]
            signal.alarm(0)
            found["seconds"] = max(found["seconds"], time.perf_counter() - begun)
            if _memory() - here > 10 * path.stat().st_size + FREE:
                found["broken"].append(f"file {number}: {_memory() - here} bytes of memory")
                here = _memory()
        found["megabytes"] = (_memory() - here) / 1e6
    return found


def _fill(path: Path, rows: np.ndarray) -> np.ndarray:
    return np.asarray(iim.load(path).transform(rows))


def _faults(path: Path, rows: np.ndarray, filled: np.ndarray) -> list[str]:
    """Which promises of a fill are broken."""
    loaded = iim.load(path)
    kept = loaded._kept
    known = ~np.isnan(rows[:, kept])
    faults = []
    if filled.shape[0] != len(rows) or not np.array_equal(
        filled[:, : kept.size][known], rows[:, kept][known]
    ):
        faults.append("known cells are not as they came")
    if loaded.transform(rows).tobytes() != filled.tobytes():
        faults.append("loaded again, it fills otherwise")
    loaded.save(path)
    if _fill(path, rows).tobytes() != filled.tobytes():
        faults.append("saved and loaded, it fills otherwise")
    return faults


def _memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _mapped() -> int:
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def main() -> int:
    """Change files of all cases, and print what came of them."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--files", type=int, default=10_000, help="in all (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--case", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.case:
        print(json.dumps(try_files(options.case, options.files, options.seed)))
        return 0
    names = list(cases())
    each = -(-options.files // len(names))
    columns = (*COUNTED, "seconds", "megabytes")
    print(f"{'':>16}{'files':>7} {''.join(f'{column:>11}' for column in columns)}")
    broken = []
    for name in names:
        own = ["--case", name, "--files", str(each), "--seed", str(options.seed)]
        done = subprocess.run(  # noqa: S603 (this script)
            [sys.executable, __file__, *own], capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            broken.append(f"{name}: the process ended with {done.returncode}: {done.stderr[-300:]}")
            continue
        found = json.loads(done.stdout.splitlines()[-1])
        broken += [f"{name}: {what}" for what in found["broken"]]
        print(
            f"{name:>16}{each:>7}",
            "".join(f"{round(found[column], 2):>11}" for column in columns),
            flush=True,
        )
    print(f"{each * len(names)} files, seed {options.seed}: {len(broken)} broken")
    print("\n".join(broken))
    print(", ".join(f"{part} {text}" for part, text in versions().items()))
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
