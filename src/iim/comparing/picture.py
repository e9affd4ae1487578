"""A comparison as a picture. matplotlib is imported here, when a picture is asked for, and nowhere else."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from iim.exceptions import MissingDependency

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from iim.comparing.result import Comparison

MOST_NAMED = 10
"""Columns with a colour of their own; more are drawn alike."""

WIDE = 50.0
"""When the largest error is this many times the least, the axis is logarithmic."""


def draw_comparison(result: Comparison, ax: Axes | None) -> Axes:
    """Draw normalised errors of every method, best on top.

    Parameters
    ----------
    result : Comparison
        What to draw.
    ax : matplotlib Axes or None
        Where; None makes a figure of its own.

    Returns
    -------
    matplotlib Axes
    """
    axes = _new_axes(len(result.methods)) if ax is None else ax
    places = {score.method: at for at, score in enumerate(result.overall)}
    named = len(result.columns) <= MOST_NAMED
    drawn: list[float] = []
    for at, column in enumerate(result.columns):
        points = [
            (score.normalised_error, places[score.method])
            for score in result.by_column
            if score.column == column and math.isfinite(score.normalised_error)
        ]
        drawn += [error for error, _ in points]
        axes.plot(
            [error for error, _ in points],
            [place for _, place in points],
            "o",
            alpha=0.7,
            color=f"C{at}" if named else "C0",
            label=_plain(column) if named else None,
        )
    means = [score.normalised_error for score in result.overall]
    bar: dict[str, Any] = {"color": "0.5", "markersize": 18, "markeredgewidth": 2.5, "label": "all columns"}
    axes.plot(means, range(len(means)), "|", **bar)
    if drawn and min(drawn) > 0.0 and max(drawn) > WIDE * min(drawn):
        axes.set_xscale("log")
    axes.set_yticks(
        range(len(places)), [_label(score.method, score.n_failed, result) for score in result.overall]
    )
    axes.set_ylim(len(places) - 0.5, -0.5)
    axes.set_xlabel("error on hidden cells, in standard deviations of the column")
    axes.legend(loc="best", fontsize="small")
    return axes


def _new_axes(n_methods: int) -> Axes:
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 (an extra, and slow to load)
    except ImportError as error:
        raise MissingDependency(
            "A picture needs the package matplotlib, which is not installed. Install it with "
            '`pip install "iim[report]"`.'
        ) from error
    # Not through pyplot, which would keep the figure alive and may want a screen.
    figure = Figure(figsize=(7.0, 1.5 + 0.35 * n_methods), layout="constrained")
    return figure.add_subplot()


def _label(method: str, n_failed: int, result: Comparison) -> str:
    if not n_failed:
        return _plain(method)
    return _plain(f"{method} (failed in {n_failed} of {len(result.columns)})")


def _plain(name: Any) -> str:
    # A dollar would begin a formula, an underscore in front would hide the name from the legend.
    text = str(name).replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text
