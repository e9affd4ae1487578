"""Do all tasks without a record, one after the other, so that times are comparable."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from iim.exceptions import MissingDependency, UnusableFile
from iim.imputers._jobs import usable_threads
from iim.paper.bench import Bench
from iim.paper.measuring import KINDS
from iim.paper.records import Found, Store
from iim.paper.tasks import Task
from iim.versions import versions


@dataclass(frozen=True)
class Outcome:
    """The result of a run.

    Attributes
    ----------
    found : Found
        The records.
    n_done, n_kept : int
        Tasks done now, and tasks that had records.
    not_done : mapping of str to int
        Number of tasks not done, by reason.
    """

    found: Found
    n_done: int
    n_kept: int
    not_done: dict[str, int]


def run(
    tasks: Iterable[Task],
    store: Store,
    folder: Path | None = None,
    *,
    progress: Callable[[float], None] | None = None,
) -> Outcome:
    """Do every task without a record.

    A task is left out, with the reason, if its data or package is missing or its method fails; the others
    continue. It leaves no record, so the next run tries it again.

    Parameters
    ----------
    tasks : iterable of Task
        Tasks to do; repeated tasks are done once.
    store : Store
        Folder of the records.
    folder : path or None, default=None
        Folder of the data sets; None for the one in ``IIM_DATA``.
    progress : callable or None, default=None
        Called with the finished share, from 0 to 1.

    Returns
    -------
    Outcome
    """
    wanted = {task.name: task for task in tasks}
    found = Found(store)
    missing = [task for task in wanted.values() if found.of(task) is None]
    bench, about = Bench(folder), versions()
    not_done: dict[str, int] = {}
    total = sum(task.weight for task in missing)
    for task, done in zip(missing, accumulate(task.weight for task in missing), strict=True):
        begun = time.perf_counter()
        try:
            record = KINDS[task.kind](task.inputs, bench)
            took = time.perf_counter() - begun
            store.write(task, {**record, "took": took, "n_threads": usable_threads(), "versions": about})
        except (MissingDependency, UnusableFile) as error:
            found.miss(task, "no data" if isinstance(error, UnusableFile) else "not installed")
            not_done[str(error)] = not_done.get(str(error), 0) + 1
        except (ValueError, ArithmeticError) as error:
            # A method that fails on a table is a result, not the end of the run.
            found.miss(task, "failed")
            reason = f"{task.inputs.get('method', task.kind)} failed: {type(error).__name__}: {error}"
            not_done[reason] = not_done.get(reason, 0) + 1
        if progress is not None:
            progress(done / total)
    n_done = len(missing) - sum(not_done.values())
    return Outcome(found, n_done, len(wanted) - len(missing), not_done)
