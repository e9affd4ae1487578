"""To repeat it: code, parameters, versions and times."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from iim.present.numbers import decimals
from iim.present.tables import Head, build_table, number, words
from iim.reporting.parts import Code, Folded, Part, Section
from iim.reporting.repeating import plain, snippet
from iim.versions import versions

if TYPE_CHECKING:
    from iim.reporting.findings import Findings
    from iim.reporting.summary import Summary


@dataclass(frozen=True)
class Repeat:
    """What it takes to do the same again.

    Attributes
    ----------
    snippet : str
        Python code that does the same again.
    settings : dict
        All parameters of the imputer, as plain values; empty if nothing was filled.
    versions : dict
        Versions of what was used.
    seconds : dict
        Time taken, by what it was for.
    """

    snippet: str
    settings: Mapping[str, Any]
    versions: Mapping[str, str]
    seconds: Mapping[str, float]


def gather(found: Findings) -> Repeat:
    """Write the code, and take the rest."""
    settings = {} if found.imputer is None else plain(found.imputer.get_params(deep=False))
    seconds = {name: float(time) for name, time in found.seconds.items()}
    return Repeat(snippet(found), settings, versions(), seconds)


def show(summary: Summary) -> Iterator[Part]:
    """The code, and tables of the rest."""
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


SECTION = Section("repeat", "To repeat it", gather, show)
