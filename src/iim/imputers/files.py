"""Fitted imputers in files: ``save`` and ``load``."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sized
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from iim._checks import check_parameters
from iim._names import quoted
from iim.exceptions import InvalidParameter, UnusableFile, UnusableTable
from iim.imputers import METHODS
from iim.imputers._base import Imputer
from iim.persistence.atomic import replace_file
from iim.persistence.container import pack, read_container
from iim.persistence.decoding import Decoder
from iim.persistence.encoding import Encoder, Unkeepable
from iim.persistence.fields import NAME, Refused, Sizes
from iim.persistence.objects import REFUSALS
from iim.present.names import as_one_line
from iim.versions import own_version

OPTIONAL = {"feature_names_in_"}
"""Attributes that not every fitted imputer has."""

_OF_SKLEARN = ("_sklearn", "_metadata_request")
"""Prefixes of scikit-learn's own attributes."""


def save_imputer(imputer: Imputer, path: str | os.PathLike[str]) -> None:
    """Write a fitted imputer to a file; see :meth:`Imputer.save`."""
    replace_file(path, pack_imputer(imputer))


def pack_imputer(imputer: Imputer) -> list[bytes | memoryview]:
    """A fitted imputer as the chunks of bytes of a file."""
    check_is_fitted(imputer)
    _refuse_names(imputer._columns_in)
    encoder = Encoder({Imputer: lambda member, path: _write_imputer(encoder, member, f"{path}/")})
    try:
        content = {"iim": own_version(), **_write_imputer(encoder, imputer, "")}
    except RecursionError as error:
        raise InvalidParameter(
            f"This {type(imputer).__name__} cannot be saved: one of its values contains itself, or is "
            "nested too deeply. Change that parameter, and fit again."
        ) from error
    try:
        # The same checks as in `load`, so that no file is replaced by one that cannot be loaded.
        _read_whole(content, encoder.arrays)
        return pack(content, encoder.arrays)
    except REFUSALS as error:
        raise InvalidParameter(
            f"This {type(imputer).__name__} cannot be saved: {_reason(error)}. Change that parameter, and "
            "fit again."
        ) from error


