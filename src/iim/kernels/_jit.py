"""Compiler settings of all kernels.

``nogil``, so that a plain thread pool runs blocks in parallel. No ``parallel``: numba's own thread layers
abort or hang together with other threads and forks. No ``fastmath``: it reorders sums, and tests compare
golden numbers. Compiled code is cached on disk, so that only the first call on a machine compiles.
``IIM_NUMBA_CACHE=0`` turns the cache off. Where no folder is writable, kernels are compiled once per
process instead of failing at import.
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
        Takes arrays, scalars and tuples of them. A kernel called from Python returns nothing or a scalar,
        and writes to arrays that it is given. To return an array or a named tuple, compiled code calls
        Python, and a Ctrl-C during that call raises SystemError or ends the process.

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
