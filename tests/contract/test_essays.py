"""The essays at the head of core and kernels name every module; every module of core has its test file."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / "src" / "iim" / "core"
ROOMS = [
    CORE,
    *sorted(path.parent for path in CORE.glob("*/__init__.py")),
    ROOT / "src" / "iim" / "kernels",
]


def named(essay):
    """Names that stand at the beginning of an indented line, with what is said of them."""
    return {found[1]: found[2] for found in re.finditer(r"^    (\w+)  +(\S.*)$", essay, re.MULTILINE)}


def inhabitants(room):
    modules = {path.stem for path in room.glob("*.py")} - {"__init__"}
    return modules | {path.parent.name for path in room.glob("*/__init__.py")}


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_the_essay_of_a_room_names_every_module_in_a_line_and_nothing_else(room):
    essay = ast.get_docstring(ast.parse((room / "__init__.py").read_text("utf-8")))
    assert named(essay).keys() == inhabitants(room)


def test_the_story_is_about_a_dozen_modules():
    assert len(list(CORE.glob("[!_]*.py"))) <= 15


def test_every_module_of_core_has_a_test_file_that_mirrors_it():
    tests = ROOT / "tests" / "unit" / "core"
    modules = [path.relative_to(CORE) for path in CORE.rglob("[!_]*.py")]
    missing = [
        path.as_posix() for path in modules if not (tests / path.parent / f"test_{path.name}").exists()
    ]
    assert missing == []
