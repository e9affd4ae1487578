"""The README tells the truth: its code runs, its table is the registry, its commands are the Makefile's.

``python tests/contract/test_readme.py --write`` renews the table of methods.
"""

import doctest
import inspect
import re
import sys
from pathlib import Path

import pytest

import iim

TABLE = r"^\| key \|.*(?:\n\|.*)+"
"""Where the table of methods stands."""


@pytest.fixture(scope="module")
def readme(pytestconfig):
    return (pytestconfig.rootpath / "README.md").read_text(encoding="utf-8")


def test_the_code_runs_and_prints_what_it_says(readme):
    (session,) = re.findall(r"```pycon\n(.*?)```", readme, re.DOTALL)
    example = doctest.DocTestParser().get_doctest(session, {}, "README", "README.md", 0)
    assert len(example.examples) >= 5
    results = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(example)
    assert results.failed == 0


def methods_table() -> str:
    """The table of methods as the registry and the docstrings have it."""
    lines = ["| key | class | in the paper | models | what it does |", "| --- | --- | --- | --- | --- |"]
    for key, method in iim.METHODS.items():
        first_line = inspect.getdoc(method).splitlines()[0].removesuffix(".").replace("``", "`")
        cells = (f"`{key}`", f"`{method.__name__}`", method.paper_name, method.family, first_line)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def test_the_table_of_methods_is_the_registry(readme):
    (listed,) = re.findall(TABLE, readme, re.MULTILINE)
    assert listed == methods_table(), (
        "The methods changed. Renew the table: python tests/contract/test_readme.py --write"
    )


def test_its_commands_are_targets_of_the_makefile(readme, pytestconfig):
    makefile = (pytestconfig.rootpath / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    named = set(re.findall(r"\bmake ([a-z-]+)\b", readme))
    assert {"demo", "test"} <= named <= targets


def test_ci_calls_the_test_command_of_the_readme(pytestconfig):
    assert re.search(r"^make test$", (pytestconfig.rootpath / ".ci" / "run").read_text(), re.MULTILINE)


def test_its_links_and_pictures_are_there(readme, pytestconfig):
    linked = set(re.findall(r"\]\(([^)#:]+)\)", readme))
    assert {"docs/report.md", "docs/_static/report.png"} <= linked
    assert [path for path in linked if not (pytestconfig.rootpath / path).is_file()] == []


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit("usage: python tests/contract/test_readme.py --write")
    path = Path(__file__).parents[2] / "README.md"
    text = path.read_text("utf-8")
    path.write_text(re.sub(TABLE, lambda _: methods_table(), text, flags=re.MULTILINE), "utf-8")
