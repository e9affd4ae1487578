"""The result of an automatic choice of methods."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from iim.present.numbers import figure
from iim.present.pages import Printable
from iim.present.records import count_cell, digits_cell
from iim.present.tables import NO_NUMBER, Head, Page, build_table, name, number, words

CHOICE = "auto"
"""The name of the choice among the errors of methods."""


@dataclass(frozen=True, repr=False, eq=False)
class Choices(Printable):
    """The result of :meth:`iim.AutoImputer.choices`; printed, it is a small table.

    Attributes
    ----------
    weights : dict
        For each column, the weight of each method that has one.
    errors : dict
        For each column with hidden cells, the error of each method, and of the choice under "auto".
    n_hidden : dict
        For each column, how many cells were hidden.
    seconds : dict
        Time that each method took.
    left_out : dict
        Methods that are not used for any fill, and why.
    """

    weights: Mapping[Any, Mapping[str, float]]
    errors: Mapping[Any, Mapping[str, float]]
    n_hidden: Mapping[Any, int]
    seconds: Mapping[str, float]
    left_out: Mapping[str, str]

    @property
    def tried(self) -> tuple[str, ...]:
        """Methods that were tried: they filled the hidden cells, or there were none to fill."""
        compared = {key for errors in self.errors.values() for key in errors}
        used = {key for weights in self.weights.values() for key in weights}
        return tuple(key for key in self.seconds if key in compared | used)

    def in_words(self, column: Any) -> str:
        """The methods of a column, by decreasing weight.

        Parameters
        ----------
        column : object
            Its name.

        Returns
        -------
        str
            ``iim 0.62, xgb 0.38`` for example.
        """
        ordered = sorted(self.weights[column].items(), key=lambda item: -item[1])
        return ", ".join(f"{key} {weight:.2f}" for key, weight in ordered)

    def best_alone(self, column: Any) -> tuple[str, float] | None:
        """The best single method of a column, and its error; None without hidden cells."""
        errors = {key: error for key, error in self.errors.get(column, {}).items() if key != CHOICE}
        return min(errors.items(), key=lambda item: item[1]) if errors else None

    def _page(self) -> Page:
        rows = []
        for column in self.weights:
            best = self.best_alone(column)
            rows.append(
                [
                    name(column),
                    words(self.in_words(column)),
                    digits_cell(self.errors[column][CHOICE]) if best else NO_NUMBER,
                    number(best[1], f"{best[0]} {figure(best[1], 4)}") if best else NO_NUMBER,
                    count_cell(self.n_hidden[column]),
                ]
            )
        chosen = build_table(
            "Methods chosen for each column, and their error on hidden cells (in standard deviations)",
            [
                Head("column", "name"),
                Head("weights", "words"),
                *map(Head, ("error", "best alone", "cells")),
            ],
            rows,
        )
        tried = build_table(
            "Methods tried",
            [Head("method", "name"), Head("seconds"), Head("left out because", "words")],
            [
                [name(key), digits_cell(self.seconds.get(key)), words(self.left_out.get(key, ""))]
                for key in dict.fromkeys([*self.seconds, *self.left_out])
            ],
        )
        return (chosen, tried)
