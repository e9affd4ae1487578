"""Lines of code, without docstrings, comments and blank lines, by package: at a commit, and now.

Run: ``python benchmarks/lines_of_code.py COMMIT``, where COMMIT is what to compare with.
"""

from __future__ import annotations

import argparse
import ast
import io
import subprocess
import tokenize
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]

NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def count(source: str) -> int:
    """Lines of a module that hold code."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if is_text and isinstance(node.value.value, str):
            lines.difference_update(range(node.lineno, node.end_lineno + 1))
    return len(lines)


def by_package(commit: str | None) -> Counter[str]:
    """Lines of each package at a commit; of the working tree for None."""
    listing = ["ls-files", "src"] if commit is None else ["ls-tree", "-r", "--name-only", commit, "src"]
    found: Counter[str] = Counter()
    for name in _git(*listing).split():
        if name.endswith(".py") and (commit is not None or (ROOT / name).exists()):
            path = ROOT / name
            source = path.read_text("utf-8") if commit is None else _git("show", f"{commit}:{name}")
            parts = Path(name).parts[2:]
            found[parts[0] if len(parts) > 1 else "(top)"] += count(source)
    return found


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout  # noqa: S603 (git)


def main() -> None:
    """Count and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("commit", help="what to compare with")
    before, now = by_package(parser.parse_args().commit), by_package(None)
    for package in sorted({*before, *now}):
        print(f"{package:>12}{before[package]:>8}{now[package]:>8}{now[package] - before[package]:>+8}")
    print(f"{'all':>12}{before.total():>8}{now.total():>8}{now.total() - before.total():>+8}")


if __name__ == "__main__":
    main()
