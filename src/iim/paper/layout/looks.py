"""How lines look: a method has the same colour, marker and dashes in every figure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

SOLID = "-"
DASHED = (0, (4.5, 1.6))
DOTTED = (0, (1.2, 1.4))
MIXED = (0, (5.0, 1.3, 1.2, 1.3))

Dashes = str | tuple[int, tuple[float, ...]]


@dataclass(frozen=True)
class LineStyle:
    """Of a line.

    Attributes
    ----------
    color : str
        Its colour. They are told apart by the colour-blind together with markers and dashes, not alone.
    marker : str
        Of its points, in matplotlib's letters.
    dashes : str or tuple
        In matplotlib's form.
    is_main : bool
        Whether it is what the page is about: thick, and above the others.
    """

    color: str
    marker: str
    dashes: Dashes = SOLID
    is_main: bool = False


MAIN = LineStyle("#b2101f", "o", SOLID, is_main=True)

METHODS = {
    "IIM": MAIN,
    "Mean": LineStyle("#8a8f96", "x", DOTTED),
    "kNN": LineStyle("#0072b2", "s", SOLID),
    "kNNE": LineStyle("#56b4e9", "D", DASHED),
    "IFC": LineStyle("#117733", "^", SOLID),
    "GMM": LineStyle("#3fae94", "v", DASHED),
    "SVD": LineStyle("#9b3d9b", "<", SOLID),
    "ILLS": LineStyle("#d187b9", ">", DASHED),
    "GLR": LineStyle("#e69f00", "P", SOLID),
    "LOESS": LineStyle("#8c5a14", "X", DASHED),
    "BLR": LineStyle("#332288", "p", MIXED),
    "ERACER": LineStyle("#9a9a1c", "h", MIXED),
    "PMM": LineStyle("#7d86d8", "*", DOTTED),
    "XGB": LineStyle("#2b2b2b", "d", DASHED),
    # The method itself, where it is compared with lesser forms of itself.
    "adaptive": MAIN,
}
"""Looks by name of the method."""

OTHERS = (
    LineStyle("#0072b2", "s", SOLID),
    LineStyle("#e07b00", "^", DASHED),
    LineStyle("#008a63", "D", MIXED),
    LineStyle("#9b3d9b", "v", DOTTED),
    LineStyle("#56b4e9", "P", SOLID),
    LineStyle("#8c5a14", "X", DASHED),
    LineStyle("#5c6670", "<", MIXED),
    LineStyle("#c9a400", ">", DOTTED),
)
"""Looks of other names, by order in their figure; more of them begin anew."""


def looks_of(names: Iterable[str]) -> dict[str, LineStyle]:
    """The look of every name.

    Parameters
    ----------
    names : iterable of str
        Of the lines of one figure, in order.

    Returns
    -------
    dict
        LineStyle by name, in the same order, without repeats.
    """
    unique = list(dict.fromkeys(names))
    known = {METHODS[name] for name in unique if name in METHODS}
    free = [look for look in OTHERS if look not in known] or list(OTHERS)
    strangers = [name for name in unique if name not in METHODS]
    return {
        name: METHODS[name] if name in METHODS else free[strangers.index(name) % len(free)]
        for name in unique
    }
