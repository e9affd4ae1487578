"""What a kept value may be: a sentence and a test, as for parameters, and sizes that must agree.

A size has a name. The first value that has it says how large it is, all others must agree: ``floats("rows",
"columns")`` beside ``floats("columns")`` are a table and something for each of its columns. Names hold for
the whole model, or within one entry of a collection (see :class:`Sizes`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from iim._checks import Check


class Refused(ValueError):
    """A value that is not what it has to be; becomes :class:`~iim.exceptions.UnusableFile`."""


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

    def __or__(self, other: Field) -> Field:
        return Field(
            f"{self.allowed}, or {other.allowed}",
            lambda value, sizes: self.fits(value, sizes) or other.fits(value, sizes),
        )

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """Raise Refused for a value that does not fit."""
        if not self.fits(value, sizes):
            shown = f"{value.dtype} array of shape {value.shape}" if isinstance(value, np.ndarray) else ""
            raise Refused(f"`{name}`: {self.allowed} is needed; received {shown or repr(value)[:80]}")


ANYTHING = Field("anything", lambda value, sizes: True)  # noqa: ARG005
"""For what no arithmetic depends on."""


def scalar(check: Check, *, kind: type = object) -> Field:
    """A single value that passes a parameter check and is of a type."""
    return Field(check.allowed, lambda value, _: isinstance(value, kind) and check.accepts(value))


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


def instance(*classes: type) -> Field:
    """An object of one of some classes."""
    names = " or ".join(each.__name__ for each in classes)
    return Field(f"a {names}", lambda value, _: type(value) in classes)


def many(each: Field, *, size: str | None = None, least: int = 0) -> Field:
    """A tuple of values that fit; ``size`` names its length."""

    def fits(value: Any, sizes: Sizes) -> bool:
        return (
            type(value) is tuple
            and len(value) >= least
            and (size is None or sizes.agree(size, len(value)))
            and all(each.fits(entry, sizes) for entry in value)
        )

    return Field(f"a tuple of {least} or more, each {each.allowed},", fits)


def positions(size: str, *, below: str, least: int = 0) -> Field:
    """A tuple of increasing positions in something of a size known by now."""

    def fits(value: Any, sizes: Sizes) -> bool:
        return (
            type(value) is tuple
            and len(value) >= least
            and all(type(entry) is int for entry in value)
            and _increasing_below(np.array(value, np.intp), sizes.find(below))
            and sizes.agree(size, len(value))
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


def numbers_or_nan(*shape: str | int, single: bool = False) -> Field:
    """An array of finite numbers and NaN, with a number in every column."""
    wanted = np.dtype(np.float32 if single else np.float64)

    def fits(value: Any, sizes: Sizes) -> bool:
        return (
            _is_array(value, wanted, shape, sizes)
            and not np.isinf(value).any()
            and not np.isnan(value).all(axis=0).any()
        )

    return Field(f"a {wanted} array of shape {_shown(shape)}, finite, with a number in every column,", fits)


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
