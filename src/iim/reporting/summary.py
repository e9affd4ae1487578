"""The summary: the data of all sections, as plain values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from iim.present.numbers import count, percent, whole
from iim.reporting.findings import Column
from iim.reporting.sections import filled, good, missing, notes, repeat, sure

FORMAT = 2
"""Version of the layout of ``to_dict``. It grows when a field changes its meaning or is removed."""

SECTIONS = (
    missing.SECTION,
    filled.SECTION,
    sure.SECTION,
    good.SECTION,
    notes.SECTION,
    repeat.SECTION,
)
"""The sections in order, for the page, the Markdown and the JSON."""


@dataclass(frozen=True)
class Summary:
    """The result of :func:`iim.summarize`: missing cells, fills, their certainty, and errors of methods.

    Attributes
    ----------
    title : str
        Title of the page.
    source : str or None
        The file that the table came from, if there is one.
    columns : tuple of Column
        All columns, in table order. Sections refer to them by position.
    sections : dict
        The data of each section, by its key; also attributes, as ``summary.missing``: ``missing``,
        ``filled`` (None if nothing was filled), ``sure`` (None for methods without candidates), ``good``,
        ``notes`` and ``repeat``.
    """

    title: str
    source: str | None
    columns: tuple[Column, ...]
    sections: Mapping[str, Any]

    def __getattr__(self, name: str) -> Any:
        # Not `self.sections`: copying asks for attributes before there are any.
        try:
            return self.__dict__["sections"][name]
        except KeyError:
            raise AttributeError(f"A summary has no {name!r}; its sections are {SECTION_KEYS}.") from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.sections]

    def to_dict(self) -> dict[str, Any]:
        """Everything as dicts, lists, text, numbers and None, ready for JSON.

        Returns
        -------
        dict
            First ``"format"``, the version of this layout, then title, source and columns, and each
            section by its key. NaN and infinity, which JSON lacks, are None.
        """
        top = {"format": FORMAT, "title": self.title, "source": self.source}
        return {**top, "columns": _as_json(self.columns), **_as_json(self.sections)}


SECTION_KEYS = ", ".join(section.key for section in SECTIONS)


def headline(summary: Summary) -> str:
    """Counts of missing and filled cells, in one sentence."""
    table, filling = summary.missing, summary.filled
    size = f"{count(table.n_rows, 'row')} and {count(table.n_columns, 'column')} of numbers"
    if table.n_missing == 0:
        return f"Nothing is missing from {size}."
    verb = "is" if table.n_missing == 1 else "are"
    n_cells = table.n_rows * table.n_columns
    cells = f"{whole(table.n_missing)} of {whole(n_cells)} cell{'s' * (n_cells != 1)}"
    told = f"{cells} ({percent(table.share)}) {verb} missing"
    if filling is None:
        return f"{told}; nothing was filled."
    if filling.n_left == 0:
        return f"{told}; {filling.method} fills {'it' if filling.n_filled == 1 else 'all of them'}."
    stay = "stays as it is" if filling.n_left == 1 else "stay as they are"
    return f"{told}; {filling.method} fills {whole(filling.n_filled)}, {whole(filling.n_left)} {stay}."


def _as_json(value: Any) -> Any:
    if is_dataclass(value):
        return {field.name: _as_json(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): _as_json(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_as_json(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
