"""The numbers of a table or a plot, as CSV with all digits, so that reading gives back the same numbers."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from itertools import zip_longest

from iim.paper.results import Block, Figure, Number, Table

Row = tuple[str, ...]


def numbers_file(block: Block) -> str:
    """The block as CSV with a header; missing values are empty, words may replace numbers.

    Parameters
    ----------
    block : Table, Figure or Ranking
        A table gives ``row,column,ours,worst,paper,difference``, a figure ``panel,line,x,y,low,high``, a
        ranking ``method,mean_rank``, best first.

    Returns
    -------
    str
        The content of the file.
    """
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    if isinstance(block, Table):
        writer.writerow(("row", "column", "ours", "worst", "paper", "difference"))
        writer.writerows(_table_rows(block))
    elif isinstance(block, Figure):
        writer.writerow(("panel", "line", "x", "y", "low", "high"))
        writer.writerows(_figure_rows(block))
    else:
        writer.writerow(("method", "mean_rank"))
        writer.writerows((name, exact(rank)) for name, rank in block.by_rank())
    return file.getvalue()


def exact(value: float | None) -> str:
    """All digits of a number.

    >>> exact(0.1), exact(3), exact(None), exact(float("nan"))
    ('0.1', '3', '', 'nan')
    """
    if value is None:
        return ""
    # repr of a numpy number names its type, too.
    return repr(int(value)) if isinstance(value, int) else repr(float(value))


def _table_rows(table: Table) -> Iterator[Row]:
    for row in table.rows:
        for column in table.columns:
            cell = table.cells.get((row, column))
            if isinstance(cell, Number):
                values = (cell.ours, cell.worst, cell.paper, cell.off(table.difference))
                yield (row, column, *map(exact, values))
            elif cell is not None:
                yield (row, column, cell, "", "", "")


def _figure_rows(figure: Figure) -> Iterator[Row]:
    for panel in figure.panels:
        for line in panel.lines:
            for point in zip_longest(line.x, line.y, line.low, line.high):
                yield (panel.title, line.name, *map(exact, point))
