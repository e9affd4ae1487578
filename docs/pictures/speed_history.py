"""The ratios of commits, oldest first."""

import matplotlib.pyplot as plt
from measured import history, panels, plain

points = history()
names = list(dict.fromkeys(name for point in points for name in point["ratios"]))
with panels(figsize=(10, 4)) as (axes,):
    axes.axhline(1, color="#d9d9d9", linewidth=1, zorder=0)
    for name, color in zip(names, plt.get_cmap("tab10").colors, strict=False):
        known = [at for at, point in enumerate(points) if name in point["ratios"]]
        values = [points[at]["ratios"][name]["ratio"] for at in known]
        spans = [points[at]["ratios"][name]["rounds"] for at in known]
        axes.vlines(known, *zip(*spans, strict=True), color=color, alpha=0.3, linewidth=4)
        axes.plot(known, values, "o-", color=color, label=name)
    axes.set_xticks(range(len(points)), [f"{point['commit']}\n{point['date'][:10]}" for point in points])
    axes.set_yscale("log")
    plain(axes.yaxis)
    axes.set(ylabel="our time / theirs (log scale)")
    axes.margins(x=0.05)
    axes.grid(axis="y", color="#eeeeee")
    axes.set_axisbelow(True)
    axes.legend(frameon=False, fontsize=9, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2)
