"""How time grows: with rows, columns, learning neighbours and neighbours."""

from measured import GREY, OTHERS, OURS, panels, plain, short, topic

COLORS = {"IIM fit_transform": OURS, "IIM transform of the same rows": GREY}

axes_measured = topic("growth")["axes"]
with panels(2, 3, figsize=(10, 6)) as spots:
    for panel, axis in zip(spots, axes_measured, strict=False):
        for curve in axis["curves"]:
            color = COLORS.get(curve["name"], OTHERS)
            panel.plot(curve["sizes"], curve["seconds"], "o-", color=color, markersize=4)
            panel.annotate(
                f"{curve['exponent']:.2f}",
                (curve["sizes"][-1], curve["seconds"][-1]),
                xytext=(5, 0),
                textcoords="offset points",
                va="center",
                color=color,
            )
        panel.set(xscale="log", yscale="log", ylabel="seconds")
        panel.set_xticks(axis["curves"][0]["sizes"], [short(size) for size in axis["curves"][0]["sizes"]])
        panel.set_xticks([], minor=True)
        panel.margins(x=0.14)
        plain(panel.yaxis)
        panel.set_title(axis["name"], loc="left")
        panel.grid(color="#eeeeee")
        panel.set_axisbelow(True)
    legend = spots[5]
    legend.axis("off")
    for at, (name, color) in enumerate([*COLORS.items(), ("SciPy: tree and query of 100", OTHERS)]):
        legend.plot([0, 0.12], [at, at], "o-", color=color, markersize=4)
        legend.text(0.17, at, name.removeprefix("IIM ") if at == 2 else name, va="center")
    legend.text(
        0, 3, "the numbers at the curves:\ntime grows as size to this power", va="center", color=GREY
    )
    legend.set(xlim=(0, 1.2), ylim=(4, -1))
