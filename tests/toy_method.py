"""The example of CONTRIBUTING, "Add a method in three steps", as it stands there: its file and its row."""

import re
import sys
from functools import cache
from pathlib import Path
from textwrap import dedent
from types import ModuleType

import iim

CONTRIBUTING = Path(__file__).parents[1] / "CONTRIBUTING.md"


@cache
def load_example() -> type:
    """The class of the example, in a module of its own."""
    text = CONTRIBUTING.read_text("utf-8").partition("## Add a method in three steps")[2]
    (code,) = re.findall(r"^   ```python\n(.*?)^   ```$", text, re.MULTILINE | re.DOTALL)
    module = ModuleType("iim.imputers.median")
    sys.modules[module.__name__] = module
    exec(dedent(code), vars(module))
    return module.MedianImputer


ROW = {"median": "median.MedianImputer"}
"""Its row in the registry."""


def register_example() -> None:
    """Make its file, and add its row."""
    load_example()
    iim.METHODS._rows |= ROW
