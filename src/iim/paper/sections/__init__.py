"""Every table and figure of the paper, one row each: its tasks as data, and how they are scored.

A module has ``EXPERIMENT``. The list below is in the paper's order; the last two are not in the paper.
"""

from __future__ import annotations

from iim.paper.sections import (
    adaptive,
    applications,
    by_attribute,
    clusters,
    complete_attributes,
    complete_tuples,
    complexity,
    datasets,
    holes,
    neighbors,
    scalability,
    stepping,
    today,
    various,
)
from iim.paper.sections.experiment import Experiment

EXPERIMENTS: dict[str, Experiment] = {
    module.EXPERIMENT.key: module.EXPERIMENT
    for module in (
        complexity,
        datasets,
        various,
        by_attribute,
        complete_attributes,
        complete_tuples,
        clusters,
        neighbors,
        adaptive,
        scalability,
        stepping,
        applications,
        today,
        holes,
    )
}
"""All experiments by key, in the order of the page."""
