"""Figures "Varying the number of imputation neighbors k", over ASF and CA."""

from __future__ import annotations

from iim.paper.sections.curves import Variation

VALUES = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100)

EXPERIMENT = Variation(
    key="neighbors",
    title="Varying the number of imputation neighbours k",
    label="exp:asf-k, exp:ca-k",
    x_label="imputation neighbours k",
    vary=lambda k: {"changes": {"n_neighbors": k}},
    full={"asf": VALUES, "ca": VALUES},
    quick=(3, 10, 30),
    intro="k of the three methods that the paper names for it; in IIM it is also the number of tuples that "
    "validate a model.",
    methods=("iim", "knn", "knne"),
    log_x=True,
).experiment()
