"""Figures "Varying the number of complete tuples", over ASF and CA."""

from __future__ import annotations

from iim.paper.sections.curves import Variation

EXPERIMENT = Variation(
    key="complete-tuples",
    title="Varying the number of complete tuples",
    label="exp:asf-completenum, exp:ca-completenum",
    x_label="complete tuples n",
    vary=lambda n_complete: {"n_complete": n_complete},
    full={
        "asf": (200, 400, 600, 800, 1000, 1200, 1400),
        "ca": (2000, 5000, 8000, 11_000, 14_000, 17_000, 19_000),
    },
    quick=(300, 600, 1200),
    intro="The incomplete tuples stay the same; of the others, n are drawn at random, the smaller draws "
    "being parts of the larger ones.",
).experiment()
