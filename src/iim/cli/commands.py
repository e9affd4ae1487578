"""Commands for typer: options by the group, several values after one option, help by topic."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any, get_type_hints

import typer
import typer.core

from iim.cli.arguments import spread
from iim.cli.declaring import GENERAL
from iim.cli.options import ShowOptions
from iim.cli.show import Session


class Command(typer.core.TyperCommand):
    """A command whose repeatable options take several values, and whose help goes by topic."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments, after every option was put before each of its values."""
        return super().parse_args(ctx, spread(args, self.params))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:  # noqa: ARG002 (typer calls it)
        """What the usage line names: the arguments as the help calls them."""
        arguments = [str(one.metavar) for one in self.params if one.param_type_name == "argument"]
        return ["[OPTIONS]", *arguments]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options, by topic; rich would do it, and take as long as all the rest."""
        sections: dict[str, list[tuple[str, str]]] = {}
        parameters: list[Any] = self.get_params(ctx)
        for parameter in parameters:
            record = parameter.get_help_record(ctx)
            if record is not None:
                if parameter.param_type_name == "argument":
                    sections.setdefault("Arguments", []).append((parameter.metavar, parameter.help))
                else:
                    topic = getattr(parameter, "rich_help_panel", None) or GENERAL
                    sections.setdefault(topic, []).append(record)
        for topic, records in sections.items():
            with formatter.section(topic):
                formatter.write_dl(records)


def with_examples(text: str, *examples: str) -> str:
    """A help text with its examples, which are not wrapped."""
    return "\n".join((text, "", "\b", "Examples:", *(f"  {example}" for example in examples)))


def add_command(app: typer.Typer, *examples: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Register a function as a command.

    A parameter whose type is a dataclass of options stands for all of them. The first parameter is the
    session, which every command has, with the options that go with it.

    Parameters
    ----------
    app : typer.Typer
        What to add it to.
    *examples : str
        Commands for the end of its help; the rest is the docstring.

    Returns
    -------
    callable
        A decorator, which leaves the function as it is.
    """

    def register(function: Callable[..., None]) -> Callable[..., None]:
        types = get_type_hints(function, include_extras=True)
        _, *own = inspect.signature(function).parameters.values()
        groups = {one.name: types[one.name] for one in own if is_dataclass(types[one.name])}
        groups["session"] = ShowOptions

        def invoke(**given: Any) -> None:
            environment = given.pop("context").obj
            grouped = {name: _take(group, given) for name, group in groups.items()}
            with Session(environment, grouped.pop("session")) as session:
                function(session, **grouped, **given)

        parameters = [_parameter("context", typer.Context)]
        for one in own:
            group = groups.get(one.name)
            parameters += (
                _options_of(group)
                if group is not None
                else [_parameter(one.name, types[one.name], one.default)]
            )
        parameters += _options_of(ShowOptions)
        invoke.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        invoke.__annotations__ = {one.name: one.annotation for one in parameters}
        text = with_examples(inspect.getdoc(function) or "", *examples)
        app.command(function.__name__, cls=Command, help=text)(invoke)
        return function

    return register


def _parameter(name: str, kind: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def _options_of(group: Any) -> list[inspect.Parameter]:
    types = get_type_hints(group, include_extras=True)
    return [_parameter(one.name, types[one.name], one.default) for one in fields(group)]


def _take(group: Any, given: dict[str, Any]) -> Any:
    return group(**{one.name: given.pop(one.name) for one in fields(group)})
