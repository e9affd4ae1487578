"""The ratios of commits, one JSON line each, in ``history.jsonl``.

``python benchmarks/speed history`` prints the trend and what got worse; ``--add`` measures the working tree
as HEAD; ``--add COMMIT ...`` measures earlier commits, each unpacked into a folder of its own for the
time being, with today's libraries and today's measuring.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from iim.versions import versions
from speed.layout import columns
from speed.plan import Plan

HISTORY = Path(__file__).with_name("history.jsonl")
ROOT = Path(__file__).resolve().parents[2]
WORSE = 1.2
"""A ratio this many times that of the commit before is worth a warning; less is noise."""

TIMEOUT = 1800


def main(arguments: list[str]) -> int:
    """Measure commits, or show what is known; 1 if the newest commit is worse than the one before."""
    parser = argparse.ArgumentParser(prog="python benchmarks/speed history", description=__doc__)
    parser.add_argument("--add", nargs="*", metavar="COMMIT", help="measure these commits (default: HEAD)")
    parser.add_argument("--quick", action="store_true", help="tiny made-up tables: does everything run?")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--file", type=Path, default=HISTORY)
    options = parser.parse_args(arguments)
    plan = Plan(quick=options.quick, rounds=options.rounds)
    if options.add is not None:
        for commit in options.add or ["HEAD"]:
            append(options.file, measure_commit(commit, plan))
    points = read(options.file)
    for line in lines(points):
        print(line)
    warnings = list(grown_worse(points))
    for warning in warnings:
        print(f"WORSE: {warning}")
    return 1 if warnings else 0


def measure_commit(commit: str, plan: Plan) -> dict[str, Any]:
    """The ratios of a commit; HEAD is measured where it is, with what was changed and not committed."""
    if commit == "HEAD":
        ratios = _measure_source(ROOT / "src", plan)
    else:
        with tempfile.TemporaryDirectory() as folder:
            # An archive, not a second working tree: whatever ends this, the repository remembers nothing.
            packed = Path(folder) / "source.zip"
            _git("archive", f"--output={packed}", commit, "src")
            shutil.unpack_archive(packed, folder)
            ratios = _measure_source(Path(folder) / "src", plan)
    return {
        "commit": commit_of(commit),
        "date": _git("show", "--no-patch", "--format=%cI", commit),
        "workers": plan.workers,
        "versions": {name: text for name, text in versions().items() if name != "iim"},
        "ratios": ratios,
    }


def append(path: Path, point: dict[str, Any]) -> None:
    """Add a commit; what was known of it before is replaced."""
    points = [other for other in read(path) if other["commit"] != point["commit"]]
    points = sorted([*points, point], key=lambda other: other["date"])
    path.write_text("".join(json.dumps(other) + "\n" for other in points), encoding="utf-8")


def read(path: Path) -> list[dict[str, Any]]:
    """All commits, oldest first."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def grown_worse(points: list[dict[str, Any]], limit: float = WORSE) -> Iterator[str]:
    """Ratios of the newest commit that are ``limit`` times those of the one before, or more."""
    if len(points) < 2:
        return
    before, newest = points[-2], points[-1]
    for name, now in newest["ratios"].items():
        then = before["ratios"].get(name)
        if then is not None and now["ratio"] > limit * then["ratio"]:
            yield (
                f"{name}: {then['ratio']:.3g} in {before['commit']}, {now['ratio']:.3g} in "
                f"{newest['commit']} ({now['ratio'] / then['ratio'] - 1:+.0%})"
            )


def lines(points: Iterable[dict[str, Any]]) -> Iterator[str]:
    """One line for each commit, one column for each ratio."""
    points = list(points)
    names = list(dict.fromkeys(name for point in points for name in point["ratios"]))
    for at, name in enumerate(names):
        yield f"  ({at + 1}) {name}"
    rows = [("commit", "date", *(f"({at + 1})" for at in range(len(names))))]
    for point in points:
        known = point["ratios"]
        ratios = [f"{known[name]['ratio']:.3f}" if name in known else "" for name in names]
        rows.append((point["commit"], point["date"][:16], *ratios))
    yield ""
    yield from columns(rows)


def commit_of(name: str) -> str:
    """The short name of a commit; "unknown" outside a checkout."""
    try:
        return _git("rev-parse", "--short=7", name)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _measure_source(source: Path, plan: Plan) -> dict[str, Any]:
    paths = [str(source), str(Path(__file__).resolve().parents[1])]
    with tempfile.TemporaryDirectory() as cache:
        # Compiled code of its own: numba does not notice every change of a kernel.
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
        if not plan.quick:
            environment["NUMBA_CACHE_DIR"] = cache
        done = subprocess.run(  # noqa: S603 (our own interpreter and module)
            [sys.executable, "-m", "speed.trend", json.dumps(asdict(plan))],
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
            timeout=TIMEOUT,
        )
    return json.loads(done.stdout)


def _git(*words: str) -> str:
    done = subprocess.run(  # noqa: S603 (our own words)
        ["git", *words],  # noqa: S607 (the git of the path)
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stdout.strip()
