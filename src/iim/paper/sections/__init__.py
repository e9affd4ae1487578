"""All tables and figures of the paper: their tasks as data, and how they are scored.

A module has ``EXPERIMENT``, or several as rows. The list is in the paper's order; the last two are not in
the paper.
"""

from __future__ import annotations

from iim.paper.sections import (
    adaptive,
    applications,
    by_attribute,
    complexity,
    datasets,
    holes,
    scalability,
    stepping,
    today,
    various,
)
from iim.paper.sections.experiment import Experiment
from iim.paper.sections.variations import VARIATIONS

EXPERIMENTS: dict[str, Experiment] = {
    experiment.key: experiment
    for experiment in (
        complexity.EXPERIMENT,
        datasets.EXPERIMENT,
        various.EXPERIMENT,
        by_attribute.EXPERIMENT,
        *(variation.experiment() for variation in VARIATIONS),
        adaptive.EXPERIMENT,
        scalability.EXPERIMENT,
        stepping.EXPERIMENT,
        applications.EXPERIMENT,
        today.EXPERIMENT,
        holes.EXPERIMENT,
    )
}
"""All experiments by key, in the order of the page."""
