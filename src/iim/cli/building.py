"""From options to what the library takes: columns, layouts, imputers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from iim._names import did_you_mean, some_of
from iim.cli.arguments import bounds_for, parse_bounds, parse_delimiter, parse_settings
from iim.cli.exits import WrongOptions
from iim.cli.keys import FORMATS
from iim.cli.options import LayoutOptions, MethodOptions, TableOptions
from iim.imputers import METHODS

if TYPE_CHECKING:
    from iim.files import Choice, Layout
    from iim.imputers import Imputer

DEFAULT_METHOD = "iim"

HAS_OPTION = {
    "missing_values": "use --na",
    "columns": "use --columns or --ignore",
    "min_value": "use --min",
    "max_value": "use --max",
    "round_integers": "use --round-integers or --no-round-integers",
    "random_state": "use --seed",
    "n_jobs": "use --jobs",
    "progress": "a terminal shows it anyway",
    "add_indicator": "files keep their columns",
    "keep_empty_features": "files keep their columns",
}
"""Parameters of methods that ``--set`` does not take, and what to do instead."""


def refuse(option: str, received: str, allowed: Sequence[str]) -> WrongOptions:
    """The error for a word that is none of the allowed ones; it suggests the nearest."""
    suggestion = did_you_mean(received, allowed)
    return WrongOptions(
        f"{option}: one of {some_of(allowed)} is needed; received {received!r}"
        f"{suggestion and '.'}{suggestion}"
    )


def choice_from(options: TableOptions) -> Choice:
    """Which columns and cells count."""
    from iim.files import Choice  # noqa: PLC0415 (help and completion do without)

    both = sorted(set(options.columns or ()) & set(options.ignore or ()))
    if both:
        raise WrongOptions(f"--columns and --ignore: different columns are needed; both name {both[0]!r}")
    return Choice(
        columns=tuple(options.columns) if options.columns else None,
        ignore=tuple(options.ignore or ()),
        na=tuple(options.na or ()),
    )


def layout_from(options: LayoutOptions) -> Layout:
    """How the input is written."""
    from iim.files import Layout  # noqa: PLC0415

    if options.decimal not in (None, ".", ","):
        raise WrongOptions(f"--decimal: . or , is needed; received {options.decimal!r}")
    return Layout(
        format=check_format("--format", options.format_),
        delimiter=parse_delimiter(options.delimiter),
        decimal=options.decimal,
        encoding=options.encoding,
        header=options.header,
    )


def check_format(option: str, name: str | None) -> str | None:
    """The name of a format, if it is one."""
    if name is not None and name.lower() not in FORMATS:
        raise refuse(option, name, FORMATS)
    return name and name.lower()


class MethodChoice:
    """An imputer to be made, with all that can be checked before a file is read.

    Parameters
    ----------
    options : MethodOptions
        The method and its parameters, seed and threads.
    """

    def __init__(self, options: MethodOptions) -> None:
        self.key = check_method("--method", options.method or DEFAULT_METHOD)
        self._settings = parse_settings(options.settings or ())
        self._bounds = {
            "min_value": ("--min", parse_bounds("--min", options.least or ())),
            "max_value": ("--max", parse_bounds("--max", options.most or ())),
        }
        for name in self._settings:
            if name in HAS_OPTION:
                raise WrongOptions(f"--set: {name!r} cannot be set here; {HAS_OPTION[name]}")
        self._paper = options.paper
        self._round_integers = options.round_integers is not False
        self._jobs = -1 if options.jobs is None else options.jobs
        self._seed = options.seed or 0

    def make(
        self, columns: Sequence[str], markers: Sequence[float | str], tell: Callable[[float], None]
    ) -> Imputer:
        """The imputer for a table with these columns, which also remembers what means "missing" there."""
        method = METHODS[self.key]
        taken = method._defaults()
        for name in self._settings:
            if name not in taken:
                own = [each for each in taken if each not in HAS_OPTION]
                if not own:
                    raise WrongOptions(f"--set: {self.key} has no parameters; received {name!r}")
                raise refuse(f"--set of method {self.key}", name, own)
        settings = {
            **(method.PAPER if self._paper else {}),
            **self._settings,
            **{
                name: bounds_for(option, bounds, columns, refuse)
                for name, (option, bounds) in self._bounds.items()
            },
            **({"missing_values": list(markers)} if markers else {}),
            "round_integers": self._round_integers,
            "progress": tell,
            "n_jobs": self._jobs,
            "random_state": self._seed,
        }
        imputer: Imputer = method(**method._taken(settings))
        return imputer


def check_method(option: str, key: str) -> str:
    """The key, if it is one."""
    if key not in METHODS:
        raise refuse(option, key, list(METHODS))
    return key


def check_source_of_model(model: str | None, sample: int | None, path: str, method: MethodOptions) -> None:
    """Refuse what `iim apply` cannot do: a model and a sample, or neither; changes to a model."""
    if (model is None) == (sample is None):
        received = "neither" if model is None else "both"
        raise WrongOptions(f"--model MODEL or --sample N: one of them is needed; received {received}")
    if sample is not None and path == "-":
        raise WrongOptions(
            "--sample: a file is needed, since it is read twice; received standard input. Save it to a file"
        )
    if model is not None:
        given = {
            "--method": method.method,
            "--set": method.settings,
            "--paper": method.paper or None,
            "--min": method.least,
            "--max": method.most,
            "--round-integers": method.round_integers,
            "--seed": method.seed,
        }
        for option, value in given.items():
            if value is not None:
                raise WrongOptions(f"{option}: the model has decided it already. Give it to `iim fit`")
