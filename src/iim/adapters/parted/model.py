"""What a model in parts knows as a whole: columns, scaling, ways to fill, and where the parts are."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from iim._arrays import Booleans, Floats, Integers
from iim.adapters.parted.storage import Folder, numbered
from iim.adapters.parted.table import Donation
from iim.core.donors import Fallback, choose_donors
from iim.core.partition.parts import PartedProblem
from iim.core.partition.space_partition import SpacePartition
from iim.core.patterns import Pattern, group_patterns
from iim.core.scaling import Scaling
from iim.core.settings import Settings
from iim.exceptions import UnusableFile
from iim.imputers.files import load
from iim.imputers.iim import IIMImputer

FORMAT = 2
"""Grows when folders of former versions can no longer be read."""

MODEL, FRONT, HOLES, PROBLEM = "model.json", "columns.iim", "holes.parquet", "problem.json"
"""Files of the folder. The first is written last: without it, there is no model."""


OWN_FILES = (MODEL, FRONT, HOLES)
OWN_FOLDERS = ("table", "column-")
"""All that there is in the folder of a model: names, and how names begin."""


@dataclass(frozen=True)
class Halo:
    """How much of other parts each part gets to see.

    Attributes
    ----------
    n_rows : int
        Copies of donors in other parts.
    n_judges : int
        Copies of donors that judge donors of other parts.
    n_short_lists : int
        Donors of which it is not sure that their nearest others are all there: counted.
    share_unproven : float
        Share of donors of which it is not sure that their learning neighbours are all there: of a sample.
    """

    n_rows: int
    n_judges: int
    n_short_lists: int
    share_unproven: float


@dataclass(frozen=True)
class Placed:
    """A pattern's problem, and its parts.

    Attributes
    ----------
    problem : PartedProblem
        What the parts have in common.
    regions : SpacePartition
        Who owns which place.
    low, high : ndarray of shape (n_parts, n_observed)
        Corners of the box that each part's donors lie in.
    sizes : ndarray of shape (n_parts,)
        Donors of each part.
    learned : bool
        Whether all models are there, or are learned when they are asked for.
    halo : Halo
        What parts know of each other.
    """

    problem: PartedProblem
    regions: SpacePartition
    low: Floats
    high: Floats
    sizes: Integers
    learned: bool
    halo: Halo

    @property
    def n_parts(self) -> int:
        """How many parts there are."""
        return int(self.sizes.size)


@dataclass(frozen=True)
class Division:
    """How a table is divided.

    Attributes
    ----------
    halo : {"sampled", "proven"}
        How far parts look into others: as far as some of their donors need to, or as far as every donor
        does, so that nothing can be missing.
    part_rows : int
        Donors that a part has, about.
    """

    halo: str
    part_rows: int


@dataclass(frozen=True)
class PartedModel:
    """A model in parts, in a folder.

    Attributes
    ----------
    folder : Folder
        Where it is.
    front : IIMImputer
        Knows names, types and bounds of the columns, and all parameters. It was fitted to a few rows, and
        fills nothing.
    scaling : Scaling
        Of the columns that are filled.
    means : ndarray of shape (n_columns,)
        Their means.
    holes : ndarray of shape (n_kinds, n_columns)
        Combinations of missing cells, by partition.
    counts : ndarray of shape (n_kinds,)
        How many rows have them.
    partition : ndarray of shape (n_kinds,)
        In which partition.
    lengths : ndarray of shape (n_partitions,)
        Rows of each partition.
    division : Division
        How donors are divided.
    """

    folder: Folder
    front: IIMImputer
    scaling: Scaling
    means: Floats
    holes: Booleans
    counts: Integers
    partition: Integers
    lengths: Integers
    division: Division

    def __repr__(self) -> str:
        return (
            f"PartedModel({self.folder.url!r}, rows={int(self.lengths.sum())}, columns={list(self.names)}, "
            f"halo={self.division.halo!r}, part_rows={self.division.part_rows})"
        )

    @property
    def settings(self) -> Settings:
        """All decisions."""
        return self.front._settings()[0]

    @property
    def columns(self) -> Integers:
        """Those of the chosen columns that have known values, which are filled."""
        return self.front._known_places()

    @property
    def names(self) -> tuple[Any, ...]:
        """Their names."""
        return tuple(self.front._columns_in[at] for at in self.front._known_columns)

    def donation(self, pattern: Pattern) -> tuple[Donation | None, Fallback]:
        """Who is asked for a pattern, and what is given up for it; nobody if only the mean is left."""
        settings = self.settings
        problem = choose_donors(
            self.holes,
            pattern,
            which=settings.donors,
            min_donors=settings.min_donors,
            counts=self.counts,
        )
        if problem.fallback is Fallback.MEAN:
            return None, problem.fallback
        needed = tuple(sorted((*problem.observed, pattern.target)))
        if settings.donors == "complete" and problem.fallback is Fallback.NONE:
            needed = tuple(range(self.means.size))
        return Donation(needed, problem.observed, pattern.target), problem.fallback

    def donors_by_partition(self, donation: Donation) -> Integers:
        """How many donors each partition has."""
        total = np.zeros(self.lengths.size, np.intp)
        kinds = donation.donors(self.holes)
        np.add.at(total, self.partition[kinds], self.counts[kinds])
        return total

    def place(self, donation: Donation) -> Folder:
        """Where the parts of a problem are."""
        said = ",".join(map(str, donation.needed)) + ";" + ",".join(map(str, donation.observed))
        digest = hashlib.sha256(said.encode()).hexdigest()[:16]
        return self.folder.below(f"column-{donation.target}-{digest}")

    def losses(self) -> list[dict[str, Any]]:
        """What each problem of the table was learned from, and what may be missing.

        Returns
        -------
        list of dict
            For each combination of known columns and missing column: ``column``, ``known``, ``n_donors``,
            ``n_parts``, copies in halos and of judges, ``n_short_lists`` (donors whose nearest others may
            be nearer elsewhere) and ``share_unproven`` (share of donors whose learning neighbours may be;
            from a sample). Both are 0 with ``halo="proven"``.
        """
        found = {}
        for pattern in patterns_in(self.holes, self.counts):
            donation = self.donation(pattern)[0]
            placed = None if donation is None else load_problem(self.place(donation))
            if donation is not None and placed is not None:
                found[donation] = {
                    "column": self.names[donation.target],
                    "known": [self.names[column] for column in donation.observed],
                    "n_donors": placed.problem.n_donors,
                    "n_parts": placed.n_parts,
                    **{name: getattr(placed.halo, name) for name in Halo.__dataclass_fields__},
                }
        return list(found.values())

    def save(self) -> None:
        """Write what is known as a whole; last of all, so that a folder without it is no model."""
        with tempfile.TemporaryDirectory() as place:
            path = Path(place) / FRONT
            self.front.save(path)
            self.folder.write(FRONT, path.read_bytes())
        self.folder.write_columns(
            HOLES,
            {
                "partition": self.partition,
                "count": self.counts,
                **{f"h{at}": self.holes[:, at] for at in range(self.holes.shape[1])},
            },
        )
        self.folder.write_json(
            MODEL,
            {
                "format": FORMAT,
                "scaling": _encoded(self.scaling, ("exponent", "center", "spread")),
                "means": self.means.tolist(),
                "lengths": self.lengths.tolist(),
                "halo": self.division.halo,
                "part_rows": self.division.part_rows,
            },
        )


def count_asked(
    donations: Mapping[Pattern, Donation | None], patterns: Mapping[Pattern, int], n_neighbors: int
) -> dict[Donation, int]:
    """How often donors are asked, by problem, if patterns have so many cells."""
    asked: dict[Donation, int] = {}
    for pattern, n_cells in patterns.items():
        donation = donations[pattern]
        if donation is not None:
            asked[donation] = asked.get(donation, 0) + n_cells * n_neighbors
    return asked


def is_model(folder: Folder) -> bool:
    """Whether a folder holds a model, whole or of another version, and nothing else: it may be replaced."""
    if not all(map(folder.has, (MODEL, FRONT, HOLES))):
        return False
    return all(name in OWN_FILES or name.startswith(OWN_FOLDERS) for name in folder.names())


def patterns_in(holes: Booleans, counts: Integers) -> dict[Pattern, int]:
    """The patterns of a table, and how many cells have each."""
    return {
        pattern: int(counts[group.rows].sum())
        for group in group_patterns(holes)
        for pattern in group.patterns
    }


def load_model(folder: Folder) -> PartedModel:
    """Open the folder of a model."""
    if not folder.has(MODEL):
        raise UnusableFile(
            f"{folder.url!r} is not a folder that a model was learned into, or learning did not come to an "
            f"end: there is no {MODEL} in it."
        )
    said = folder.read_json(MODEL)
    if said.get("format") != FORMAT:
        raise UnusableFile(
            f"{folder.url!r} has format {said.get('format')!r} of models in parts; this version of iim "
            f"reads format {FORMAT}. Update iim, or learn it anew."
        )
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / FRONT
        path.write_bytes(folder.read(FRONT))
        front = load(path)
    kinds = folder.read_columns(HOLES)
    return PartedModel(
        folder=folder,
        front=front,
        scaling=Scaling(
            np.array(said["scaling"]["exponent"], np.intc),
            np.array(said["scaling"]["center"], np.float64),
            np.array(said["scaling"]["spread"], np.float64),
        ),
        means=np.array(said["means"], np.float64),
        holes=numbered(kinds, "h").astype(bool),
        counts=kinds["count"].astype(np.intp),
        partition=kinds["partition"].astype(np.intp),
        lengths=np.array(said["lengths"], np.intp),
        division=Division(said["halo"], int(said["part_rows"])),
    )


def save_problem(folder: Folder, placed: Placed) -> None:
    """Write what a problem's parts have in common; after them, so that it says that they are there."""
    problem = placed.problem
    folder.write_json(
        PROBLEM,
        {
            "observed": list(problem.observed),
            "target": problem.target,
            **_encoded(problem, ("grid", "transform")),
            "exponent": problem.exponent,
            "low": problem.low,
            "high": problem.high,
            "level": problem.level,
            "weights": problem.weights,
            "n_donors": problem.n_donors,
            "regions": _encoded(placed.regions, ("column", "cut", "left")),
            "boxes": _encoded(placed, ("low", "high")),
            "sizes": placed.sizes.tolist(),
            "learned": placed.learned,
            "halo": vars(placed.halo),
        },
    )


