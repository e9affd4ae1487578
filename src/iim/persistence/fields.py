"""What a kept value may be: a sentence and a test, as for parameters, and sizes that must agree.

A size has a name. The first value that has it says how large it is, all others must agree: ``floats("rows",
"columns")`` beside ``floats("columns")`` are a table and something for each of its columns. Names hold for
the whole model, or within one entry of a collection (see :class:`Sizes`).
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from iim._checks import Check

SMALLEST = 5e-324
"""The smallest number above 0."""

LARGEST = float(np.finfo(np.float64).max)
"""The largest finite one."""

MOST_ROUNDS = 10**4
"""Most rounds of what goes round at ``transform``: a file must not make it go on for ever."""


class Refused(ValueError):
    """A value that is not what it has to be; becomes :class:`~iim.exceptions.UnusableFile`."""

    is_placed = False
    """Whether the message says where it is."""

    def at(self, place: str) -> Refused:
        """The same, told where it is; as near as it is known."""
        if self.is_placed:
            return self
        placed = Refused(f"`{place}`: {self}")
        placed.is_placed = True
        return placed


@dataclass
class Sizes:
    """Sizes by name, within one thing; those of what it is part of hold, too."""

    outer: Sizes | None = None
    own: dict[str, int] = field(default_factory=dict)

    def find(self, name: str) -> int | None:
        """The size, or None if nothing has it yet."""
        if name in self.own:
            return self.own[name]
        return self.outer.find(name) if self.outer is not None else None

    def agree(self, name: str | int, size: int) -> bool:
        """Whether a size is what it was before; names may be as in ``"observed + 1"``."""
        if isinstance(name, int):
            return size == name
        name, _, more = name.partition(" + ")
        expected = self.find(name)
        if expected is None:
            expected = self.own[name] = size - int(more or 0)
        return expected >= 0 and size == expected + int(more or 0)


@dataclass(frozen=True)
class Field:
    """What a value may be."""

    allowed: str
    fits: Callable[[Any, Sizes], bool]

    def check(self, value: Any, sizes: Sizes) -> None:
        """Raise Refused for a value that does not fit."""
        if not self.fits(value, sizes):
            shown = f"{value.dtype} array of shape {value.shape}" if isinstance(value, np.ndarray) else ""
            raise Refused(f"{self.allowed} is needed; received {shown or reprlib.repr(value)}")


def scalar(check: Check) -> Field:
    """A single value that passes a parameter check."""
    return Field(check.allowed, lambda value, _: check.accepts(value))


def whole(least: int, most: int) -> Field:
    """A whole number within limits."""
    return Field(
        f"a whole number from {least} to {most}",
        lambda value, _: type(value) is int and least <= value <= most,
    )


def real(least: float, most: float) -> Field:
    """A floating point number within limits, and not NaN."""
    return Field(
        f"a number from {least:g} to {most:g}",
        lambda value, _: isinstance(value, float) and bool(least <= value <= most),
    )


COUNT = whole(0, 2**63 - 1)
"""Any number of things."""

NAME = Field(
    "text, a number, True, False or None",
    lambda value, _: value is None or isinstance(value, (str, int, float, np.bool_, np.number)),
)
"""What the name of a column can be."""


def many(each: Field | None = None, *, size: str | None = None, least: int = 0) -> Field:
    """A tuple, of values that fit; ``size`` names its length."""

    def fits(value: Any, sizes: Sizes) -> bool:
        return (
            len(value) >= least
            and (size is None or sizes.agree(size, len(value)))
            and (each is None or all(each.fits(entry, sizes) for entry in value))
        )

    return Field(f"{least} or more, each {each.allowed if each else 'as it has to be'},", fits)


def some(field: Field) -> Field:
    """The same, and not empty."""
    return Field(field.allowed, lambda value, sizes: field.fits(value, sizes) and len(value) > 0)


def size_of(name: str) -> Field:
    """A size itself, as a whole number."""
    return Field(
        f"the number of {name}", lambda value, sizes: type(value) is int and sizes.agree(name, value)
    )


def positions(size: str | None = None, *, below: str, least: int = 0) -> Field:
    """A tuple of increasing positions in something of a size known by now; ``size`` names its length."""

    def fits(value: Any, sizes: Sizes) -> bool:
        return (
            len(value) >= least
            and all(type(entry) is int for entry in value)
            and _increasing_below(np.array(value, np.intp), sizes.find(below))
            and (size is None or sizes.agree(size, len(value)))
        )

    return Field(f"increasing positions, {least} or more, below the number of {below},", fits)


def floats(
    *shape: str | int,
    least: float = -np.inf,
    most: float = np.inf,
    finite: bool = True,
    single: bool = False,
    any_order: bool = False,
) -> Field:
    """An array of numbers, not NaN, within limits; infinite ones only if not ``finite``.

    Kernels are compiled for C-ordered arrays; ``any_order`` is for what only numpy works with.
    """
    wanted = np.dtype(np.float32 if single else np.float64)

    def fits(value: Any, sizes: Sizes) -> bool:
        return (
            _is_array(value, wanted, shape, sizes, any_order=any_order)
            and bool(np.all((value >= least) & (value <= most)))
            and not (finite and np.isinf(value).any())
        )

    limits = f" from {least:g} to {most:g}" if finite else f" from {least:g}"
    return Field(f"a {wanted} array of shape {_shown(shape)}, of numbers{limits},", fits)


def numbers_or_nan(
    *shape: str | int, single: bool = False, most: float = LARGEST, least_known: int = 1
) -> Field:
    """An array of finite numbers, none larger than ``most``, and NaN; so many numbers in every column."""
    wanted = np.dtype(np.float32 if single else np.float64)

    def fits(value: Any, sizes: Sizes) -> bool:
        return (
            _is_array(value, wanted, shape, sizes)
            and not np.any(np.abs(value) > wanted.type(most))
            and bool(np.all((~np.isnan(value)).sum(axis=0) >= least_known))
        )

    return Field(f"a {wanted} array of shape {_shown(shape)}, finite or NaN, known in every column,", fits)


def integers(
    *shape: str | int, least: int = 0, most: int | None = None, below: str = "", dtype: Any = np.intp
) -> Field:
    """An array of whole numbers within limits; ``below`` names a size known by now."""

    def fits(value: Any, sizes: Sizes) -> bool:
        if not _is_array(value, np.dtype(dtype), shape, sizes):
            return False
        limit = sizes.find(below.partition(" + ")[0]) if below else None
        if below and limit is None:
            return False
        over = limit + int(below.partition(" + ")[2] or 0) if limit is not None else None
        return bool(
            np.all(value >= least)
            and (most is None or np.all(value <= most))
            and (over is None or np.all(value < over))
        )

    return Field(f"an integer array of shape {_shown(shape)}, within its limits,", fits)


def booleans(*shape: str | int) -> Field:
    """An array of True and False."""
    wanted = np.dtype(np.bool_)
    return Field(
        f"a boolean array of shape {_shown(shape)}",
        lambda value, sizes: _is_array(value, wanted, shape, sizes),
    )


def texts(size: str) -> Field:
    """An array of text."""
    return Field(
        f"a text for each of the {size}",
        lambda value, sizes: (
            _is_array(value, np.dtype(object), (size,), sizes)
            and all(isinstance(one, str) for one in value)
        ),
    )


def symmetric(size: str, most: float = LARGEST) -> Field:
    """A symmetric matrix, or an empty one."""
    square = floats(size, size, least=-most, most=most)

    def fits(value: Any, sizes: Sizes) -> bool:
        if value.shape == (0, 0):
            return bool(value.dtype == np.float64)
        return square.fits(value, sizes) and bool(np.array_equal(value, value.T))

    return Field(f"a symmetric matrix for the {size} columns, or an empty one,", fits)


def increasing(size: str, *, below: str) -> Field:
    """An array of increasing positions in something of a size known by now."""

    def fits(value: Any, sizes: Sizes) -> bool:
        return _is_array(value, np.dtype(np.intp), (size,), sizes) and _increasing_below(
            value, sizes.find(below)
        )

    return Field(f"an integer array of increasing positions below the number of {below}", fits)


def _is_array(
    value: Any, dtype: np.dtype[Any], shape: tuple[str | int, ...], sizes: Sizes, *, any_order: bool = False
) -> bool:
    return (
        type(value) is np.ndarray
        and value.dtype == dtype
        and value.ndim == len(shape)
        and (any_order or value.flags.c_contiguous)
        and all(map(sizes.agree, shape, value.shape))
    )


def _increasing_below(values: np.ndarray[Any, Any], limit: int | None) -> bool:
    if limit is None:
        return False
    if values.size == 0:
        return True
    return bool(values[0] >= 0 and values[-1] < limit and np.all(values[:-1] < values[1:]))


def _shown(shape: tuple[str | int, ...]) -> str:
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"
