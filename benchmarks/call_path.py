"""How much code a call passes: functions, files and repeated work of a fill and of the main command.

``python benchmarks/call_path.py`` prints, for sixty rows filled with the settings of the paper, in patterns
(the default here) and in rounds: the distinct functions and files of the package, outside ``kernels``, that
``IIMImputer.fit_transform(frame)`` passes, the longest of these functions, and how often the frame is read,
patterns are grouped, and neighbours of rows with missing values are searched. Then the same for
``iim impute in.csv -o out.csv --report report.html`` on these rows, with the functions and files of each
package. ``--list`` names the functions, in the order in which they are first called.

Counted are functions and methods; lambdas, comprehensions and generator expressions belong to the function
that they stand in. Kernels are compiled: they are not seen, and do not count. Lengths are lines of code:
docstrings, comments, blank lines and constructors, which store one parameter a line, are left out.
"""

from __future__ import annotations

import argparse
import ast
import io
import sys
import tempfile
import threading
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import iim
from iim.cli.running import run
from iim.cli.streams import Environment

PACKAGE = Path(iim.__file__).parent

INNER = ("<module>", "<lambda>", "<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")
"""Code that is part of what holds it."""

WATCHED = {
    "frames read": ("read_frame",),
    "patterns grouped": ("group_patterns",),
    "searches for neighbours of rows with missing values": (
        "nearest_donors",
        "find_donors",
        "ask_known",
    ),
}
"""What should be done once, and the functions that do it."""

WAYS: dict[str, dict[str, Any]] = {"paper": iim.PAPER, "patterns": {}, "rounds": {"strategy": "iterative"}}
"""Settings with which a table is filled in different ways."""


class Passed(NamedTuple):
    """The code that a call passes."""

    codes: dict[CodeType, int]

    @property
    def files(self) -> set[str]:
        """The files of the functions."""
        return {code.co_filename for code in self.codes}

    def calls_of(self, names: tuple[str, ...]) -> int:
        """How often functions of these names are called."""
        return sum(count for code, count in self.codes.items() if code.co_name in names)


def follow(call: Callable[[], Any]) -> Passed:
    """Call, and count the calls of each function of the package outside ``kernels``, in all threads."""
    counts: Counter[CodeType] = Counter()

    def profile(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_name not in INNER and _is_ours(code.co_filename):
            counts[code] += 1

    threading.setprofile(profile)
    sys.setprofile(profile)
    try:
        call()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
    return Passed({code: count for code, count in counts.items() if not _is_class_body(code)})


def lines_of_code(path: str) -> dict[tuple[str, int], int]:
    """Lines of each function of a file, by name and first line: without docstring, comments and blanks."""
    source = Path(path).read_text(encoding="utf-8")
    lines = source.splitlines()
    found = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            has_docstring = ast.get_docstring(node) is not None
            text = node.body[0]
            skipped = range(text.lineno, (text.end_lineno or 0) + 1) if has_docstring else ()
            found[node.name, first] = sum(
                1
                for number in range(node.lineno, (node.end_lineno or 0) + 1)
                if number not in skipped
                and lines[number - 1].strip()
                and not lines[number - 1].lstrip().startswith("#")
            )
    return found


def table_of_sixty_rows() -> pd.DataFrame:
    """Five related columns; some rows have one hole, some two: few patterns, as in a small real table."""
    generator = np.random.default_rng(0)
    values = generator.normal(size=(60, 5)).cumsum(axis=1)
    values[generator.permutation(60)[:5], 2] = np.nan
    values[generator.permutation(60)[:3], 4] = np.nan
    return pd.DataFrame(values, columns=list("abcde"))


def run_command(folder: Path) -> None:
    """Fill the sixty rows in a file, and report on them."""
    table, filled, report = (str(folder / name) for name in ("in.csv", "out.csv", "report.html"))
    table_of_sixty_rows().to_csv(table, index=False)
    words = io.StringIO()
    environment = Environment(io.BytesIO(), io.TextIOWrapper(io.BytesIO()), words)
    if run(["impute", table, "-o", filled, "--report", report], environment):
        raise RuntimeError(words.getvalue())


def follow_command() -> Passed:
    """The code that the main command passes, once all it needs is imported and compiled."""
    with tempfile.TemporaryDirectory() as folder:
        run_command(Path(folder))
        return follow(lambda: run_command(Path(folder)))


def main() -> int:
    """Print the counts."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--list", action="store_true", help="name the functions")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    frame = table_of_sixty_rows()
    for name, settings in WAYS.items():
        # Once before: imports and compiled kernels are not what is counted.
        iim.IIMImputer(**settings).fit_transform(frame)
        passed = follow(lambda settings=settings: iim.IIMImputer(**settings).fit_transform(frame))
        _show(name, passed, every=options.list)
    passed = follow_command()
    _show("iim impute --report", passed, every=options.list)
    packages = Counter(_package(code.co_filename) for code in passed.codes)
    n_files = Counter(map(_package, passed.files))
    for package, n_functions in packages.most_common():
        print(f"  {package}: {n_functions} functions in {n_files[package]} files")
    return 0


def _show(name: str, passed: Passed, *, every: bool) -> None:
    lengths = {
        code: lines_of_code(code.co_filename).get((code.co_name, code.co_firstlineno), 0)
        for code in passed.codes
    }
    longest = max((code for code in lengths if code.co_name != "__init__"), key=lambda code: lengths[code])
    print(f"{name}: {len(passed.codes)} functions in {len(passed.files)} files")
    print(f"  longest: {longest.co_qualname}, {lengths[longest]} lines of code")
    for what, functions in WATCHED.items():
        print(f"  {what}: {passed.calls_of(functions)}")
    if every:
        for code, count in passed.codes.items():
            place = Path(code.co_filename).relative_to(PACKAGE)
            print(f"  {count:5} {place}:{code.co_firstlineno} {code.co_qualname} ({lengths[code]})")


def _package(filename: str) -> str:
    return Path(filename).relative_to(PACKAGE).parts[0]


def _is_ours(filename: str) -> bool:
    path = Path(filename)
    return PACKAGE in path.parents and PACKAGE / "kernels" not in path.parents


def _is_class_body(code: CodeType) -> bool:
    # The optimised flag is what functions have and bodies of classes and modules have not.
    return not code.co_flags & 0x1


if __name__ == "__main__":
    sys.exit(main())
