"""Results of commands as plain data for ``--json``, and their summary lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from iim.cli.session import Session
from iim.present.names import listed
from iim.present.numbers import count, whole

if TYPE_CHECKING:
    from iim.comparing import Comparison
    from iim.diagnosing import Diagnosis
    from iim.files import FileTable
    from iim.imputers import Imputer

MOST_NAMED = 12
"""Columns named in one line."""


class Filled(Protocol):
    """A filled table, in a file or in a folder."""

    @property
    def name(self) -> str:
        """Name of the file or folder."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""

    @property
    def passed(self) -> Mapping[str, str]:
        """Columns that were passed through, and why."""


def tell_filling(session: Session, done: Filled, n_filled: Mapping[str, int], *, by: str) -> None:
    """Write how many cells were filled in the file, and by which method or model."""
    n_columns = sum(map(bool, n_filled.values()))
    size = f"{done.name} ({count(done.n_rows, 'row')})"
    columns = count(len(n_filled), "column")
    if n_columns:
        cells = count(sum(n_filled.values()), "cell")
        session.say(f"Filled {cells} in {n_columns} of {columns} of {size} with {by} in {session.took()}.")
    else:
        session.say(f"Nothing to fill in {size}: no cell is missing in {columns} of numbers.")
    tell_passed(session, "Passed through unchanged", done.passed)


def tell_learning(session: Session, table: FileTable, *, by: str, output: str, n_bytes: int) -> None:
    """Write how many rows the model was learned from, and where it was saved."""
    n_rows, n_columns = table.frame.num_rows, table.frame.num_columns
    rows = (
        count(n_rows, "row")
        if n_rows == table.n_rows
        else f"{whole(n_rows)} of {count(table.n_rows, 'row')}"
    )
    session.say(
        f"Learned from {rows} and {count(n_columns, 'column')} of {table.name} with {by} in "
        f"{session.took()}: {output} ({n_bytes / 1000:.0f} kB)."
    )
    tell_passed(session, "Not used", table.passed)


def tell_choices(session: Session, imputer: Imputer) -> None:
    """Write the methods chosen for each column, for an imputer that chooses."""
    from iim.imputers.auto import AutoImputer  # noqa: PLC0415

    if not isinstance(imputer, AutoImputer):
        return
    choices = imputer.choices()
    alike: dict[str, list[Any]] = {}
    for column in choices.weights:
        alike.setdefault(choices.in_words(column), []).append(column)
    for weights, columns in list(alike.items())[:MOST_NAMED]:
        session.say(f"Chosen for {listed(columns, MOST_NAMED)}: {weights}.")
    if len(alike) > MOST_NAMED:
        session.say(f"Chosen for others: see --json; {len(alike) - MOST_NAMED} more blends.")
    # Methods of small weight are not listed; methods that could not be tried are.
    for key, why in choices.left_out.items():
        if key not in choices.tried:
            session.say(f"Not tried: {key} ({why}).")


def tell_passed(session: Session, what: str, passed: Mapping[str, str]) -> None:
    """List the columns that were not used, and why."""
    if passed:
        named = [f"{listed([name], 1)} ({why})" for name, why in list(passed.items())[:MOST_NAMED]]
        more = f" and {len(passed) - MOST_NAMED} more" if len(passed) > MOST_NAMED else ""
        session.say(f"{what}: {', '.join(named)}{more}.")


def filling_result(
    session: Session,
    done: Filled,
    n_filled: Mapping[str, int],
    imputer: Imputer,
    *,
    output: str,
) -> dict[str, Any]:
    """The filled cells, as plain data."""
    return {
        "input": done.name,
        "output": output,
        "n_rows": done.n_rows,
        "n_filled": sum(n_filled.values()),
        "filled": n_filled,
        "passed": done.passed,
        **about(session, imputer),
    }


def learning_result(
    session: Session, table: FileTable, imputer: Imputer, *, output: str, n_bytes: int
) -> dict[str, Any]:
    """The learned model, as plain data."""
    return {
        "input": table.name,
        "output": output,
        "n_rows": table.n_rows,
        "n_rows_learned_from": table.frame.num_rows,
        "columns": table.frame.column_names,
        "passed": table.passed,
        "n_bytes": n_bytes,
        **about(session, imputer),
    }


def about(session: Session, imputer: Imputer) -> dict[str, Any]:
    """Data on the method, versions and times, for every filling and learning."""
    from iim.imputers import METHODS  # noqa: PLC0415
    from iim.versions import versions  # noqa: PLC0415

    keys = [key for key, method in METHODS.items() if type(imputer) is method]
    settings = {name: value for name, value in imputer.get_params().items() if name != "progress"}
    return {
        "method": keys[0],
        "settings": settings,
        **_chosen(imputer),
        "notices": session.notices,
        "seconds": session.seconds,
        "versions": versions(),
    }


def _chosen(imputer: Imputer) -> dict[str, Any]:
    """The methods chosen for each column and the reason, for an imputer that chooses."""
    from iim.imputers.auto import AutoImputer  # noqa: PLC0415

    if not isinstance(imputer, AutoImputer):
        return {}
    found = imputer.choices()
    return {"chosen": _fields(found, "weights", "errors", "n_hidden", "seconds", "left_out")}


def comparison_result(session: Session, table: FileTable, found: Comparison) -> dict[str, Any]:
    """A comparison as plain data: all records, and the scores computed from them."""
    return {
        "input": table.name,
        **_fields(found, "methods", "columns", "overall", "by_column", "recommended", "records"),
        **_fields(found, "not_scored", "notes", "settings", "facts"),
        "passed": table.passed,
        "notices": session.notices,
        "seconds": session.seconds,
    }


def diagnosis_result(session: Session, table: FileTable, found: Diagnosis) -> dict[str, Any]:
    """A diagnosis as plain data."""
    return {
        "input": table.name,
        **_fields(found, "n_rows", "n_columns", "n_missing", "n_complete", "columns", "patterns"),
        **_fields(found, "not_measured", "settings"),
        "passed": table.passed,
        "notices": session.notices,
        "seconds": session.seconds,
    }


def _fields(found: Any, *names: str) -> dict[str, Any]:
    return {name: getattr(found, name) for name in names}
