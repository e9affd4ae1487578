"""IIM learned in parts on a local Dask cluster: whether fills are the same, how time and memory grow.

::

    python benchmarks/clusters_learning.py equal   # parts, exact and default, beside one machine
    python benchmarks/clusters_learning.py growth  # two workers of 2 GB each, up to 5,000,000 rows

The second ends with a billion rows, on paper. Tables are made up: normal numbers in five columns, the
first one depends on three of the others in a way that bends, with some noise, and 5 % of it are missing.
They are read from Parquet, in files of 250,000 rows, and filled into Parquet; both are part of the time.
Errors are root mean squares, beside the values that were taken away. What else the machine does counts,
too: look at how times grow rather than at the times.
"""

from __future__ import annotations

import argparse
import logging
import math
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd
import psutil
from distributed import Client, LocalCluster

import iim
from iim.cluster.dask import fit, impute
from iim.versions import versions

COLUMNS = list("abcde")
N_OBSERVED = len(COLUMNS) - 1
FILE_ROWS = 250_000
MEMORY = "2GB"
K, L_MAX = 10, 250
PARTS_ON_PAPER = (250_000, 1_000_000, 4_000_000)
STEPS = ("split", "lend", "judge", "learn")
"""Steps of learning that end with a share of 1/4, 2/4, 3/4 and 1."""


