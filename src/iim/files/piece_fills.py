"""Fills of a piece of a table, and how numbers are written into text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from iim._arrays import Integers
from iim.files.fields import QUOTE
from iim.files.text import Block

MOST_EXACT = 2.0**53
"""Up to here, a float holds every whole number."""


@dataclass(frozen=True)
class Holes:
    """The holes of a column in a piece of a table.

    Attributes
    ----------
    rows : ndarray of shape (n_holes,)
        Their rows, increasing.
    values : pyarrow.Array of length n_holes
        What they are filled with.
    """

    rows: Integers
    values: Any


Fills = Mapping[str, Holes]
"""Holes by column."""


def splice(block: Block, fills: Fills, whole: Mapping[str, bool]) -> bytes:
    """The bytes of a block with its holes filled, and with nothing else changed.

    Parameters
    ----------
    block : Block
        Lines of a text file.
    fills : mapping
        Holes by column.
    whole : mapping
        By column: whether its numbers are written as whole numbers.

    Returns
    -------
    bytes
        A hole keeps the blanks and quotes around it.
    """
    data, dialect = block.data, block.source.dialect
    starts, ends, texts = [], [], []
    for name, holes in fills.items():
        column = block.source.positions[name]
        start, end = block.fields.bare(column)
        starts.append(start[holes.rows])
        ends.append(end[holes.rows])
        texts += write_numbers(holes.values, whole=whole.get(name, False), decimal=dialect.decimal)
    if not texts:
        return block.before + data
    first, stop = np.concatenate(starts), np.concatenate(ends)
    order = np.lexsort((stop, first))
    parts, at = [block.before], 0
    for hole in order.tolist():
        begin = int(first[hole])
        text = texts[hole]
        if dialect.delimiter in text and not (begin and data[begin - 1] == QUOTE):
            text = f'"{text}"'
        parts += [data[at:begin], text.encode("ascii")]
        at = int(stop[hole])
    parts.append(data[at:])
    return b"".join(parts)


def write_numbers(values: Any, *, whole: bool, decimal: str) -> list[str]:
    """Numbers as text, as short as they can be read back without loss.

    Parameters
    ----------
    values : pyarrow.Array
        Numbers.
    whole : bool
        Whether whole numbers are written without a decimal mark.
    decimal : {".", ","}
        The decimal mark.

    Returns
    -------
    list of str
    """
    numbers = values.to_numpy(zero_copy_only=False).astype(np.float64).tolist()
    texts = [
        str(int(number)) if whole and number.is_integer() and abs(number) <= MOST_EXACT else repr(number)
        for number in numbers
    ]
    return texts if decimal == "." else [text.replace(".", decimal) for text in texts]
