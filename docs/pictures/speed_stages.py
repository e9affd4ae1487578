"""Where the time of a fit_transform goes."""

from measured import panels, topic

COLORS = {
    "index": "#9db8cf",
    "neighbours for judging": "#6f9bc1",
    "neighbours for learning": "#3274a1",
    "neighbours of holes": "#1d4a6b",
    "learning": "#c44e52",
    "choosing": "#e39a5d",
    "voting": "#7a5195",
    "rest": "#bdbdbd",
}
NAMES = {"ca": "ca.csv", "generated": "100,000 x 5"}

cases = topic("stages")["cases"]
with panels(figsize=(10, 3.4)) as (axes,):
    for at, case in enumerate(cases):
        whole = sum(case["stages"].values())
        left = 0.0
        for stage, color in COLORS.items():
            share = 100 * case["stages"][stage] / whole
            axes.barh(
                at, share, left=left, color=color, edgecolor="white", label=stage if at == 0 else None
            )
            if share >= 5:
                dark = stage in ("neighbours for learning", "neighbours of holes", "learning", "voting")
                axes.text(
                    left + share / 2,
                    at,
                    f"{share:.0f} %",
                    ha="center",
                    va="center",
                    color="white" if dark else "#1a1a1a",
                )
            left += share
    names = [
        f"{NAMES[case['name']]}, l up to {case['grid'].split()[-1]}\n{case['whole']:.2g} s"
        for case in cases
    ]
    axes.set_yticks(range(len(cases)), names)
    axes.tick_params(axis="y", length=0)
    axes.invert_yaxis()
    axes.set(xlim=(0, 100), xlabel="percent of fit_transform")
    axes.legend(frameon=False, ncols=4, loc="lower center", bbox_to_anchor=(0.5, 1.0), fontsize=9)
