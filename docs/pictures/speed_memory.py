"""Peak memory above the data, over the number of rows."""

from measured import OURS, TARGET, panels, plain, short, topic

points = topic("memory")["points"]
rows = [point["rows"] for point in points]
with panels(figsize=(6.5, 3.6)) as (axes,):
    axes.plot(rows, [point["above"] for point in points], "o-", color=OURS, label="peak above the data")
    axes.plot(rows, [point["data"] for point in points], "s--", color="#8c8c8c", label="the data itself")
    for point in points:
        axes.annotate(
            f"{point['above']:.2g} GB",
            (point["rows"], point["above"]),
            xytext=(0, 8),
            textcoords="offset points",
            ha="center",
            color=OURS,
        )
    axes.plot([1_000_000], [2.0], "_", color=TARGET, markersize=26, markeredgewidth=2, label="target: 2 GB")
    axes.set(xscale="log", yscale="log", xlabel="rows (5 columns, defaults)", ylabel="GB")
    axes.set_xticks(rows, [short(count) for count in rows])
    axes.set_xticks([], minor=True)
    axes.margins(x=0.15, y=0.12)
    plain(axes.yaxis)
    axes.grid(color="#eeeeee")
    axes.set_axisbelow(True)
    axes.legend(frameon=False, fontsize=9, loc="center left", bbox_to_anchor=(1.0, 0.5))
