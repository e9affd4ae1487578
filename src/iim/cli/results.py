"""Results of commands as plain data, for ``--json``, and the lines that tell of them."""

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
"""Columns that a line names."""


class Filled(Protocol):
    """A table that was filled, in a file or in a folder."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def n_rows(self) -> int:
        """How many rows it has."""

    @property
    def passed(self) -> Mapping[str, str]:
        """Columns that were left alone, and why."""


def tell_filling(session: Session, done: Filled, n_filled: Mapping[str, int], *, by: str) -> None:
    """Say what was filled in which file, and by which method or model."""
    n_columns = sum(map(bool, n_filled.values()))
    size = f"{done.name} ({count(done.n_rows, 'row')})"
    columns = count(len(n_filled), "column")
    if n_columns:
        cells = count(sum(n_filled.values()), "cell")
        session.say(f"Filled {cells} in {n_columns} of {columns} of {size} with {by} in {session.took()}.")
    else:
        session.say(f"Nothing to fill in {size}: no cell is missing in {columns} of numbers.")
    tell_passed(session, "Passed through untouched", done.passed)


def tell_learning(session: Session, table: FileTable, *, by: str, output: str, n_bytes: int) -> None:
    """Say what was learned from which file, and where the model is."""
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
    tell_passed(session, "Not learned from", table.passed)


def tell_choices(session: Session, imputer: Imputer) -> None:
    """Say which methods were chosen for each column, if that is what the imputer does."""
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
    # That a method counts for little needs no line; that it could not take part does.
    for key, why in choices.left_out.items():
        if key not in choices.tried:
            session.say(f"Not tried: {key} ({why}).")


def tell_passed(session: Session, what: str, passed: Mapping[str, str]) -> None:
    """Name the columns that were left alone, and why."""
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
    """What was filled, as plain data."""
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
    """What was learned, as plain data."""
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
    """What every filling and learning tells of itself."""
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
    """What was chosen for each column, and why, if that is what the imputer does."""
    from iim.imputers.auto import AutoImputer  # noqa: PLC0415

    if not isinstance(imputer, AutoImputer):
        return {}
    found = imputer.choices()
    return {"chosen": _fields(found, "weights", "errors", "n_hidden", "seconds", "left_out")}


def comparison_result(session: Session, table: FileTable, found: Comparison) -> dict[str, Any]:
    """A comparison as plain data: all records, and what follows from them."""
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
