"""The paper's scalability figure: time of both ways of learning, and of imputation, over the rows."""

from measured import GREY, OTHERS, OURS, panels, plain, short, topic

record = topic("scalability")
STYLES = {
    "straightforward": ("adaptive learning, straightforward", OTHERS, "s"),
    "incremental": ("adaptive learning, incremental", OURS, "o"),
    "imputation": ("imputation of 1,000 rows", GREY, "D"),
}

with panels(1, 2, figsize=(10, 4)) as both:
    for axes, scale in zip(both, ("linear", "log"), strict=True):
        for name, (label, color, marker) in STYLES.items():
            power = f"n$^{{{record['exponents'][name]:.2f}}}$"
            times = record["curves"][name]
            axes.plot(record["sizes"], times, f"{marker}-", color=color, label=f"{label} ({power})")
        axes.set(xlabel="rows", ylabel="seconds", xscale=scale, yscale=scale)
        axes.set_title(f"{scale} scales", loc="left")
        axes.grid(color="#eeeeee")
        axes.set_axisbelow(True)
    left, right = both
    left.set_ylim(bottom=0)
    left.set_xlim(left=0)
    left.xaxis.set_major_formatter(lambda value, _: short(value))
    plain(right.yaxis)
    right.set_xticks(record["sizes"], [short(size) for size in record["sizes"]])
    right.set_xticks([], minor=True)
    left.legend(frameon=False, loc="upper left", fontsize=9)
