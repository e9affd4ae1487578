"""List the methods; with KEY, the parameters of one.

Examples
--------
  iim methods
  iim methods knn
"""

from __future__ import annotations

import inspect
from argparse import ArgumentParser, Namespace
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from iim.cli.imputer_choice import HAS_OPTION
from iim.cli.session import Session
from iim.imputers import METHODS

if TYPE_CHECKING:
    from iim.imputers import Imputer


def add_options(parser: ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument_group("Arguments").add_argument(
        "key", metavar="[KEY]", nargs="?", choices=METHODS, help="A method, to see its parameters."
    )


def run(session: Session, options: Namespace) -> None:
    """Show all methods, or the parameters of one."""
    if options.key is None:
        show_methods(session)
    else:
        show_method(session, options.key)


@dataclass(frozen=True)
class Parameter:
    """A parameter of a method.

    Attributes
    ----------
    name : str
        Its name.
    allowed : str
        Allowed values.
    default : object
        Default value.
    meaning : str
        Meaning.
    """

    name: str
    allowed: str
    default: Any
    meaning: str


def about(method: type[Any]) -> str:
    """The first sentence of a method's docstring."""
    return (inspect.getdoc(method) or "").partition("\n")[0].replace("``", "")


def parameters_of(method: type[Imputer]) -> list[Parameter]:
    """The parameters of a method, in the order of its constructor."""
    from iim.imputers._declaring import described  # noqa: PLC0415 (help answers at once)

    entries = described(method.__doc__, "Parameters")
    found = []
    for name, default in method._defaults().items():
        kind, _, meaning = entries.get(name, "").partition(" : ")[2].partition("\n")
        meaning = " ".join(meaning.split()).replace("``", "`")
        found.append(Parameter(name, kind.partition(", default=")[0], default, meaning))
    return found


def show_methods(session: Session) -> None:
    """Show all methods."""
    if session.json:
        session.show_json({"methods": [_described_method(key, method) for key, method in METHODS.items()]})
        return
    rows = [(key, method.paper_name, method.family, about(method)) for key, method in METHODS.items()]
    session.show_table("", ("key", "in the paper", "models", "what it does"), rows)


def show_method(session: Session, key: str) -> None:
    """Show the parameters of a method."""
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
        session.show_table(title, ("name", "default", "allowed values and meaning"), rows)
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
    """A value as it is typed after ``--set``."""
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    return value if isinstance(value, str) else str(value)
