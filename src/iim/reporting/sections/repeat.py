"""How to repeat the report: code, parameters, versions and times."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from iim.comparing import compare
from iim.comparing.result import Comparison
from iim.comparing.wording import as_python
from iim.diagnosing import diagnose
from iim.diagnosing.result import Diagnosis
from iim.imputers import METHODS, Imputer
from iim.present.numbers import decimals
from iim.present.tables import Head, build_table, number, words
from iim.reporting.parts import Code, Folded, Part, Section
from iim.table.columns import is_null
from iim.versions import versions

if TYPE_CHECKING:
    from iim.reporting.findings import Findings
    from iim.reporting.summary import Summary

READERS = {
    ".csv": "pandas.read_csv({})",
    ".tsv": "pandas.read_csv({}, sep='\\t')",
    ".parquet": "pandas.read_parquet({})",
    ".feather": "pandas.read_feather({})",
}
"""How a file is read in Python, by the end of its name."""

LONGEST_LINE = 88
"""Of the snippet; longer calls are broken."""

NEUTRAL = frozenset({"n_jobs", "progress", "random_state", "missing_values", "keep_empty_features"})
"""Parameters that say nothing of how well a method does; also what a comparison gives to each method."""


@dataclass(frozen=True)
class Repeat:
    """What is needed to repeat the report.

    Attributes
    ----------
    snippet : str
        Python code that makes the same report.
    settings : dict
        All parameters of the imputer, as plain values; empty if nothing was filled.
    versions : dict
        Versions of Python and of the packages.
    seconds : dict
        Time taken, by step.
    """

    snippet: str
    settings: Mapping[str, Any]
    versions: Mapping[str, str]
    seconds: Mapping[str, float]


def gather(found: Findings) -> Repeat:
    """Write the code; collect settings, versions and times."""
    settings = {} if found.imputer is None else plain(found.imputer.get_params(deep=False))
    seconds = {name: float(time) for name, time in found.seconds.items()}
    return Repeat(snippet(found), settings, versions(), seconds)


def show(summary: Summary) -> Iterator[Part]:
    """The code, and tables of settings, versions and times."""
    found: Repeat = summary.repeat
    yield "The same table, settings and versions give the same fills."
    yield Code(found.snippet)
    heads = [Head("Parameter", "words"), Head("Value", "words")]
    settings = [
        [words(name), words(value if isinstance(value, str) else repr(value))]
        for name, value in found.settings.items()
    ]
    yield Folded("Parameters", build_table("Parameters of the imputer", heads, settings))
    heads = [Head("Part", "words"), Head("Version", "words")]
    parts = [[words(name), words(version)] for name, version in found.versions.items()]
    yield Folded("Versions", build_table("Versions", heads, parts))
    heads = [Head("What for", "words"), Head("Seconds")]
    times = [[words(name), number(time, decimals(time))] for name, time in found.seconds.items()]
    yield Folded("Time taken", build_table("Time taken", heads, times))


class _Unwritable(Exception):
    """There is no code for a value of this class."""


def compared_as(comparison: Comparison, key: str) -> str | None:
    """The name under which a method was compared that was given by its key; None if it was not."""
    return next((name for name, origin in _origins(comparison).items() if origin == key), None)


def has_default_settings(imputer: Imputer) -> bool:
    """Whether it does what its class does by default, as methods do that are compared by key."""
    return not set(_changed(imputer)) - NEUTRAL


def snippet(found: Findings) -> str:
    """Python code that makes the same report again, with a comment where something cannot be written down.

    Parameters
    ----------
    found : Findings
        What the report is made of. Parameters are written where they differ from the defaults.

    Returns
    -------
    str
    """
    lines, source, imputer = ["import iim", ""], found.source, found.imputer
    if source is not None:
        ending = next((end for end in READERS if source.lower().removesuffix(".gz").endswith(end)), ".csv")
        lines = ["import pandas", *lines, f"table = {READERS[ending].format(ascii(source))}"]
    arguments = ["table", "'report.html'", "None" if imputer is None else "imputer"]
    if imputer is not None:
        name, known = type(imputer).__name__, type(imputer) in METHODS.values()
        given, comments = _written(_changed(imputer))
        lines += comments
        if not known:
            lines.append(f"# {name} is not part of iim: import it first.")
        if not found.fitted_here:
            lines.append(
                "# It was fitted before the report, maybe on another table; here it is fitted again."
            )
        lines.append(f"imputer = {_broken(f'iim.{name}' if known else name, given)}")
    if found.comparison is not None:
        more, argument = _comparison_lines(found.comparison, found)
        lines += more
        arguments += filter(None, [argument])
    if found.diagnosis is None:
        arguments.append("measure=False")
    elif settings := _diagnosis_settings(found.diagnosis, found):
        given, comments = _written(settings)
        lines += [*comments, f"diagnosis = {_broken('iim.diagnose', ['table', *given])}"]
        arguments.append("measure=diagnosis")
    settings = {}
    if found.own_title:
        settings["title"] = found.own_title
    # An imputer brings what means "missing" to it.
    if imputer is None and not is_null(found.missing_values):
        settings["missing_values"] = found.missing_values
    if found.random_state != 0:
        settings["random_state"] = found.random_state
    given, comments = _written(settings)
    lines += [*comments, f"report = {_broken('iim.report', [*arguments, *given])}"]
    return "\n".join(lines) + "\n"


def _written(settings: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Settings as arguments, and a comment for each that cannot be written down."""
    arguments, comments = [], []
    for name, value in settings.items():
        try:
            arguments.append(f"{name}={_code(value)}")
        except _Unwritable as unwritable:
            comments.append(f"# {name} holds a {unwritable}, which cannot be written as code.")
    return arguments, comments


