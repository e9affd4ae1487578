"""The one place that says how kernels are compiled.

``nogil`` so that a plain thread pool runs blocks side by side; no ``parallel`` (numba's own thread
layers abort or hang in the company of other threads and forks) and no ``fastmath`` (it reorders sums,
and our proof is golden numbers). Compiled code is cached on disk, so that only the first call on a
machine pays for the compiler. ``IIM_NUMBA_CACHE=0`` turns the cache off; where no folder is writable
the kernels are compiled once per process instead of failing at import.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile a leaf function with the settings shared by all kernels.

    Parameters
    ----------
    function : callable
        Takes arrays, scalars and tuples of them. One that is called from Python returns nothing or a
        scalar and fills arrays that it is given: to hand over an array or a named tuple, compiled code
        calls Python, and a Ctrl-C there is a SystemError at best and at worst the end of the process.

    Returns
    -------
    callable
        The compiled function; with ``NUMBA_DISABLE_JIT=1`` the function itself.
    """
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
    if os.environ.get("IIM_NUMBA_CACHE", "1") == "0":
        return numba.njit(**options)(function)
    try:
        return numba.njit(cache=True, **options)(function)
    except RuntimeError as error:
        if "cannot cache" not in str(error):
            raise
        return numba.njit(**options)(function)
