"""How many times as fast as other routines IIM is, in one run, beside the targets."""

from measured import GREY, OURS, TARGET, panels, plain, topic

WORDS = {
    "few neighbours": "ca.csv, l up to 96",
    "many neighbours": "ca.csv, l up to 951",
    "large table": "100,000 x 5, l up to 96",
}


def faster(ratio):
    """Measured value, single rounds and target of a ratio, all as "times as fast"."""
    if "times as fast" in ratio:
        return ratio["times as fast"], ratio["rounds"], ratio["at least"]
    low, high = ratio["rounds"]
    target = 1 / ratio["at most"] if "at most" in ratio else None
    return 1 / ratio["ratio"], (1 / high, 1 / low), target


rows = []
for case in topic("ratios")["cases"]:
    rows.append((WORDS[case["name"]], None))
    for ratio in case["ratios"]:
        theirs = ratio["theirs"].replace("SciPy cKDTree", "SciPy").replace("(n_neighbors=10)", "")
        rows.append((f"{ratio['ours'].removeprefix('IIM ')} against {theirs}", faster(ratio)))

with panels(figsize=(10, 0.42 * len(rows) + 1)) as (axes,):
    axes.axvline(1, color="#d9d9d9", linewidth=1, zorder=0)
    for at, (_, values) in enumerate(rows):
        if values is None:
            continue
        value, (low, high), target = values
        axes.plot([low, high], [at, at], color=OURS, linewidth=5, alpha=0.3, solid_capstyle="butt")
        axes.plot(value, at, "o", color=OURS, markersize=7, zorder=3)
        axes.annotate(
            f"{value:.3g} x", (max(value, high), at), xytext=(8, 0), textcoords="offset points", va="center"
        )
        if target is not None:
            axes.plot([target, target], [at - 0.35, at + 0.35], color=TARGET, linewidth=2, zorder=2)
    axes.set_yticks(range(len(rows)), [name for name, _ in rows])
    for label, (_, values) in zip(axes.get_yticklabels(), rows, strict=True):
        label.set_fontweight("bold" if values is None else "normal")
    axes.tick_params(axis="y", length=0)
    axes.set_xscale("log")
    plain(axes.xaxis)
    low, high = axes.get_xlim()
    axes.set(ylim=(len(rows) - 0.5, -0.5), xlim=(low, high * 1.6), xlabel="times as fast (log scale)")
    axes.grid(axis="x", color="#eeeeee")
    axes.set_axisbelow(True)
    axes.set_title("dot: medians; bar: single rounds; line: target", loc="right", color=GREY, fontsize=9)
