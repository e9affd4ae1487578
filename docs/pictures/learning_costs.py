"""How donor t2 of the paper's example chooses its number of learning neighbours."""

from dataclasses import fields

import matplotlib.pyplot as plt
import numpy as np

from iim import samples
from iim.core.execution.context import Context
from iim.core.iim import IndividualModels
from iim.core.learning import learning_costs
from iim.core.patterns import Pattern
from iim.core.settings import PAPER, Settings
from iim.core.source import learn_source
from iim.matrix import MaskedMatrix

DONOR, N_DONORS = 1, 8
PRINTED = 3.73
"""What the paper prints for the first of these costs, see the guide."""

table = samples.example("numpy")
changed = {"n_neighbors": 3, "learning_grid": range(1, N_DONORS + 1), "reach": np.inf}
settings = Settings(**{one.name: PAPER[one.name] for one in fields(Settings)} | changed)
matrix = MaskedMatrix(table, np.isnan(table), ("A1", "A2"))
source = learn_source(matrix, scale=settings.scale, which=settings.donors, min_donors=settings.min_donors)
problem = source.pose(Pattern(observed=(0,), target=1))
models = IndividualModels(settings).solve(source, problem, None, Context())
costs = learning_costs(models, models.tree.place[[DONOR]], settings=settings)[0]
chosen = costs.argmin()

with plt.rc_context({"font.size": 10, "axes.titlesize": 11, "axes.titleweight": "bold"}):
    figure, axes = plt.subplots(figsize=(7, 3.4), layout="constrained", facecolor="white")
    colors = ["#c44e52" if at == chosen else "#b8c4d0" for at in range(costs.size)]
    axes.bar(models.grid, costs, color=colors, width=0.65)
    for n_learning, cost in zip(models.grid, costs, strict=True):
        axes.annotate(
            f"{cost:.2f}", (n_learning, cost), xytext=(0, 4), textcoords="offset points", ha="center"
        )
    axes.plot([0.68, 1.32], [PRINTED, PRINTED], ":", color="#1a1a1a", linewidth=1.5)
    axes.annotate(
        f"paper:\n{PRINTED}",
        (1, PRINTED),
        xytext=(0, -5),
        textcoords="offset points",
        ha="center",
        va="top",
        fontsize=9,
    )
    axes.annotate(
        "chosen",
        (models.grid[chosen], costs[chosen]),
        xytext=(0, 20),
        textcoords="offset points",
        ha="center",
        color="#c44e52",
    )
    axes.set(xlabel="learning neighbours", ylabel="sum of squared errors", ylim=(0, 4.6))
    axes.set_xticks(models.grid)
    axes.set_title("Cost of donor t2's model, by number of learning neighbours", loc="left")
    axes.spines[["top", "right"]].set_visible(False)
