"""One row at a time: a fitted model of 100,000 donors that answers a service.

``prepare="single"``: fit learns every pattern with one hole, for every donor. Printed: what fit takes, and
medians and 99th percentiles of ``transform`` for single rows, with one hole, with two (a pattern first met
is learned once), from a frame, and of a model that was saved and loaded. Run:
``python benchmarks/single_row.py``; it needs no data.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

import iim
from iim.versions import versions


def main() -> None:
    """Fit, ask and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--columns", type=int, default=5)
    parser.add_argument("--calls", type=int, default=500)
    options = parser.parse_args()
    random = np.random.default_rng(0)
    mix = random.normal(size=(3, options.columns))
    table = np.tanh(random.normal(size=(options.rows + options.calls, 3)) @ mix)
    table += 0.1 * random.normal(size=table.shape)
    known, new = table[: options.rows], table[options.rows :]
    begun = time.perf_counter()
    imputer = iim.IIMImputer(prepare="single").fit(known)
    print(f"fit of {known.shape[0]:,} x {known.shape[1]}: {time.perf_counter() - begun:.1f} s")
    rows = new.copy()
    rows[np.arange(len(rows)), np.arange(len(rows)) % options.columns] = np.nan
    show("one hole, array", imputer, [row[None] for row in rows])
    frame = pd.DataFrame(rows)
    show("one hole, pandas", imputer, [frame.iloc[at : at + 1] for at in range(len(frame))])
    rows = new.copy()
    rows[:, :2] = np.nan
    begun = time.perf_counter()
    imputer.transform(rows[:1])
    print(f"two holes, a pattern first met: {time.perf_counter() - begun:.2f} s, once")
    show("two holes, the next rows", imputer, [row[None] for row in rows[1:]])
    show("two holes, the same again", imputer, [row[None] for row in rows[1:]])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.iim"
        begun = time.perf_counter()
        imputer.save(path)
        saved = time.perf_counter()
        loaded = iim.load(path)
        took = time.perf_counter() - saved
        print(f"save {saved - begun:.1f} s, {path.stat().st_size / 2**20:.0f} MB; load {took:.1f} s")
    rows = new.copy()
    rows[:, 1] = np.nan
    show("one hole, loaded model", loaded, [row[None] for row in rows])
    assert loaded.transform(rows).tobytes() == imputer.transform(rows).tobytes()
    print("\n" + ", ".join(f"{name} {text}" for name, text in versions().items()))


def show(name: str, imputer: iim.IIMImputer, rows: list) -> None:
    """Print how long single rows take."""
    seconds = []
    for row in rows:
        begun = time.perf_counter()
        imputer.transform(row)
        seconds.append(time.perf_counter() - begun)
    median, slow = 1000 * np.quantile(seconds, [0.5, 0.99])
    print(f"{name}: median {median:.2f} ms, 99 % within {slow:.2f} ms ({len(rows)} calls)")


if __name__ == "__main__":
    main()
