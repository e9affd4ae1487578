"""The sentences and figures that every rendering says: the headline, and what leads each part."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from iim.reporting.records import Certainty, Contest, Filling, Summary
from iim.reporting.writing import NOTHING, counted, decimals, percent, whole


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


def headline(summary: Summary) -> str:
    """What was missing and what was filled, in one sentence."""
    table, filling = summary.table, summary.filling
    size = f"{counted(table.n_rows, 'row')} and {counted(table.n_columns, 'column')} of numbers"
    if table.n_missing == 0:
        return f"Nothing is missing from {size}."
    n_cells = table.n_rows * table.n_columns
    missing = (
        f"{whole(table.n_missing)} of {counted(n_cells, 'cell')} ({percent(table.share)}) "
        f"{_are(table.n_missing)} missing"
    )
    if filling is None:
        return f"{missing}; nothing was filled."
    if filling.n_left == 0:
        return f"{missing}; {filling.method} fills {'it' if filling.n_filled == 1 else 'all of them'}."
    stay = "stays as it is" if filling.n_left == 1 else "stay as they are"
    return f"{missing}; {filling.method} fills {whole(filling.n_filled)}, {whole(filling.n_left)} {stay}."


def lead(summary: Summary) -> list[str]:
    """How sure and how good, a sentence each, as far as it is known."""
    sentences = []
    certainty, contest, filling = summary.certainty, summary.contest, summary.filling
    if certainty is not None and math.isfinite(certainty.median):
        sentences.append(_agreement(certainty))
    if filling is not None and filling.n_fallbacks:
        sentences.append(
            f"{counted(filling.n_fallbacks, 'cell')} {_were(filling.n_fallbacks)} filled with less than "
            "asked for, because too few rows know what is needed."
        )
    if contest is not None and _has_winner(summary):
        sentences += [_errors(contest), *other_settings(contest)]
    return sentences


def _errors(contest: Contest) -> str:
    """How far the best method is off, and the one that filled the table."""
    best, own = contest.leaders[0], contest.filler
    if own is not None and own.method != best.method and math.isfinite(own.error):
        n_methods = counted(len(contest.leaders), "method")
        return (
            f"On known cells that were hidden, {own.method}, which filled this table, is off by "
            f"{decimals(own.error)} standard deviations of the column; best of {n_methods} is "
            f"{best.method} with {decimals(best.error)}. Column means are off by about 1."
        )
    filler = ", which filled this table," if own is not None and own.method == best.method else ""
    return (
        f"On known cells that were hidden, {best.method}{filler} does best of "
        f"{counted(len(contest.leaders), 'method')}: it is off by {decimals(best.error)} standard "
        "deviations of the column, where column means are off by about 1."
    )


def other_settings(contest: Contest) -> list[str]:
    """That the method that filled was compared, but not as it filled; empty if that is not so."""
    if contest.own is None or contest.same_settings:
        return []
    return [f"The compared {contest.own} has its default settings; the fills were made with others."]


def _agreement(certainty: Certainty) -> str:
    """How far candidates lie apart; not how far fills are off, which may be more."""
    whom = "Half of the cells have"
    if certainty.n_judged < certainty.n_cells:
        whom = f"Of {whole(certainty.n_judged)} of {whole(certainty.n_cells)} filled cells, half have"
    half = _at_most(certainty.median, " standard deviations of the column")
    return (
        f"{whom} candidates whose spread is {half}, nine of ten {_at_most(certainty.upper)}; a fill can be "
        "further off than its candidates are from each other."
    )


def _at_most(value: float, unit: str = "") -> str:
    if value == 0.0:
        return f"0{unit}"
    text = decimals(value)
    return f"{text}{unit}" if text.startswith("under") else f"{text}{unit} or less"


def key_figures(summary: Summary) -> list[KeyFigure]:
    """The four or five numbers to be seen first."""
    table, filling, contest = summary.table, summary.filling, summary.contest
    figures = [
        KeyFigure(
            "Missing cells",
            whole(table.n_missing),
            f"{percent(table.share)} of all; {counted(table.n_complete, 'row')} complete",
        )
    ]
    if filling is not None:
        left = f"; {whole(filling.n_left)} left as they are" if filling.n_left else ""
        figures.append(
            KeyFigure("Filled", whole(filling.n_filled), f"by {filling.method}{left}", filled=True)
        )
        figures.append(_fallback_figure(filling))
    if summary.certainty is not None:
        figures.append(_spread_figure(summary.certainty))
    else:
        figures += _measured_figures(summary)
    if contest is not None and _has_winner(summary):
        best = contest.leaders[0]
        note = f"of {len(contest.leaders)} on hidden cells; error {decimals(best.error)}"
        figures.append(KeyFigure("Best method", best.method, note))
    return figures


def _spread_figure(certainty: Certainty) -> KeyFigure:
    if not certainty.n_judged:
        return KeyFigure("Spread of candidates", NOTHING, "no cell has two models that were asked")
    whom = ""
    if certainty.n_judged < certainty.n_cells:
        whom = f" of {whole(certainty.n_judged)} of {whole(certainty.n_cells)} cells"
    note = f"standard deviations of the column, in the median{whom}"
    return KeyFigure("Spread of candidates", decimals(certainty.median), note)


def _has_winner(summary: Summary) -> bool:
    contest = summary.contest
    return contest is not None and bool(contest.leaders) and math.isfinite(contest.leaders[0].error)


def _fallback_figure(filling: Filling) -> KeyFigure:
    if filling.n_filled == 0:
        return KeyFigure("Fallbacks", NOTHING, "nothing was filled")
    if filling.fallbacks_counted == "elsewhere":
        return KeyFigure("Fallbacks", NOTHING, "not counted: the imputer was fitted before")
    if filling.n_fallbacks is None:
        return KeyFigure("Fallbacks", NOTHING, "not counted by this method")
    what = "cells filled with less than asked for" if filling.n_fallbacks else "all filled as asked for"
    when = ", at fit" if filling.fallbacks_counted == "fit" else ""
    return KeyFigure("Fallbacks", whole(filling.n_fallbacks), what + when)


def _measured_figures(summary: Summary) -> list[KeyFigure]:
    neighbors = [one.r2_neighbors for one in summary.columns if one.r2_neighbors is not None]
    regression = [one.r2_regression for one in summary.columns if one.r2_regression is not None]
    if not neighbors or not regression:
        return []
    # Medians: one column that nothing tells can have an R2 of minus a thousand.
    near, law = float(np.median(neighbors)), float(np.median(regression))
    return [
        KeyFigure(
            "R2_S, R2_H",
            f"{decimals(near)}, {decimals(law)}",
            "how well the nearest rows, and one law, tell a column (medians)",
        )
    ]


def missing(summary: Summary) -> str:
    """How the holes lie."""
    table = summary.table
    return (
        f"{counted(table.n_missing, 'cell')} of {counted(table.n_rows, 'row')} and "
        f"{counted(table.n_columns, 'column')} of numbers, in {counted(table.n_patterns, 'pattern')} of "
        f"columns that are missing together. {whole(table.n_complete) if table.n_complete else 'No'} "
        f"{'row is' if table.n_complete < 2 else 'rows are'} complete."
    )


def set_aside(summary: Summary) -> str:
    """That some columns are not worked with; empty if all are."""
    n = summary.table.n_set_aside
    if n == 0:
        return ""
    they = "it is an id or holds" if n == 1 else "they are ids or hold"
    return (
        f"{counted(n, 'column')} {_are(n)} set aside, because {they} no numbers: nothing there is counted, "
        "filled or learned from."
    )


def filled(summary: Summary) -> str:
    """Who filled how much."""
    filling = summary.filling
    if filling is None:
        return "Nothing was filled."
    sentences = [
        f"{counted(filling.n_filled, 'cell')} {_were(filling.n_filled)} filled by {filling.imputer}"
        f"{'' if filling.paper_name == '-' else f' ({filling.paper_name} in the paper)'}."
    ]
    if filling.strategy is not None:
        sentences.append(f"Strategy: {filling.strategy}.")
    n_outside = round(sum((one.outside or 0.0) * one.n_filled for one in summary.columns))
    if n_outside:
        sentences.append(
            f"{counted(n_outside, 'value')} {_are(n_outside)} out of range: below the smallest or above "
            "the largest known value of the column."
        )
    if filling.n_left:
        sentences.append(
            f"{counted(filling.n_left, 'cell')} {_are(filling.n_left)} left missing, in columns in which "
            "nothing is known or that the imputer leaves alone."
        )
    if filling.n_fallbacks:
        when = " when it was fitted" if filling.fallbacks_counted == "fit" else ""
        sentences.append(
            f"Where too few rows know what is needed, something was given up{when}: for "
            f"{counted(filling.n_fallbacks, 'cell')}, counted by column in the table above."
        )
    return " ".join(sentences)


def sure(summary: Summary) -> str:
    """What is known of how sure the fills are."""
    certainty, filling = summary.certainty, summary.filling
    if filling is None or filling.n_filled == 0:
        return "Nothing was filled."
    if certainty is None and filling.imputer == "IIMImputer":
        return "The candidates of the cells were not asked for."
    if certainty is None:
        return (
            f"{filling.method} gives one value for each cell and no candidates, so nothing is known of how "
            "sure each one is; iim has candidates."
        )
    return (
        "Each value is a vote of the models of the nearest rows. Where their candidates lie far apart, the "
        "value is uncertain. The spread is the weighted standard deviation of the candidates, in standard "
        f"deviations of the column's known values; a column mean has spread 1. {_spreads(certainty)}"
        f"{_looked_at(certainty)} Models that agree can be wrong together: how far fills are off is "
        "measured on hidden cells."
    )


def _spreads(certainty: Certainty) -> str:
    n_none = certainty.n_asked - certainty.n_judged
    told = ""
    if certainty.n_judged:
        upper = decimals(certainty.upper)
        told = (
            f"Its median is {decimals(certainty.median)}, and nine cells in ten have no more than {upper}. "
        )
        if upper.startswith("under"):
            told = f"For nine cells in ten it is {upper}. "
    if n_none:
        told += (
            f"{counted(n_none, 'cell')} {'has' if n_none == 1 else 'have'} none, because one model was "
            "asked or the column does not vary. "
        )
    return told


def _looked_at(certainty: Certainty) -> str:
    if certainty.n_asked == certainty.n_cells:
        return "All filled cells were looked at."
    if certainty.every == 1:
        n_zero = certainty.n_cells - certainty.n_asked
        cells = counted(n_zero, "cell")
        return f"{cells} of columns in which nothing is known {_are(n_zero)} 0, without a vote."
    return (
        f"Looked at were {whole(certainty.n_asked)} of {whole(certainty.n_cells)} filled cells: those of "
        f"one in {whole(certainty.every)} of the rows with missing cells, evenly spread over the table."
    )


def good(summary: Summary) -> list[str]:
    """How it was measured how good fills are."""
    if summary.contest is not None:
        return [summary.contest.how, *other_settings(summary.contest)]
    sentences = [
        "Methods were not compared on this table; compare=True hides known cells and compares them."
    ]
    if not summary.measured:
        sentences.append("R2_S and R2_H were not measured.")
    return sentences


MEASURES = (
    "R2_S: how well the mean of the nearest rows tells a value that was hidden; low is sparse. R2_H: how "
    "well one linear law for all rows does; low is heterogeneous. 1 is perfect, 0 no better than the "
    "column mean."
)
"""What R2_S and R2_H are."""


NOT_MEASURED = "R2_S and R2_H could not be measured for any column; the table says why."
"""What is said instead of a picture without a dot."""


def left_out(n: int, things: str = "") -> str:
    """That a table shows only its first rows; empty if it shows all."""
    return f"And {whole(n)} more{things and ' '}{things}; the JSON of this report has all." if n > 0 else ""


def _are(n: int) -> str:
    return "is" if n == 1 else "are"


def _were(n: int) -> str:
    return "was" if n == 1 else "were"
