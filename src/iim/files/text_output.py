"""Holes and what they are filled with, and text that is written with them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from iim._arrays import Floats, Integers
from iim.files.streams import Output

MOST_EXACT = 2.0**53
"""Up to here, a float holds every whole number."""


class Holes(NamedTuple):
    """The holes of a column in a piece of a table.

    Attributes
    ----------
    rows : ndarray of shape (n_holes,)
        Their rows, increasing.
    values : pyarrow.Array of length n_holes
        What they are filled with.
    whole : bool
        Whether whole numbers are written without a decimal mark, if they become text.
    """

    rows: Integers
    values: Any
    whole: bool = False


Fills = Mapping[str, Holes]
"""Holes by column."""

Filled = tuple[Any, int, Fills]
"""A piece, its number of rows, and its fills."""


def write_text(
    source: Any,
    named: str | None,
    types: Mapping[str, Any],
    pieces: Iterable[Filled],
    output: Output,
) -> None:
    """Write text, in the encoding that the file came in.

    Text that keeps its delimiter keeps its bytes. A delimiter changes only if a format was asked for: tabs
    may be called .csv.
    """
    del types
    delimiter = source.delimiter
    if delimiter is None or named not in (None, source.named):
        delimiter = "\t" if named == "tsv" else "," if delimiter in (None, "\t") else delimiter
    parts = (
        (source.splice(piece, fills) for piece, _, fills in pieces)
        if delimiter == source.delimiter
        else _cells_as_text(source, delimiter, pieces)
    )
    encode = source.encoder()
    for part in parts:
        output.write(part if encode is None else encode(part, False))  # noqa: FBT003
    if encode is not None:
        output.write(encode(b"", True))  # noqa: FBT003


def _cells_as_text(source: Any, delimiter: str, pieces: Iterable[Filled]) -> Iterator[bytes]:
    """Text made of cells: from Arrow, or with another delimiter; cells of text files keep their text."""
    header, mark = source.header, source.mark
    for piece, _, fills in pieces:
        text = io.StringIO()
        # Not by Arrow, which puts every text in quotes.
        writer = csv.writer(text, delimiter=delimiter, lineterminator=source.line_end)
        if header is not None:
            writer.writerow(header)
        writer.writerows(zip(*source.texts(piece, fills), strict=True))
        yield mark + text.getvalue().encode(source.letters, errors="surrogateescape")
        header, mark = None, b""


def write_numbers(holes: Holes, *, decimal: str) -> list[str]:
    """What holes are filled with as text, as short as it can be read back without loss."""
    numbers: Floats = holes.values.to_numpy(zero_copy_only=False).astype(np.float64)
    texts = [
        str(int(number))
        if holes.whole and number.is_integer() and abs(number) <= MOST_EXACT
        else repr(number)
        for number in numbers.tolist()
    ]
    return texts if decimal == "." else [text.replace(".", decimal) for text in texts]
