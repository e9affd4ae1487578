"""A fitted imputer as it is sent to workers and opened there, once per process."""

from __future__ import annotations

import copy
import hashlib
import os
import pickle
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from sklearn.utils.validation import check_is_fitted

from iim.exceptions import InvalidParameter, UnusableFile
from iim.imputers import Imputer
from iim.imputers.files import load

MOST_OPEN = 4
"""Models that a process keeps open; beyond that, the oldest is closed."""


class Model(Protocol):
    """A model that can be sent to a worker and opened there."""

    def open(self) -> Imputer:
        """The imputer."""


@dataclass(frozen=True)
class HeldModel:
    """The imputer itself, for engines that send one object to each worker once.

    If a worker has dropped it, it is sent again, but still unpacked only once per process.
    """

    imputer: Imputer

    def open(self) -> Imputer:
        """The imputer."""
        return self.imputer

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpacked, (PackedModel.of(self.imputer),)


@dataclass(frozen=True)
class ModelFile:
    """A file written by ``save``, which every worker can read.

    Attributes
    ----------
    path : str
        Its path, the same for all workers.
    digest : str
        SHA-256 of its bytes: all partitions of a job are filled with one model, or the job fails.
    """

    path: str
    digest: str

    def open(self) -> Imputer:
        """The imputer, loaded at the first call in this process."""
        return _opened(self.digest, self._load)

    def _load(self) -> Imputer:
        found = _digest(self.path)
        if found != self.digest:
            raise UnusableFile(
                f"The file {self.path!r} has changed: the SHA-256 of its bytes is {found[:12]}... here, "
                f"and was {self.digest[:12]}... when the job was made. Do not change it before the job has "
                "ended, and give all workers the same file."
            )
        return load(self.path)


@dataclass(frozen=True)
class PackedModel:
    """A pickle, unpacked once per process, for engines that send it with every task."""

    content: bytes
    digest: str

    @classmethod
    def of(cls, imputer: Imputer) -> PackedModel:
        """Pack an imputer."""
        content = pickle.dumps(imputer)
        return cls(content, hashlib.sha256(content).hexdigest())

    def open(self) -> Imputer:
        """The imputer, unpacked at the first call in this process."""
        # Safe to unpickle: it comes from the program that also sent the code of the job.
        return _opened(self.digest, lambda: pickle.loads(self.content))  # noqa: S301


def _unpacked(packed: PackedModel) -> HeldModel:
    return HeldModel(packed.open())


_open: dict[str, Imputer] = {}
_opening = threading.Lock()


def _opened(digest: str, open_it: Callable[[], Imputer]) -> Imputer:
    # Under the lock, so that threads which need the same model wait for one of them to load it.
    with _opening:
        if digest not in _open:
            while len(_open) >= MOST_OPEN:
                del _open[next(iter(_open))]
            _open[digest] = open_it()
        return _open[digest]


def _digest(path: str) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def model_of(given: Any, *, owner: str) -> HeldModel | ModelFile:
    """The model for the parameter ``imputer``: a fitted imputer, or the path of its file.

    Parameters
    ----------
    given : Imputer, str or path
        The parameter.
    owner : str
        The function or class of the parameter, for messages.

    Returns
    -------
    HeldModel or ModelFile
        A held model is a copy that shares all that was learned: a later ``fit`` or ``set_params`` of the
        user's imputer does not change the job.
    """
    if isinstance(given, (str, os.PathLike)):
        # Workers may have another working directory.
        path = str(Path(given).absolute())
        if not Path(path).is_file():
            load(path)  # raises what is wrong with it, and does not block on a pipe
        return ModelFile(path, _digest(path))
    if not isinstance(given, Imputer):
        raise InvalidParameter(
            f"`imputer` of {owner}: a fitted imputer of iim, or the path of a file written by its `save`, "
            f"is needed; received {given!r:.200}."
        )
    check_is_fitted(given)
    held = copy.copy(given)
    # A progress function of this program cannot be sent; the engine reports progress.
    held.progress = False
    return HeldModel(held)


def kind_of(given: Any) -> str:
    """The class of an unexpected object and its package, for messages."""
    package = type(given).__module__.partition(".")[0]
    return type(given).__name__ if package == "builtins" else f"{type(given).__name__} of {package}"


def without_company(imputer: Imputer, columns: tuple[Any, ...]) -> Imputer:
    """A copy for filling partitions with these columns, without output settings and progress.

    Results have the container of the partition, whatever ``set_output`` was called with. An imputer fitted
    without names gets the names of the table; scikit-learn has warned of that where the job was made.
    """
    alone = copy.copy(imputer)
    # Assigned, not changed in place: the copy shares the attribute.
    alone.__dict__.pop("_sklearn_output_config", None)
    alone.set_output(transform="default")
    alone.progress = False
    if not hasattr(alone, "feature_names_in_") and all(isinstance(name, str) for name in columns):
        alone.feature_names_in_ = np.asarray(columns, dtype=object)
    return alone
