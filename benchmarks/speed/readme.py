"""The kept records as tables, in ``benchmarks/README.md``: between two marks for each topic."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

README = Path(__file__).resolve().parents[1] / "README.md"
BLOCK = re.compile(r"(<!-- speed: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def renewed(text: str, lines_of: Callable[[str], list[str]]) -> str:
    """The text with the lines of each topic between its marks."""

    def block(found: re.Match[str]) -> str:
        body = "\n".join(line.rstrip() for line in lines_of(found[2])).strip("\n")
        return f"{found[1]}```text\n{body}\n```\n{found[3]}"

    return BLOCK.sub(block, text)
