"""Numbers as text, the best ones, and ours against the paper's."""

import math

import pytest

from iim.paper.layout.words import figure, legend, show_table, word_columns
from iim.paper.results import CLOSE, Number, Table


def one_column(*cells, **settings) -> Table:
    rows = tuple(f"r{at}" for at in range(len(cells)))
    return Table(
        "t",
        "T",
        "row",
        rows,
        ("c",),
        {(row, "c"): cell for row, cell in zip(rows, cells, strict=True)},
        **settings,
    )


def shown(*cells, **settings):
    return list(show_table(one_column(*cells, **settings)).values())


def test_a_number_is_never_rounded_before_its_point():
    assert [figure(value, 3) for value in (9.996, 99.96, 123456.0, -0.5, 0.0, 1e15)] == [
        "10.0",
        "100",
        "123,456",
        "\N{MINUS SIGN}0.500",
        "0",
        "1.00e+15",
    ]


@pytest.mark.parametrize(
    ("ours", "paper", "better", "verdict"),
    [
        (115.0, 100.0, "low", "close"),
        (85.0, 100.0, "low", "close"),
        (116.0, 100.0, "low", "worse"),
        (84.0, 100.0, "low", "better"),
        (116.0, 100.0, "high", "better"),
        (84.0, 100.0, "high", "worse"),
        (84.0, 100.0, None, "differs"),
        (1.0, 0.0, "low", None),
        (math.inf, 1.0, "low", None),
        (math.nan, 1.0, "low", None),
    ],
)
def test_verdicts(ours, paper, better, verdict):
    assert CLOSE == 0.15
    (cell,) = shown(Number(ours, None, paper), better=better)
    assert cell.verdict == verdict
    assert bool(cell.difference) == (verdict is not None)


def test_differences():
    def ratio(ours, paper):
        return shown(Number(ours, None, paper))[0].difference

    minus = "\N{MINUS SIGN}"
    assert [ratio(8.405, 8.08), ratio(1.0, 2.0), ratio(1.001, 1.0)] == ["+4 %", f"{minus}50 %", "0 %"]
    assert ratio(1200.0, 100.0) == "12 times"
    cells = shown(Number(0.8, 0.7, 0.85), Number(0.8, 0.7, 0.8), difference="absolute", digits=2)
    assert [cell.difference for cell in cells] == [f"{minus}0.05", "0.00"]
    assert shown(Number(1.0, None, 2.0), difference="none")[0].difference == ""


def test_all_that_read_like_the_best_are_marked():
    cells = shown(
        Number(1.001, None, 5.0), Number(1.002, None, 4.0), Number(1.2), Number(math.nan), better="low"
    )
    assert [cell.is_best for cell in cells] == [True, True, False, False]
    assert [cell.is_paper_best for cell in cells] == [False, True, False, False]
    assert [cell.is_best for cell in shown(Number(1.0), Number(3.0), better="high")] == [False, True]
    assert not any(cell.is_best for cell in shown(Number(1.0), Number(3.0)))


def test_without_a_choice_there_is_no_best():
    assert not shown(Number(1.0), "words", better="low")[0].is_best


def test_a_cell_without_a_number_says_why():
    no_reason, reason, remark = shown(
        Number(None, None, 2.0), Number(None, why="too slow"), Number(1.0, why="odd")
    )
    assert (no_reason.ours, no_reason.paper) == ("\N{EN DASH}", "2.00")
    assert (reason.ours, reason.remark) == ("", "too slow")
    assert (remark.ours, remark.remark) == ("1.00", "odd")


def test_the_legend_tells_of_what_is_there():
    def said(*cells, labelled=False, **settings):
        return legend(one_column(*cells, **settings), "bold", "in italics", labelled=labelled)

    assert said("words") == ""
    assert said(Number(1.0)) == ""
    assert said(Number(1.0, 2.0)) == "Each cell: our median over seeds and the worst seed in brackets."
    whole = said(Number(1.0, 2.0, 3.0), Number(2.0, 3.0, 4.0), better="low")
    assert "after the stroke and how far ours is from it." in whole
    assert whole.endswith("Our best of a column is bold and the paper's best is in italics.")
    assert "Close is within 15 % of the paper." in said(Number(1.0, 2.0, 3.0), labelled=True)


def test_columns_of_words():
    assert word_columns(one_column("a", Number(1.0))) == {"c"}
    assert word_columns(one_column(Number(1.0))) == set()
