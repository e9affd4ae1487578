"""The command line in seconds and megabytes: starting, a small file, a file of a million rows.

Every command is a process of its own; printed are medians over interleaved rounds, and the largest memory
of any round. What it is compared with runs in the same rounds, since machines differ and are shared:

- ``iim --help``, beside ``python -c pass``;
- ``iim impute`` of 200 rows, beside the bare imports that it needs, everything compiled before;
- ``iim apply`` of a CSV file of a million rows (five columns of numbers with 2 % holes, one of text), with
  a model that ``iim fit --sample`` learned, beside pandas' bare ``read_csv`` and ``to_csv`` of the file;
- the same as Parquet, beside pandas' ``read_parquet`` and ``to_parquet``.

Run: ``python benchmarks/command_line.py``; it needs no data.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

IIM = [sys.executable, "-m", "iim"]
IMPORTS = "import iim.cli.commands.impute, iim.files, iim.imputers, pyarrow.compute"
"""What ``iim impute`` loads before it can begin."""


@dataclass
class Timed:
    """A command, and what its rounds took."""

    command: list[str]
    seconds: list[float] = field(default_factory=list)
    megabytes: list[float] = field(default_factory=list)

    def run(self, folder: Path) -> None:
        """One more round."""
        begun = time.perf_counter()
        process = subprocess.Popen(self.command, cwd=folder, stdout=subprocess.DEVNULL)  # noqa: S603
        _, status, usage = os.wait4(process.pid, 0)
        self.seconds.append(time.perf_counter() - begun)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{self.command} ended with {process.returncode}")
        self.megabytes.append(usage.ru_maxrss / 1024)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--sample", type=int, default=5_000, help="rows that the model is learned from")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--write", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.write is not None:
        write_tables(options.write, options.rows)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # By another process: a child is charged with the memory of the process that starts it.
        write = [sys.executable, __file__, "--rows", str(options.rows), "--write", name]
        subprocess.run(write, check=True)  # noqa: S603
        compare(
            folder,
            options.rounds * 3,
            {
                "python -c pass": [sys.executable, "-c", "pass"],
                "iim --help": [*IIM, "--help"],
                "bare imports": [sys.executable, "-c", IMPORTS],
                "iim impute, 200 rows": [*IIM, "impute", "small.csv", "-q", "-o", "out.csv"],
            },
            [("iim impute, 200 rows", "bare imports")],
        )
        fit = [*IIM, "fit", "large.csv", "--sample", str(options.sample), "-o", "model.iim", "--seed", "0"]
        subprocess.run(fit, cwd=folder, check=True)  # noqa: S603
        for ending, read, write in (
            ("csv", "read_csv", "to_csv"),
            ("parquet", "read_parquet", "to_parquet"),
        ):
            size = (folder / f"large.{ending}").stat().st_size / 1e6
            print(
                f"\n{options.rows:,} rows x 6, {size:.0f} MB of {ending}; model of {options.sample:,} rows"
            )
            pandas = f"import pandas; pandas.{read}('large.{ending}').{write}('back.{ending}', index=False)"
            names = f"iim apply, {ending}", f"pandas {read} and {write}"
            apply = [
                *IIM,
                "apply",
                f"large.{ending}",
                "--model",
                "model.iim",
                "-q",
                "-o",
                f"filled.{ending}",
            ]
            commands = dict(zip(names, (apply, [sys.executable, "-c", pandas]), strict=True))
            compare(folder, options.rounds, commands, [names])
    from iim.versions import versions  # noqa: PLC0415 (see above)

    print("\n" + ", ".join(f"{name} {text}" for name, text in versions().items()))


def write_tables(folder: Path, n_rows: int) -> None:
    """A large file with holes, in both formats, and a small one."""
    import numpy as np  # noqa: PLC0415 (see main)
    import pandas as pd  # noqa: PLC0415

    random = np.random.default_rng(0)
    place = random.normal(size=(n_rows, 2))
    values = np.column_stack(
        [place, np.sin(place[:, 0]) + place[:, 1], place[:, 0] * place[:, 1], place[:, 0] - place[:, 1]]
    )
    values = np.round(values + 0.1 * random.normal(size=values.shape), 4)
    frame = pd.DataFrame(values, columns=list("abcde")).mask(random.random(values.shape) < 0.02)
    frame.insert(0, "station", random.choice(["north", "south", "west"], n_rows))
    frame.to_csv(folder / "large.csv", index=False)
    frame.to_parquet(folder / "large.parquet", index=False)
    frame.head(200).to_csv(folder / "small.csv", index=False)


def compare(
    folder: Path, rounds: int, commands: dict[str, list[str]], ratios: list[tuple[str, str]]
) -> None:
    """Run commands in turns, print seconds and memory, and ratios of medians."""
    timed = {name: Timed(command) for name, command in commands.items()}
    for one in timed.values():
        # Once before: kernels are compiled, files are in the cache of the system.
        one.run(folder)
        one.seconds.clear()
    for _ in range(rounds):
        for one in timed.values():
            one.run(folder)
    width = max(map(len, timed))
    for name, one in timed.items():
        low, high = min(one.seconds), max(one.seconds)
        middle = statistics.median(one.seconds)
        spread = f"{low:.2f} to {high:.2f}, {rounds} rounds"
        print(f"{name:{width}}  {middle:6.2f} s ({spread})  {max(one.megabytes):5.0f} MB")
    for first, second in ratios:
        ratio = statistics.median(timed[first].seconds) / statistics.median(timed[second].seconds)
        print(f"{first} / {second}: {ratio:.2f}")


if __name__ == "__main__":
    main()
