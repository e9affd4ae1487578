"""Figures: panels of lines, two in a row, with one legend below."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

from iim._showing import as_one_line, count, short_name
from iim.paper.layout.looks import LineStyle, looks_of
from iim.paper.layout.svg import GRID, QUIET, drawing, written
from iim.paper.layout.words import short_number
from iim.paper.results import Figure, Line, Panel

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure as Picture

WIDE, NARROW = 9.0, 6.2
"""Inches of a figure with panels side by side, and of one with a single panel."""

PANEL_HEIGHT = 2.75
"""Inches of a panel."""

PADS: dict[str, Any] = {"w_pad": 0.08, "h_pad": 0.06, "wspace": 0.03, "hspace": 0.04}
"""Around panels in inches, and between them in parts of a panel."""

LEGEND_LINE = 0.2
"""Inches of a line of the legend."""

FEW_LINES = 4
"""Up to so many lines of a panel, all show the range of their seeds; beyond, only the main one."""

LONGEST_NAME, LONGEST_LABEL, LONGEST_TITLE = 28, 48, 110
"""Letters of names in the legend, of labels of axes, of titles; the middle of longer ones goes."""

NEAREST_TICKS = 0.09
"""As a part of what an axis shows: nearer than this, labels touch."""

LETTER_WIDTH = 0.022
"""Of a letter of a label, and some room beside it, as a part of what an axis shows."""

FEWEST_TICKS, MOST_TICKS = 3, 7
"""On a logarithmic axis, if it can be had."""

Which = Literal["x", "y"]


def figure_svg(figure: Figure) -> str:
    """The figure as an SVG file.

    Parameters
    ----------
    figure : Figure
        What to draw.

    Returns
    -------
    str
        The content of the file.
    """
    looks = looks_of(line.name for panel in figure.panels for line in panel.lines)
    n_across = min(2, len(figure.panels))
    n_down = math.ceil(len(figure.panels) / 2)
    width = WIDE if n_across == 2 else NARROW
    n_legend = _legend_columns(looks, width)
    height = n_down * PANEL_HEIGHT + 0.15 + LEGEND_LINE * math.ceil(len(looks) / n_legend)
    with drawing() as new:
        from matplotlib.layout_engine import (  # noqa: PLC0415 (an extra, and slow to load)
            ConstrainedLayoutEngine,
        )

        picture = new(figsize=(width, height), layout=ConstrainedLayoutEngine(**PADS))
        for at, panel in enumerate(figure.panels):
            _draw_panel(picture.add_subplot(n_down, n_across, at + 1), panel, looks)
        _draw_legend(picture, looks, n_legend)
        return written(picture, figure.key, as_one_line(figure.title), _described(figure, looks))


def _described(figure: Figure, looks: dict[str, LineStyle]) -> str:
    panels = "; ".join(
        f"{as_one_line(panel.title)}: {as_one_line(panel.y_label)} by {as_one_line(panel.x_label)}"
        for panel in figure.panels
    )
    return f"{count(len(figure.panels), 'panel')}. {panels}. Lines: {', '.join(map(as_one_line, looks))}."


def _draw_panel(axes: Axes, panel: Panel, looks: dict[str, LineStyle]) -> None:
    crowded = len(panel.lines) > FEW_LINES
    for line in panel.lines:
        look = looks[line.name]
        _draw_line(axes, line, look)
        if line.low and line.high and (look.is_main or not crowded):
            _draw_range(axes, line, look)
    title = short_name(as_one_line(panel.title), LONGEST_TITLE)
    axes.set_title(textwrap.fill(title, 55), fontsize=9, fontweight="bold", loc="left")
    axes.set_xlabel(short_name(as_one_line(panel.x_label), LONGEST_LABEL))
    axes.set_ylabel(short_name(as_one_line(panel.y_label), LONGEST_LABEL))
    axes.grid(visible=True, color=GRID, linewidth=0.7)
    axes.set_axisbelow(True)
    axes.tick_params(length=3, width=0.7, labelsize=8)
    _set_scale(axes, "x", [x for line in panel.lines for x in line.x], log=panel.log_x)
    ys = [y for line in panel.lines for y in (*line.y, *line.low, *line.high)]
    _set_scale(axes, "y", ys, log=panel.log_y)
    if not any(_points(line) for line in panel.lines):
        axes.text(0.5, 0.5, "no numbers", transform=axes.transAxes, ha="center", color=QUIET)
        axes.set(xticks=[], yticks=[])


def _draw_line(axes: Axes, line: Line, look: LineStyle) -> None:
    x, y = _with_gaps(line)
    axes.plot(
        x,
        y,
        **_drawn(look),
        # Where lines meet, the main one is seen.
        zorder=4 if look.is_main else 3,
    )


def _draw_range(axes: Axes, line: Line, look: LineStyle) -> None:
    n = min(map(len, (line.x, line.low, line.high)))
    low, high = (
        [y if math.isfinite(y) else math.nan for y in bound[:n]] for bound in (line.low, line.high)
    )
    axes.fill_between(line.x[:n], low, high, color=look.color, alpha=0.13, linewidth=0, zorder=2)


def _drawn(look: LineStyle) -> dict[str, Any]:
    """What matplotlib's lines take."""
    return {
        "color": look.color,
        "marker": look.marker,
        "linestyle": look.dashes,
        "linewidth": 2.6 if look.is_main else 1.2,
        "markersize": 5.5 if look.is_main else 6.0 if look.marker == "*" else 4.2,
        "markeredgewidth": 1.2 if look.marker == "x" else 0.4,
        "markeredgecolor": look.color if look.marker == "x" else "white",
    }


