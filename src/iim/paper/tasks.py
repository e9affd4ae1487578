"""Tasks: a kind of measurement and its inputs, which name its raw record."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

FORMAT = 2
"""Increased when records or measurements change, so that old records are not reused."""

NAMED = ("data", "target", "method", "seed")
"""Inputs in the name of a record's file, for people; a digest of all inputs makes it unique."""


@dataclass(frozen=True)
class Task:
    """One measurement, with one raw record.

    Attributes
    ----------
    kind : str
        Kind of measurement; a key of :data:`iim.paper.measuring.KINDS`.
    inputs : mapping
        All that its result depends on: numbers, words, lists and mappings of them. Inputs at their default
        are left out, so that a new input does not invalidate old records.
    weight : float
        Approximate seconds on two cores, for the progress bar only.
    """

    kind: str
    inputs: Mapping[str, Any]
    weight: float = 1.0

    @cached_property
    def name(self) -> str:
        """Path of its record below the folder of records, without suffix."""
        written = json.dumps([FORMAT, self.kind, self.inputs], sort_keys=True, allow_nan=False)
        digest = hashlib.sha256(written.encode()).hexdigest()[:12]
        words = [str(self.inputs[name]) for name in NAMED if name in self.inputs]
        return f"{self.kind}/{'-'.join(re.sub('[^A-Za-z0-9]+', '_', word) for word in words)}-{digest}"

    @property
    def data(self) -> str | None:
        """The data set that it needs, if any."""
        return self.inputs.get("data")
