"""What it takes to do the same again: settings as plain values, and a few lines of Python."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping
from typing import Any

from iim.comparing.result import Comparison
from iim.comparing.wording import plain
from iim.imputers import METHODS, Imputer

READERS = {
    ".csv": "pandas.read_csv({})",
    ".tsv": "pandas.read_csv({}, sep='\\t')",
    ".parquet": "pandas.read_parquet({})",
    ".feather": "pandas.read_feather({})",
}
"""How a file is read in Python, by the end of its name."""

LONGEST_LINE = 88
"""Of the snippet; longer calls are broken."""


def key_of(imputer: Imputer) -> str:
    """The key of its class in the registry; the name of the class if it is not there."""
    keys = [key for key, method in METHODS.items() if method is type(imputer)]
    return keys[0] if keys else type(imputer).__name__


def plain_settings(imputer: Imputer) -> dict[str, Any]:
    """All parameters as plain values; what has none, a function for example, as text."""
    return {name: _plain(value) for name, value in imputer.get_params(deep=False).items()}


def snippet(
    imputer: Imputer | None, comparison: Comparison | None, *, source: str | None, measured: bool
) -> str:
    """Python code that makes the same report again.

    Parameters
    ----------
    imputer : Imputer or None
        The imputer; its parameters are written where they differ from the defaults.
    comparison : Comparison or None
        Whose methods are compared again.
    source : str or None
        The file of the table.
    measured : bool
        Whether R2_S and R2_H were measured.

    Returns
    -------
    str
    """
    lines = ["import iim", ""]
    if source is not None:
        ending = next((end for end in READERS if source.lower().removesuffix(".gz").endswith(end)), ".csv")
        lines = ["import pandas", *lines, f"table = {READERS[ending].format(ascii(source))}"]
    arguments = ["table", "'report.html'", "None"]
    if imputer is not None:
        lines.append(f"imputer = {_call(imputer)}")
        arguments[2] = "imputer"
    if comparison is not None:
        methods = comparison.settings["methods"]
        # Objects cannot be written down: their names stand for them.
        arguments.append(f"compare={list(methods)!a}")
    if not measured:
        arguments.append("measure=False")
    lines.append(f"report = {_broken('iim.report', arguments)}")
    return "\n".join(lines) + "\n"


def _call(imputer: Imputer) -> str:
    parameters = inspect.signature(type(imputer)).parameters
    given = [
        f"{name}={value!a}"
        for name, value in plain_settings(imputer).items()
        if name in parameters
        and ascii(value) != ascii(_plain(parameters[name].default))
        # A function cannot be written down, and changes nothing.
        and name != "progress"
    ]
    prefix = "iim." if type(imputer) in METHODS.values() else ""
    return _broken(f"{prefix}{type(imputer).__name__}", given).replace("=nan", "=float('nan')")


def _broken(name: str, arguments: list[str]) -> str:
    line = f"{name}({', '.join(arguments)})"
    if len(line) <= LONGEST_LINE - len("imputer = "):
        return line
    return f"{name}(\n" + "".join(f"    {argument},\n" for argument in arguments) + ")"


def _plain(value: Any) -> Any:
    value = plain(value)
    if isinstance(value, Mapping):
        return {str(plain(name)): _plain(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return f"({type(value).__name__})"
