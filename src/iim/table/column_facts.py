"""What there is to count in a column: numbers, texts and other cells, and whether one is twice."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, time, timedelta
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from iim._arrays import Booleans
from iim.table._missing import is_missing, is_named, named_values
from iim.table.kinds import CATEGORY, TEXT, WHOLE, Facts, bounded, declared_kind, is_called_id

LOOKED_AT = 100
"""Cells of a piece that are looked at first; of texts, no others are read as numbers or dates."""

EXACT = 2**53
"""Beyond this every float64 is whole, which proves nothing."""

LIKE_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([T ].*)?|\d{1,2}:\d{2}(:\d{2}.*)?")
"""Dates and times as they are written most."""

_CLASSES: tuple[tuple[str, tuple[type[Any], ...]], ...] = (
    ("dates", (date, np.datetime64)),
    ("times", (time,)),
    ("durations", (timedelta, np.timedelta64)),
    ("lists", (list, tuple, set, frozenset, np.ndarray)),
    ("records", (dict,)),
)


def count_facts(name: Any, column: Any, missing_values: Any = None) -> Facts:
    """Count what is in a column, or in a part of it.

    Parameters
    ----------
    name : object
        The column's name.
    column : ndarray, narwhals Series, native series (pandas, polars, pyarrow), or list
        Its cells.
    missing_values : object
        What is missing besides nulls and NaN.

    Returns
    -------
    Facts
    """
    named = named_values(missing_values)
    if isinstance(column, (list, tuple)):
        return _count_cells(Facts(name), column, named)
    if isinstance(column, np.ndarray):
        facts = Facts(name, declared_kind(column.dtype))
        if column.dtype.kind in "buif":
            return _count_numbers(facts, column, np.zeros(column.shape, dtype=bool), named)
        if column.dtype.kind in "OUS":
            return _count_cells(facts, column.tolist(), named)
        return _count_rows(facts, np.isnat(column) if column.dtype.kind in "mM" else column != column)
    series = nw.from_native(column, series_only=True)
    facts = Facts(name, declared_kind(series.dtype))
    if facts.declared is None or facts.declared.kind in (TEXT, CATEGORY):
        return _count_cells(facts, series.to_list(), named)
    null = series.is_null().to_numpy()
    if not facts.declared.is_numeric or null.all():
        return _count_rows(facts, null)
    try:
        numbers = series.to_numpy()
    except Exception:  # noqa: BLE001 (of whatever library; reading the column says it)
        return replace(
            _count_rows(facts, null),
            n_numbers=int((~null).sum()),
            whole=facts.declared.kind == WHOLE,
            others=Counter(),
        )
    if numbers.dtype.kind in "buif":
        return _count_numbers(facts, numbers, null, named)
    return _count_cells(facts, numbers.tolist(), named)


def _count_rows(facts: Facts, missing: Booleans) -> Facts:
    """Facts of a column whose type says the rest."""
    n_missing = int(missing.sum())
    what = (
        Counter() if facts.declared is None else Counter({facts.declared.reason: missing.size - n_missing})
    )
    return replace(facts, n_rows=missing.size, n_missing=n_missing, others=what)


def _count_numbers(
    facts: Facts, numbers: np.ndarray[Any, Any], missing: Booleans, named: tuple[Any, ...]
) -> Facts:
    is_float = numbers.dtype.kind == "f"
    if is_float:
        missing = missing | np.isnan(numbers)
    if named:
        missing = missing | is_named(numbers, named)
    known = numbers[~missing] if missing.any() else numbers
    # In most columns with fractions, the first cells show it.
    whole = not is_float or (_are_whole(known[:LOOKED_AT]) and _are_whole(known))
    # To sort all columns would take longer than all the rest.
    looked = is_called_id(facts.name) and whole and known.size == numbers.size
    return replace(
        facts,
        n_rows=numbers.size,
        n_missing=numbers.size - known.size,
        n_numbers=known.size,
        n_booleans=known.size if numbers.dtype.kind == "b" else 0,
        whole=whole,
        unique=looked and bool(np.unique(known).size == known.size),
    )


def _are_whole(numbers: np.ndarray[Any, Any]) -> bool:
    if numbers.dtype == np.float16:
        numbers = numbers.astype(np.float32)  # which EXACT fits into
    return bool(np.all((numbers == np.rint(numbers)) & (np.abs(numbers) <= EXACT)))


def _count_cells(facts: Facts, cells: Sequence[Any], named: tuple[Any, ...]) -> Facts:
    known = [cell for cell in cells if not is_missing(cell, named)]
    texts = [cell for cell in known if isinstance(cell, (str, bytes))]
    rest = [] if len(texts) == len(known) else [one for one in known if not isinstance(one, (str, bytes))]
    others = Counter(what for what in map(_class_of, rest) if what is not None)
    numbers = [cell for cell in rest if _class_of(cell) is None] if others else rest
    looked = texts[:LOOKED_AT]
    return replace(
        facts,
        n_rows=len(cells),
        n_missing=len(cells) - len(known),
        n_numbers=len(numbers),
        n_booleans=sum(isinstance(cell, (bool, np.bool_)) for cell in numbers),
        n_texts=len(texts),
        whole=all(map(_is_whole, numbers)),
        unique=is_called_id(facts.name) and not others and len(set(known)) == len(known),
        texts=bounded(frozenset(map(_as_text, texts))),
        n_looked=len(looked),
        n_like_numbers=sum(map(_reads_as_number, looked)),
        n_like_dates=sum(LIKE_DATE.fullmatch(_as_text(text)) is not None for text in looked),
        others=others,
    )


def _class_of(cell: Any) -> str | None:
    """What a cell that is no text is, if not a number."""
    found = next((what for what, types in _CLASSES if isinstance(cell, types)), None)
    return found or (None if _reads_as_number(cell) else "objects")


def _reads_as_number(cell: Any) -> bool:
    try:
        float(cell)
    except OverflowError:
        return True
    except (TypeError, ValueError):
        return False
    return True


def _is_whole(cell: Any) -> bool:
    if isinstance(cell, (int, np.integer)):
        return True
    try:
        number = float(cell)
    except OverflowError:
        return False
    return number.is_integer() and abs(number) <= EXACT


def _as_text(cell: str | bytes) -> str:
    return cell if isinstance(cell, str) else repr(cell)
