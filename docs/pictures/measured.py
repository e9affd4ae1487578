"""What the speed suite measured before, and how its pictures look; nothing is measured here."""

import json
from contextlib import contextmanager
from pathlib import Path

import matplotlib.pyplot as plt
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

SUITE = Path(__file__).resolve().parents[2] / "benchmarks" / "speed"
OURS, OTHERS, TARGET = "#c44e52", "#3274a1", "#1a1a1a"
GREY = "#8c8c8c"


def topic(name):
    """The record of one topic."""
    return json.loads((SUITE / "results.json").read_text(encoding="utf-8"))[name]


def history():
    """The ratios of commits, oldest first."""
    return [json.loads(line) for line in (SUITE / "history.jsonl").read_text(encoding="utf-8").splitlines()]


@contextmanager
def panels(n_rows=1, n_columns=1, **settings):
    """Empty axes in the style of all pictures."""
    with plt.rc_context({"font.size": 10, "axes.titlesize": 11, "axes.titleweight": "bold"}):
        _, axes = plt.subplots(
            n_rows, n_columns, layout="constrained", facecolor="white", squeeze=False, **settings
        )
        for panel in axes.flat:
            panel.spines[["top", "right"]].set_visible(False)
        yield list(axes.flat)


def plain(axis):
    """Label a logarithmic axis with plain numbers."""
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axis.set_minor_formatter(NullFormatter())


def short(count):
    """A number of rows in few letters."""
    if count >= 1_000_000:
        return f"{count / 1_000_000:g}M"
    return f"{count / 1000:g}k" if count >= 1000 else f"{count:g}"
