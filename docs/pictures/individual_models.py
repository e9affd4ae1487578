"""The method on the paper's example: two individual models, their candidates, and the vote."""

import matplotlib.pyplot as plt
import numpy as np

from iim import PAPER, IIMImputer, samples
from iim.core.execution.context import Context
from iim.core.neighbors import index_donors, nearest_donors

LEFT, RIGHT, OURS, OTHERS = "#c44e52", "#3274a1", "#1a1a1a", "#6e6e6e"
N_LEARNING, RECEIVER, TRUTH = 4, 8, 1.8

table = samples.example()
known = table["A1"].to_numpy()[:RECEIVER]
values = table["A2"].to_numpy()[:RECEIVER]
asked_at = table["A1"][RECEIVER]


def explain(**changes):
    settings = {**PAPER, "n_neighbors": 3, **changes}
    return IIMImputer(**settings).fit(table).explain(table, row=RECEIVER, column="A2")


def learned_from(donor):
    tree = index_donors(known[:, None])
    nearest = nearest_donors(tree, known[[donor], None], n_neighbors=N_LEARNING, context=Context())
    return np.sort(tree.donor[nearest.place[0]])


def formula(intercept, slope):
    sign = "+" if slope >= 0 else "-"
    return f"{intercept:.2f} {sign} {abs(slope):.2f} A1".replace("-", "\N{MINUS SIGN}")


individual = explain(learning_neighbors=N_LEARNING)
knn = explain(learning_neighbors=1, weights="uniform")
everyone = explain(learning_neighbors=known.size)


def draw_model(axes, donor, color, shift):
    """A donor's line: solid over the rows that it was learned from, dashed as far as it is asked."""
    at = np.flatnonzero(individual.donors == donor)[0]
    intercept, slope = individual.intercepts[at], individual.slopes[at, 0]
    rows = learned_from(donor)
    learned = known[[rows[0], rows[-1]]]
    nearest_end = learned[np.abs(learned - asked_at).argmin()]
    for ends, style in ((learned, "-"), (np.array([nearest_end, asked_at]), (0, (4, 3)))):
        axes.plot(ends, intercept + slope * ends, color=color, linestyle=style, linewidth=2, zorder=2)
    axes.plot(known[rows], values[rows], "o", color=color, markersize=8, zorder=3)
    axes.plot(known[donor], values[donor], "o", color=color, markeredgecolor=OURS, markersize=8, zorder=3)
    axes.annotate(
        f"model of t{donor + 1}\n{formula(intercept, slope)}",
        (known[donor], values[donor]),
        xytext=shift,
        textcoords="offset points",
        color=color,
        ha="center",
    )


def draw_table(axes):
    axes.axvline(asked_at, color="#d9d9d9", linewidth=1, zorder=0)
    draw_model(axes, 3, LEFT, (-54, -46))
    draw_model(axes, 4, RIGHT, (58, -46))
    for row, (x, y) in enumerate(zip(known, values, strict=True)):
        side = -1 if x < asked_at else 1
        axes.annotate(
            f"t{row + 1}",
            (x, y),
            xytext=(14 * side, -4),
            textcoords="offset points",
            ha="center",
            va="center",
        )
    span = np.array([known[0], known[-1]])
    line = everyone.intercepts[0] + everyone.slopes[0, 0] * span
    axes.plot(span, line, ":", color=OTHERS, linewidth=1.5, zorder=1)
    draw_answer(axes, everyone.value, f"global regression {everyone.value:.2f}", "^", OTHERS, (10, 9))
    draw_answer(axes, knn.value, f"kNN {knn.value:.2f}", "s", OTHERS, (10, 0))
    draw_answer(axes, TRUTH, f"truth {TRUTH}", "*", "#a67c00", (44, 0))
    draw_answer(axes, individual.value, f"IIM {individual.value:.2f}", "D", OURS, (44, 0))
    axes.set(xlabel="A1 (known)", ylabel="A2 (missing at A1 = 5)", xlim=(-0.6, 9.6), ylim=(0.6, 6.4))
    axes.set_xticks(range(10))
    axes.set_title("Two of the eight models, and what they say", loc="left")


def draw_answer(axes, value, label, marker, color, shift):
    """What a method says at the receiver; labels that stand far off are tied to their marks."""
    size = 15 if marker == "*" else 8
    axes.plot(asked_at, value, marker, color=color, markersize=size, zorder=4)
    tie = {"arrowstyle": "-", "color": color, "linewidth": 0.6, "shrinkB": 7} if shift[0] > 20 else None
    axes.annotate(
        label,
        (asked_at, value),
        xytext=shift,
        textcoords="offset points",
        va="center",
        color=color,
        arrowprops=tie,
    )


def draw_vote(axes):
    """The three candidates at the receiver, enlarged; areas are weights."""
    for at, donor in enumerate(individual.donors):
        color = LEFT if known[donor] < asked_at else RIGHT
        value, weight = individual.candidates[at], individual.weights[at]
        axes.scatter(at, value, s=1600 * weight, color=color, zorder=2)
        axes.annotate(
            f"{value:.3f}\nweight {weight:.1f}",
            (at, value),
            xytext=(0, 20 if value > individual.value else -20),
            textcoords="offset points",
            ha="center",
            va="bottom" if value > individual.value else "top",
            color=color,
        )
    axes.axhline(individual.value, color=OURS, linewidth=1.2, zorder=1)
    axes.annotate(
        f"vote {individual.value:.3f}",
        (1, individual.value),
        xytext=(0, 4),
        textcoords="offset points",
        ha="center",
    )
    low, high = individual.candidates.min(), individual.candidates.max()
    room = high - low
    axes.set(xlim=(-0.6, 2.6), ylim=(low - 0.6 * room, high + 0.55 * room))
    axes.set_xticks(range(3), [f"t{donor + 1}" for donor in individual.donors])
    axes.set_xlabel("donor asked, nearest first")
    axes.set_title("The vote at A1 = 5, enlarged", loc="left")


with plt.rc_context({"font.size": 10, "axes.titlesize": 11, "axes.titleweight": "bold"}):
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(10.5, 5), width_ratios=(2.1, 1), layout="constrained", facecolor="white"
    )
    draw_table(left)
    draw_vote(right)
    for panel in (left, right):
        panel.spines[["top", "right"]].set_visible(False)
