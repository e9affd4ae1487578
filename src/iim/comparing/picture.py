"""A comparison as a picture. matplotlib is an extra and slow to load, so it is imported when needed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from iim.exceptions import MissingDependency
from iim.present.names import listed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from iim.comparing.result import Comparison
    from iim.comparing.scores import ColumnScore, MethodScore

MOST_NAMED = 10
"""Columns with a colour of their own; all further columns look the same."""

WIDE = 50.0
"""The axis is logarithmic if the largest error is at least this many times the smallest."""

LEAST_HEIGHT = 2.6
"""Least height of a figure, in inches."""


def draw_comparison(result: Comparison, ax: Axes | None) -> Axes:
    """Draw normalised errors of every method, best on top.

    Parameters
    ----------
    result : Comparison
        The comparison.
    ax : matplotlib Axes or None
        Where to draw; None makes a new figure.

    Returns
    -------
    matplotlib Axes
    """
    axes = _new_axes(result) if ax is None else ax
    places = {score.method: at for at, score in enumerate(result.overall)}
    finite = [score for score in result.by_column if math.isfinite(score.normalised_error)]
    _draw_columns(axes, result, finite, places)
    _draw_means(axes, result.overall)
    _draw_infinite(
        axes, [score for score in result.by_column if math.isinf(score.normalised_error)], places
    )
    errors = [score.normalised_error for score in finite]
    if errors and min(errors) > 0.0 and max(errors) > WIDE * min(errors):
        axes.set_xscale("log")
    elif errors:
        axes.set_xlim(left=0.0)
    axes.set_yticks(range(len(places)), [_label(score, len(result.columns)) for score in result.overall])
    axes.set_ylim(len(places) - 0.5, -0.5)
    axes.set_xlabel("error on hidden cells,\nin standard deviations of the column")
    axes.grid(visible=True, axis="y", alpha=0.3)
    axes.set_axisbelow(True)
    _draw_legend(axes)
    return axes


def _new_axes(result: Comparison) -> Axes:
    try:
        import matplotlib.pyplot as plt  # noqa: PLC0415 (an extra, and slow to load)
    except ImportError as error:
        raise MissingDependency(
            "A picture needs the package matplotlib, which is not installed. Install it with "
            '`pip install "iim[report]"`.'
        ) from error
    n_named = len(result.columns) if len(result.columns) <= MOST_NAMED else 1
    height = max(LEAST_HEIGHT, 1.2 + 0.35 * len(result.methods), 1.2 + 0.22 * (n_named + 2))
    # With pyplot, as pandas and scikit-learn do, so that notebooks and plt.show() show it.
    _, axes = plt.subplots(figsize=(9.0, height), layout="constrained")
    return axes


def _draw_columns(
    axes: Axes, result: Comparison, finite: list[ColumnScore], places: dict[str, int]
) -> None:
    named = len(result.columns) <= MOST_NAMED
    for at, column in enumerate(result.columns):
        points = [score for score in finite if score.column == column]
        unnamed = "one column" if at == 0 else None
        axes.plot(
            [score.normalised_error for score in points],
            [places[score.method] for score in points],
            "o",
            alpha=0.7,
            color=f"C{at}" if named else "C0",
            label=_legend_text(column) if named else unnamed,
        )


def _draw_means(axes: Axes, overall: tuple[MethodScore, ...]) -> None:
    bars = [
        (score.normalised_error, place)
        for place, score in enumerate(overall)
        if math.isfinite(score.normalised_error)
    ]
    looks: dict[str, Any] = {"color": "0.3", "markersize": 12, "markeredgewidth": 2.5}
    axes.plot([mean for mean, _ in bars], [place for _, place in bars], "|", label="all columns", **looks)


def _draw_infinite(axes: Axes, infinite: list[ColumnScore], places: dict[str, int]) -> None:
    if infinite:
        # x as a fraction of the axis: 1 is the right edge.
        edge, rows = [1.0] * len(infinite), [places[score.method] for score in infinite]
        looks: dict[str, Any] = {"color": "0.3", "markersize": 9, "clip_on": False, "label": "infinite"}
        axes.plot(edge, rows, ">", transform=axes.get_yaxis_transform(), **looks)


def _draw_legend(axes: Axes) -> None:
    # Beside the axes it covers no point; only a figure with a layout makes room for it there.
    beside: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.02, 1.0), "borderaxespad": 0.0}
    inside: dict[str, Any] = {"loc": "best"}
    has_layout = axes.figure.get_layout_engine() is not None
    axes.legend(fontsize="small", **(beside if has_layout else inside))


def _label(score: MethodScore, n_columns: int) -> str:
    failed = f"\nfailed in {score.n_failed} of {n_columns} columns" if score.n_failed else ""
    return _legend_text(score.method) + failed


def _legend_text(name: Any) -> str:
    # A dollar would start a formula; an underscore in front would hide the name from the legend.
    text = listed([name], 1).replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text
