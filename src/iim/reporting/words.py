"""The sentences and figures that every rendering says: numbers, names, the headline."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from iim._showing import INVISIBLE_BUT_KEPT, count
from iim.reporting.records import Summary

NOTHING = "\N{EN DASH}"
"""What stands where there is no number."""

LONGEST_SHOWN = 400
"""Letters of a name or a message that are shown whole."""


@dataclass(frozen=True)
class KeyFigure:
    """A number to be seen first.

    Attributes
    ----------
    label : str
        What it is.
    value : str
        The number, as text.
    note : str
        What it means.
    filled : bool
        Whether it tells of fills, which have a colour.
    """

    label: str
    value: str
    note: str
    filled: bool = False


def shown(text: str) -> str:
    """A text in which nothing is hidden: control characters and turns of direction are written out.

    Names that differ in these only stay apart. Newlines are no exception: a name is one line.

    >>> shown("a\\tb")
    'a␉b'
    """
    if not text.isprintable():
        text = "".join(map(_shown_letter, text))
    if len(text) > LONGEST_SHOWN:
        half = LONGEST_SHOWN // 2
        text = f"{text[:half]} ... {text[-half:]}"
    return text


def _shown_letter(letter: str) -> str:
    if letter.isprintable() or letter in INVISIBLE_BUT_KEPT:
        return letter
    code = ord(letter)
    if code < 0x20:
        return chr(0x2400 + code)  # the picture of that control character
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def name_text(name: str) -> str:
    """A name to be shown: never empty or blank."""
    if not name:
        return "(empty name)"
    return shown(name) if name.strip() else f"({count(len(name), 'blank')})"


def figure(value: float | None) -> str:
    """Five digits of a number, or a dash; as people write it, if it is neither huge nor tiny.

    >>> figure(1009.3125), figure(0.5), figure(1234567.8), figure(1.5e-9)
    ('1009.3', '0.5', '1,234,568', '1.5e-09')
    """
    if value is None or not math.isfinite(value):
        return NOTHING
    if 1e5 <= abs(value) < 1e12:
        return f"{value:,.0f}"
    return f"{value:.5g}"


def decimals(value: float | None, n: int = 2) -> str:
    """A number with so many decimals, or a dash."""
    if value is None or not math.isfinite(value):
        return NOTHING
    return f"{value:.{n}f}" if abs(value) < 1e6 else f"{value:.3g}"


def percent(share: float | None) -> str:
    """A share in percent, never rounded to nothing or to all.

    >>> percent(0.05), percent(0.00001), percent(1.0)
    ('5.0 %', 'under 0.1 %', '100 %')
    """
    if share is None or not math.isfinite(share):
        return NOTHING
    if share in (0.0, 1.0):
        return f"{share:.0%}".replace("%", " %")
    if share < 0.001:
        return "under 0.1 %"
    return "over 99.9 %" if share > 0.999 else f"{100 * share:.1f} %"


def whole(number: int | None) -> str:
    """A count with commas, or a dash."""
    return NOTHING if number is None else f"{number:,}"


def headline(summary: Summary) -> str:
    """What was missing and what was filled, in one sentence."""
    table = summary.table
    size = f"{counted(table.n_rows, 'row')} and {counted(table.n_columns, 'column')} of numbers"
    if table.n_missing == 0:
        return f"Nothing is missing from {size}."
    n_cells = table.n_rows * table.n_columns
    are = "is" if table.n_missing == 1 else "are"
    missing = (
        f"{whole(table.n_missing)} of {counted(n_cells, 'cell')} ({percent(table.share)}) {are} missing"
    )
    filling = summary.filling
    if filling is None:
        return f"{missing}; nothing was filled."
    if filling.n_left == 0:
        all_of_them = "it" if filling.n_filled == 1 else "all of them"
        return f"{missing}; {filling.method} fills {all_of_them}."
    stays = "stays as it is" if filling.n_left == 1 else "stay as they are"
    return f"{missing}; {filling.method} fills {whole(filling.n_filled)}, {whole(filling.n_left)} {stays}."


def lead(summary: Summary) -> list[str]:
    """How sure and how good, a sentence each, as far as it is known."""
    sentences = []
    certainty, contest, filling = summary.certainty, summary.contest, summary.filling
    if certainty is not None and math.isfinite(certainty.median):
        sentences.append(
            f"The donors' models agree to within {decimals(certainty.median)} standard deviations of the "
            f"column for half of the filled cells, and to within {decimals(certainty.upper)} for nine of ten."
        )
    if filling is not None and filling.n_fallbacks:
        was = "cell was" if filling.n_fallbacks == 1 else "cells were"
        sentences.append(
            f"{whole(filling.n_fallbacks)} {was} filled with less than asked for, because too few rows "
            "know what is needed."
        )
    if contest is not None and contest.leaders and math.isfinite(contest.leaders[0].error):
        best = contest.leaders[0]
        sentences.append(
            f"On known cells that were hidden, {best.method} does best of "
            f"{counted(len(contest.leaders), 'method')}: it is off by {decimals(best.error)} standard "
            "deviations of the column, where column means are off by about 1."
        )
    return sentences


def key_figures(summary: Summary) -> list[KeyFigure]:
    """The four or five numbers to be seen first."""
    table, filling = summary.table, summary.filling
    figures = [
        KeyFigure(
            "Missing cells",
            whole(table.n_missing),
            f"{percent(table.share)} of {whole(table.n_rows * table.n_columns)}; "
            f"{counted(table.n_complete, 'row')} complete",
        )
    ]
    if filling is not None:
        left = f"; {whole(filling.n_left)} left as they are" if filling.n_left else ""
        figures.append(
            KeyFigure("Filled", whole(filling.n_filled), f"by {filling.method}{left}", filled=True)
        )
        figures.append(_fallback_figure(summary))
    if summary.certainty is not None:
        figures.append(
            KeyFigure(
                "How sure",
                f"± {decimals(summary.certainty.median)}",
                "median spread of candidates, in standard deviations of the column",
            )
        )
    figures += _measured_figures(summary)
    contest = summary.contest
    if contest is not None and contest.leaders and math.isfinite(contest.leaders[0].error):
        best = contest.leaders[0]
        figures.append(
            KeyFigure(
                "Best method",
                best.method,
                f"of {len(contest.leaders)}, on hidden cells: error {decimals(best.error)}",
            )
        )
    return figures


def _fallback_figure(summary: Summary) -> KeyFigure:
    filling = summary.filling
    if filling is None or filling.n_fallbacks is None:
        return KeyFigure("Fallbacks", NOTHING, "not counted by this method")
    where = "when it was fitted" if filling.fallbacks_counted == "fit" else "of the filled cells"
    note = f"cells filled with less than asked for, {where}" if filling.n_fallbacks else f"none {where}"
    return KeyFigure("Fallbacks", whole(filling.n_fallbacks), note)


def _measured_figures(summary: Summary) -> list[KeyFigure]:
    neighbors = [one.r2_neighbors for one in summary.columns if one.r2_neighbors is not None]
    regression = [one.r2_regression for one in summary.columns if one.r2_regression is not None]
    if not neighbors or not regression:
        return []
    near, law = float(np.median(neighbors)), float(np.median(regression))
    return [
        KeyFigure(
            "R2_S and R2_H",
            f"{decimals(near)} and {decimals(law)}",
            "how well the nearest rows, and one law, tell a column: medians",
        )
    ]


def counted(n: int, thing: str) -> str:
    """A number of things, with commas: ``1 row``, ``2,000 rows``."""
    return f"{n:,} {thing}{'' if n == 1 else 's'}"


def and_more(n_shown: int, n_all: int, things: str) -> str:
    """A sentence about what is left out; empty if nothing is."""
    return f"And {whole(n_all - n_shown)} more {things}." if n_all > n_shown else ""


def names_text(names: Sequence[str], most: int = 6) -> str:
    """Some names in a row, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def missing(summary: Summary) -> str:
    """How the holes lie."""
    table = summary.table
    return (
        f"{counted(table.n_missing, 'cell')} of {counted(table.n_columns, 'column')} of numbers and "
        f"{counted(table.n_rows, 'row')}, in {counted(table.n_patterns, 'pattern')} of columns that are missing "
        f"together. {counted(table.n_complete, 'row')} {'is' if table.n_complete == 1 else 'are'} complete."
    )


