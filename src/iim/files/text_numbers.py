"""The numbers of a text file: all of them, or of a sample of rows, with what was found on the way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from iim._arrays import Floats, Integers
from iim.files.cells import Cells, read_cells, text_of
from iim.files.choosing import Facts
from iim.files.text import Block, TextFile

ENOUGH_TEXT = 100
"""Cells of text after which a column that holds more of them than numbers is not looked at any more."""


@dataclass
class Gathered:
    """What a text file holds.

    Attributes
    ----------
    names : tuple of str
        The columns that were looked at.
    values : ndarray of shape (n_rows, n_names)
        Their numbers; NaN for holes and text. Of a sample of rows, if so asked.
    facts : dict
        By column, what was found in all rows.
    blocks : list of Block
        All of the file, if it was to be kept.
    n_rows : int
        Rows of the file.
    """

    names: tuple[str, ...]
    values: Floats
    facts: dict[str, Facts]
    blocks: list[Block] = field(default_factory=list)
    n_rows: int = 0


def gather(
    source: TextFile,
    names: Sequence[str],
    *,
    keep: bool,
    sample: int | None,
    seed: int,
    all_numbers: bool,
    tell: Callable[[float], None] | None,
) -> Gathered:
    """Read a text file to its end.

    Parameters
    ----------
    source : TextFile
        The file.
    names : sequence of str
        Columns to look at.
    keep : bool
        Whether to keep its bytes, to write them later.
    sample : int or None
        How many rows to draw at random, all being equally likely; None is all.
    seed : int
        Of the draw.
    all_numbers : bool
        Whether every column has to be numbers: then none is given up.
    tell : callable or None
        Hears from 0 to 1 how much is read.

    Returns
    -------
    Gathered
    """
    facts = {name: Facts() for name in names}
    given_up: set[str] = set()
    parts: list[Floats] = []
    draw = None if sample is None else Draw(sample, seed)
    found = Gathered(tuple(names), np.empty((0, len(names))), facts)
    for block in source.blocks():
        values = np.full((block.fields.n_rows, len(names)), np.nan)
        for place, name in enumerate(names):
            if name in given_up:
                continue
            column = source.positions[name]
            cells = read_cells(block.fields, column, source.reader)
            values[:, place] = cells.values
            add_facts(facts[name], cells, block, column)
            if not all_numbers and facts[name].n_other > max(ENOUGH_TEXT, facts[name].n_numbers):
                given_up.add(name)
        found.n_rows += len(values)
        parts.append(values)
        if draw is not None:
            parts = [np.concatenate(parts)[draw.admit(len(values))]]
        if keep:
            found.blocks.append(Block(block.before, block.data, block.first_line, source))
        if tell is not None:
            tell(source.fraction())
    found.values = np.concatenate(parts)
    return found


def add_facts(facts: Facts, cells: Cells, block: Block, column: int) -> None:
    """Count the cells of one more block of a column."""
    n_missing, n_other = int(cells.missing.sum()), int(cells.other.sum())
    facts.n_missing += n_missing
    facts.n_other += n_other
    facts.n_numbers += cells.values.size - n_missing - n_other
    facts.written_whole &= cells.written_whole
    if n_other and facts.first_other is None:
        row = int(np.flatnonzero(cells.other)[0])
        text = text_of(block.fields, row, column, block.source.reader)
        facts.first_other = (block.line_of(row), text)


class Draw:
    """Which rows of a stream are drawn, all being equally likely.

    Each row gets a random number, and those with the smallest stay: which rows they are depends on the seed
    and on the number of rows, not on the pieces that they come in. Memory is that of the rows that stay.

    Parameters
    ----------
    size : int
        How many rows to draw.
    seed : int
        Of the random numbers.
    """

    def __init__(self, size: int, seed: int) -> None:
        self._size = size
        self._random = np.random.default_rng(seed)
        self._keys = np.empty(0)

    def admit(self, n_rows: int) -> Integers:
        """Which rows stay, of those that stayed so far and then the next ones: positions, increasing."""
        keys = np.concatenate([self._keys, self._random.random(n_rows)])
        stay = np.arange(keys.size)
        if keys.size > self._size:
            stay = np.sort(np.argpartition(keys, self._size)[: self._size])
        self._keys = keys[stay]
        return stay
