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
    module = ModuleType("median")
    sys.modules["median"] = module
    exec(dedent(code), vars(module))
    return module.MedianImputer


def register_example() -> None:
    """Its row in the registry."""
    iim.METHODS["median"] = load_example()
