"""Figures "Varying the number of complete attributes", over ASF and CA."""

from __future__ import annotations

from iim.paper.sections.curves import Variation

EXPERIMENT = Variation(
    key="complete-attributes",
    title="Varying the number of complete attributes",
    label="exp:asf-completeAttrNum, exp:ca-completeAttrNum",
    x_label="complete attributes |F|",
    vary=lambda n_observed: {"n_observed": n_observed},
    full={"asf": (1, 2, 3, 4, 5), "ca": (1, 2, 3, 4, 5, 6, 7, 8)},
    quick=(1, 3, 5),
    intro="F grows in the order of the columns; every method sees F and the incomplete attribute only. "
    "Which attribute is incomplete is ours, as in the large table.",
).experiment()
