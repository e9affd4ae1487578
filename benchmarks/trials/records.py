"""Records of trials: one line each in JSON Lines files, which are appended to."""

from __future__ import annotations

import datetime as dt
import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from iim.versions import versions
from speed.history import ROOT, commit_of

Record = Mapping[str, Any]
"""``trial`` (the coordinates), the result, and with what it was measured."""

PARTS = ("iim", "python", "machine", "numpy", "scipy", "scikit-learn", "numba", "xgboost")
"""Versions that an error or a time depends on."""


@dataclass(frozen=True)
class Records:
    """The records of a benchmark.

    Attributes
    ----------
    folder : path
        Where the files are.
    prefix : str
        How the names of the files begin; the rest is the method.
    """

    folder: Path
    prefix: str = ""

    def append(self, record: Record) -> None:
        """Add a record. It replaces an earlier one of the same trial, whose line stays."""
        path = self.folder / f"{self.prefix}{record['trial']['method']}.jsonl"
        self.folder.mkdir(parents=True, exist_ok=True)
        before = path.read_bytes() if path.exists() else b""
        # A process may have been ended in the middle of a line.
        start = "" if not before or before.endswith(b"\n") else "\n"
        with path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(f"{start}{json.dumps(record, allow_nan=False)}\n")

    def read(self) -> dict[str, Record]:
        """The last record of each trial, by ``key_of`` its coordinates; damaged lines are left out."""
        found: dict[str, Record] = {}
        for path in sorted(self.folder.glob(f"{self.prefix}*.jsonl")):
            for line in path.read_text(encoding="utf-8").splitlines():
                try:
                    record = json.loads(line)
                except ValueError:
                    continue
                found[key_of(record["trial"])] = record
        return found


def key_of(coordinates: Mapping[str, Any]) -> str:
    """Coordinates of a trial as text, in any order."""
    return json.dumps(dict(coordinates), sort_keys=True)


@cache
def about() -> dict[str, Any]:
    """With what a trial is measured; asked once for each process."""
    known = versions()
    return {
        "date": dt.datetime.now(dt.UTC).strftime("%Y-%m-%d"),
        "commit": commit_of("HEAD") + ("-changed" if _is_changed() else ""),
        "versions": {part: known[part] for part in PARTS},
    }


def _is_changed() -> bool:
    """Whether the library differs from the commit; that the records do does not matter."""
    try:
        words = ["git", "diff", "--quiet", "HEAD", "--", "src"]
        return subprocess.run(words, cwd=ROOT, timeout=60, check=False).returncode == 1  # noqa: S603
    except OSError:
        return False
