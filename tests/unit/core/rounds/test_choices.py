"""What was chosen for rounds, as values."""

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from iim.core.distances import IDENTITY
from iim.core.held_out.tuning import ColumnTuning
from iim.core.rounds.choices import ColumnChoice, Round, RoundPlan

TUNING = ColumnTuning((), IDENTITY, "fitted", "votes", np.nan)
CHOICE = ColumnChoice(
    tuning=TUNING, level="own", weights="closest", n_neighbors=5, alpha=0.1, vote=0.5, gaussian=0.25
)


def test_the_most_neighbours_are_those_of_the_last_round():
    few, many = (Round((CHOICE, replace(CHOICE, n_neighbors=k))) for k in (3, 20))
    assert RoundPlan(100, (many, few)).most_neighbors == 5
    assert RoundPlan(100, (few, many)).most_neighbors == 20
    assert RoundPlan(100, (Round(()),)).most_neighbors == 0


def test_a_choice_is_not_changed_once_it_is_made():
    with pytest.raises(FrozenInstanceError):
        CHOICE.vote = 1.0
