"""Declarations of parameters and fitted attributes in the class body.

::

    class GlrImputer(PatternImputer):
        alpha: float = parameter(default=0.001, check=real_number(least=0.0), kw_only=False)

    class MeanImputer(Imputer):
        means_: Annotated[Floats, floats("columns")] = fitted()

From the parameters, its own and inherited ones, a class gets its constructor, its checks and the
"Parameters" section of its docstring. From the fitted attributes follows what ``save`` writes and how
``load`` validates it (:mod:`iim.persistence`).
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, ClassVar, Literal, dataclass_transform, get_type_hints

from iim._checks import Check
from iim._names import did_you_mean

_SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)
_ENTRY = re.compile(r"^(?=\S)", re.MULTILINE)


@dataclass(frozen=True)
class _Parameter:
    default: Any
    check: Check
    kw_only: bool
    annotation: Any = inspect.Parameter.empty


class _Fitted:
    pass


def parameter(*, default: Any, check: Check, kw_only: bool = True) -> Any:
    """Declare a parameter with its default and its check."""
    return _Parameter(default, check, kw_only)


def fitted(*, init: Literal[False] = False) -> Any:
    """Declare an attribute that ``fit`` sets; its annotation defines the values allowed in a file."""
    del init
    return _Fitted()


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(parameter, fitted))
class Declared:
    """A class whose parameters are declared in its body."""

    _parameters: ClassVar[Mapping[str, _Parameter]] = {}
    """Its own first, then inherited ones."""
    _checks: ClassVar[Mapping[str, Check]] = {}
    """The check of each parameter."""
    _fitted_names: ClassVar[tuple[str, ...]] = ()
    """Fitted attributes in the order in which they are read from a file: inherited ones first."""

    _own_doc: ClassVar[str] = ""
    """The docstring as written; that of a base may describe parameters that only some subclasses have."""

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        annotations = inspect.get_annotations(cls)
        own = {
            name: replace(value, annotation=annotations.get(name, inspect.Parameter.empty))
            for name, value in vars(cls).items()
            if isinstance(value, _Parameter)
        }
        made = [name for name, value in vars(cls).items() if isinstance(value, _Fitted)]
        for name in (*own, *made):
            delattr(cls, name)
        cls._parameters = {**own, **{name: one for name, one in cls._parameters.items() if name not in own}}
        cls._checks = {name: one.check for name, one in cls._parameters.items()}
        names = dict.fromkeys((*cls._fitted_names, *made))
        cls._fitted_names = tuple(name for name in names if not hasattr(cls, name))
        # A class with its own constructor keeps it, and so do its subclasses.
        if getattr(cls.__init__, "is_generated", cls.__init__ is object.__init__):
            cls.__init__ = _make_init(cls)  # type: ignore[method-assign]
        cls._own_doc, cls.__doc__ = cls.__doc__ or "", _complete(cls)

    @classmethod
    @cache
    def _fitted_kinds(cls) -> dict[str, Any]:
        """Fitted attributes and their annotations."""
        kinds = get_type_hints(cls, include_extras=True)
        return {name: kinds[name] for name in cls._fitted_names}

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        """The parameters of its constructor, with their defaults."""
        taken = inspect.signature(cls).parameters.values()
        return {one.name: one.default for one in taken if one.kind is not one.VAR_KEYWORD}

    @classmethod
    def _taken(cls, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Those of some settings that its constructor takes."""
        defaults = cls._defaults()
        return {name: value for name, value in settings.items() if name in defaults}


def _make_init(cls: type[Declared]) -> Any:
    """A constructor that stores its parameters."""
    parameters = cls._parameters
    own = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY if one.kw_only else inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=one.default,
            annotation=one.annotation,
        )
        for name, one in sorted(parameters.items(), key=lambda item: item[1].kw_only)
    ]
    first = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    signature = inspect.Signature([first, *own])

    def init(self: Any, *positional: Any, **named: Any) -> None:
        try:
            given = signature.bind(self, *positional, **named).arguments
        except TypeError as error:
            unknown = next((name for name in named if name not in parameters), "")
            hint = did_you_mean(unknown, list(parameters)) if unknown else ""
            by_place = [one.name for one in own if one.kind is one.POSITIONAL_OR_KEYWORD]
            if len(positional) > len(by_place):
                first = ", ".join(by_place) or "none"
                hint = f" By position it takes: {first}. Give the others by name."
            raise TypeError(f"{type(self).__name__}: {error}.{hint}") from None
        for name, one in parameters.items():
            setattr(self, name, given.get(name, one.default))

    init.__name__, init.__qualname__, init.__module__ = (
        "__init__",
        f"{cls.__qualname__}.__init__",
        cls.__module__,
    )
    init.__signature__ = signature  # type: ignore[attr-defined]
    init.is_generated = True  # type: ignore[attr-defined]
    return init


def _complete(cls: type[Declared]) -> str | None:
    """The docstring, with the descriptions of inherited parameters and attributes."""
    if cls.__doc__ is None:
        return None
    docstrings = [cls.__doc__, *(vars(part).get("_own_doc", "") for part in cls.__mro__[1:])]
    parameters, attributes = (
        [described(docstring, title) for docstring in docstrings] for title in ("Parameters", "Attributes")
    )
    listed = {
        "Parameters": [
            next(told[name] for told in parameters if name in told)
            for name in cls._parameters
            if any(name in told for told in parameters)
        ],
        "Attributes": [text for told in attributes for text in told.values()],
    }
    prose, *sections = _SECTION.split(inspect.cleandoc(cls.__doc__) + "\n")
    parts = {title: "".join(dict.fromkeys(entries)) + "\n" for title, entries in listed.items() if entries}
    parts |= {
        title: text
        for title, text in zip(sections[::2], sections[1::2], strict=True)
        if title not in listed
    }
    told = "".join(f"{title}\n{'-' * len(title)}\n{text}" for title, text in parts.items())
    return f"{prose.rstrip()}\n\n{told}".rstrip() + "\n"


def described(docstring: str | None, section: str) -> dict[str, str]:
    """Entries of a numpydoc section, by name; an entry can describe several names."""
    found: dict[str, str] = {}
    parts = _SECTION.split(inspect.cleandoc(docstring or "") + "\n")
    for title, text in zip(parts[1::2], parts[2::2], strict=True):
        for entry in _ENTRY.split(text.rstrip() + "\n") if title == section else ():
            names = entry.partition(" : ")[0].split(", ") if entry.strip() else ()
            found |= dict.fromkeys(names, entry)
    return found
