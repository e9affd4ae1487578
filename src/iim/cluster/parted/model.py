"""The common data of a model in parts: columns, scaling, problems, and the folders of their parts."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np

from iim._arrays import Booleans, Floats, Integers
from iim._checks import one_of
from iim.cluster.parted.storage import Folder
from iim.cluster.parted.table import Donation, TablePart
from iim.cluster.partition.parts import PartedProblem
from iim.cluster.partition.space_partition import SpacePartition
from iim.core.donors import Fallback, choose_donors
from iim.core.patterns import Pattern, group_patterns
from iim.core.scaling import Scaling
from iim.core.settings import Settings
from iim.exceptions import UnusableFile
from iim.imputers.files import make_imputer, pack_imputer
from iim.imputers.iim import IIMImputer
from iim.persistence.container import unpack
from iim.persistence.fields import (
    COUNT,
    Refused,
    Sizes,
    booleans,
    floats,
    integers,
    real,
    scalar,
    whole,
)

MODEL, FRONT, PROBLEM = "model.iim", "columns.iim", "problem.iim"
"""Files of the folder. The first is written last: without it, there is no model."""


MOST_ROWS = 2**53
"""The file of a partition."""

MOST_NEIGHBORS = 1000
"""Donors used at once, at most: answers have three columns for each."""

OWN_FILES = (MODEL, FRONT)
OWN_FOLDERS = ("table", "column-")
"""All names, and beginnings of names, in the folder of a model."""


@dataclass(frozen=True)
class Halo:
    """Copies of donors exchanged between parts.

    Attributes
    ----------
    n_rows : int
        Copies of donors for learning, over all parts.
    n_judges : int
        Copies of donors that are validation rows for donors of other parts.
    n_short_lists : int
        Number of donors whose nearest neighbours may be incomplete.
    share_unproven : float
        Share of donors whose learning neighbours may be incomplete, estimated from a sample.
        Share of donors of which it is not sure that their learning neighbours are all there: of a sample.
    """

    n_rows: Annotated[int, COUNT]
    n_judges: Annotated[int, COUNT]
    n_short_lists: Annotated[int, COUNT]
    share_unproven: Annotated[float, real(0, 1)]


@dataclass(frozen=True)
class Placed:
    """A pattern's problem, and its parts.

    Attributes
    ----------
    problem : PartedProblem
        The common data of the parts.
    regions : SpacePartition
        Regions of the parts.
    low, high : ndarray of shape (n_parts, n_observed)
        Corners of the bounding box of each part's donors.
    sizes : ndarray of shape (n_parts,)
        Donors of each part.
    learned : bool
        Whether all models are learned; otherwise they are learned when needed.
    halo : Halo
        Copies exchanged between the parts.
    """

    problem: PartedProblem
    regions: SpacePartition
    low: Annotated[Floats, floats("parts", "observed", finite=False)]
    high: Annotated[Floats, floats("parts", "observed", finite=False)]
    sizes: Annotated[Integers, integers("parts")]
    learned: bool
    halo: Halo

    def check_kept(self, sizes: Sizes) -> None:
        """Refuse parts that do not match the regions, or lack donors."""
        del sizes
        if self.n_parts != self.regions.n_regions or self.sizes.sum() != self.problem.n_donors:
            raise Refused("`Placed.sizes`: a part for every region, and all donors in them, are needed")

    @property
    def n_parts(self) -> int:
        """Number of parts."""
        return int(self.sizes.size)


@dataclass(frozen=True)
class Division:
    """How a table is divided.

    Attributes
    ----------
    halo : {"sampled", "proven"}
        Whether every donor's neighbours are searched beyond the border, so that none can be missing, or
        those of a sample.
    part_rows : int
        Approximate number of donors of a part.
    """

    halo: Annotated[str, scalar(one_of("sampled", "proven"))]
    part_rows: Annotated[int, whole(1, 2**63 - 1)]


class KeptModel(NamedTuple):
    """The file of a model in parts; see :class:`PartedModel`."""

    scaling: Scaling
    means: Annotated[Floats, floats("columns")]
    lengths: Annotated[Integers, integers("partitions")]
    holes: Annotated[Booleans, booleans("kinds", "columns")]
    counts: Annotated[Integers, integers("kinds")]
    partition: Annotated[Integers, integers("kinds", below="partitions")]
    division: Division

    def check_kept(self, sizes: Sizes) -> None:
        """Refuse counts that do not match the partitions."""
        del sizes
        # As floats, which are exact for any real table, and do not overflow.
        total = np.bincount(self.partition, self.counts, self.lengths.size)
        if np.any(self.lengths > MOST_ROWS) or not np.array_equal(total, self.lengths):
            raise Refused("`KeptModel.counts`: as many rows as each partition has are needed")


@dataclass(frozen=True)
class PartedModel:
    """A model in parts, in a folder.

    Attributes
    ----------
    folder : Folder
        Its folder.
    front : IIMImputer
        Has the names, types and bounds of the columns, and all parameters. It was fitted to a few rows, and
        does not fill.
    scaling : Scaling
        Of the columns that are filled.
    means : ndarray of shape (n_columns,)
        Their means.
    holes : ndarray of shape (n_kinds, n_columns)
        Combinations of missing cells, by partition.
    counts : ndarray of shape (n_kinds,)
        Number of rows with each combination.
    partition : ndarray of shape (n_kinds,)
        Number of the partition of each combination.
    lengths : ndarray of shape (n_partitions,)
        Number of rows of each partition.
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
        """All parameters."""
        return self.front._settings()[0]

    @property
    def columns(self) -> Integers:
        """Positions of the columns to fill: those chosen that have known values."""
        return self.front._known_places()

    @property
    def names(self) -> tuple[Any, ...]:
        """Their names."""
        return tuple(self.front._columns_in[at] for at in self.front._known_columns)

    def donation(self, pattern: Pattern) -> tuple[Donation | None, Fallback]:
        """The donors of a pattern, and its fallback; None if the fallback is the column mean."""
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
        """Number of donors in each partition."""
        return self._by_partition(donation.donors(self.holes))

    def receivers_by_partition(self, donation: Donation) -> Integers:
        """Number of rows in each partition that lack the target, and no column to predict from."""
        return self._by_partition(donation.receivers(self.holes))

    def _by_partition(self, kinds: Integers) -> Integers:
        total = np.zeros(self.lengths.size, np.intp)
        np.add.at(total, self.partition[kinds], self.counts[kinds])
        return total

    def place(self, donation: Donation) -> Folder:
        """The folder of a problem's parts."""
        said = ",".join(map(str, donation.needed)) + ";" + ",".join(map(str, donation.observed))
        digest = hashlib.sha256(said.encode()).hexdigest()[:16]
        return self.folder.below(f"column-{donation.target}-{digest}")

    def problem(self, donation: Donation) -> Placed | None:
        """The data of a problem in the folder; None if it is not there."""
        folder = self.place(donation)
        if not folder.has(PROBLEM):
            return None
        placed = folder.read_kept(PROBLEM, Placed, columns=self.means.size)
        if (placed.problem.observed, placed.problem.target) != (donation.observed, donation.target):
            raise UnusableFile(f"{folder.shown(PROBLEM)} is of another problem. Learn the model again.")
        return placed

    def table_part(self, number: int) -> TablePart:
        """A partition of the table."""
        here = self.partition == number
        return TablePart(self.folder, number, self.columns, self.holes[here], self.counts[here])

    def losses(self) -> list[dict[str, Any]]:
        """For each problem of the table, what it was learned from and which neighbours may be missing.

        Returns
        -------
        list of dict
            For each combination of known columns and missing column: ``column``, ``known``, ``n_donors``,
            ``n_parts``, numbers of copies, ``n_short_lists`` (donors whose nearest neighbours may be
            incomplete) and ``share_unproven`` (share of donors whose learning neighbours may be incomplete,
            from a sample). Both are 0 with ``halo="proven"``.
        """
        found = {}
        for pattern in patterns_in(self.holes, self.counts):
            donation = self.donation(pattern)[0]
            placed = None if donation is None else self.problem(donation)
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
        """Write the common data; the last step, so that a folder without it is no model."""
        self.folder.write(FRONT, b"".join(pack_imputer(self.front)))
        self.folder.write_kept(MODEL, KeptModel(*(getattr(self, name) for name in KeptModel._fields)))


