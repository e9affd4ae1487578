"""Plots as SVG: panels of lines, two in a row, and mean ranks with the critical difference.

A method has the same colour, marker and dashes in every plot. The background is white, so that plots are
readable on a dark page. matplotlib is an extra, imported when a plot is drawn.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

from iim.exceptions import MissingDependency
from iim.paper.results import Figure, Line, Panel, Ranking

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure as Picture

WIDE, NARROW, PANEL_HEIGHT, LEGEND_HEIGHT, ROW_HEIGHT = 9.0, 6.2, 2.75, 0.2, 0.25
"""Sizes in inches: plots with two panels in a row and with one, a panel, a line of the legend, a rank."""

FEW_LINES = 4
"""Most lines of a panel that all show the range of their seeds; with more, only the main line does."""

RC: dict[str, Any] = {
    # Text stays text: files are small, and search and screen readers find it.
    "svg.fonttype": "none",
    # The same plot gets the same ids.
    "svg.hashsalt": "iim",
    # This font comes with matplotlib, so the layout is the same on every machine.
    "font.family": ["DejaVu Sans"],
    "font.size": 8.5,
    # Names contain no formulas.
    "text.parse_math": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 9,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "grid.color": "#e6e8ea",
    "figure.constrained_layout.use": True,
    "legend.frameon": False,
}
"""Settings of matplotlib that differ from its defaults; the user's settings are ignored."""

Style = tuple[str, str, str]
"""Colour, marker, dashes, in matplotlib's terms; the last two distinguish lines without colour."""

MAIN: Style = ("#b2101f", "o", "-")
"""Style of IIM: thick, and above the others."""

STYLES: dict[str, Style] = {
    "IIM": MAIN,
    "Mean": ("#8a8f96", "x", ":"),
    "kNN": ("#0072b2", "s", "-"),
    "kNNE": ("#56b4e9", "D", "--"),
    "IFC": ("#117733", "^", "-"),
    "GMM": ("#3fae94", "v", "--"),
    "SVD": ("#9b3d9b", "<", "-"),
    "ILLS": ("#d187b9", ">", "--"),
    "GLR": ("#e69f00", "P", "-"),
    "LOESS": ("#8c5a14", "X", "--"),
    "BLR": ("#332288", "p", "-."),
    "ERACER": ("#9a9a1c", "h", "-."),
    "PMM": ("#7d86d8", "*", ":"),
    "XGB": ("#2b2b2b", "d", "--"),
    # IIM where it is compared with its own variants.
    "adaptive": MAIN,
}
OTHERS: tuple[Style, ...] = (
    ("#0072b2", "s", "-"),
    ("#e07b00", "^", "--"),
    ("#008a63", "D", "-."),
    ("#9b3d9b", "v", ":"),
)
"""Styles of other names, by order in their figure; reused if there are more names."""


def check_drawing() -> None:
    """Raise at once, not after an hour of measuring, if matplotlib is missing.

    Raises
    ------
    MissingDependency
        If it is not installed.
    """
    with _drawing():
        pass


def plot_svg(block: Figure | Ranking) -> str:
    """The content of the SVG file of a figure or a ranking."""
    with _drawing() as new:
        picture = _draw_figure(block, new) if isinstance(block, Figure) else _draw_ranking(block, new)
        file = io.StringIO()
        picture.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
    return file.getvalue()


@contextmanager
def _drawing() -> Iterator[type[Picture]]:
    """The class of matplotlib's figures, to be used within the block, under our settings."""
    try:
        from matplotlib import style  # noqa: PLC0415 (an extra, and slow to load)
        from matplotlib.figure import Figure as New  # noqa: PLC0415
    except ImportError as error:
        raise MissingDependency(
            "The plots of a reproduction need the package matplotlib, which is not installed. Install it "
            'with `pip install "iim[report]"`.'
        ) from error
    with style.context(["default", RC]):
        yield New


def styles_of(names: Iterable[str]) -> dict[str, Style]:
    """The style of every line of a figure, by name, in order and without repeats."""
    unique = dict.fromkeys(names)
    strangers = [name for name in unique if name not in STYLES]
    return {
        name: STYLES[name] if name in STYLES else OTHERS[strangers.index(name) % len(OTHERS)]
        for name in unique
    }