def make_rows(number: int, n_rows: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """One file of the table, with holes and without."""
    random = np.random.default_rng(number)
    values = random.normal(size=(n_rows, len(COLUMNS)))
    bend = np.sin(2 * values[:, 1]) + values[:, 2] * values[:, 3]
    values[:, 0] = bend + random.normal(scale=0.1, size=n_rows)
    truth = pd.DataFrame(values, columns=COLUMNS)
    return truth.assign(a=truth["a"].mask(random.random(n_rows) < 0.05)), truth


def write_table(folder: Path, n_rows: int) -> list[int]:
    """Write the table; the rows of each file."""
    folder.mkdir()
    n_files = max(4, n_rows // FILE_ROWS)
    sizes = [n_rows // n_files] * n_files
    for number, size in enumerate(sizes):
        make_rows(number, size)[0].to_parquet(folder / f"part-{number:05}.parquet")
    return sizes


def error_of(filled: Callable[[int], pd.DataFrame], sizes: list[int]) -> float:
    """Root mean square error of the cells that were missing."""
    total, count = 0.0, 0
    for number, size in enumerate(sizes):
        holes, truth = make_rows(number, size)
        missing = holes["a"].isna().to_numpy()
        errors = (filled(number)["a"].to_numpy() - truth["a"].to_numpy())[missing]
        total, count = total + float(errors @ errors), count + errors.size
    return float(np.sqrt(total / count))


class Watch:
    """The most memory that each worker had, seen every tenth of a second."""

    def __init__(self, cluster: LocalCluster) -> None:
        self._pids = [nanny.pid for nanny in cluster.workers.values()]
        self._cluster = cluster
        self.most = dict.fromkeys(self._pids, 0)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    @property
    def n_restarted(self) -> int:
        """Workers that are no longer those of the beginning: killed, by the memory limit for example."""
        return len({nanny.pid for nanny in self._cluster.workers.values()} - set(self._pids))

    def _look(self) -> None:
        while not self._over.wait(0.1):
            for pid in self._pids:
                if psutil.pid_exists(pid):
                    self.most[pid] = max(self.most[pid], psutil.Process(pid).memory_info().rss)


@contextmanager
def two_workers(scratch: str) -> Iterator[LocalCluster]:
    """A local cluster with a limit of memory."""
    with (
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            memory_limit=MEMORY,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            local_directory=scratch,
            silence_logs=logging.ERROR,
        ) as cluster,
        Client(cluster),
    ):
        yield cluster


def run(n_rows: int, halo: str, part_rows: int, place: Path) -> dict[str, Any]:
    """Write a table, learn from it and fill it on two workers."""
    name = f"{n_rows}-{halo}"
    sizes = write_table(place / name, n_rows)
    with two_workers(str(place)) as cluster, Watch(cluster) as watch:
        marks = [time.perf_counter()]
        model = fit(
            dd.read_parquet(place / name),
            iim.IIMImputer(),
            place / f"{name}-model",
            halo=halo,
            part_rows=part_rows,
            progress=lambda _: marks.append(time.perf_counter()),
        )
        marks.append(time.perf_counter())
        impute(dd.read_parquet(place / name), model).to_parquet(place / f"{name}-filled")
        marks.append(time.perf_counter())
        restarted, most = watch.n_restarted, max(watch.most.values())
    (loss,) = model.losses()
    spent = np.diff(marks)
    written = sorted(
        (place / f"{name}-filled").glob("*.parquet"), key=lambda path: int(path.name.split(".")[1])
    )
    return {
        "rows": n_rows,
        "halo": halo,
        **dict(zip(STEPS, spent[: len(STEPS)], strict=True)),
        "fit": marks[-2] - marks[0],
        "fill": spent[-1],
        "memory": most,
        "restarted": restarted,
        "model": sum(
            path.stat().st_size for path in (place / f"{name}-model").rglob("*") if path.is_file()
        ),
        "error": error_of(lambda number: pd.read_parquet(written[number]), sizes),
        "filled": written,
        "sizes": sizes,
        **loss,
    }


def shuffled(found: dict[str, Any]) -> dict[str, float]:
    """Bytes sent between parts while learning, by step: the numbers of each row that is sent."""
    donor = 8 * (N_OBSERVED + 2)
    return {
        "donors": found["n_donors"] * (donor + 8),
        "halo": found["n_rows"] * (donor + 16),
        "judges": found["n_judges"] * (donor + 8 + 8 * K),
    }


def compare(n_rows: int, part_rows: int) -> None:
    """Exact and default mode beside one machine."""
    with tempfile.TemporaryDirectory() as name:
        found = [run(n_rows, halo, part_rows, Path(name)) for halo in ("proven", "sampled")]
        filled = [pd.concat(map(pd.read_parquet, one["filled"]), ignore_index=True) for one in found]
    sizes = found[0]["sizes"]
    pieces = [make_rows(number, size)[0] for number, size in enumerate(sizes)]
    table = pd.concat(pieces, ignore_index=True)
    local = iim.IIMImputer().fit_transform(table)
    begins = np.cumsum([0, *sizes])
    error = error_of(lambda number: local.iloc[begins[number] : begins[number + 1]], sizes)
    n_cells = int(table["a"].isna().sum())
    print(f"one machine: error {error:.6f} on {n_cells:,} cells of {n_rows:,} rows x {len(COLUMNS)}")
    for one, frame in zip(found, filled, strict=True):
        differ = int((frame["a"] != local["a"]).sum())
        same = "all bits equal" if frame.equals(local) else f"{differ:,} fills differ"
        print(
            f"{one['halo']}: {one['n_parts']} parts, halo of {one['n_rows']:,} copies; {same}; "
            f"error {one['error']:.6f} ({one['error'] / error - 1:+.4%}); short lists "
            f"{one['n_short_lists']:,}, not proven {one['share_unproven']:.1%} of the donors"
        )


def grow(n_rows: list[int], halo: str, part_rows: int) -> None:
    """Time and memory by rows, and what follows for a billion of them."""
    print(f"two workers, one thread and {MEMORY} each; halo {halo!r}, parts of {part_rows:,} donors")
    columns = (*STEPS, "fit", "fill")
    print(f"{'rows':>10}{'parts':>6}" + "".join(f"{name + ' s':>9}" for name in columns), end="")
    print(f"{'memory MB':>11}{'halo':>7}{'judges':>8}{'sent MB':>9}{'model MB':>10}{'error':>9}")
    with tempfile.TemporaryDirectory() as name:
        for size in n_rows:
            found = run(size, halo, part_rows, Path(name))
            sent = sum(shuffled(found).values())
            print(f"{size:>10,}{found['n_parts']:>6}", end="")
            print("".join(f"{found[step]:>9.1f}" for step in columns), end="")
            print(f"{found['memory'] / 1e6:>11.0f}{found['n_rows'] / found['n_donors']:>7.2f}", end="")
            print(f"{found['n_judges'] / found['n_donors']:>8.3f}{sent / 1e6:>9.0f}", end="")
            print(f"{found['model'] / 1e6:>10.0f}{found['error']:>9.4f}", flush=True)
            if found["restarted"]:
                print(f"  {found['restarted']} workers were restarted")
    project(found)


def project(found: dict[str, Any], n_rows: int = 10**9) -> None:
    """A billion rows on paper, from the largest run."""
    busy = 2 * found["fit"] / found["n_donors"]
    print(
        f"\n{n_rows:,} rows on paper: {1e6 * busy:.0f} microseconds of one core for each donor, as measured"
    )
    for part_rows in PARTS_ON_PAPER:
        halo = halo_on_paper(part_rows, N_OBSERVED)
        judges = found["n_judges"] / max(found["n_rows"], 1) * halo
        sent = n_rows * (
            8 * (N_OBSERVED + 3) + halo * 8 * (N_OBSERVED + 4) + judges * 8 * (N_OBSERVED + 3 + K)
        )
        # Searches among own donors and copies; models of own ones only.
        share = (found["split"] + found["lend"] + found["judge"]) / found["fit"]
        here = 1 + found["n_rows"] / found["n_donors"]
        work = n_rows * busy * (1 - share + share * (1 + halo) / here)
        memory = found["memory"] / 1e6 * (part_rows * (1 + halo)) / (FILE_ROWS * here)
        # More workers than parts have nothing to do.
        counts = [n for n in (10, 100, 1000) if n <= n_rows // part_rows]
        times = "  ".join(f"{n:,} workers {work / n / 60:,.0f} min" for n in counts)
        print(
            f"parts of {part_rows:>9,}: {n_rows // part_rows:>5,} parts, halo {halo:.2f}, {sent / 1e9:.0f} "
            f"GB sent, about {memory / 1e3:.1f} GB a worker; {times}"
        )
    print("halo by number of known columns that matter, for parts of", end=" ")
    print(", ".join(f"{part_rows:,}" for part_rows in PARTS_ON_PAPER))
    for n_columns in (2, 4, 6, 8):
        halos = "  ".join(f"{halo_on_paper(part_rows, n_columns):>6.1f}" for part_rows in PARTS_ON_PAPER)
        print(f"{n_columns:>3} {halos}")


def halo_on_paper(part_rows: int, n_columns: int) -> float:
    """Copies for each donor of a cell between others, if donors lie evenly.

    What lies within the radius of the largest model around a cube: (1 + 2 r / side)^m - 1.
    """
    ball = np.pi ** (n_columns / 2) / math.gamma(n_columns / 2 + 1)
    radius = (L_MAX / ball) ** (1 / n_columns)
    return float((1 + 2 * radius / part_rows ** (1 / n_columns)) ** n_columns - 1)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("equal", "growth"))
    parser.add_argument("--rows", type=int, nargs="+")
    parser.add_argument("--halo", choices=("sampled", "proven"), default="sampled")
    parser.add_argument("--part-rows", type=int)
    given = parser.parse_args()
    if given.what == "equal":
        for n_rows in given.rows or [200_000]:
            compare(n_rows, given.part_rows or 25_000)
    else:
        rows = given.rows or [500_000, 1_000_000, 2_000_000, 5_000_000]
        grow(rows, given.halo, given.part_rows or FILE_ROWS)
    print(", ".join(f"{name} {text}" for name, text in versions().items()))


if __name__ == "__main__":
    main()
