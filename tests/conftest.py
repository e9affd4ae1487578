"""Set up before anything is imported: the compile cache, the hypothesis profile, the data folder."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from kernel_cache import kernel_cache

os.environ.setdefault("NUMBA_CACHE_DIR", str(kernel_cache()))

settings.register_profile(
    "ci",
    deadline=None,
    derandomize=True,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow],
)
# For other versions, or without the compiler: whether all works there, too, not whether it is right.
settings.register_profile("short", settings.get_profile("ci"), max_examples=12)
settings.register_profile("long", deadline=None, max_examples=2000)
settings.load_profile(os.environ.get("IIM_HYPOTHESIS", "ci"))


if os.environ.get("IIM_TOY_METHOD"):
    # Before tests are collected, which take the methods from the registry.
    from toy_method import register_example

    register_example()


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder with the data sets of the paper; tests that ask for it are skipped without it."""
    folder = os.environ.get("IIM_DATA")
    if not folder:
        pytest.skip("set IIM_DATA to the folder with the data sets to run this test")
    return Path(folder)


@pytest.fixture(scope="module", autouse=True)
def no_trials_without_the_compiler(request: pytest.FixtureRequest) -> Iterator[None]:
    """Trials as plain Python take long, and have tests of their own: other tests do without them there."""
    own = {"core", "kernels", "properties", "differential", "test_made_up_files.py"}
    has_own = bool(own & set(request.path.parts)) and request.path.name != "test_calibration.py"
    with pytest.MonkeyPatch.context() as patched:
        if os.environ.get("NUMBA_DISABLE_JIT") == "1" and not has_own:
            patched.setattr("iim.core.held_out.tuning.FEWEST_ROWS", sys.maxsize)
        yield
