"""Ten thousand forged model files: valid checksums, invalid content.

Files of every method, of rounds, with a calibration and of a folder that Dask learned into are changed, one
to three changes each: values of the JSON replaced, moved, repeated, taken away; arrays of other types,
shapes, lengths and entries. Each is loaded and asked to fill rows, and for candidates and draws if it has
them, in a process with little memory. Printed, by method: how many are refused,
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
from iim.persistence.container import read_container  # noqa: E402
from iim.versions import versions  # noqa: E402
from strategies import holed, untied  # noqa: E402

PATIENCE = 60
"""Seconds for a file."""

ROOM = 2**30
"""Bytes that a process may take beyond what it has at the start."""

COUNTED = ("refused", "the same", "otherwise", "no number")

FREE = 64 * 2**20
"""Bytes that any file may take: files are small here, and the arrays of a fill may be larger than they."""

IN_PARTS = "iim, in parts"
"""The case of a folder."""


def cases() -> dict[str, Any]:
    """Imputers to be fitted, by name."""
    found: dict[str, Any] = {key: method() for key, method in iim.METHODS.items()}
    found["iim, rounds"] = iim.IIMImputer(strategy="iterative")
    found["iim, calibrated"] = iim.IIMImputer(distance="scaled")
    found["iim, paper"] = iim.IIMImputer(**iim.PAPER)
    found[IN_PARTS] = iim.IIMImputer(learning_grid=(1, 3, 6, 10), strategy="patterns")
    return found


def new_rows() -> np.ndarray:
    """Rows with every pattern of holes."""
    rows = untied(16, 4, seed=5)
    rows[np.array(list(product([False, True], repeat=4)))] = np.nan
    return rows


class File:
    """An imputer in a file."""

    def __init__(self, name: str, place: Path) -> None:
        self.rows = new_rows()
        imputer = cases()[name].fit(holed(60, share=0.08))
        if name == "iim, calibrated":
            imputer.calibrate()
        self.paths = [place / "model.iim"]
        imputer.save(self.paths[0])

    def fill(self) -> np.ndarray:
        """What it fills in; and all else that a model in a file can be asked."""
        imputer = iim.load(self.paths[0])
        filled = np.asarray(imputer.transform(self.rows))
        if isinstance(imputer, iim.IIMImputer):
            imputer.candidates(self.rows)
            imputer.sample(self.rows, n_draws=2, random_state=0)
        imputer.imputed_mask(self.rows)
        return filled

    def faults(self, filled: np.ndarray) -> list[str]:
        """Which promises of a fill are broken."""
        loaded = iim.load(self.paths[0])
        kept = loaded._kept
        known = ~np.isnan(self.rows[:, kept])
        found = []
        if filled.shape[0] != len(self.rows) or not np.array_equal(
            filled[:, : kept.size][known], self.rows[:, kept][known]
        ):
            found.append("known cells are not as they came")
        if loaded.transform(self.rows).tobytes() != filled.tobytes():
            found.append("loaded again, it fills otherwise")
        loaded.save(self.paths[0])
        if self.fill().tobytes() != filled.tobytes():
            found.append("saved and loaded, it fills otherwise")
        return found


class Parts:
    """A model that Dask learned into a folder, with problems whose models are there and others."""

    def __init__(self, name: str, place: Path) -> None:
        import dask  # noqa: PLC0415 (this case only)
        import dask.dataframe as dd  # noqa: PLC0415
        import pandas as pd  # noqa: PLC0415

        from iim.cluster.dask import fit  # noqa: PLC0415

        dask.config.set({"scheduler": "synchronous", "dataframe.convert-string": False})
        self.place = place / "model"
        # The holes of the table are learned ahead, others when they are met.
        known, columns = untied(120, 3, seed=3), list("abc")
        known[:30, 0] = np.nan
        self.rows = untied(6, 3, seed=5)
        self.rows[[0, 1, 2], [0, 0, 1]] = np.nan
        self.table = dd.from_pandas(pd.DataFrame(self.rows, columns=columns), npartitions=1)
        table = dd.from_pandas(pd.DataFrame(known, columns=columns), npartitions=2)
        fit(table, cases()[name], self.place, part_rows=50)
        self.fill()
        self.paths = sorted(self.place.rglob("*.iim"))

    def fill(self) -> np.ndarray:
        """What it fills in."""
        from iim.cluster.dask import impute, open_model  # noqa: PLC0415

        return np.asarray(impute(self.table, open_model(self.place)).compute())

    def faults(self, filled: np.ndarray) -> list[str]:
        """Which promises of a fill are broken."""
        known = ~np.isnan(self.rows)
        if np.array_equal(filled[known], self.rows[known]):
            return []
        return ["known cells are not as they came"]


def try_files(name: str, n_files: int, seed: int) -> dict[str, Any]:
    """Change files of one case, and see what comes of them."""
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    with tempfile.TemporaryDirectory() as folder:
        model = (Parts if name == IN_PARTS else File)(name, Path(folder))
        sound = {path: path.read_bytes() for path in model.paths}
        read = {path: read_container(path) for path in model.paths}
        before = model.fill()
        highest = _forget_highest()
        model.fill()
        usual = _highest() - highest
        resource.setrlimit(resource.RLIMIT_AS, (_mapped() + ROOM, resource.RLIM_INFINITY))
        rng = random.Random(f"{name} {seed}")  # noqa: S311 (no secret)
        found: dict[str, Any] = {
            "refused": 0,
            "the same": 0,
            "otherwise": 0,
            "no number": 0,
            "seconds": 0.0,
            "megabytes": 0.0,
            "broken": [],
        }
        for number in range(n_files):
            path = rng.choice(model.paths)
            forge(path, *changed(rng, *read[path]))
            n_bytes, begun = path.stat().st_size, time.perf_counter()
            highest = _forget_highest()
            signal.alarm(PATIENCE)
            try:
                filled = model.fill()
            except iim.UnusableFile:
                found["refused"] += 1
            except Exception as error:  # noqa: BLE001 (it is what is looked for)
                found["broken"].append(f"file {number}: {type(error).__name__}: {error}"[:200])
            else:
                same = filled.shape == before.shape and filled.tobytes() == before.tobytes()
                found["the same" if same else "otherwise"] += 1
                found["no number"] += not np.isfinite(filled).all()
                found["broken"] += [f"file {number}: {what}" for what in model.faults(filled)]
            signal.alarm(0)
            taken = _highest() - highest - usual
            found["seconds"] = max(found["seconds"], time.perf_counter() - begun)
            found["megabytes"] = max(found["megabytes"], taken / 1e6)
            if taken > 10 * n_bytes + FREE:
                found["broken"].append(f"file {number}: {taken} bytes of memory")
            path.write_bytes(sound[path])
    return found


def _forget_highest() -> int:
    """Let the most memory be what there is now, which is returned."""
    Path("/proc/self/clear_refs").write_text("5")
    return _highest()


def _highest() -> int:
    """The most memory since that was forgotten."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))


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
