"""The experiment behind a table or figure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from iim.paper.cases import Case, paper_settings
from iim.paper.efforts import Effort
from iim.paper.records import Found
from iim.paper.results import Block, Section
from iim.paper.tasks import Task

SECONDS = {"iim": 0.014, "ifc": 0.025, "gmm": 0.013, "knne": 0.004, "glr": 0.004, "eracer": 0.004}
"""Approximate seconds of a method for a thousand rows, with the paper's settings; others are faster."""


class Findings(NamedTuple):
    """The parts of an experiment's section, see :class:`Section`."""

    intro: tuple[str, ...]
    blocks: tuple[Block, ...]
    verdict: tuple[str, ...] = ()


@dataclass(frozen=True)
class Experiment:
    """A table or figure: its tasks, and how their records are scored.

    Attributes
    ----------
    key : str
        Its key for ``--only``.
    title : str
        Its title.
    tasks : callable
        From an effort to its tasks.
    score : callable
        From an effort and the records to findings.
    label : str
        Its label in the paper's source; empty if it is not in the paper.
    """

    key: str
    title: str
    tasks: Callable[[Effort], list[Task]]
    score: Callable[[Effort, Found], Findings]
    label: str = ""

    def section(self, effort: Effort, found: Found) -> Section:
        """Its section of the page."""
        return Section(self.key, self.title, self.label, *self.score(effort, found))


def count_holes(wanted: int, n_rows: int) -> int:
    """Number of values to remove: at most a tenth of the rows."""
    return min(wanted, n_rows // 10)


def fill_task(
    case: Case,
    method: str,
    seed: int,
    effort: Effort,
    *,
    hide: float,
    changes: dict[str, Any] | None = None,
    **coordinates: Any,
) -> Task:
    """The task of removing values of a case's attribute and filling them, with the paper's settings.

    Parameters
    ----------
    case : Case
        The data and the attribute.
    method : str
        Key of the method.
    seed : int
        Seed of the draw.
    effort : Effort
        Number of rows.
    hide : float or int
        Share or number of the values to remove.
    changes : dict or None, default=None
        Settings other than the paper's.
    **coordinates
        Other inputs of :func:`iim.paper.attribute_fills.fill`.

    Returns
    -------
    Task
    """
    n_rows = effort.rows(case.n_rows)
    if n_rows < case.n_rows:
        coordinates["n_rows"] = n_rows
    inputs = {
        **case.inputs(),
        "hide": hide if isinstance(hide, float) else count_holes(hide, n_rows),
        **coordinates,
        "method": method,
        "settings": {**paper_settings(method, case.data, case.n_rows), **(changes or {})},
        "seed": seed,
    }
    return Task("fill", inputs, weight=n_rows / 1000 * SECONDS.get(method, 0.003))
