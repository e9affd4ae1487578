"""How much code a fill and the main command pass: limits that hold, and work that is done once."""

import pytest

import iim
from call_path import WATCHED, WAYS, follow, follow_command, lines_of_code, table_of_sixty_rows

MOST_FUNCTIONS = {"paper": 100, "patterns": 114, "rounds": 154}
"""The paper's algorithm keeps within a hundred; the others are what is reached, and not to be exceeded.

By default, distances, level, weights and shares are tried on known values first. Rounds also hide cells and
complete the table, all of which a fill passes.
"""
MOST_LINES = 40
MOST_OF_COMMAND = 421, 95
"""Functions and files of ``iim impute --report``: reached, and not to be exceeded."""


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.filterwarnings("ignore::iim.ImputationWarning")
def test_the_way_of_fit_transform_stays_short(way):
    frame = table_of_sixty_rows()
    iim.IIMImputer(**WAYS[way]).fit_transform(frame)
    passed = follow(lambda: iim.IIMImputer(**WAYS[way]).fit_transform(frame))
    assert 50 < len(passed.codes) <= MOST_FUNCTIONS[way]
    for code in passed.codes:
        if code.co_name != "__init__":
            length = lines_of_code(code.co_filename)[code.co_name, code.co_firstlineno]
            assert length <= MOST_LINES, code.co_qualname


def test_a_frame_is_read_once_patterns_are_grouped_once_and_neighbours_found_once_for_each():
    frame = table_of_sixty_rows()
    # Trials of shrinkage search for the neighbours of known rows, too.
    passed = follow(lambda: iim.IIMImputer(shrinkage="none").fit_transform(frame))
    counts = {what: passed.calls_of(names) for what, names in WATCHED.items()}
    n_patterns = len(set(map(tuple, frame.isna().to_numpy()[frame.isna().any(axis=1)])))
    assert n_patterns == 2
    assert list(counts.values()) == [1, 1, n_patterns]


def test_the_main_command_grows_no_longer_and_reads_the_table_twice_at_most():
    passed = follow_command()
    n_functions, n_files = MOST_OF_COMMAND
    assert 100 < len(passed.codes) <= n_functions
    assert len(passed.files) <= n_files
    assert passed.calls_of(WATCHED["frames read"]) <= 2
