"""Results of commands as plain data, for ``--json``, and the lines that tell of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from iim._showing import count
from iim.cli.show import Session, filled_in_words, passed_in_words

if TYPE_CHECKING:
    from iim.comparing import Comparison
    from iim.diagnosing import Diagnosis
    from iim.files import FileTable, Streamed
    from iim.imputers import Imputer


def show_filling(
    session: Session,
    done: FileTable | Streamed,
    n_filled: Mapping[str, int],
    imputer: Imputer,
    *,
    by: str,
    output: str,
) -> None:
    """Tell what was filled, in a few lines or as JSON.

    Parameters
    ----------
    session : Session
        The command at work.
    done : FileTable or Streamed
        The file that was filled.
    n_filled : mapping
        Filled cells by column.
    imputer : Imputer
        What filled them.
    by : str
        What to call it: its key, or the file that it came from.
    output : str
        Where the filled file is.
    """
    line = filled_in_words(n_filled, name=done.name, n_rows=done.n_rows, method=by, seconds=session.took())
    session.say(line)
    passed = passed_in_words(done.passed)
    if passed is not None:
        session.say(passed)
    if session.json:
        session.show_json(
            {
                "input": done.name,
                "output": output,
                "n_rows": done.n_rows,
                "n_filled": sum(n_filled.values()),
                "filled": n_filled,
                "passed": done.passed,
                **_about(session, imputer),
            }
        )


def show_learning(
    session: Session, table: FileTable, imputer: Imputer, *, key: str, output: str, n_bytes: int
) -> None:
    """Tell what was learned, in a line or as JSON."""
    n_rows, n_columns = table.frame.num_rows, table.frame.num_columns
    rows = count(n_rows, "row") if n_rows == table.n_rows else f"{n_rows} of {table.n_rows} rows"
    session.say(
        f"Learned from {rows} and {count(n_columns, 'column')} of {table.name} with {key} in "
        f"{session.took()}: {output} ({n_bytes / 1000:.0f} kB)."
    )
    passed = passed_in_words(table.passed)
    if passed is not None:
        session.say(passed.replace("Passed through untouched", "Not learned from"))
    if session.json:
        session.show_json(
            {
                "input": table.name,
                "output": output,
                "n_rows": table.n_rows,
                "n_rows_learned_from": n_rows,
                "columns": table.frame.column_names,
                "passed": table.passed,
                "n_bytes": n_bytes,
                **_about(session, imputer),
            }
        )


def _about(session: Session, imputer: Imputer) -> dict[str, Any]:
    """What every filling and learning tells of itself."""
    from iim.imputers import METHODS  # noqa: PLC0415
    from iim.versions import versions  # noqa: PLC0415

    keys = [key for key, method in METHODS.items() if type(imputer) is method]
    settings = {name: value for name, value in imputer.get_params().items() if name != "progress"}
    return {
        "method": keys[0],
        "settings": settings,
        "notices": session.notices,
        "seconds": session.seconds,
        "versions": versions(),
    }


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