def count_asked(
    donations: Mapping[Pattern, Donation | None], patterns: Mapping[Pattern, int], n_neighbors: int
) -> dict[Donation, int]:
    """How often donors are used, by problem, if patterns have so many cells."""
    asked: dict[Donation, int] = {}
    for pattern, n_cells in patterns.items():
        donation = donations[pattern]
        if donation is not None:
            asked[donation] = asked.get(donation, 0) + n_cells * n_neighbors
    return asked


def is_model(folder: Folder) -> bool:
    """Whether a folder holds only a model, complete or not, of any version: it may be replaced."""
    if not all(map(folder.has, OWN_FILES)):
        return False
    return all(name in OWN_FILES or name.startswith(OWN_FOLDERS) for name in folder.names())


def patterns_in(holes: Booleans, counts: Integers) -> dict[Pattern, int]:
    """The patterns of a table, and the number of cells with each."""
    return {
        pattern: int(counts[group.rows].sum())
        for group in group_patterns(holes)
        for pattern in group.patterns
    }


def load_model(folder: Folder) -> PartedModel:
    """Open the folder of a model."""
    if not folder.has(MODEL):
        raise UnusableFile(
            f"{folder.url!r} has no model, or learning was not finished: there is no {MODEL} in it."
        )
    kept = folder.read_kept(MODEL, KeptModel)
    data, shown = folder.read_own(FRONT), folder.shown(FRONT)
    front = make_imputer(*unpack(io.BytesIO(data), len(data), shown), shown)
    if not isinstance(front, IIMImputer) or front._known_columns.size != kept.means.size:
        raise UnusableFile(
            f"{folder.url!r}: {FRONT} and {MODEL} are of different models. Learn the model again."
        )
    if front.n_neighbors > MOST_NEIGHBORS:
        raise UnusableFile(f"{shown} uses more than {MOST_NEIGHBORS} donors, which no model in parts does.")
    return PartedModel(folder=folder, front=front, **kept._asdict())


def save_problem(folder: Folder, placed: Placed) -> None:
    """Write the common data of a problem's parts; after the parts, so that it marks them complete."""
    folder.write_kept(PROBLEM, placed)
