"""Check, when an adapter is imported, that its packages are installed."""

from __future__ import annotations

from importlib import import_module

from iim.exceptions import MissingDependency


def require(modules: tuple[str, ...], *, adapter: str, extra: str) -> None:
    """Raise MissingDependency if one of the modules cannot be imported.

    Parameters
    ----------
    modules : tuple of str
        Full names.
    adapter : str
        Name of the adapter, for the message.
    extra : str
        The extra that installs them: ``pip install "iim[extra]"``.
    """
    for name in modules:
        try:
            import_module(name)
        except ImportError as error:
            raise MissingDependency(
                f"{adapter} needs the package {name.partition('.')[0]}, which is not installed, or not as "
                f'needed here ({error}). Install it with `pip install "iim[{extra}]"`.'
            ) from error
