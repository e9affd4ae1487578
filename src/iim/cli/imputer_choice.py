"""From the options of a method to an imputer: all that can be checked is, before a file is read."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from iim.cli.exits import WrongOptions
from iim.cli.parser import refusal
from iim.cli.values import bounds_for, parse_bounds, parse_settings
from iim.imputers import METHODS

if TYPE_CHECKING:
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


class ImputerChoice:
    """The imputer that the options describe, before the columns are known.

    Parameters
    ----------
    options : Namespace
        What ``options.add_method`` adds.
    """

    def __init__(self, options: Namespace) -> None:
        self.key: str = options.method or DEFAULT_METHOD
        self._settings = parse_settings(options.settings or ())
        for name in self._settings:
            if name in HAS_OPTION:
                raise WrongOptions(f"--set: {name!r} cannot be set here; {HAS_OPTION[name]}")
        self._bounds = {
            "min_value": ("--min", parse_bounds("--min", options.min or ())),
            "max_value": ("--max", parse_bounds("--max", options.max or ())),
        }
        self._options = options

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
                raise WrongOptions(f"--set of method {self.key}: {refusal(name, own)}")
        settings = {
            **(method.PAPER if self._options.paper else {}),
            **self._settings,
            **{
                name: bounds_for(option, bounds, columns) for name, (option, bounds) in self._bounds.items()
            },
            **({"missing_values": list(markers)} if markers else {}),
            "round_integers": self._options.round_integers is not False,
            "progress": tell,
            "n_jobs": self._options.jobs or -1,
            "random_state": self._options.seed or 0,
        }
        imputer: Imputer = method(**method._taken(settings))
        return imputer
