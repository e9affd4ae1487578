"""Listings of all methods, as the registry has them: ``make listings`` renews them, a test compares."""

import inspect
import re
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]


def names_for_types(text: str) -> str:
    """The names that type checkers and editors find in the package."""
    import iim  # noqa: PLC0415 (as it is when this is called)

    rows = sorted((home, name) for name, home in iim._HOME_OF.items() if home != f"iim.{name}")
    lines = "".join(f"    from {home} import {name} as {name}\n" for home, name in rows)
    begin, end = "`make listings` writes it from the table below.\n", "\n__version__"
    text = re.sub(rf"(?<={re.escape(begin)}).*?(?={end})", lines, text, flags=re.DOTALL)
    # As linters sort them: constants, classes, others.
    every = sorted(["METHODS", "__version__", *iim._HOME_OF], key=lambda one: (not one.isupper(), one))
    names = "".join(f'    "{name}",\n' for name in every)
    return re.sub(r"__all__ = \[.*?\]", f"__all__ = [\n{names}]", text, flags=re.DOTALL)


def table_of_methods(text: str) -> str:
    """The table of the README, with the first line of each docstring."""
    import iim  # noqa: PLC0415

    lines = ["| key | class | in the paper | models | what it does |", "| --- | --- | --- | --- | --- |"]
    for key, method in iim.METHODS.items():
        first_line = inspect.getdoc(method).splitlines()[0].removesuffix(".").replace("``", "`")
        cells = (f"`{key}`", f"`{method.__name__}`", method.paper_name, method.family, first_line)
        lines.append(f"| {' | '.join(cells)} |")
    return re.sub(r"^\| key \|.*(?:\n\|.*)+", lambda _: "\n".join(lines), text, flags=re.MULTILINE)


def reference_of_methods(text: str) -> str:
    """The page of the reference: those of the paper and others below one heading, IIM and blends above."""
    import iim  # noqa: PLC0415

    names = [method.__name__ for key, method in iim.METHODS.items() if key not in {"iim", "auto"}]
    pattern = r"(?<=## The other methods\n).*?(?=\n## )"
    listed = "\n```{eval-rst}\n.. currentmodule:: iim\n.. autosummary::\n   :toctree: generated\n\n"
    return re.sub(
        pattern, listed + "".join(f"   {name}\n" for name in names) + "```\n", text, flags=re.DOTALL
    )


def public_names(_: str) -> str:
    """The public surface."""
    from surface import public_names as now  # noqa: PLC0415

    return now()


LISTINGS: dict[str, Callable[[str], str]] = {
    "src/iim/__init__.py": names_for_types,
    "README.md": table_of_methods,
    "docs/reference/index.md": reference_of_methods,
    "tests/contract/public_names.txt": public_names,
}
"""Where listings stand, and what they are to be."""


def main() -> None:
    for name, renewed in LISTINGS.items():
        path = ROOT / name
        path.write_text(renewed(path.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    main()
