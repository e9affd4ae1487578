"""What some contracts need to be tried: Python in a process of its own, threads that take turns often."""

import os
import subprocess
import sys
from textwrap import dedent

import pytest

TIMEOUT = 300
"""Seconds; far above what any child needs, so that only a hang meets it."""


@pytest.fixture
def run_python(tmp_path):
    """Run code in a new interpreter, away from the checkout, and return what it printed.

    Warnings are errors there too. ``environment`` changes variables; None removes one.
    """

    def run(code: str, *, environment: dict[str, str | None] | None = None) -> str:
        changed = {**os.environ, **(environment or {})}
        result = subprocess.run(
            [sys.executable, "-W", "error", "-c", dedent(code)],
            env={name: value for name, value in changed.items() if value is not None},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
        )
        assert result.returncode == 0, f"exit code {result.returncode}\n{result.stdout}{result.stderr}"
        return result.stdout

    return run


@pytest.fixture
def eager_switching():
    """Let threads interrupt each other far more often than they do by themselves."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)
