"""Options that commands share: each function adds one topic to the help of a command, and gives it back."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, BooleanOptionalAction
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from iim.cli.parser import refusal
from iim.imputers import METHODS

SEVERAL: dict[str, Any] = {"nargs": "+", "action": "extend"}
"""Options that take several values, and can be repeated."""


DELIMITERS = {"tab": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " ", r"\t": "\t"}
"""Delimiters that are hard to type, or to see, by their names."""


def whole(least: int) -> Callable[[str], int]:
    """A function that reads a whole number, which must be ``least`` or more."""

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
    """Read how much is hidden: a share, or, from 1 on, a number of cells."""
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
    """Where filled data go: ``output``, ``output_format``."""
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
        help="Format of what is written (default: by its name, or as the input).",
    )
    return topic


def add_report(topic: Any) -> None:
    """A report besides: ``report``."""
    topic.add_argument(
        "--report",
        metavar="FILE",
        help="Also write a report: a page (.html), text (.md) or data (.json).",
    )


def add_method(parser: ArgumentParser) -> Any:
    """The imputer: ``method``, ``settings``, ``paper``, ``min``, ``max``, ``round_integers``, and below."""
    topic = parser.add_argument_group("Method")
    topic.add_argument(
        *("-m", "--method"),
        metavar="KEY",
        choices=METHODS,
        help="How to fill (default: iim); `iim methods` lists all.",
    )
    topic.add_argument(
        "--set",
        **SEVERAL,
        dest="settings",
        metavar="NAME=VALUE",
        help="Parameters of the method: --set n_neighbors=5 alpha=0.1; see `iim methods KEY`.",
    )
    topic.add_argument(
        "--paper", action="store_true", help="The method's settings in the paper's experiments."
    )
    topic.add_argument(
        "--min",
        **SEVERAL,
        metavar="BOUND",
        help="No filled value below it: 0, observed, COLUMN=0 or COLUMN=observed.",
    )
    topic.add_argument("--max", **SEVERAL, metavar="BOUND", help="No filled value above it, likewise.")
    topic.add_argument(
        "--round-integers",
        action=BooleanOptionalAction,
        help="Fill columns of whole numbers with whole numbers (default: yes).",
    )
    add_run(topic)
    return topic


def add_run(topic: Any) -> None:
    """What every computation takes: ``seed``, ``jobs``."""
    topic.add_argument(
        "--seed",
        metavar="N",
        type=whole(0),
        help="Seed of all that is drawn at random (default: 0).",
    )
    topic.add_argument(
        *("-j", "--jobs"),
        metavar="N",
        type=threads,
        help="Threads (default: -1, all cores). Never changes a result.",
    )


def add_columns(parser: ArgumentParser) -> None:
    """Which columns and cells count: ``columns``, ``ignore``, ``na``."""
    topic = parser.add_argument_group("Columns and cells")
    topic.add_argument(
        "--columns",
        **SEVERAL,
        metavar="NAME",
        help="Work with these columns only (default: all that hold numbers). The others pass through.",
    )
    topic.add_argument("--ignore", **SEVERAL, metavar="NAME", help="Leave these columns alone.")
    topic.add_argument(
        "--na",
        **SEVERAL,
        metavar="TEXT",
        help='What else means "missing", besides empty cells, NA, NaN, null and the like: '
        '--na "?" n/a -200.',
    )


def add_layout(parser: ArgumentParser) -> None:
    """How the input is written: ``format``, ``delimiter``, ``decimal``, ``encoding``, ``header``."""
    topic = parser.add_argument_group("How files are written")
    topic.add_argument(
        *("-f", "--format"),
        metavar="FORMAT",
        type=file_format,
        help="The format, such as csv or parquet (default: by the name of the file).",
    )
    topic.add_argument(
        "--delimiter",
        metavar="CHARACTER",
        type=delimiter,
        help="What separates cells: a character, or tab, comma, semicolon, pipe or space "
        "(default: detected).",
    )
    topic.add_argument(
        "--decimal", metavar="MARK", choices=(".", ","), help="Decimal mark: . or , (default: detected)."
    )
    topic.add_argument("--encoding", metavar="NAME", help="Encoding, such as latin-1 (default: UTF-8).")
    topic.add_argument(
        "--header",
        action=BooleanOptionalAction,
        help="Whether the first line names the columns (default: yes, unless it is all numbers).",
    )


def add_hiding(parser: ArgumentParser) -> Any:
    """What is hidden to measure methods: ``hide``, ``repeats``."""
    topic = parser.add_argument_group("Hiding cells")
    topic.add_argument(
        "--hide",
        metavar="SHARE",
        type=share,
        default=0.05,
        help="How much of a column to hide: a share of its known cells, or how many (default: 0.05).",
    )
    topic.add_argument(
        "--repeats",
        metavar="N",
        type=whole(1),
        default=3,
        help="How often other cells are drawn (default: 3).",
    )
    return topic


def add_model(topic: Any) -> None:
    """A model instead of a method: ``model``."""
    topic.add_argument("--model", metavar="MODEL", help="A model that `iim fit` wrote.")


def add_sample(topic: Any) -> None:
    """Some rows instead of all: ``sample``."""
    topic.add_argument(
        "--sample",
        metavar="N",
        type=whole(1),
        help="Learn from N rows drawn at random, in little memory.",
    )