def load(path: str | os.PathLike[str]) -> Imputer:
    """Read a fitted imputer from a file that ``save`` has written.

    The file contains no code, and all its content is validated: a damaged, truncated or forged file raises
    an error. So it is safe to load a file from an untrusted source; whether its fills are good is another
    question.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    Imputer
        Of the class that was saved, fitted, with the same parameters. Its fills equal those of the saved
        imputer bit for bit.

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
    return make_imputer(*read_container(path), f"The file {os.fspath(path)!r}")


def make_imputer(content: Mapping[str, Any], arrays: Mapping[str, Any], shown: str) -> Imputer:
    """The imputer in a file; errors call the file ``shown``."""
    key = content.get("method")
    if not isinstance(key, str) or key not in METHODS:
        raise UnusableFile(
            f"{shown} contains a model of the method {_text(key)}, which this iim does not have. Update "
            "iim, or add the method to `iim.METHODS` if it is one of your own."
        )
    try:
        return _read_whole(content, arrays)
    except (*REFUSALS, MemoryError) as error:
        raise UnusableFile(
            f"{shown} has a valid checksum, but contains no {METHODS[key].__name__} that iim "
            f"{own_version()} can read: {_reason(error)}. According to the file, iim "
            f"{_text(content.get('iim'))} wrote it: load it with that version, or save the model again."
        ) from error


def _text(value: Any) -> str:
    # Only text is shown: other content of a forged file may be nested too deeply.
    return f"{value!r:.80}" if isinstance(value, str) else f"<{type(value).__name__}>"


def _reason(error: BaseException) -> str:
    text = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
    # Content of a forged file must not reach a terminal unescaped.
    shown = as_one_line(f"{text:.300}".encode("utf-8", "backslashreplace").decode())
    return shown.rstrip(".")


def _write_imputer(encoder: Encoder, imputer: Imputer, path: str) -> dict[str, Any]:
    """An imputer as a tree; ``path`` is the prefix of its array names."""
    owner = type(imputer).__name__
    keys = [key for key, method in METHODS.items() if method is type(imputer)]
    if not keys:
        raise InvalidParameter(
            f"`save`: a method of `iim.METHODS` is needed; received a {owner}, which `load` could not "
            "find. Give it a key there, where it is saved and where it is loaded."
        )
    parameters, state, kinds = {}, {}, type(imputer)._fitted_kinds()
    for name, value in _parameters(imputer).items():
        try:
            parameters[name] = encoder.plain(value, f"{path}parameters.{name}")
        except Unkeepable as error:
            raise InvalidParameter(
                f"`{name}` of {owner}: numbers, text, None, and lists, tuples, sets, ranges or arrays of "
                f"these can be saved; received {quoted(value):.200} ({error}). Set it to one of these, fit "
                "again, and save."
            ) from error
    for name, value in _state(imputer).items():
        try:
            state[name] = encoder.write(value, kinds.get(name, Any), f"{path}{name}")
        except Unkeepable as error:
            raise InvalidParameter(
                f"The attribute {name!r} of this {owner}: numbers, text, None, and collections or arrays "
                f"of these can be saved; received {quoted(value):.200} ({error}). If it is one of your "
                "own, delete it before you save; if it comes from a parameter, set that and fit again."
            ) from error
    return {"method": keys[0], "parameters": parameters, "state": state}


def _parameters(imputer: Imputer) -> dict[str, Any]:
    """The parameters that are saved: all, except functions and random generators."""
    parameters: dict[str, Any] = imputer.get_params(deep=False)
    if callable(parameters["progress"]):
        parameters["progress"] = False
    if isinstance(parameters.get("random_state"), np.random.RandomState):
        # Its draw at fit is among the fitted attributes; later draws are not saved.
        parameters["random_state"] = None
    return {name: _builtin_collection(value) for name, value in parameters.items()}


def _builtin_collection(value: Any) -> Any:
    """A collection of another library, such as a pandas Index, as a list or dict."""
    if isinstance(value, (str, bytes, list, tuple, set, frozenset, dict, range, np.ndarray)):
        return value
    if isinstance(value, Mapping):
        return dict(value)
    return list(value) if isinstance(value, Iterable) and isinstance(value, Sized) else value


def _state(imputer: Imputer) -> dict[str, Any]:
    """All other attributes of a fitted imputer, without scikit-learn's settings of output and routing."""
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


def _read_whole(content: Any, arrays: Mapping[str, Any]) -> Imputer:
    decoder = Decoder(arrays, {Imputer: _read_imputer})
    imputer = _read_imputer(content, decoder)
    decoder.finish()
    return imputer


def _read_imputer(content: Any, decoder: Decoder) -> Imputer:
    """An imputer, with all attributes validated that fills depend on."""
    key = content["method"]
    if not isinstance(key, str) or key not in METHODS:
        raise Refused(f"{_text(key)} is not a method of `iim.METHODS`")
    method = METHODS[key]
    imputer: Imputer = method(**{name: decoder.plain(tree) for name, tree in content["parameters"].items()})
    # The same checks as in fit.
    check_parameters(method.__name__, imputer.get_params(deep=False), method._checks)
    state, kinds, sizes = content["state"], method._fitted_kinds(), Sizes()
    found: dict[str, Any] = {}
    for name, kind in kinds.items():
        if name in state or name not in OPTIONAL:
            try:
                found[name] = decoder.read(state[name], kind, sizes)
            except Refused as error:
                raise error.at(name) from error
    for name in state.keys() - kinds.keys():
        # No attribute may shadow one of the class, or one that Python or scikit-learn looks for.
        known = hasattr(imputer, name) or name.startswith(("__", *_OF_SKLEARN))
        if known or not name.isidentifier():
            raise Refused(f"{name!r:.80} is not an attribute of a fitted imputer")
        found[name] = decoder.plain(state[name])
    for name in state:
        setattr(imputer, name, found[name])
    imputer._check_kept(sizes)
    return imputer
