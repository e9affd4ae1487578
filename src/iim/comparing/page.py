"""A comparison as text and tables."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from iim.comparing.methods import usual_methods
from iim.comparing.wording import gist
from iim.present.names import listed
from iim.present.numbers import count
from iim.present.records import record_table
from iim.present.tables import Head, Page, Table, build_table, name, words

if TYPE_CHECKING:
    from iim.comparing.records import Record
    from iim.comparing.result import Comparison

MOST_COLUMNS = 30
"""Columns, failures and warnings that are shown; all are in the result."""

MOST_NAMED = 6
"""Names shown in a sentence or a cell."""

HOW = {
    "cells": "in all columns at once",
    "attribute": "in one column at a time",
    "clusters": "in rows near each other, in all columns at once",
}
"""Descriptions of the patterns."""


def comparison_page(result: Comparison) -> Page:
    """The leaderboard, the best method by column, failures, warnings, and how to repeat it."""
    page: list[str | Table] = [heading(result)]
    page += _hidden_much(result)
    page += [leaderboard(result), winners(result)]
    page += _cut(failures_in_words(result), "failures")
    if result.not_scored:
        rows = [[name(column), words(reason)] for column, reason in result.not_scored.items()]
        heads = [Head("column", "name"), Head("reason", "words")]
        page.append(build_table("Not scored", heads, rows, most=MOST_COLUMNS))
    page += _cut(_warnings(result), "notes")
    page.append(_footing(result))
    return page


def _cut(paragraphs: list[str], where: str) -> list[str]:
    if len(paragraphs) <= MOST_COLUMNS:
        return paragraphs
    rest = f"... and {len(paragraphs) - MOST_COLUMNS} more, see `{where}`."
    return [*paragraphs[:MOST_COLUMNS], rest]


def heading(result: Comparison) -> str:
    """What was compared, and how."""
    settings, facts = result.settings, result.facts
    hide = settings["hide"]
    hidden = [best.n_cells for best in result.recommended]
    least, most = min(hidden), max(hidden)
    amount = count(most, "known cell") if least == most else f"{least} to {most} known cells"
    asked = f"hide={hide:.3g}" if hide < 1 else f"hide={hide}"
    note = "" if hide == least else f" ({asked})"
    return (
        f"{count(len(result.methods), 'method')} on {count(facts['n_rows'], 'row')} and "
        f"{count(facts['n_columns'], 'column')}: {amount} of each scored column{note} hidden "
        f"{HOW[settings['pattern']]}, {count(settings['repeats'], 'repeat')}. Errors are in standard "
        "deviations of the column (column means reach about 1), times are medians over repeats."
    )


def _hidden_much(result: Comparison) -> list[str]:
    known = result.facts["n_known"]
    halved = [best.column for best in result.recommended if 2 * best.n_cells > known[best.column]]
    if not halved:
        return []
    return [
        f"More than half of the known cells were hidden in {listed(halved, MOST_NAMED)}: methods learned "
        "from far fewer than the table has, so expect smaller errors on it. Use a smaller `hide`."
    ]


def leaderboard(result: Comparison) -> Table:
    """Methods, best first."""
    return record_table("Overall, best first", result.overall, result)


def winners(result: Comparison) -> Table:
    """The best method of each column, and the methods in a statistical tie with it."""
    return record_table("By column", result.recommended, result, most=MOST_COLUMNS)


def failures_in_words(result: Comparison) -> list[str]:
    """One paragraph for each method and reason; reasons that differ in numbers only share one."""
    by_reason: dict[tuple[str, str], list[Record]] = {}
    for record in result.failures:
        by_reason.setdefault((record.method, gist(record.failure or "")), []).append(record)
    return [_failure(result, records) for records in by_reason.values()]


def _failure(result: Comparison, records: list[Record]) -> str:
    columns: list[Any] = list(dict.fromkeys(record.column for record in records))
    n_columns, n_repeats = len(result.columns), result.settings["repeats"]
    where = f"all {n_columns} columns" if len(columns) == n_columns > 1 else listed(columns, MOST_NAMED)
    some = "" if len(records) == len(columns) * n_repeats else ", not in every repeat"
    n_alike = len({record.failure for record in records}) - 1
    like_it = f" (and {n_alike} more that differ in numbers only)" if n_alike else ""
    return f"{listed([records[0].method], 1)} failed in {where}{some}: {records[0].failure}{like_it}"


def _warnings(result: Comparison) -> list[str]:
    return [
        f"{listed([note.method], 1)} warned {'once' if note.times == 1 else f'{note.times} times'}: "
        f"{note.message}"
        for note in result.notes
    ]


def _footing(result: Comparison) -> str:
    return f"To repeat: {_call(result)} with iim {result.facts['versions']['iim']}."


def _call(result: Comparison) -> str:
    """The call of ``compare``, without arguments that have no effect. Objects are written ``Name(...)``."""
    settings = result.settings
    needless = {
        "methods": settings["methods"] == usual_methods(),
        "columns": settings["columns"] is None,
        "cluster_size": settings["pattern"] != "clusters",
        "missing_values": _is_nan(settings["missing_values"]),
    }
    given = {name: value for name, value in settings.items() if not needless.get(name, False)}
    return f"iim.compare(table, {', '.join(f'{name}={_code(value)}' for name, value in given.items())})"


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _code(value: Any) -> str:
    if isinstance(value, dict):  # methods by name; an object has no key
        return f"{{{', '.join(f'{name!r}: {_origin(origin)}' for name, origin in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_code, value))}]"
    return "float('nan')" if _is_nan(value) else repr(value)


def _origin(origin: str) -> str:
    return origin if origin.endswith("(...)") else repr(origin)