def set_aside(summary: Summary) -> str:
    """That some columns are no numbers."""
    n = summary.table.n_set_aside
    return (
        f"{counted(n, 'column')} {'is' if n == 1 else 'are'} set aside, because {'it holds' if n == 1 else 'they hold'} "
        "no numbers to work with: nothing there is counted, filled or learned from."
    )


def filled(summary: Summary) -> str:
    """Who filled how much."""
    filling = summary.filling
    if filling is None:
        return "Nothing was filled."
    sentences = [
        f"{counted(filling.n_filled, 'cell')} {'was' if filling.n_filled == 1 else 'were'} filled by "
        f"{filling.imputer} ({filling.paper_name} in the paper)."
    ]
    if filling.strategy is not None:
        sentences.append(f"Strategy: {filling.strategy}.")
    if filling.n_left:
        sentences.append(
            f"{counted(filling.n_left, 'cell')} {'is' if filling.n_left == 1 else 'are'} left as they came: in "
            "columns in which nothing is known, or that the imputer leaves alone."
        )
    if filling.n_fallbacks:
        when = " when it was fitted" if filling.fallbacks_counted == "fit" else ""
        sentences.append(
            f"Where too few rows know what is needed, something was given up{when}: "
            f"{counted(filling.n_fallbacks, 'cell')}, by column in the table above."
        )
    return " ".join(sentences)


def sure(summary: Summary) -> list[str]:
    """What is known of how sure the fills are."""
    certainty, filling = summary.certainty, summary.filling
    if certainty is None:
        method = filling.method if filling else "this method"
        if filling is not None and filling.method == "iim":
            return ["No cell was filled, so there are no candidates to look at."]
        return [
            f"{method} gives one value for each cell and no candidates, so nothing is known of how sure it is; "
            "iim has candidates."
        ]
    rule = (
        "All filled cells were looked at."
        if certainty.every == 1
        else f"Looked at were {whole(certainty.n_asked)} of {whole(certainty.n_cells)} filled cells: those of each "
        f"{certainty.every}th row with missing cells."
    )
    return [
        "Each value is a vote of the models of the nearest rows. Where their candidates lie far apart, the value "
        "is uncertain: the spread is their weighted standard deviation, in standard deviations of the column's "
        f"known values; a column mean has spread 1. Its median is {decimals(certainty.median)}, and one cell in "
        f"ten has more than {decimals(certainty.upper)}. {rule}"
    ]


def good(summary: Summary) -> list[str]:
    """What was measured of how good fills are."""
    if summary.contest is not None:
        return [summary.contest.how]
    sentences = ["Methods were not compared on this table: ask with compare=True."]
    if not summary.measured:
        sentences.append("R2_S and R2_H were not measured: ask with measure=True.")
    return sentences
