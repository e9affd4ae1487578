"""The kept records as tables, in ``benchmarks/README.md``: between two marks for each topic."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from trials import blocks

README = Path(__file__).resolve().parents[1] / "README.md"
BLOCK = blocks.marks("speed")


def renewed(text: str, lines_of: Callable[[str], list[str]]) -> str:
    """The text with the lines of each topic between its marks."""

    def body(name: str) -> str:
        lines = "\n".join(line.rstrip() for line in lines_of(name)).strip("\n")
        return f"```text\n{lines}\n```"

    return blocks.renewed(text, "speed", body)
