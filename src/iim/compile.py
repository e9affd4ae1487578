"""Compile all kernels in advance, for example in a container image: ``python -m iim.compile``.

The first call of a kernel on a machine compiles it, which takes seconds; later processes load it from the
cache. Command lines report compilation once: :func:`tell_of_compiling`.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from iim.exceptions import ImputationWarning, MissingDependency
from iim.imputers import METHODS
from iim.kernels.compiling import watch_compiling

ONCE = "iim: compiling its kernels, once on this machine (about 30 seconds) ..."
EACH_TIME = (
    "iim: compiling its kernels (about 30 seconds). They cannot be kept for next time: IIM_NUMBA_CACHE=0 "
    "is set, or no folder is writable (NUMBA_CACHE_DIR can name one) ..."
)

OTHER_WAYS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("iim", {"strategy": "iterative"}),
    ("iim", {"weights": "distance"}),
    ("knn", {"weights": "distance"}),
)
"""Settings that use other kernels than the defaults."""


@contextmanager
def tell_of_compiling(tell: Callable[[str], None]) -> Iterator[None]:
    """Call ``tell`` with one line if kernels are compiled while the context is active; at most once.

    For command lines. In library use nothing is reported.

    Parameters
    ----------
    tell : callable
        Called with the line, without a newline.
    """
    told = False

    def tell_once(kernel: Any) -> None:
        nonlocal told
        if not told:
            told = True
            tell(ONCE if kernel.stats.cache_path else EACH_TIME)

    with watch_compiling(tell_once):
        yield


def compile_kernels() -> tuple[int, set[str | None]]:
    """Run all methods on a small table, so that all kernels are compiled and cached.

    Returns
    -------
    n_compiled : int
        How many kernels were compiled; those found in the cache do not count.
    folders : set of str or None
        Folders of the cache; None is no cache.
    """
    compiled: dict[Any, None] = {}
    random = np.random.default_rng(0)
    # Enough rows for tuning, and related columns, so that distances are learned.
    table = random.normal(size=(120, 4))
    table[:, 0] += 5 * np.sin(table[:, 1])
    table[:, 2] += 5 * table[:, 1]
    table[::9, 0] = table[4::9, 2] = np.nan
    with watch_compiling(compiled.setdefault), warnings.catch_warnings():
        warnings.simplefilter("ignore", ImputationWarning)
        for method in METHODS.values():
            try:
                method().fit(table).transform(table)
            except MissingDependency:
                # Its kernels, if any, cannot be called either.
                continue
        for key, settings in OTHER_WAYS:
            METHODS[key](**settings).fit(table).transform(table)
    return len(compiled), {kernel.stats.cache_path for kernel in compiled}


def main() -> None:
    """Compile, and print the number of kernels and the folders."""
    begun = time.perf_counter()
    with tell_of_compiling(lambda line: print(line, file=sys.stderr)):  # noqa: T201 (a command line)
        n_compiled, folders = compile_kernels()
    seconds = time.perf_counter() - begun
    sys.stdout.write(f"Kernels compiled: {n_compiled}, in {seconds:.0f} s.\n")
    for folder in sorted(filter(None, folders)):
        sys.stdout.write(f"Cached in {folder}\n")


if __name__ == "__main__":
    main()
