"""Fitted imputers in files: ``save`` and ``load``."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sized
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from iim._checks import check_parameters
from iim.exceptions import InvalidParameter, UnusableFile, UnusableTable
from iim.imputers import METHODS, Imputer
from iim.imputers._forms import FORMS, NAME
from iim.imputers._state import OPTIONAL, check_together, state_of
from iim.imputers.auto import AutoImputer
from iim.keeping.container import read_container, write_container
from iim.keeping.decoding import Decoder
from iim.keeping.encoding import Encoder, Unkeepable
from iim.keeping.fields import Refused, Sizes
from iim.versions import own_version

_REFUSALS = (
    # Ours, and what Python and the libraries raise for values that do not fit together.
    *(Refused, ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, ArithmeticError),
    *(RecursionError, np.linalg.LinAlgError),
)

MEMBERS = "members"
"""Where a file has the imputers that another one is made of."""

_OF_SKLEARN = ("_sklearn", "_metadata_request")
"""How names of attributes begin that belong to scikit-learn."""


def save_imputer(imputer: Imputer, path: str | os.PathLike[str]) -> None:
    """Write a fitted imputer to a file; see :meth:`Imputer.save`."""
    check_is_fitted(imputer)
    keys = [key for key, method in METHODS.items() if method is type(imputer)]
    if not keys:
        raise InvalidParameter(
            f"`save`: a method of `iim.METHODS` is needed; received a {type(imputer).__name__}, which "
            "`load` could not find. Give it a key there, where it is saved and where it is loaded."
        )
    owner, encoder = type(imputer).__name__, Encoder(FORMS)
    _refuse_names(imputer._columns_in)
    content = {"iim": own_version(), "method": keys[0], **_encode_imputer(encoder, imputer, "")}
    try:
        # All that `load` will do: what it would refuse must not take the place of a file that it reads.
        _rebuild_whole(type(imputer), content, encoder.arrays)
    except _REFUSALS as error:
        raise InvalidParameter(
            f"This {owner} cannot be saved: {_reason(error)}. Set parameters that are within the limits of "
            "a file, and fit again."
        ) from error
    write_container(path, content, encoder.arrays)


def load(path: str | os.PathLike[str]) -> Imputer:
    """Read a fitted imputer from a file that ``save`` has written.

    Nothing in the file is run, and nothing in it is believed: a file that is damaged, cut short, or made up
    raises an error before it can do harm, so it is safe to load a file from a stranger. What a stranger's
    model fills in is another matter: look at it as at any other advice.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    Imputer
        Of the class that was saved, fitted, with the same parameters; it fills every table to the last bit
        as the saved one does.

    Raises
    ------
    UnusableFile
        If the file is not a model, is damaged, or was written by a newer version that this one cannot read.

    See Also
    --------
    IIMImputer.save : Writes the file.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import iim
    >>> table = iim.samples.example("numpy")
    >>> imputer = iim.KnnImputer(n_neighbors=3).fit(table)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     imputer.save(Path(folder) / "model.iim")
    ...     loaded = iim.load(Path(folder) / "model.iim")
    >>> loaded
    KnnImputer(n_neighbors=3)
    >>> bool((loaded.transform(table) == imputer.transform(table)).all())
    True
    """
    content, arrays = read_container(path)
    shown = f"The file {os.fspath(path)!r}"
    key = content.get("method")
    if not isinstance(key, str) or key not in METHODS:
        raise UnusableFile(
            f"{shown} holds a model of the method {_text(key)}, which this iim does not have. Update iim, "
            "or add the method to `iim.METHODS` if it is one of your own."
        )
    try:
        return _rebuild_whole(METHODS[key], content, arrays)
    except (*_REFUSALS, MemoryError) as error:
        raise UnusableFile(
            f"{shown} fits its checksum, but holds no {METHODS[key].__name__} that iim {own_version()} can "
            f"read: {_reason(error)}. It says that iim {_text(content.get('iim'))} wrote it: load it "
            "there, or save the model again."
        ) from error


def _text(value: Any) -> str:
    # Only text is shown: what else a stranger wrote may be too deep to show.
    return f"{value!r:.80}" if isinstance(value, str) else f"<{type(value).__name__}>"


def _reason(error: BaseException) -> str:
    text = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
    return f"{text:.300}".rstrip(".")


def _encode_imputer(encoder: Encoder, imputer: Imputer, path: str) -> dict[str, Any]:
    """An imputer as trees; those that it is made of as well, in the same way."""
    owner = type(imputer).__name__
    content: dict[str, Any] = {
        "parameters": {
            name: _encode_parameter(encoder, name, value, owner, path)
            for name, value in _parameters(imputer).items()
        },
        "state": {
            # The members stand beside it; their name keeps its place among the attributes.
            name: None if name == "_members" else _encode_attribute(encoder, name, value, owner, path)
            for name, value in _state(imputer).items()
        },
    }
    if isinstance(imputer, AutoImputer):
        content[MEMBERS] = [
            {"method": key, **_encode_imputer(encoder, member, f"{MEMBERS}/{key}/")}
            for key, member in imputer._members.items()
        ]
    return content


def _parameters(imputer: Imputer) -> dict[str, Any]:
    """The parameters as they are kept: all, except what belongs to a running program."""
    parameters: dict[str, Any] = imputer.get_params(deep=False)
    if callable(parameters["progress"]):
        parameters["progress"] = False
    if isinstance(parameters.get("random_state"), np.random.RandomState):
        # What it drew at fit is in the state; what it would draw next belongs to the program.
        parameters["random_state"] = None
    return {name: _builtin_collection(value) for name, value in parameters.items()}


def _builtin_collection(value: Any) -> Any:
    """A collection that only some library knows, such as an Index of column names, as a list or dict."""
    if isinstance(value, (str, bytes, list, tuple, set, frozenset, dict, range, np.ndarray)):
        return value
    if isinstance(value, Mapping):
        return dict(value)
    return list(value) if isinstance(value, Iterable) and isinstance(value, Sized) else value


def _state(imputer: Imputer) -> dict[str, Any]:
    """All else that a fitted imputer has; what scikit-learn was told of output and routing stays behind."""
    parameters = imputer.get_params(deep=False)
    return {
        name: value
        for name, value in vars(imputer).items()
        if name not in parameters and not name.startswith(_OF_SKLEARN)
    }


def _refuse_names(columns: tuple[Any, ...]) -> None:
    for name in columns:
        if not NAME.fits(name, Sizes()):
            raise UnusableTable(
                f"Column {name!r}: a name that is {NAME.allowed} is needed to save; received one of type "
                f"{type(name).__name__}. Rename it (for example with `X.columns = X.columns.map(str)`) and "
                "fit again."
            )


def _encode_parameter(encoder: Encoder, name: str, value: Any, owner: str, path: str) -> Any:
    try:
        return encoder.encode(value, f"{path}parameters.{name}")
    except Unkeepable as error:
        raise InvalidParameter(
            f"`{name}` of {owner}: numbers, text, None, and lists, tuples, sets, ranges or arrays of these "
            f"can be saved; received {value!r:.200} ({error}). Set it to one of these, fit again, and save."
        ) from error


def _encode_attribute(encoder: Encoder, name: str, value: Any, owner: str, path: str) -> Any:
    try:
        return encoder.encode(value, f"{path}{name}")
    except Unkeepable as error:
        raise InvalidParameter(
            f"The attribute {name!r} of this {owner}: numbers, text, None, and collections or arrays of "
            f"these can be saved; received {value!r:.200} ({error}). If it is one of your own, delete it "
            "before you save; if it comes from a parameter, set that and fit again."
        ) from error


def _rebuild_whole(method: type[Imputer], content: Mapping[str, Any], arrays: Mapping[str, Any]) -> Imputer:
    decoder = Decoder(FORMS, arrays)
    imputer = _rebuild(method, content, decoder)
    decoder.finish()
    return imputer


def _rebuild_members(content: Any, decoder: Decoder) -> dict[str, Imputer]:
    """The imputers that another one is made of, each checked as it would be alone."""
    if not isinstance(content, list) or not decoder.sizes.agree("members", len(content)):
        raise Refused("a method for each weight is needed")
    members: dict[str, Imputer] = {}
    for entry in content:
        key = entry["method"]
        # One level only: there is no end to what is within itself.
        if not isinstance(key, str) or key not in METHODS or METHODS[key] is AutoImputer or key in members:
            raise Refused(f"{_text(key)} is no method to be blended, or is there twice")
        apart = decoder.apart()
        members[key] = _rebuild(METHODS[key], entry, apart)
        n_columns = decoder.sizes.find("columns")
        if any(apart.sizes.find(name) != n_columns for name in ("features", "chosen", "columns", "kept")):
            raise Refused(f"{key!r} does not fill the columns that it is to be blended for")
        if apart.sizes.find("indicated"):
            raise Refused(f"{key!r} adds columns of its own")
    return members


def _rebuild(method: type[Imputer], content: Mapping[str, Any], decoder: Decoder) -> Imputer:
    parameters, state = content["parameters"], content["state"]
    given = {name: decoder.decode(tree) for name, tree in parameters.items()}
    imputer = method(**given)
    # The same checks as in fit.
    check_parameters(method.__name__, imputer.get_params(deep=False), method._all_checks())
    found: dict[str, Any] = {}
    wanted = state_of(method)
    for name, field in wanted.items():
        if name == "_members" and state[name] is None:
            found[name] = _rebuild_members(content[MEMBERS], decoder)
        elif name in state or name not in OPTIONAL:
            found[name] = decoder.decode(state[name])
            field.check(name, found[name], decoder.sizes)
    for name in state.keys() - wanted.keys():
        # Nothing of the class itself may be covered, nor anything that Python or scikit-learn looks for.
        known = hasattr(imputer, name) or name.startswith(("__", *_OF_SKLEARN))
        if known or not name.isidentifier():
            raise Refused(f"{name!r:.80} is no attribute of a fitted imputer")
        found[name] = decoder.decode(state[name])
    check_together(found)
    for name in state:
        setattr(imputer, name, found[name])
    return imputer
