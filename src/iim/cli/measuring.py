"""Comparing and diagnosing a file, for the commands and for reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from iim.cli.declaring import HIDING, METHOD, option
from iim.cli.keys import complete_method
from iim.cli.options import RunOptions
from iim.cli.show import Session

if TYPE_CHECKING:
    from iim.comparing import Comparison
    from iim.diagnosing import Diagnosis
    from iim.files import FileTable


@dataclass(frozen=True)
class HidingOptions:
    """What is hidden to measure methods."""

    hide: Annotated[
        float,
        option(
            "--hide",
            panel=HIDING,
            metavar="SHARE",
            text="How much of a column to hide: a share of its known cells, or how many (default: 0.05).",
        ),
    ] = 0.05
    repeats: Annotated[
        int,
        option(
            "--repeats", panel=HIDING, metavar="N", text="How often other cells are drawn (default: 3)."
        ),
    ] = 3


@dataclass(frozen=True)
class PatternOptions:
    """How cells are hidden to compare methods."""

    pattern: Annotated[
        str,
        option(
            "--pattern",
            panel=HIDING,
            metavar="NAME",
            text="cells (at random), attribute (one column at a time) or clusters (near rows together) "
            "(default: cells).",
        ),
    ] = "cells"
    cluster_size: Annotated[
        int,
        option("--cluster-size", panel=HIDING, metavar="N", text="Rows of a cluster (default: 3)."),
    ] = 3


Methods = Annotated[
    list[str] | None,
    option(
        "--methods",
        panel=METHOD,
        metavar="KEY...",
        text="Methods to compare: --methods mean knn iim (default: all but auto).",
        complete=complete_method,
    ),
]
Neighbors = Annotated[
    int,
    option("--neighbors", panel=HIDING, metavar="N", text="Nearest rows that are averaged (default: 10)."),
]


def run_comparison(
    session: Session,
    table: FileTable,
    hiding: HidingOptions,
    pattern: PatternOptions,
    run: RunOptions,
    methods: Sequence[str] | None = None,
) -> Comparison:
    """Let methods fill hidden cells of the table."""
    from iim.comparing import compare  # noqa: PLC0415 (help answers at once)
    from iim.compile import tell_of_compiling  # noqa: PLC0415

    with session.phase("comparing") as tell, tell_of_compiling(session.say):
        return compare(
            table.frame,
            methods or None,
            # Which of them are ids was decided when the file was read.
            columns=table.frame.column_names,
            pattern=pattern.pattern,
            cluster_size=pattern.cluster_size,
            progress=tell,
            **_shared(hiding, run),
        )


def run_diagnosis(
    session: Session, table: FileTable, hiding: HidingOptions, run: RunOptions, *, n_neighbors: int = 10
) -> Diagnosis:
    """Measure the columns of the table."""
    from iim.compile import tell_of_compiling  # noqa: PLC0415
    from iim.diagnosing import diagnose  # noqa: PLC0415

    with session.phase("measuring") as tell, tell_of_compiling(session.say):
        return diagnose(
            table.frame,
            columns=table.frame.column_names,
            n_neighbors=n_neighbors,
            progress=tell,
            **_shared(hiding, run),
        )


def _shared(hiding: HidingOptions, run: RunOptions) -> dict[str, Any]:
    # A share, or a number of cells: the library tells them apart by type.
    is_count = hiding.hide >= 1 and hiding.hide.is_integer()
    return {
        "hide": int(hiding.hide) if is_count else hiding.hide,
        "repeats": hiding.repeats,
        "random_state": run.seed or 0,
        "n_jobs": -1 if run.jobs is None else run.jobs,
    }
