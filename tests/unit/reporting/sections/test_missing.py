"""What was missing, counted by hand."""

import numpy as np
import pytest

from iim.reporting.sections import missing
from reports import parts, quick, said, tables
from strategies import untied
from tables_by_hand import SMALL


class TestByHand:
    found = quick(SMALL).missing

    def test_the_table(self):
        found = self.found
        assert (found.n_rows, found.n_columns, found.n_set_aside) == (6, 3, 1)
        assert (found.n_missing, found.n_complete, found.n_patterns) == (3, 4, 2)
        assert found.share == 3 / 18

    def test_holes_and_patterns(self):
        strips = self.found.strips
        assert strips.columns == (0, 1, 3)
        assert strips.starts == (0, 1, 2, 3, 4, 5, 6)
        assert strips.missing == ((0, 0, 0, 0, 1, 1), (0, 0, 0, 0, 0, 1), (0, 0, 0, 0, 0, 0))
        assert [(one.columns, one.n_rows) for one in self.found.patterns] == [((0,), 1), ((0, 1), 1)]
        # Of a and b, four rows know a with c, and five know b with it.
        assert [(one.least_donors, one.most_donors) for one in self.found.patterns] == [(4, 4), (4, 5)]

    def test_in_words_and_tables(self):
        summary = quick(SMALL)
        assert said(summary, "missing").splitlines() == [
            "3 cells of 6 rows and 3 columns of numbers, in 2 patterns of columns that are missing "
            "together. 4 rows are complete.",
            "Set aside: 1 column, ids or without numbers. They are neither counted, "
            "nor filled, nor used to fill others.",
        ]
        found = tables(summary, "missing")
        assert "| a | numbers | 4 | 2 | 33.3 % |" in found["Columns of the table"]
        assert (
            "| who | text: 6 different texts in 6 rows | \N{EN DASH} | \N{EN DASH} | \N{EN DASH} |"
            in found["Columns of the table"]
        )
        patterns = found["Patterns of missing cells, most frequent first"]
        assert patterns.endswith("| a | 1 | 4 |\n| a, b | 1 | 4 to 5 |")


def test_nothing_is_missing():
    summary = quick(untied(20, 2))
    assert said(summary, "missing") == "No cell is missing in the columns of numbers."
    assert len(parts(summary, "missing")) == 3


def test_many_rows_and_columns_are_folded():
    rng = np.random.default_rng(0)
    table = np.where(rng.random((1000, 80)) < 0.1, np.nan, 1.0)
    summary = quick(table, None)
    found = summary.missing.strips
    assert len(found.starts) == missing.MOST_STRIPS + 1
    assert len(found.columns) == missing.MOST_COLUMNS
    counts = np.isnan(table).sum(axis=0)
    assert min(counts[list(found.columns)]) >= np.sort(counts)[-missing.MOST_COLUMNS]
    assert [sum(one) for one in found.missing] == counts[list(found.columns)].tolist()
    patterns = tables(summary, "missing")["Patterns of missing cells, most frequent first"]
    left_out = summary.missing.n_patterns - missing.MOST_PATTERNS
    assert patterns.endswith(f"... and {left_out} more; none with more rows than these")


@pytest.mark.parametrize(
    ("missing_by_strip", "expected"),
    [((0, 2, 2, 1, 0, 2), [(1, 3, 5), (3, 4, 3), (5, 6, 5)]), ((0, 0), [])],
)
def test_strips_of_one_shade_are_one_box(missing_by_strip, expected):
    starts = tuple(range(0, 2 * len(missing_by_strip) + 1, 2))
    assert missing.runs(missing_by_strip, starts) == expected
