"""The README tells the truth: its code runs, its commands are the Makefile's."""

import doctest
import re

import pytest


@pytest.fixture(scope="module")
def readme(pytestconfig):
    return (pytestconfig.rootpath / "README.md").read_text(encoding="utf-8")


def test_the_code_runs_and_prints_what_it_says(readme):
    (session,) = re.findall(r"```pycon\n(.*?)```", readme, re.DOTALL)
    example = doctest.DocTestParser().get_doctest(session, {}, "README", "README.md", 0)
    assert len(example.examples) >= 5
    results = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(example)
    assert results.failed == 0


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
