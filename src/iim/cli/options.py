"""Options shared by commands: each function adds one topic to the help of a command, and returns it."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, BooleanOptionalAction
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from iim.cli.parser import refusal
from iim.imputers import METHODS

SEVERAL: dict[str, Any] = {"nargs": "+", "action": "extend"}
"""Settings of options that take several values and can be repeated."""


DELIMITERS = {"tab": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " ", r"\t": "\t"}
"""Names of delimiters that are hard to type or to see."""


def whole(least: int) -> Callable[[str], int]:
    """A function that reads a whole number of at least ``least``."""

    def read(text: str) -> int:
        with suppress(ValueError):
            if (number := int(text)) >= least:
                return number
        raise ArgumentTypeError(f"a whole number, {least} or more, is needed; received {text!r}")

    return read


def threads(text: str) -> int:
    """Read a number of threads."""
    with suppress(ValueError):
        if number := int(text):
            return number
    raise ArgumentTypeError(f"a whole number other than 0 is needed (-1 is all cores); received {text!r}")


def share(text: str) -> float | int:
    """Read how much to hide: a share below 1, or a number of cells."""
    try:
        number = float(text)
    except ValueError:
        raise ArgumentTypeError(f"a share or a number of cells is needed; received {text!r}") from None
    return int(number) if number >= 1 and number.is_integer() else number


def file_format(text: str) -> str:
    """Read the name of a file format."""
    from iim.files import FORMATS  # noqa: PLC0415 (help answers at once)

    if text.lower() not in FORMATS:
        raise ArgumentTypeError(refusal(text, FORMATS))
    return text.lower()


def delimiter(text: str) -> str:
    """Read a delimiter: one character, or its name."""
    found = DELIMITERS.get(text.lower(), text)
    if len(found) != 1:
        names = ", ".join(name for name in DELIMITERS if name.isalpha())
        raise ArgumentTypeError(f"one character, or {names} is needed; received {text!r}")
    return found


def add_input(parser: ArgumentParser) -> None:
    """The file to read: ``path``."""
    arguments = parser.add_argument_group("Arguments")
    arguments.add_argument("path", metavar="INPUT", help="The file to read; - is standard input.")


def add_output(parser: ArgumentParser) -> Any:
    """Output of the filled data: ``output``, ``output_format``."""
    topic = parser.add_argument_group("Result")
    topic.add_argument(
        *("-o", "--output"),
        metavar="OUT",
        default="-",
        help="The file to write; it may be the input (default: -, standard output).",
    )
    topic.add_argument(
        "--output-format",
        metavar="FORMAT",
        type=file_format,
        help="Format of the output (default: by its name, or as the input).",
    )
    return topic


def add_report(topic: Any) -> None:
    """The report: ``report``."""
    topic.add_argument(
        "--report",
        metavar="FILE",
        help="Also write a report: a page (.html), text (.md) or data (.json).",
    )


def add_method(parser: ArgumentParser) -> Any:
    """The imputer: ``method``, ``settings``, ``paper``, ``min``, ``max``, ``round_integers``."""
    topic = parser.add_argument_group("Method")
    topic.add_argument(
        *("-m", "--method"),
        metavar="KEY",
        choices=METHODS,
        help="Method to fill with (default: iim); `iim methods` lists all.",
    )
    topic.add_argument(
        "--set",
        **SEVERAL,
        dest="settings",
        metavar="NAME=VALUE",
        help="Parameters of the method: --set n_neighbors=5 alpha=0.1; see `iim methods KEY`.",
    )
    topic.add_argument(
        "--paper", action="store_true", help="Use the method's settings in the paper's experiments."
    )
    topic.add_argument(
        "--min",
        **SEVERAL,
        metavar="BOUND",
        help="Lower bound of filled values: 0, observed, COLUMN=0 or COLUMN=observed.",
    )
    topic.add_argument("--max", **SEVERAL, metavar="BOUND", help="Upper bound of filled values, likewise.")
    topic.add_argument(
        "--round-integers",
        action=BooleanOptionalAction,
        help="Fill columns of whole numbers with whole numbers (default: yes).",
    )
    add_run(topic)
    return topic


def add_run(topic: Any) -> None:
    """Options of every computation: ``seed``, ``jobs``."""
    topic.add_argument(
        "--seed",
        metavar="N",
        type=whole(0),
        help="Random seed (default: 0).",
    )
    topic.add_argument(
        *("-j", "--jobs"),
        metavar="N",
        type=threads,
        help="Threads (default: -1, all cores). The result does not depend on it.",
    )


def add_columns(parser: ArgumentParser) -> None:
    """Columns and marks of missing values: ``columns``, ``ignore``, ``na``."""
    topic = parser.add_argument_group("Columns and cells")
    topic.add_argument(
        "--columns",
        **SEVERAL,
        metavar="NAME",
        help="Use only these columns (default: all with numbers). The others pass through.",
    )
    topic.add_argument("--ignore", **SEVERAL, metavar="NAME", help="Pass these columns through unchanged.")
    topic.add_argument(
        "--na",
        **SEVERAL,
        metavar="TEXT",
        help="More marks of missing values, besides empty cells, NA, NaN, null and the like: "
        '--na "?" n/a -200.',
    )


def add_layout(parser: ArgumentParser) -> None:
    """Layout of the input: ``format``, ``delimiter``, ``decimal``, ``encoding``, ``header``."""
    topic = parser.add_argument_group("Layout of the input")
    topic.add_argument(
        *("-f", "--format"),
        metavar="FORMAT",
        type=file_format,
        help="Format, such as csv or parquet (default: by the file's name).",
    )
    topic.add_argument(
        "--delimiter",
        metavar="CHARACTER",
        type=delimiter,
        help="Delimiter of cells: a character, or tab, comma, semicolon, pipe or space "
        "(default: detected).",
    )
    topic.add_argument(
        "--decimal", metavar="MARK", choices=(".", ","), help="Decimal mark: . or , (default: detected)."
    )
    topic.add_argument("--encoding", metavar="NAME", help="Encoding, such as latin-1 (default: UTF-8).")
    topic.add_argument(
        "--header",
        action=BooleanOptionalAction,
        help="Whether the first line has the column names (default: yes, unless it is all numbers).",
    )


def add_hiding(parser: ArgumentParser) -> Any:
    """Hidden cells: ``hide``, ``repeats``."""
    topic = parser.add_argument_group("Hiding cells")
    topic.add_argument(
        "--hide",
        metavar="SHARE",
        type=share,
        default=0.05,
        help="Share of the known cells of a column to hide, or their number (default: 0.05).",
    )
    topic.add_argument(
        "--repeats",
        metavar="N",
        type=whole(1),
        default=3,
        help="Number of draws of hidden cells (default: 3).",
    )
    return topic


def add_model(topic: Any) -> None:
    """A model: ``model``."""
    topic.add_argument("--model", metavar="MODEL", help="A model that `iim fit` wrote.")


def add_sample(topic: Any) -> None:
    """A sample of the rows: ``sample``."""
    topic.add_argument(
        "--sample",
        metavar="N",
        type=whole(1),
        help="Learn from N random rows, in little memory.",
    )
