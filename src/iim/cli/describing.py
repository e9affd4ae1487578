"""Methods and their parameters, in words: from the registry and the docstrings."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from typing import Any

from iim.cli.building import HAS_OPTION
from iim.cli.show import Session

ENTRY = re.compile(r"(?P<names>\w+(?:, \w+)*) : (?P<kind>.+)")
"""The line of a docstring that names parameters."""

PARAMETERS = re.compile(
    r"^Parameters\n-+\n(?P<entries>.*?)(?=^\w[^\n]*\n-+\n|\Z)", re.MULTILINE | re.DOTALL
)
"""The part of a docstring that describes parameters."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of a method.

    Attributes
    ----------
    name : str
        Its name.
    allowed : str
        What it may be.
    default : object
        What it is if nothing is said.
    meaning : str
        What it does.
    """

    name: str
    allowed: str
    default: Any
    meaning: str


def about(method: type[Any]) -> str:
    """What a method does, in one sentence."""
    return (inspect.getdoc(method) or "").partition("\n")[0].replace("``", "")


def parameters_of(method: type[Any]) -> list[Parameter]:
    """The parameters of a method, in its order."""
    described = _described(inspect.getdoc(method) or "")
    return [
        Parameter(name, described[name][0], one.default, described[name][1])
        for name, one in inspect.signature(method).parameters.items()
    ]


def _described(docstring: str) -> dict[str, tuple[str, str]]:
    """For each parameter, what it may be and what it does."""
    section = PARAMETERS.search(docstring)
    found: dict[str, tuple[str, str]] = {}
    if section is None:
        return found
    lines = section["entries"].splitlines()
    starts = [at for at, line in enumerate(lines) if ENTRY.fullmatch(line)]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        entry = ENTRY.fullmatch(lines[start])
        assert entry is not None  # noqa: S101 (it was found so)
        allowed = entry["kind"].partition(", default=")[0]
        meaning = " ".join(" ".join(lines[start + 1 : end]).split()).replace("``", "`")
        found |= dict.fromkeys(entry["names"].split(", "), (allowed, meaning))
    return found


def show_methods(session: Session) -> None:
    """Show the registry."""
    from iim.imputers import METHODS  # noqa: PLC0415 (help answers at once)

    if session.json:
        session.show_json({"methods": [_described_method(key, method) for key, method in METHODS.items()]})
        return
    rows = [(key, method.paper_name, method.family, about(method)) for key, method in METHODS.items()]
    session.show_table("", ("key", "in the paper", "models", "what it does"), rows)


def show_method(session: Session, key: str) -> None:
    """Show the parameters of a method."""
    from iim.imputers import METHODS  # noqa: PLC0415

    method = METHODS[key]
    if session.json:
        described = _described_method(key, method)
        session.show_json({**described, "paper": method.PAPER, "parameters": parameters_of(method)})
        return
    rows = [
        (one.name, _as_typed(one.default), f"{one.allowed}. {one.meaning}")
        for one in parameters_of(method)
        if one.name not in HAS_OPTION
    ]
    session.show(f"{key}: {about(method)}\n")
    if rows:
        title = "Parameters, for --set NAME=VALUE"
        session.show_table(title, ("name", "default", "what it may be, and does"), rows)
    else:
        session.show("It has no parameters of its own.")
    if method.PAPER:
        settings = ", ".join(f"{name}={_as_typed(value)}" for name, value in method.PAPER.items())
        session.show(f"\nWith --paper: {settings}")


def _described_method(key: str, method: Any) -> dict[str, str]:
    return {
        "key": key,
        "class": method.__name__,
        "paper_name": method.paper_name,
        "family": method.family,
        "about": about(method),
    }


def _as_typed(value: Any) -> str:
    """A value as one types it after ``--set``."""
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    return value if isinstance(value, str) else str(value)
