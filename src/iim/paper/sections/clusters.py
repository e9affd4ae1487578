"""Figure "Varying the cluster size of incomplete tuples", over ASF."""

from __future__ import annotations

from iim.paper.sections.curves import Variation

EXPERIMENT = Variation(
    key="clusters",
    title="Varying the cluster size of incomplete tuples",
    label="exp:asf-mk",
    x_label="incomplete tuples in a cluster",
    vary=lambda size: {"cluster_size": size},
    full={"asf": (1, 2, 3, 4, 5, 6, 8, 10, 15, 20)},
    quick=(1, 5, 10),
    intro="A tuple drawn at random loses its value together with those nearest to it on the other "
    "attributes (raw values, as the methods see them), until 100 are incomplete.",
).experiment()
