"""``iim.compare`` with all methods on a data set, timed, and once more to see that nothing else comes out.

Run: ``python benchmarks/leaderboard.py`` with IIM_DATA set; another data set by its name, such as ``ca``.
"""

from __future__ import annotations

import argparse
import time

import iim
from datasets import read
from iim.comparing import Comparison
from iim.versions import versions


def main() -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("data", nargs="?", default="ccpp", help="name of the data set")
    name = parser.parse_args().data
    table, columns = read(name)
    # Compiled code is loaded, or made, outside of the clock.
    iim.compare(iim.samples.sensors("numpy"), repeats=1, progress=False)
    taken, results = [], []
    for _ in range(2):
        begun = time.perf_counter()
        results.append(iim.compare(table, progress=False))
        taken.append(time.perf_counter() - begun)
    print(f"{name}.csv: {', '.join(f'x{at} = {column}' for at, column in enumerate(columns))}\n")
    print(results[0])
    print(f"\nseconds: {taken[0]:.1f}, and again {taken[1]:.1f}")
    same = errors(results[0]) == errors(results[1])
    print(f"the same errors, ranks and leaderboard the second time: {'yes' if same else 'NO'}")
    print(", ".join(f"{part} {text}" for part, text in versions().items()))


def errors(result: Comparison) -> list[object]:
    """All that must not change from run to run: everything but times."""
    records = [(record.method, record.column, record.repeat, record.rms_error) for record in result.records]
    board = [(score.method, score.normalised_error, score.mean_rank) for score in result.overall]
    return [records, board]


if __name__ == "__main__":
    main()
