"""Rows of text, from scores to the terminal and to Markdown pages."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from accuracy.layout import markdown
from speed.layout import columns
from trials.averages import Average
from trials.methods import in_order, methods
from trials.records import Record

__all__ = ["columns", "error_text", "label", "markdown", "number", "source_lines"]


def label(method: str) -> str:
    """What a method is called in tables; its name if there is no such method any more."""
    known = methods()
    return known[method].label if method in known else method


def number(value: float, digits: int) -> str:
    """A number with fixed digits; nothing if it is NaN."""
    return "" if math.isnan(value) else f"{value:.{digits}f}"


def error_text(average: Average | None, digits: int) -> str:
    """An error; nothing if it was not measured, and a word if the method failed."""
    if average is None:
        return ""
    return "failed" if math.isnan(average.error) else f"{average.error:.{digits}f}"


def source_lines(records: Iterable[Record]) -> Iterator[str]:
    """Which methods were measured at which commits, on which days, with which versions and seeds."""
    by_method: dict[str, list[Record]] = {}
    parts: dict[str, dict[str, None]] = {}
    for record in records:
        by_method.setdefault(record["trial"]["method"], []).append(record)
        for part, version in record["versions"].items():
            parts.setdefault(part, {})[version] = None
    for method in in_order(set(by_method)):
        some = by_method[method]
        seeds = sorted({record["trial"]["seed"] for record in some})
        commits = dict.fromkeys(record["commit"] for record in some)
        dates = sorted({record["date"] for record in some})
        until = f" to {dates[-1]}" if len(dates) > 1 else ""
        n_settings = len({str(sorted(record["settings"].items())) for record in some})
        mixed = "" if n_settings == 1 else f"; {n_settings} DIFFERENT SETTINGS, so run it again"
        yield (
            f"{label(method)} (`{method}`): commit {', '.join(commits)}, {dates[0]}{until}, "
            f"seeds {', '.join(map(str, seeds))}{mixed}"
        )
    listed = [f"{part} {' / '.join(known)}" for part, known in parts.items()]
    yield f"Versions: {', '.join(listed)}"
