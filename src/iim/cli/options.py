"""Options that commands share, each defined once, in groups that go together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from iim.cli.declaring import GENERAL, LAYOUT, METHOD, RESULT, TABLE, any_but_zero, at_least, option
from iim.cli.keys import complete_format, complete_method

Input = Annotated[
    str, typer.Argument(metavar="INPUT", help="The file to read; - is standard input.", show_default=False)
]


@dataclass(frozen=True)
class TableOptions:
    """Which columns and cells count."""

    columns: Annotated[
        list[str] | None,
        option(
            "--columns",
            panel=TABLE,
            metavar="NAME...",
            text="Work with these columns only (default: all that hold numbers). The others pass through.",
        ),
    ] = None
    ignore: Annotated[
        list[str] | None,
        option("--ignore", panel=TABLE, metavar="NAME...", text="Leave these columns alone."),
    ] = None
    na: Annotated[
        list[str] | None,
        option(
            "--na",
            panel=TABLE,
            metavar="TEXT...",
            text='What else means "missing", besides empty cells, NA, NaN, null and the like: '
            '--na "?" n/a -200.',
        ),
    ] = None


@dataclass(frozen=True)
class LayoutOptions:
    """How the input is written, where it cannot be found out."""

    format_: Annotated[
        str | None,
        option(
            "--format",
            "-f",
            panel=LAYOUT,
            metavar="FORMAT",
            text="csv, tsv, parquet or feather (default: by the name of the file).",
            complete=complete_format,
        ),
    ] = None
    delimiter: Annotated[
        str | None,
        option(
            "--delimiter",
            panel=LAYOUT,
            metavar="CHARACTER",
            text="What stands between cells: a character, or tab, comma, semicolon, pipe or space "
            "(default: found out).",
        ),
    ] = None
    decimal: Annotated[
        str | None,
        option(
            "--decimal", panel=LAYOUT, metavar="MARK", text="Decimal mark: . or , (default: found out)."
        ),
    ] = None
    encoding: Annotated[
        str | None,
        option(
            "--encoding", panel=LAYOUT, metavar="NAME", text="Encoding, such as latin-1 (default: UTF-8)."
        ),
    ] = None
    header: Annotated[
        bool | None,
        option(
            "--header/--no-header",
            panel=LAYOUT,
            text="Whether the first line names the columns (default: yes, unless it is all numbers).",
        ),
    ] = None


@dataclass(frozen=True)
class FileOptions(LayoutOptions, TableOptions):
    """All that is said of the input."""


@dataclass(frozen=True)
class OutputOptions:
    """Where filled data go."""

    output: Annotated[
        str,
        option(
            "--output",
            "-o",
            panel=RESULT,
            metavar="OUT",
            text="The file to write; it may be the input (default: -, standard output).",
        ),
    ] = "-"
    output_format: Annotated[
        str | None,
        option(
            "--output-format",
            panel=RESULT,
            metavar="FORMAT",
            text="Format of what is written (default: by its name, or as the input).",
            complete=complete_format,
        ),
    ] = None


@dataclass(frozen=True)
class ReportOptions:
    """A report besides."""

    report: Annotated[
        str | None,
        option(
            "--report",
            panel=RESULT,
            metavar="FILE",
            text="Also write a report: a page (.html), text (.md) or data (.json).",
        ),
    ] = None


Seed = Annotated[
    int | None,
    option(
        "--seed",
        panel=METHOD,
        metavar="N",
        text="Seed of all that is drawn at random (default: 0).",
        check=at_least(0),
    ),
]
Jobs = Annotated[
    int | None,
    option(
        "--jobs",
        "-j",
        panel=METHOD,
        metavar="N",
        text="Threads (default: -1, all cores). Never changes a result.",
        check=any_but_zero,
    ),
]


@dataclass(frozen=True)
class RunOptions:
    """What every computation takes."""

    seed: Seed = None
    jobs: Jobs = None


@dataclass(frozen=True)
class MethodOptions:
    """The imputer."""

    method: Annotated[
        str | None,
        option(
            "--method",
            "-m",
            panel=METHOD,
            metavar="KEY",
            text="How to fill (default: iim); `iim methods` lists all.",
            complete=complete_method,
        ),
    ] = None
    settings: Annotated[
        list[str] | None,
        option(
            "--set",
            panel=METHOD,
            metavar="NAME=VALUE...",
            text="Parameters of the method: --set n_neighbors=5 alpha=0.1; see `iim methods KEY`.",
        ),
    ] = None
    paper: Annotated[
        bool,
        option("--paper", panel=METHOD, text="The method's settings in the paper's experiments."),
    ] = False
    least: Annotated[
        list[str] | None,
        option(
            "--min",
            panel=METHOD,
            metavar="BOUND...",
            text="No filled value below it: 0, observed, COLUMN=0 or COLUMN=observed.",
        ),
    ] = None
    most: Annotated[
        list[str] | None,
        option("--max", panel=METHOD, metavar="BOUND...", text="No filled value above it, likewise."),
    ] = None
    round_integers: Annotated[
        bool | None,
        option(
            "--round-integers/--no-round-integers",
            panel=METHOD,
            text="Fill columns of whole numbers with whole numbers (default: yes).",
        ),
    ] = None
    seed: Seed = None
    jobs: Jobs = None

    @property
    def run(self) -> RunOptions:
        """Those of them that every computation takes."""
        return RunOptions(self.seed, self.jobs)


@dataclass(frozen=True)
class ShowOptions:
    """How much is said, and to whom."""

    json: Annotated[
        bool, option("--json", panel=GENERAL, text="One JSON object on standard output, for programs.")
    ] = False
    quiet: Annotated[bool, option("--quiet", "-q", panel=GENERAL, text="Say nothing but errors.")] = False
    debug: Annotated[
        bool, option("--debug", panel=GENERAL, text="With an error, show where it came from.")
    ] = False


Compare = Annotated[
    bool,
    option("--compare", panel=RESULT, text="Add to the report how well each method does on this table."),
]
Sample = Annotated[
    int | None,
    option(
        "--sample",
        panel=METHOD,
        metavar="N",
        text="Learn from N rows drawn at random, in little memory.",
        check=at_least(1),
    ),
]
Model = Annotated[
    str | None, option("--model", panel=METHOD, metavar="MODEL", text="A model that `iim fit` wrote.")
]
ModelOut = Annotated[
    str,
    option("--output", "-o", panel=RESULT, metavar="MODEL", text="The file to write, such as model.iim."),
]
Key = Annotated[
    str | None,
    typer.Argument(
        metavar="[KEY]",
        help="A method, to see its parameters.",
        autocompletion=complete_method,
        show_default=False,
    ),
]
Write = Annotated[
    str | None,
    option(
        "--write",
        panel=RESULT,
        metavar="FILE",
        text="Write the sample table as CSV, to try the other commands.",
    ),
]
