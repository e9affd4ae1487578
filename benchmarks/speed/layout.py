"""Plain tables for the terminal."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from typing import Any


def columns(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Rows of text as aligned lines; the first column to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        yield "  " + "  ".join(cells).rstrip()


def times_table(times: dict[str, list[float]]) -> Iterator[str]:
    """Medians, and the fastest and slowest round."""
    rows = [("seconds", "median", "fastest", "slowest", "rounds")]
    rows += [
        (name, seconds(statistics.median(taken)), seconds(min(taken)), seconds(max(taken)), str(len(taken)))
        for name, taken in times.items()
    ]
    yield from columns(rows)


def ratios_table(ratios: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Ratios beside their targets."""
    rows = [("ratio", "measured", "single rounds", "target", "met")]
    for ratio in ratios:
        fast = "times as fast" in ratio
        low, high = ratio["rounds"]
        value = ratio["times as fast"] if fast else ratio["ratio"]
        target, met = "", ""
        if fast:
            target = f">= {ratio['at least']:g}"
            met = "yes" if value >= ratio["at least"] else "NO"
        elif "at most" in ratio:
            target = f"<= {ratio['at most']:g}"
            met = "yes" if value <= ratio["at most"] else "NO"
        what = f"{ratio['ours']}, times as fast as" if fast else f"{ratio['ours']} /"
        rows.append((f"{what} {ratio['theirs']}", f"{value:.3g}", f"{low:.3g} to {high:.3g}", target, met))
    yield from columns(rows)


def seconds(value: float) -> str:
    """Seconds with three digits."""
    return f"{value:.3f}" if value < 10 else f"{value:.1f}"
