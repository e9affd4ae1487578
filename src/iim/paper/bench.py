"""Shared by measurements: data sets, read once, and methods, called once before they are timed."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from iim.exceptions import UnusableFile
from iim.imputers import METHODS
from iim.paper.datasets import Data, load


class Bench:
    """Data sets by key, each read at its first use.

    Parameters
    ----------
    folder : path or None
        Folder of the data sets; None for the folder in the environment variable ``IIM_DATA``.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        self._data: dict[str, Data] = {}
        self._warm: set[str] = set()

    def data(self, key: str) -> Data:
        """A data set."""
        if key not in self._data:
            try:
                self._data[key] = load(key, self.folder)
            except OSError as error:
                raise UnusableFile(f"Data set {key}: a file that can be read is needed; {error}") from error
        return self._data[key]

    def warm(self, what: str, call: Callable[[], object]) -> None:
        """Call a function at the first use of ``what``, so that loading code is not timed."""
        if what not in self._warm:
            with warnings.catch_warnings():
                # Its warnings are recorded when it is measured.
                warnings.simplefilter("ignore")
                call()
            self._warm.add(what)


def make_imputer(inputs: Mapping[str, Any]) -> Any:
    """The imputer of a task, seeded by the task's seed."""
    method = METHODS[inputs["method"]]
    return method(**{**inputs["settings"], **method._taken({"random_state": inputs["seed"]})})
