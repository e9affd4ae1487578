"""Figures in which one coordinate varies: attributes, tuples, clusters of incomplete tuples, k."""

from __future__ import annotations

from iim.paper.sections.curves import Variation

VARIATIONS = (
    Variation(
        key="complete-attributes",
        title="Varying the number of complete attributes",
        label="exp:asf-completeAttrNum, exp:ca-completeAttrNum",
        x_label="complete attributes |F|",
        vary=lambda n_observed: {"n_observed": n_observed},
        full={"asf": (1, 2, 3, 4, 5), "ca": (1, 2, 3, 4, 5, 6, 7, 8)},
        quick=(1, 3, 5),
        intro="F grows in the order of the columns; every method sees F and the incomplete attribute only. "
        "Which attribute is incomplete is ours, as in the large table.",
    ),
    Variation(
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
        intro="The incomplete tuples stay the same; of the others, n are drawn at random, the smaller "
        "draws being parts of the larger ones.",
    ),
    Variation(
        key="clusters",
        title="Varying the cluster size of incomplete tuples",
        label="exp:asf-mk",
        x_label="incomplete tuples in a cluster",
        vary=lambda size: {"cluster_size": size},
        full={"asf": (1, 2, 3, 4, 5, 6, 8, 10, 15, 20)},
        quick=(1, 5, 10),
        intro="A tuple drawn at random loses its value together with those nearest to it on the other "
        "attributes (raw values, as the methods see them), until 100 are incomplete.",
    ),
    Variation(
        key="neighbors",
        title="Varying the number of imputation neighbours k",
        label="exp:asf-k, exp:ca-k",
        x_label="imputation neighbours k",
        vary=lambda k: {"changes": {"n_neighbors": k}},
        full=dict.fromkeys(("asf", "ca"), (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100)),
        quick=(3, 10, 30),
        intro="k of the three methods that the paper names for it; in IIM it is also the number of tuples "
        "that validate a model.",
        methods=("iim", "knn", "knne"),
        log_x=True,
    ),
)
