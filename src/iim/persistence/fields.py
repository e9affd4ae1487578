"""Checks of saved values: a phrase and a test, as for parameters, and sizes that must agree.

A size has a name. The first value with that size sets it, all others must agree: ``floats("rows",
"columns")`` and ``floats("columns")`` are a table and one number for each of its columns. Names hold for
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
"""The smallest float above 0."""

LARGEST = float(np.finfo(np.float64).max)
"""The largest finite float."""

MOST_ROUNDS = 10**4
"""Most iterations at ``transform`` that a file may set, so that a forged file cannot loop for ever."""


class Refused(ValueError):
    """An invalid value in a file; becomes :class:`~iim.exceptions.UnusableFile`."""

    is_placed = False
    """Whether the message names the place."""

    def at(self, place: str) -> Refused:
        """The same error with the place in its message; the innermost place wins."""
        if self.is_placed:
            return self
        placed = Refused(f"`{place}`: {self}")
        placed.is_placed = True
        return placed


@dataclass
class Sizes:
    """Sizes by name within one object, and those of the objects that contain it."""

    outer: Sizes | None = None
    own: dict[str, int] = field(default_factory=dict)

    def find(self, name: str) -> int | None:
        """The size, or None if it is not set yet."""
        if name in self.own:
            return self.own[name]
        return self.outer.find(name) if self.outer is not None else None

    def agree(self, name: str | int, size: int) -> bool:
        """Whether a size agrees with earlier ones, or sets it; names may be like ``"observed + 1"``."""
        if isinstance(name, int):
            return size == name
        name, _, more = name.partition(" + ")
        expected = self.find(name)
        if expected is None:
            expected = self.own[name] = size - int(more or 0)
        return expected >= 0 and size == expected + int(more or 0)


@dataclass(frozen=True)
class Field:
    """A check of a saved value, with a phrase for messages."""

    allowed: str
    fits: Callable[[Any, Sizes], bool]

    def check(self, value: Any, sizes: Sizes) -> None:
        """Raise Refused for an invalid value."""
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
"""A count."""

NAME = Field(
    "text, a number, True, False or None",
    lambda value, _: value is None or isinstance(value, (str, int, float, np.bool_, np.number)),
)
"""A name of a column."""


def many(each: Field | None = None, *, size: str | None = None, least: int = 0) -> Field:
    """A tuple of values that pass ``each``; ``size`` names its length."""

    def fits(value: Any, sizes: Sizes) -> bool:
        return (
            len(value) >= least
            and (size is None or sizes.agree(size, len(value)))
            and (each is None or all(each.fits(entry, sizes) for entry in value))
        )

    return Field(f"{least} or more, each {each.allowed if each else 'valid'},", fits)


def some(field: Field) -> Field:
    """The same, and not empty."""
    return Field(field.allowed, lambda value, sizes: field.fits(value, sizes) and len(value) > 0)


def size_of(name: str) -> Field:
    """A size itself, as a whole number."""
    return Field(
        f"the number of {name}", lambda value, sizes: type(value) is int and sizes.agree(name, value)
    )


def positions(size: str | None = None, *, below: str, least: int = 0) -> Field:
    """A tuple of increasing positions below a size that is set already; ``size`` names its length."""

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

    Kernels are compiled for C-ordered arrays; ``any_order`` is for arrays that only numpy uses.
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
    """An array of numbers up to ``most`` in size, or NaN; at least ``least_known`` numbers per column."""
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
    """An array of whole numbers within limits; ``below`` names a size that is set already."""

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
    """An array of increasing positions below a size that is set already."""

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