def _changed(imputer: Imputer) -> dict[str, Any]:
    """Parameters that differ from their defaults; none that tells how far it is, which changes nothing."""
    defaults = imputer._defaults()
    return {
        name: value
        for name, value in imputer.get_params(deep=False).items()
        if name != "progress" and not _same(value, defaults[name])
    }


def _same(value: Any, other: Any) -> bool:
    try:
        return _code(value) == _code(other)
    except _Unwritable:
        return value is other


def _origins(comparison: Comparison) -> dict[str, str]:
    """Compared methods by name: the key of each, or the class of an object."""
    methods = comparison.settings["methods"]
    return dict(methods) if isinstance(methods, Mapping) else {name: name for name in methods}


def _comparison_lines(comparison: Comparison, found: Findings) -> tuple[list[str], str]:
    """What comes before the call of the report, and its argument."""
    origins = _origins(comparison)
    keys = {name: origin for name, origin in origins.items() if origin in METHODS}
    lines = []
    if len(keys) < len(origins):
        objects = ", ".join(ascii(name) for name in origins if name not in keys)
        lines.append(f"# Objects that were compared cannot be written as code: {objects}.")
    if not keys:
        return lines, ""
    methods = _code(list(keys) if all(name == key for name, key in keys.items()) else keys)
    defaults = {
        **{name: one.default for name, one in inspect.signature(compare).parameters.items()},
        "random_state": found.random_state,
        "missing_values": found.missing_values,
    }
    others = {
        name: value
        for name, value in comparison.settings.items()
        if name != "methods" and not _same(value, defaults[name])
    }
    if not others:
        return lines, f"compare={methods}"
    if comparison.settings["random_state"] != 0:
        others["random_state"] = comparison.settings["random_state"]
    if not is_null(comparison.settings["missing_values"]):
        others["missing_values"] = comparison.settings["missing_values"]
    given, comments = _written(others)
    call = _broken("iim.compare", ["table", methods, *given])
    return [*lines, *comments, f"comparison = {call}"], "compare=comparison"


def _diagnosis_settings(diagnosis: Diagnosis, found: Findings) -> dict[str, Any]:
    """Settings of a diagnosis that a report does not make by itself; empty if there is none."""
    defaults = {
        **{name: one.default for name, one in inspect.signature(diagnose).parameters.items()},
        "random_state": found.random_state,
        "missing_values": found.missing_values,
    }
    settings = {name: value for name, value in diagnosis.settings.items() if name in defaults}
    if len(diagnosis.columns) < diagnosis.n_columns:
        settings["columns"] = [one.column for one in diagnosis.columns]
    if all(_same(value, defaults[name]) for name, value in settings.items()):
        return {}
    # It does not say what meant "missing"; the table is the same, so it is what does here.
    return (
        settings if is_null(found.missing_values) else settings | {"missing_values": found.missing_values}
    )


def _broken(name: str, arguments: list[str]) -> str:
    line = f"{name}({', '.join(arguments)})"
    if len(line) <= LONGEST_LINE - len("imputer = "):
        return line
    return f"{name}(\n" + "".join(f"    {argument},\n" for argument in arguments) + ")"


def _code(value: Any) -> str:
    """The value as Python writes it, in ASCII."""
    value = as_python(value)
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_code(name)}: {_code(one)}' for name, one in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_code, value))}]"
    if isinstance(value, float) and not math.isfinite(value):
        return f"float('{value}')"
    if value is None or isinstance(value, (bool, int, float, str)):
        return ascii(value)
    if is_null(value):
        return "None"
    raise _Unwritable(type(value).__name__)


def plain(value: Any) -> Any:
    """The value as JSON has it; what has no such form, a function for example, as text."""
    value = as_python(value)
    if isinstance(value, Mapping):
        return {str(as_python(name)): plain(one) for name, one in value.items()}
    if isinstance(value, list):
        return [plain(one) for one in value]
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return f"({type(value).__name__})"


SECTION = Section("repeat", "To repeat it", gather, show)
