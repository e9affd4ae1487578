"""Notes: warnings of the imputer and of the reader of the file."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter
from typing import TYPE_CHECKING

from iim.reporting.parts import Items, Part, Section

if TYPE_CHECKING:
    from iim.reporting.summary import Summary


def show(summary: Summary) -> Iterator[Part]:
    """All warnings."""
    if summary.notes:
        yield Items(summary.notes)


SECTION = Section("notes", "Notes", attrgetter("notes"), show)
