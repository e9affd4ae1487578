"""Pages as text: words wrapped, names shortened, columns aligned by the display width of letters."""

from __future__ import annotations

from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING

from iim.present.names import as_one_line, replaced, short_name
from iim.present.numbers import NOTHING
from iim.present.tables import Cell, Head, Page, Table

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.table import Table as Drawn
    from rich.text import Text

TEXT_WIDTH = 100
"""Width of a page without a terminal, in columns; a single longer word exceeds it."""

NARROWEST = 20
"""Width of a terminal below which cells of words are not narrowed further."""

GAP = 2
"""Blanks between the columns of a table."""


def as_text(page: Page, console: Console | None = None, *, between: str = "\n\n") -> str:
    """The page for a terminal.

    Parameters
    ----------
    page : Page
        Paragraphs and tables.
    console : rich.console.Console, optional
        The terminal, for its width and colours. By default plain text of a fixed width, the same
        everywhere.
    between : str
        Separator between parts.

    Returns
    -------
    str
        Lines without trailing blanks.
    """
    console = plain_console() if console is None else console
    return between.join("\n".join(_lines(part, console)) for part in page)


def plain_console() -> Console:
    """A console of fixed width without colours, whatever the environment is."""
    from rich.console import Console  # noqa: PLC0415 (slow: only printing a table should wait for it)

    return Console(
        file=StringIO(),
        width=TEXT_WIDTH,
        color_system=None,
        force_terminal=False,
        force_jupyter=False,
        legacy_windows=False,
        _environ={},
    )


def _lines(part: str | Table, console: Console) -> list[str]:
    if isinstance(part, str):
        return _printed(console, part)
    return [
        *(_printed(console, part.caption, style="bold") if part.caption else []),
        *_printed(console, _draw(part)),
        *(_printed(console, part.left_out) if part.left_out else []),
    ]


@dataclass(frozen=True)
class _Wide:
    """A table that may be wider than the console, so that no word is broken and no column cut off."""

    what: Text | Drawn
    width: int

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from console.render(self.what, options.update(width=self.width))


def _printed(console: Console, what: str | Drawn, style: str = "") -> list[str]:
    from rich.text import Text  # noqa: PLC0415

    if isinstance(what, str):
        # Not as a plain string, which could contain rich's markup.
        wide = _Wide(Text(as_one_line(what), style), max(console.width, _longest_word([what])))
    else:
        # The gap behind the last column is blank and is stripped.
        least = sum((column.min_width or 0) + GAP for column in what.columns)
        wide = _Wide(what, max(console.width + GAP, least))
    with console.capture() as captured:
        console.print(wide, crop=False)
    return [line.rstrip() for line in captured.get().split("\n")[:-1]]


def _draw(table: Table) -> Drawn:
    from rich.cells import cell_len  # noqa: PLC0415
    from rich.table import Table as Drawn  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    drawn = Drawn(box=None, padding=(0, GAP, 0, 0), header_style="bold")
    columns = zip(*table.rows, strict=True) if table.rows else [()] * len(table.heads)
    written = []
    for head, cells in zip(table.heads, columns, strict=True):
        wraps = _wraps(head, cells)
        texts = [as_one_line(head.text), *map(_cell_text, cells)]
        widest = max(map(cell_len, texts))
        drawn.add_column(
            Text(texts[0]),
            justify="right" if head.kind == "number" else "left",
            no_wrap=not wraps,
            # Below this width, rich would break words, cut off names, and drop columns.
            min_width=min(widest, max(NARROWEST, _longest_word(texts))) if wraps else widest,
        )
        written.append(map(Text, texts[1:]))
    for row in zip(*written, strict=True):
        drawn.add_row(*row)
    return drawn


def _longest_word(texts: list[str]) -> int:
    from rich.cells import cell_len  # noqa: PLC0415

    return max((cell_len(word) for text in texts for word in text.split()), default=0)


def _wraps(head: Head, cells: tuple[Cell, ...]) -> bool:
    return head.kind == "words" or any(len(cell.names) + cell.n_more > 1 for cell in cells)


def _cell_text(cell: Cell) -> str:
    text = cell.written(lambda name: short_name(replaced(name)), as_one_line)
    return "-" if text == NOTHING else text
