"""Who takes part: methods by key, or objects of the user's own."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from iim._names import refuse_name
from iim.exceptions import InvalidParameter
from iim.imputers import METHODS

Make = Callable[[Mapping[str, Any]], Any]
"""Gives a new, unfitted imputer. It takes, of the settings of a run, those that it has parameters for."""


@dataclass(frozen=True)
class Contender:
    """A method under a name, ready to be made as often as needed."""

    name: str
    make: Make


def name_contenders(methods: Any) -> list[Contender]:
    """Read the parameter ``methods``.

    Parameters
    ----------
    methods : None, key, object, sequence of these, or mapping from names to these
        None is every method there is. Objects have ``fit`` and ``transform``; they are copied before each
        use, and keep their own settings.

    Returns
    -------
    list of Contender
        In the order given; a name that is there already gets a number.
    """
    if methods is None:
        methods = list(METHODS)
    if isinstance(methods, Mapping):
        found = [Contender(str(name), _maker(method)) for name, method in methods.items()]
    else:
        single = isinstance(methods, str) or not isinstance(methods, Iterable)
        listed = [methods] if single else list(methods)
        found = [Contender(_name_of(method), _maker(method)) for method in listed]
    if not found:
        raise InvalidParameter(
            "`methods`: at least one method is needed; received none. Leave it out for all."
        )
    return _numbered(found)


def _name_of(method: Any) -> str:
    return method if isinstance(method, str) else type(method).__name__


def _numbered(contenders: list[Contender]) -> list[Contender]:
    taken: set[str] = set()
    numbered = []
    for contender in contenders:
        name, number = contender.name, 1
        while name in taken:
            number += 1
            name = f"{contender.name} ({number})"
        taken.add(name)
        numbered.append(Contender(name, contender.make))
    return numbered


def _maker(method: Any) -> Make:
    if isinstance(method, str):
        if method not in METHODS:
            raise refuse_name("methods", method, list(METHODS), also=", or an imputer,")
        return _class_maker(METHODS[method])
    if isinstance(method, type) or not (hasattr(method, "fit") and hasattr(method, "transform")):
        hint = f" Give an instance: `{method.__name__}()`." if isinstance(method, type) else ""
        raise InvalidParameter(
            f"`methods`: keys of iim.METHODS, or objects with `fit` and `transform`, are needed; received "
            f"{method!r}.{hint}"
        )
    return lambda _: copy.deepcopy(method)


def _class_maker(method: type[Any]) -> Make:
    parameters = inspect.signature(method).parameters

    def make(settings: Mapping[str, Any]) -> Any:
        return method(**{name: value for name, value in settings.items() if name in parameters})

    return make
