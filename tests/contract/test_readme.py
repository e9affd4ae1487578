"""The README tells the truth: its code runs, its table is the registry, its commands are the Makefile's."""

import doctest
import re

import pytest

import iim


@pytest.fixture(scope="module")
def readme(pytestconfig):
    return (pytestconfig.rootpath / "README.md").read_text(encoding="utf-8")


def test_the_code_runs_and_prints_what_it_says(readme):
    (session,) = re.findall(r"```pycon\n(.*?)```", readme, re.DOTALL)
    example = doctest.DocTestParser().get_doctest(session, {}, "README", "README.md", 0)
    assert len(example.examples) >= 5
    results = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(example)
    assert results.failed == 0


def test_the_table_of_methods_is_the_registry(readme):
    rows = [
        f"| `{key}` | `{method.__name__}` | {method.paper_name} | {method.family} |"
        for key, method in iim.METHODS.items()
    ]
    listed = re.findall(r"^\| `.*\|$", readme, re.MULTILINE)
    assert listed == rows


def test_its_commands_are_targets_of_the_makefile(readme, pytestconfig):
    makefile = (pytestconfig.rootpath / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    named = set(re.findall(r"\bmake ([a-z-]+)\b", readme))
    assert {"demo", "test"} <= named <= targets


def test_ci_calls_the_test_command_of_the_readme(pytestconfig):
    assert re.search(r"^make test$", (pytestconfig.rootpath / ".ci" / "run").read_text(), re.MULTILINE)