def _draw_legend(picture: Picture, looks: dict[str, LineStyle], n_columns: int) -> None:
    from matplotlib.lines import Line2D  # noqa: PLC0415 (an extra, and slow to load)

    names = sorted(looks, key=lambda name: not looks[name].is_main)
    picture.legend(
        [Line2D([], [], **_drawn(looks[name])) for name in names],
        [_label(name) for name in names],
        loc="outside lower center",
        ncols=n_columns,
        frameon=False,
        fontsize=8.5,
        handlelength=3.2,
        columnspacing=1.6,
        labelspacing=0.45,
    )


def _label(name: str) -> str:
    # An underscore in front would hide it from the legend.
    text = short_name(as_one_line(name), LONGEST_NAME)
    return f" {text}" if text.startswith("_") else text


def _legend_columns(looks: dict[str, LineStyle], width: float) -> int:
    """As many as fit, and as even as can be."""
    longest = max((len(_label(name)) for name in looks), default=1)
    most = max(1, int(width * 72 / (5.4 * longest + 48)))
    n_rows = max(1, math.ceil(len(looks) / most))
    return max(1, math.ceil(len(looks) / n_rows))


def _points(line: Line) -> list[tuple[float, float]]:
    return [(x, y) for x, y in zip(line.x, line.y, strict=False) if math.isfinite(x) and math.isfinite(y)]


def _with_gaps(line: Line) -> tuple[list[float], list[float]]:
    pairs = [
        (x, y) if math.isfinite(x) and math.isfinite(y) else (math.nan, math.nan)
        for x, y in zip(line.x, line.y, strict=False)
    ]
    return [x for x, _ in pairs], [y for _, y in pairs]


def _set_scale(axes: Axes, which: Which, values: Sequence[float], *, log: bool) -> None:
    """Linear or logarithmic, with numbers as people write them; what is not above zero has no logarithm."""
    from matplotlib.ticker import (  # noqa: PLC0415 (an extra, and slow to load)
        FixedLocator,
        FuncFormatter,
        MaxNLocator,
        NullLocator,
    )

    axis: Axis = axes.xaxis if which == "x" else axes.yaxis
    finite = [value for value in values if math.isfinite(value)]
    if not finite:
        return
    if log and min(finite) > 0.0:
        (axes.set_xscale if which == "x" else axes.set_yscale)("log")
        bounds = axes.get_xlim() if which == "x" else axes.get_ylim()
        axis.set_major_locator(FixedLocator(log_ticks(*bounds)))
        axis.set_minor_locator(NullLocator())
    else:
        log = False
        whole = which == "x" and all(value == round(value) for value in finite)
        axis.set_major_locator(MaxNLocator(nbins=6, integer=whole, steps=[1, 2, 2.5, 5, 10]))
    if which == "x" and are_apart(sorted(set(finite)), log=log):
        axis.set_major_locator(FixedLocator(sorted(set(finite))))
    axis.set_major_formatter(FuncFormatter(lambda value, _: short_number(value)))


def are_apart(places: Sequence[float], *, log: bool) -> bool:
    """Whether these places can all be labelled, so that an axis names what was measured.

    >>> are_apart([1.0, 10.0, 100.0], log=True), are_apart([1.0, 10.0, 100.0, 1000.0], log=False)
    (True, False)
    >>> are_apart([10e3, 60e3, 80e3, 100e3], log=True)
    False
    """
    on_axis = [math.log10(place) for place in places] if log else places
    width = on_axis[-1] - on_axis[0]
    letters = [len(short_number(place)) for place in places]
    needed = [max(NEAREST_TICKS, LETTER_WIDTH * (one + other) / 2) for one, other in pairwise(letters)]
    gaps = [right - left for left, right in pairwise(on_axis)]
    return len(places) > 1 and all(gap >= least * width for gap, least in zip(gaps, needed, strict=True))


def log_ticks(low: float, high: float) -> list[float]:
    """Places with round numbers on a logarithmic axis, as many as can be read.

    >>> log_ticks(0.8, 1500.0)
    [1.0, 10.0, 100.0, 1000.0]
    >>> log_ticks(8.0, 60.0)
    [10.0, 20.0, 50.0]
    """
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    if len(powers) > MOST_TICKS + 2:
        powers = powers[:: math.ceil(len(powers) / MOST_TICKS)]
    choices: tuple[Callable[[], list[float]], ...] = (
        lambda: [10.0**power for power in powers],
        lambda: [step * 10.0**power for power in powers for step in (1.0, 2.0, 5.0)],
        lambda: [step * 10.0**power for power in powers for step in (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0)],
        lambda: _even_ticks(low, high),
    )
    for choice in choices:
        ticks = [tick for tick in choice() if low <= tick <= high]
        if len(ticks) >= FEWEST_TICKS:
            break
    return ticks


def _even_ticks(low: float, high: float) -> list[float]:
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415 (an extra, and slow to load)

    return [float(tick) for tick in MaxNLocator(nbins=4).tick_values(low, high)]