def load_problem(folder: Folder) -> Placed | None:
    """A problem whose parts are there; None if they are not."""
    if not folder.has(PROBLEM):
        return None
    said = folder.read_json(PROBLEM)
    n_observed = len(said["observed"])
    regions = said["regions"]
    return Placed(
        PartedProblem(
            observed=tuple(said["observed"]),
            target=said["target"],
            grid=np.array(said["grid"], np.intp),
            exponent=said["exponent"],
            low=said["low"],
            high=said["high"],
            transform=np.array(said["transform"], np.float64).reshape(
                (n_observed, n_observed) if said["transform"] else (0, 0)
            ),
            level=said["level"],
            weights=said["weights"],
            n_donors=said["n_donors"],
        ),
        SpacePartition(
            np.array(regions["column"], np.intp),
            np.array(regions["cut"], np.float64),
            np.array(regions["left"], np.intp),
        ),
        np.array(said["boxes"]["low"], np.float64),
        np.array(said["boxes"]["high"], np.float64),
        np.array(said["sizes"], np.intp),
        said["learned"],
        Halo(**said["halo"]),
    )


def _encoded(value: Any, names: tuple[str, ...]) -> Mapping[str, list[Any]]:
    # Python writes floats such that they are read as the same bits, infinities and NaN included.
    return {name: getattr(value, name).tolist() for name in names}