def _draw_figure(figure: Figure, new: type[Picture]) -> Picture:
    styles = styles_of(line.name for panel in figure.panels for line in panel.lines)
    n_across = min(2, len(figure.panels))
    n_down = math.ceil(len(figure.panels) / 2)
    n_legend = 6 if n_across == 2 else 4
    height = n_down * PANEL_HEIGHT + LEGEND_HEIGHT * (1 + math.ceil(len(styles) / n_legend))
    picture = new(figsize=(WIDE if n_across == 2 else NARROW, height))
    drawn: dict[str, Any] = {}
    for at, panel in enumerate(figure.panels):
        drawn |= _draw_panel(picture.add_subplot(n_down, n_across, at + 1), panel, styles)
    picture.legend(drawn.values(), drawn, loc="outside lower center", ncols=n_legend, handlelength=3.2)
    return picture


def _draw_panel(axes: Axes, panel: Panel, styles: dict[str, Style]) -> dict[str, Any]:
    """Draw all lines of a panel; returns the legend's handles by name."""
    drawn = {}
    for line in panel.lines:
        color, marker, dashes = style = styles[line.name]
        is_main = style is MAIN
        x, y = zip(*_points(line), strict=True)
        (drawn[line.name],) = axes.plot(
            x,
            y,
            color=color,
            marker=marker,
            linestyle=dashes,
            linewidth=2.6 if is_main else 1.2,
            markersize=5,
            # The main line is drawn on top.
            zorder=4 if is_main else 3,
        )
        if line.low and (is_main or len(panel.lines) <= FEW_LINES):
            axes.fill_between(line.x, line.low, line.high, color=color, alpha=0.13, linewidth=0)
    axes.set(title=panel.title, xlabel=panel.x_label, ylabel=panel.y_label)
    _set_scale(axes, "x", [x for line in panel.lines for x in line.x], log=panel.log_x)
    ys = [y for line in panel.lines for y in (*line.y, *line.low, *line.high)]
    _set_scale(axes, "y", ys, log=panel.log_y)
    return drawn


def _points(line: Line) -> list[tuple[float, float]]:
    """Points; a point that was not measured leaves a gap."""
    return [(x, y if math.isfinite(y) else math.nan) for x, y in zip(line.x, line.y, strict=True)]


def _set_scale(axes: Axes, which: Literal["x", "y"], values: Sequence[float], *, log: bool) -> None:
    """Linear or logarithmic, with plain numbers; logarithmic only if all values are positive."""
    from matplotlib.ticker import (  # noqa: PLC0415 (an extra, and slow to load)
        FuncFormatter,
        LogLocator,
        MaxNLocator,
        NullLocator,
    )

    axis: Axis = axes.xaxis if which == "x" else axes.yaxis
    finite = [value for value in values if math.isfinite(value)]
    if log and finite and min(finite) > 0.0:
        (axes.set_xscale if which == "x" else axes.set_yscale)("log")
        decades = math.log10(max(finite) / min(finite))
        subs = (1.0,) if decades > 3 else (1.0, 2.0, 5.0) if decades > 1 else (1.0, 1.5, 2, 3, 4, 5, 7)
        axis.set_major_locator(LogLocator(subs=subs) if decades > 0.3 else MaxNLocator(4))
        axis.set_minor_locator(NullLocator())
    else:
        whole = which == "x" and all(value == round(value) for value in finite)
        axis.set_major_locator(MaxNLocator(6, integer=whole))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))


def _draw_ranking(ranking: Ranking, new: type[Picture]) -> Picture:
    """A point for each mean rank, best above, in a bar as long as the critical difference."""
    ranks = [(name, rank) for name, rank in reversed(ranking.by_rank()) if math.isfinite(rank)]
    picture = new(figsize=(NARROW, 0.8 + ROW_HEIGHT * len(ranks)))
    axes = picture.add_subplot()
    for at, (name, rank) in enumerate(ranks):
        color, *_ = MAIN if STYLES.get(name) is MAIN else STYLES["Mean"]
        axes.errorbar(rank, at, xerr=ranking.critical / 2, fmt="o", color=color, elinewidth=2.4)
    axes.set(yticks=range(len(ranks)), yticklabels=[f"{name}  {rank:.2f}" for name, rank in ranks])
    axes.set_xlabel(f"mean rank over {ranking.n_cases} cases, 1 is best; bar: critical difference")
    return picture
