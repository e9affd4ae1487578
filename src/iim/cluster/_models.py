"""A fitted imputer as it travels to the workers, and as they open it: once for each process."""

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
"""Models that a process keeps open; of more, the one that was opened first is let go."""


class Model(Protocol):
    """What can be sent to a worker and opened there."""

    def open(self) -> Imputer:
        """The imputer."""


@dataclass(frozen=True)
class HeldModel:
    """The imputer itself, for engines that send one object to each worker once.

    Or once more, if they have thrown it away meanwhile: it is unpacked once for each process all the same.
    """

    imputer: Imputer

    def open(self) -> Imputer:
        """The imputer."""
        return self.imputer

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpacked, (PackedModel.of(self.imputer),)


@dataclass(frozen=True)
class ModelFile:
    """A file that ``save`` has written, which every worker can read.

    Attributes
    ----------
    path : str
        Where it is, for all workers.
    digest : str
        SHA-256 of its bytes: all partitions of a job are filled by one model, or the job fails.
    """

    path: str
    digest: str

    def open(self) -> Imputer:
        """The imputer, loaded if this process has not done so."""
        return _opened(self.digest, self._load)

    def _load(self) -> Imputer:
        found = _digest(self.path)
        if found != self.digest:
            raise UnusableFile(
                f"The file {self.path!r} is not the one that this job was made with: the SHA-256 of its "
                f"bytes is {found[:12]}... here, and was {self.digest[:12]}... there. Leave it as it is "
                "until the job has ended, and give all workers the same one."
            )
        return load(self.path)


@dataclass(frozen=True)
class PackedModel:
    """A pickle, unpacked once for each process: for engines that send everything again with every task."""

    content: bytes
    digest: str

    @classmethod
    def of(cls, imputer: Imputer) -> PackedModel:
        """Pack an imputer."""
        content = pickle.dumps(imputer)
        return cls(content, hashlib.sha256(content).hexdigest())

    def open(self) -> Imputer:
        """The imputer, unpacked if this process has not done so."""
        # From the program that wrote the job, which has sent the code of the job with it.
        return _opened(self.digest, lambda: pickle.loads(self.content))  # noqa: S301


def _unpacked(packed: PackedModel) -> HeldModel:
    return HeldModel(packed.open())


_open: dict[str, Imputer] = {}
_opening = threading.Lock()


def _opened(digest: str, open_it: Callable[[], Imputer]) -> Imputer:
    # Under the lock, so that threads that need the same model at once wait for one of them to load it.
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
    """A model from what a user gives: a fitted imputer, or the path of its file.

    Parameters
    ----------
    given : Imputer, str or path
        As the user gave it.
    owner : str
        Whose parameter ``imputer`` it is, for messages.

    Returns
    -------
    HeldModel or ModelFile
        What is held is a copy that shares all that was learned: neither a later ``fit`` nor ``set_params``
        of the user's imputer reaches a job that is written already.
    """
    if isinstance(given, (str, os.PathLike)):
        # Workers may have another folder of their own.
        path = str(Path(given).absolute())
        if not Path(path).is_file():
            load(path)  # says what is wrong, and waits for no pipe
        return ModelFile(path, _digest(path))
    if not isinstance(given, Imputer):
        raise InvalidParameter(
            f"`imputer` of {owner}: a fitted imputer of iim, or the path of a file that its `save` has "
            f"written, is needed; received {given!r:.200}."
        )
    check_is_fitted(given)
    held = copy.copy(given)
    # A function of this program; what it tells of is the engine's to tell.
    held.progress = False
    return HeldModel(held)


def kind_of(given: Any) -> str:
    """The class of something that is not what it should be, and whose it is, for messages."""
    package = type(given).__module__.partition(".")[0]
    return type(given).__name__ if package == "builtins" else f"{type(given).__name__} of {package}"


def without_company(imputer: Imputer, columns: tuple[Any, ...]) -> Imputer:
    """A copy that fills partitions of a table with these columns, and nothing besides.

    The answer is of the kind of the partition, whatever ``set_output`` says, and progress belongs to the
    engine. An imputer that was fitted without names is taken to know those of the table: scikit-learn has
    warned of that once, where the job was written.
    """
    alone = copy.copy(imputer)
    # Not changed in place: the copy shares it.
    alone.__dict__.pop("_sklearn_output_config", None)
    alone.set_output(transform="default")
    alone.progress = False
    if not hasattr(alone, "feature_names_in_") and all(isinstance(name, str) for name in columns):
        alone.feature_names_in_ = np.asarray(columns, dtype=object)
    return alone
