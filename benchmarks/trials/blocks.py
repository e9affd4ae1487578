"""Blocks of Markdown pages that commands write, between ``<!-- topic: name -->`` and ``<!-- end -->``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path


def marks(topic: str) -> re.Pattern[str]:
    """Finds the blocks of a topic; the second group is the name."""
    return re.compile(rf"(<!-- {topic}: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def renewed(text: str, topic: str, body_of: Callable[[str], str]) -> str:
    """The text with each block of a topic made anew from its name."""
    return marks(topic).sub(lambda found: f"{found[1]}{body_of(found[2])}\n{found[3]}", text)


def renew_pages(pages: Iterable[Path], topic: str, body_of: Callable[[str], str]) -> list[Path]:
    """Write the blocks of a topic into pages; those that have changed."""
    changed = []
    for page in pages:
        before = page.read_text(encoding="utf-8")
        after = renewed(before, topic, body_of)
        if after != before:
            page.write_text(after, encoding="utf-8")
            changed.append(page)
    return changed
