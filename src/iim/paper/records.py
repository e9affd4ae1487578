"""Raw records: the result of each task, one file each, written once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from iim.paper.tasks import Task
from iim.persistence.atomic import replace_file

Record = Mapping[str, Any]
"""The result of a measurement, with its task and all versions."""


LONG = ("truth", "filled")
"""Lists of numbers that are kept as arrays, which take a quarter of the memory."""


@dataclass(frozen=True)
class Store:
    """A folder of raw records.

    Attributes
    ----------
    folder : path
        Its path; made when the first record is written.
    """

    folder: Path

    def path_of(self, task: Task) -> Path:
        """The file of a task's record."""
        return self.folder / f"{task.name}.json"

    def read(self, task: Task) -> Record | None:
        """The record of a task; None if it is missing or damaged."""
        try:
            record = json.loads(self.path_of(task).read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return None
        return record if isinstance(record, dict) and "task" in record else None

    def write(self, task: Task, record: Record) -> None:
        """Write a record atomically."""
        path = self.path_of(task)
        path.parent.mkdir(parents=True, exist_ok=True)
        content = {"task": {"kind": task.kind, **task.inputs}, **record}
        replace_file(path, [json.dumps(content, allow_nan=False).encode()])


@dataclass(frozen=True)
class Found:
    """The records of a page, and why some are missing.

    Attributes
    ----------
    store : Store
        The folder of the records.
    reasons : dict of str to str
        Why a task was not done, by its name.
    """

    store: Store
    reasons: dict[str, str] = field(default_factory=dict)
    _read: dict[str, Record] = field(default_factory=dict, repr=False, compare=False)

    def of(self, task: Task) -> Record | None:
        """The record of a task, or None; read once, its long lists as arrays."""
        if task.name not in self._read:
            record = self.store.read(task)
            if record is None:
                return None
            arrays = {name: np.array(record[name]) for name in LONG if name in record}
            self._read[task.name] = {**record, **arrays}
        return self._read[task.name]

    def miss(self, task: Task, why: str) -> None:
        """Note why a task was not done."""
        self.reasons[task.name] = why

    def why(self, task: Task) -> str:
        """Why a task has no record."""
        return self.reasons.get(task.name, "not measured")
