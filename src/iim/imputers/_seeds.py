"""The parameter ``random_state``: its check, and its seed."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from iim._checks import WHOLE, Check, exactly

LARGEST_SEED = 2**32 - 1

RANDOM_STATE = (
    Check(
        "a whole number from 0 to 2**32 - 1",
        lambda value: WHOLE.accepts(value) and 0 <= value <= LARGEST_SEED,
    )
    | exactly(None)
    | Check("a RandomState", lambda value: isinstance(value, np.random.RandomState))
)


def seed_from(random_state: Any) -> int:
    """The number itself, or one drawn from the RandomState, or from the system for None."""
    if WHOLE.accepts(random_state):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))
