"""The methods of a comparison: by key, or objects of the user."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from iim._names import did_you_mean
from iim.exceptions import InvalidParameter
from iim.imputers import METHODS

Make = Callable[[Mapping[str, Any]], Any]
"""Makes a new, unfitted imputer, with those settings of the run that it has parameters for."""

ENDING = "imput"
"""Suffix of the imputers' class names; a name with or without it means the same method."""


@dataclass(frozen=True)
class Contender:
    """A method under a name, from which imputers are made.

    Attributes
    ----------
    name : str
        Its name in the result.
    origin : str
        Its key, or the class of an object followed by ``(...)``.
    make : callable
        Makes an imputer.
    """

    name: str
    origin: str
    make: Make


def usual_methods() -> list[str]:
    """Keys of all methods but "auto", which itself compares the others on hidden cells.

    "auto" has to be named, since it takes several times as long as all others.
    """
    return [key for key in METHODS if key != "auto"]


def name_contenders(methods: Any) -> list[Contender]:
    """Read the parameter ``methods``.

    Parameters
    ----------
    methods : None, key, object, sequence of these or of pairs (name, key or object), or mapping
        None is every method of :func:`usual_methods`. Objects have ``fit`` and ``transform``; they are
        copied before each use, and keep their own settings.

    Returns
    -------
    list of Contender
        In the order given; a repeated name gets a number.
    """
    if methods is None:
        methods = usual_methods()
    if isinstance(methods, Mapping):
        listed: list[Any] = list(methods.items())
    elif isinstance(methods, (str, bytes)) or _is_imputer(methods) or not isinstance(methods, Iterable):
        listed = [methods]
    else:
        listed = list(methods)
    if not listed:
        raise InvalidParameter(
            "`methods`: at least one method is needed; received none. Leave it out for all."
        )
    return _numbered([_contender(*_named(one)) for one in listed])


def repeatable(contenders: list[Contender]) -> list[str] | dict[str, str]:
    """The parameter ``methods`` as plain values: keys if all were given by key, else origins by name."""
    if all(contender.name == contender.origin for contender in contenders):
        return [contender.name for contender in contenders]
    return {contender.name: contender.origin for contender in contenders}


def _is_imputer(method: Any) -> bool:
    return not isinstance(method, type) and hasattr(method, "fit") and hasattr(method, "transform")


def _named(one: Any) -> tuple[str, Any]:
    if isinstance(one, tuple) and len(one) == 2:
        return str(one[0]), one[1]
    return (str(one) if isinstance(one, str) else type(one).__name__), one


def _numbered(contenders: list[Contender]) -> list[Contender]:
    taken: set[str] = set()
    numbered = []
    for contender in contenders:
        name, number = contender.name, 1
        while name in taken:
            number += 1
            name = f"{contender.name} ({number})"
        taken.add(name)
        numbered.append(Contender(name, contender.origin, contender.make))
    return numbered


def _contender(name: str, method: Any) -> Contender:
    if isinstance(method, (str, bytes)):
        if isinstance(method, bytes) or method not in METHODS:
            raise _unknown(method)
        return Contender(name, str(method), _maker(METHODS[method]))
    if not _is_imputer(method):
        hint = f" Give an instance: `{method.__name__}()`." if isinstance(method, type) else ""
        raise InvalidParameter(
            f"`methods`: keys of iim.METHODS, or objects with `fit` and `transform`, are needed; received "
            f"{method!r}.{hint}"
        )
    return Contender(name, f"{type(method).__name__}(...)", lambda _: copy.deepcopy(method))


def _unknown(received: str | bytes) -> InvalidParameter:
    """The error for an unknown key; it suggests one by key, by class or by the name in the paper."""
    text = received.decode("utf-8", "replace") if isinstance(received, bytes) else received
    known_as = {
        alias.lower().partition(ENDING)[0]: key
        for key, method in reversed(list(METHODS.items()))
        for alias in (method.__name__, key if method.paper_name == "-" else method.paper_name, key)
    }
    suggestion = did_you_mean(text.strip().lower().partition(ENDING)[0], known_as)
    kind = "text, " if isinstance(received, bytes) else ""
    return InvalidParameter(
        f"`methods`: {kind}one of {', '.join(map(repr, METHODS))}, or an imputer, is needed; received "
        f"{received!r}.{suggestion}"
    )


def _maker(method: type[Any]) -> Make:
    return lambda settings: method(**method._taken(settings))
