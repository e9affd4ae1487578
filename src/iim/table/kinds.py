"""What kind a column is, and why: the one place, for frames, arrays, text files, Arrow and partitions.

Three steps, each of which can be used alone: :func:`declared_kind` translates a type of numpy, pandas,
polars or Arrow; :func:`iim.table.columns.count_facts` counts cells; :func:`kind_of` decides. Facts of
pieces add up:

>>> import numpy as np
>>> from iim.table.columns import count_facts
>>> pieces = [np.array([1, 2]), np.array([3, 4])]
>>> first, second = (count_facts("customer_id", piece) for piece in pieces)
>>> str(kind_of(first + second))
'id: whole numbers, none missing, none twice'
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

NUMBER, WHOLE, BOOLEAN = "number", "whole number", "boolean"
CATEGORY, DATE, ID, TEXT, EMPTY, OTHER = "category", "date", "id", "text", "empty", "other"

NUMERIC = frozenset({NUMBER, WHOLE, BOOLEAN})
"""Kinds that methods work with."""

KINDS = (NUMBER, WHOLE, BOOLEAN, CATEGORY, DATE, ID, TEXT, EMPTY, OTHER)
"""Every kind there is; ``other`` is what is neither numbers nor text nor dates, such as lists."""

MOST_CATEGORIES = 1000
"""Different texts beyond which a column is text, however often each is repeated."""

DATES = frozenset({"dates", "times", "durations"})
"""Cells that make a column one of dates."""


@dataclass(frozen=True)
class ColumnKind:
    """What kind a column is.

    Attributes
    ----------
    kind : str
        One of ``KINDS``.
    reason : str
        Why, in words, for messages: "3 different texts in 344 rows".
    readable : bool
        Whether its cells can be read as numbers: also those of an id of whole numbers, or of categories
        that are numbers.
    """

    kind: str
    reason: str
    readable: bool = False

    @property
    def is_numeric(self) -> bool:
        """Whether methods work with it if nobody says otherwise."""
        return self.kind in NUMERIC

    def __str__(self) -> str:
        return f"{self.kind}: {self.reason}"


_BY_WORD: dict[str, tuple[str, str]] = {
    **dict.fromkeys(("float", "double", "halffloat", "decimal"), (NUMBER, "a numeric type")),
    **dict.fromkeys(("int", "uint"), (WHOLE, "a type of whole numbers")),
    **dict.fromkeys(("bool", "boolean"), (BOOLEAN, "a type of True and False")),
    **dict.fromkeys(
        ("str", "string", "stringdtype", "large_string", "string_view", "utf", "bytes"), (TEXT, "text")
    ),
    **dict.fromkeys(
        ("category", "categorical", "enum", "dictionary"), (CATEGORY, "declared as categories")
    ),
    "date": (DATE, "dates"),
    **dict.fromkeys(("datetime", "timestamp"), (DATE, "dates with times")),
    "time": (DATE, "times"),
    "period": (DATE, "periods"),
    **dict.fromkeys(("duration", "timedelta", "month_day_nano_interval"), (DATE, "durations")),
    "null": (EMPTY, "no value"),
    **dict.fromkeys(
        ("list", "large_list", "list_view", "large_list_view", "fixed_size_list", "array"), (OTHER, "lists")
    ),
    **dict.fromkeys(("struct", "map", "void"), (OTHER, "records")),
    **dict.fromkeys(("binary", "large_binary", "binary_view", "fixed_size_binary"), (OTHER, "bytes")),
    "complex": (OTHER, "complex numbers"),
}
"""What types declare, by the first word of their name: ``uint`` of UInt8, ``date`` of date32[day]."""

_UNTYPED = frozenset({"object", "unknown"})


def declared_kind(dtype: Any) -> ColumnKind | None:
    """What a type declares of its column.

    Parameters
    ----------
    dtype : numpy.dtype, narwhals DType, pandas dtype or pyarrow.DataType
        Known by its name, so that no library has to be there.

    Returns
    -------
    ColumnKind or None
        None if the type declares nothing, as that of Python objects: the cells decide.
    """
    name = dtype.name if isinstance(dtype, np.dtype) else str(dtype)
    word = re.match(r"[a-z_]*", name.lower())
    first = word.group() if word is not None else ""
    if first in _UNTYPED:
        return None
    kind, reason = _BY_WORD.get(first, (OTHER, f"of type {name}"))
    return ColumnKind(kind, reason)


@dataclass(frozen=True)
class Facts:
    """What was counted in a column, or in a part of it; parts of one column add up.

    Attributes
    ----------
    name : object
        The column's name.
    declared : ColumnKind or None
        What its type declares, if it does.
    n_rows, n_known, n_numbers, n_texts : int
        Its cells, those that are not missing, and what these are; all others are in ``others``. True and
        False count as numbers.
    n_booleans : int
        Numbers that are True or False.
    whole : bool
        Whether all numbers are whole. Text files: whether they are written so.
    unique : bool
        Whether no known cell is twice; False if nobody looked. Only columns that are called as ids are need
        it. In a sum: none is twice within a part, and none of the remembered texts in two.
    texts : frozenset of str or None
        The different texts; None if they are more than ``MOST_CATEGORIES``, or if nobody looked.
    n_looked, n_like_numbers, n_like_dates : int
        Texts that were looked at, and how many of them read as numbers, and as dates.
    others : Counter
        Cells by what else they are: "dates", "durations", "lists" and so on.
    """

    name: Any
    declared: ColumnKind | None = None
    n_rows: int = 0
    n_known: int = 0
    n_numbers: int = 0
    n_booleans: int = 0
    n_texts: int = 0
    whole: bool = True
    unique: bool = False
    texts: frozenset[str] | None = frozenset()
    n_looked: int = 0
    n_like_numbers: int = 0
    n_like_dates: int = 0
    others: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: Facts) -> Facts:
        # A part without a known cell, or a type without one, declares nothing for the rest.
        declared = self.declared if self.declared == other.declared or not other.n_known else None
        texts, disjoint = None, True
        if self.texts is not None and other.texts is not None:
            disjoint = self.texts.isdisjoint(other.texts)
            texts = bounded(self.texts | other.texts)
        counts = [name for name in Facts.__dataclass_fields__ if name.startswith("n_")]
        return Facts(
            name=self.name,
            declared=declared if self.n_known else other.declared,
            whole=self.whole and other.whole,
            unique=self.unique and other.unique and disjoint,
            texts=texts,
            others=self.others + other.others,
            **{name: getattr(self, name) + getattr(other, name) for name in counts},
        )


def bounded(texts: frozenset[str]) -> frozenset[str] | None:
    """Different texts, if they are few enough to be remembered."""
    return texts if len(texts) <= MOST_CATEGORIES else None


_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+|\d+")
"""Words of a name: "customerKey" has two, "PAID" and "paid" have one."""

_IDS = frozenset({"id", "ids", "uuid", "guid"})

_LAST_WORDS = _IDS | {"identifier", "key", "index", "idx", "rownum", "row", "nr", "no", "pk"}

_JOINED = re.compile(
    r"(row|rec|record|cust|customer|client|user|usubj|subj|subject|patient|person|passenger|member|order|"
    r"item|prod|product|account|trans|transaction|session|device|station|object|sample|case|emp|employee|"
    r"student|house|household|parcel|invoice|serial|kunden|personal|auftrags|artikel|rechnungs|lfd)"
    r"(id|ids|no|nr|key|index|num|number|nummer)"
)
"""What is counted or named, and how: "Employee Number", "userid", "SUBJID"."""

_ROW_LABELS = re.compile(r"__index_level_\d+__")
"""How pandas calls the labels of rows in Parquet: never measured, whatever is in it."""

_UNNAMED = re.compile(r"|unnamed: \d+(\.\d+)?|column 1|\.\.\.1|row[ ._]?names?")
"""What programs call the column of row labels that was written without a name: polars and Arrow nothing."""


def is_called_id(name: Any) -> bool:
    """Whether a column is called as people call those that tell rows apart; that alone makes none an id."""
    if not isinstance(name, str):
        return False
    if _UNNAMED.fullmatch(name.lower()) or _ROW_LABELS.fullmatch(name):
        return True
    words = [name.lower()] if name.lower() in _IDS else list(map(str.lower, _WORDS.findall(name)))
    if not words:
        return False
    if words[0] in _IDS or words[-1] in _LAST_WORDS:
        return True
    return any(_JOINED.fullmatch("".join(last)) for last in (words[-1:], words[-2:]))


def kind_of(facts: Facts) -> ColumnKind:
    """Decide what kind a column is.

    Parameters
    ----------
    facts : Facts
        Of all of it, or of a sample of its rows.

    Returns
    -------
    ColumnKind
    """
    declared = facts.declared
    n_others = facts.n_known - facts.n_numbers
    if not facts.n_known:
        return ColumnKind(EMPTY, "no value")
    if declared is not None and declared.kind in (DATE, OTHER):
        return declared
    if declared is not None and declared.kind == CATEGORY:
        if facts.n_numbers == facts.n_known:
            return ColumnKind(CATEGORY, "categories of numbers", readable=True)
        return ColumnKind(CATEGORY, _different(facts) or declared.reason)
    if (found := _id(facts)) is not None:
        return found
    # A column that is mostly numbers is numbers: reading it names the cells that are none.
    if facts.n_numbers < n_others:
        return _no_number(facts)
    among = f", beside {n_others} other cell{'s' if n_others > 1 else ''}" if n_others else ""
    if facts.n_booleans == facts.n_numbers:
        return ColumnKind(BOOLEAN, f"True and False only{among}", readable=True)
    if facts.whole:
        return ColumnKind(WHOLE, f"no number has a fraction{among}", readable=True)
    return ColumnKind(NUMBER, f"some numbers have fractions{among}", readable=True)


def _id(facts: Facts) -> ColumnKind | None:
    if isinstance(facts.name, str) and _ROW_LABELS.fullmatch(facts.name):
        if facts.n_numbers == facts.n_known or facts.n_texts == facts.n_known:
            return ColumnKind(ID, "labels of rows, kept by pandas", readable=not facts.n_texts)
        return None
    if facts.n_known < facts.n_rows or facts.n_rows < 2 or not facts.unique or not is_called_id(facts.name):
        return None
    if facts.n_numbers == facts.n_rows and facts.whole and not facts.n_booleans:
        return ColumnKind(ID, "whole numbers, none missing, none twice", readable=True)
    if facts.n_texts == facts.n_rows:
        return ColumnKind(ID, "texts, none missing, none twice")
    return None


def _no_number(facts: Facts) -> ColumnKind:
    among = f", numbers in {facts.n_numbers} of {_rows(facts)}" if facts.n_numbers else ""
    if facts.n_texts <= sum(facts.others.values()):
        what = next(iter(facts.others)) if len(facts.others) == 1 else "objects"
        return ColumnKind(DATE if DATES.issuperset(facts.others) else OTHER, f"{what}{among}")
    if 2 * facts.n_like_dates > facts.n_looked:
        return ColumnKind(DATE, f"dates or times written as text{among}")
    if 2 * facts.n_like_numbers > facts.n_looked:
        # Amounts that came as text, or codes such as the numbers of tickets: the user knows.
        looked = f"{facts.n_like_numbers} of {facts.n_looked} texts"
        among = " looked at" if facts.n_looked < facts.n_texts else ""
        advice = "make the column numeric if it holds amounts"
        return ColumnKind(TEXT, f"{looked}{among} read as numbers; {advice}")
    is_category = facts.texts is not None and 2 * len(facts.texts) <= facts.n_texts
    return ColumnKind(CATEGORY if is_category else TEXT, f"{_different(facts) or 'text'}{among}")


def _different(facts: Facts) -> str:
    """How many different texts; empty if nobody looked."""
    if not facts.n_looked:
        return ""
    if facts.texts is None:
        return f"more than {MOST_CATEGORIES} different texts in {_rows(facts)}"
    n = len(facts.texts)
    return f"{n} different text{'s' if n > 1 else ''} in {_rows(facts)}"


def _rows(facts: Facts) -> str:
    return f"{facts.n_rows} row{'s' if facts.n_rows > 1 else ''}"
