"""What docstrings say of parameters and fitted attributes is what the code does, for every method."""

import ast
import inspect
import re

import numpy as np
import pytest

import iim


def entries(method: type, section: str) -> dict[str, str]:
    """Names and types listed in a section of a numpydoc docstring, in order."""
    text = inspect.getdoc(method) + "\n"
    found = re.search(rf"^{section}\n-+\n(.*?)(?=^\S[^\n]*\n-+\n|\Z)", text, re.MULTILINE | re.DOTALL)
    assert found, f"{method.__name__} has no section {section}"
    lines = [line for line in found[1].splitlines() if line and not line.startswith(" ")]
    return {
        name.strip(): kind
        for names, kind in (line.split(" : ") for line in lines)
        for name in names.split(",")
    }


def stated_default(kind: str) -> object:
    text = kind.partition("default=")[2]
    return np.nan if text == "np.nan" else ast.literal_eval(text)


@pytest.mark.parametrize("method", iim.METHODS.values())
def test_every_parameter_is_documented_in_order(method):
    assert list(entries(method, "Parameters")) == list(inspect.signature(method).parameters)


@pytest.mark.parametrize("method", iim.METHODS.values())
def test_stated_defaults_are_the_defaults(method):
    stated = {name: stated_default(kind) for name, kind in entries(method, "Parameters").items()}
    defaults = {name: parameter.default for name, parameter in inspect.signature(method).parameters.items()}
    # As text: nan is not equal to itself, and 1, 1.0 and True are not the same default.
    assert {name: repr(value) for name, value in stated.items()} == {
        name: repr(value) for name, value in defaults.items()
    }


@pytest.mark.parametrize("method", iim.METHODS.values())
def test_fitted_attributes_are_the_documented_ones(method):
    fitted = method().fit(iim.samples.example("pandas"))
    present = {name for name in dir(fitted) if name.endswith("_") and not name.startswith("_")}
    assert present == set(entries(method, "Attributes"))


def test_entries_are_read_as_numpydoc_writes_them():
    class Made:
        """Made up.

        Parameters
        ----------
        one : int, default=1
            Of some : use.
        two, three : {"a", "b"} or None, default="a"
            More.

        Attributes
        ----------
        four_ : float
            Learned.
        """

    assert entries(Made, "Parameters") == {
        "one": "int, default=1",
        "two": '{"a", "b"} or None, default="a"',
        "three": '{"a", "b"} or None, default="a"',
    }
    assert list(entries(Made, "Attributes")) == ["four_"]
    assert stated_default('{"a", "b"} or None, default="a"') == "a"
