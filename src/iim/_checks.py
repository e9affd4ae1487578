"""Parameter checks with one form of message: parameter, allowed, received.

A check is a phrase that describes the allowed values, and a test. Estimators declare checks with their
parameters; a check never changes a value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from iim._names import quoted
from iim.exceptions import InvalidParameter


@dataclass(frozen=True)
class Check:
    """The allowed values of a parameter: a phrase for messages, and a test."""

    allowed: str
    accepts: Callable[[Any], bool]

    def __or__(self, other: Check) -> Check:
        return Check(
            f"{self.allowed}, or {other.allowed}",
            lambda value: self.accepts(value) or other.accepts(value),
        )


def _is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, (bool, np.bool_))


def _is_real(value: Any) -> bool:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        return False
    try:
        float(value)
    except OverflowError:
        # An integer larger than any float.
        return False
    return True


def whole_number(*, least: int) -> Check:
    """A whole number, ``least`` or more."""
    return Check(f"a whole number, {least} or more", lambda value: _is_whole(value) and value >= least)


def real_number(*, least: float) -> Check:
    """A finite number, ``least`` or more."""
    return Check(
        f"a finite number, {least:g} or more",
        lambda value: _is_real(value) and math.isfinite(value) and value >= least,
    )


def one_of(*names: str) -> Check:
    """One of some names."""
    text = " or ".join(repr(name) for name in names)
    return Check(text, lambda value: isinstance(value, str) and value in names)


def exactly(value: Any) -> Check:
    """One object, such as None."""
    return Check(repr(value), lambda received: received is value)


def each(check: Check, plural: str) -> Check:
    """A range, list, tuple, set or array, not empty, of values that pass ``check``."""

    def accepts(value: Any) -> bool:
        # Not any iterable: testing an iterator would exhaust it.
        listed = isinstance(value, (Sequence, Set)) and not isinstance(value, (str, bytes))
        if not listed and not (isinstance(value, np.ndarray) and value.ndim == 1):
            return False
        return len(value) > 0 and all(check.accepts(entry) for entry in value)

    return Check(f"a sequence of {plural}", accepts)


WHOLE = Check("a whole number", _is_whole)
"""Any whole number."""

NUMBER = Check("a number", lambda value: _is_real(value) and not math.isnan(value))
"""Any number, infinity included."""

FLAG = Check("True or False", lambda value: isinstance(value, (bool, np.bool_)))
"""A switch."""

CALLABLE = Check("a callable", callable)
"""Something to call."""


def check_parameters(owner: str, values: Mapping[str, Any], checks: Mapping[str, Check]) -> None:
    """Raise InvalidParameter for the first value that its check does not accept.

    Parameters
    ----------
    owner : str
        Class or function with these parameters, for the message.
    values : mapping
        Parameters by name.
    checks : mapping
        Checks by name.
    """
    for name, check in checks.items():
        if not check.accepts(values[name]):
            comma = "," if "," in check.allowed else ""
            raise InvalidParameter(
                f"`{name}` of {owner}: {check.allowed}{comma} is needed; received {quoted(values[name])}."
            )
