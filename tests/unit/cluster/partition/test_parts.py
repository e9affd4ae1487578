"""Donors on several machines, played here by turns: what they learn must be what one machine learns."""

import numpy as np
import pytest

import iim
from cases import PLAIN
from iim.cluster.partition.part_answers import Answers, ask_part, vote_over_parts
from iim.cluster.partition.parts import (
    NONE,
    Donors,
    Lists,
    PartedProblem,
    find_needs,
    foreign_judges,
    learn_own,
    lend,
    nearest_lists,
    part_models,
)
from iim.cluster.partition.space_partition import divide_space, touched_boxes
from iim.core.execution.context import Context
from iim.core.learning_size import usable_grid
from iim.core.neighbors import index_donors, nearest_donors
from iim.core.voting import candidate_limits

ONE = Context()


class Division:
    """One pattern of a table, divided among parts."""

    def __init__(self, table, settings, n_parts, *, proven, sample_step=1):
        imputer = iim.IIMImputer(**{"strategy": "patterns", **settings}).fit(table)
        source, method = imputer._loop.source, imputer._loop.method
        self.local = imputer.transform(table)
        self.settings = method.settings
        target = int(np.flatnonzero(np.isnan(table).any(axis=0))[0])
        observed = tuple(column for column in range(table.shape[1]) if column != target)
        self.receivers = np.flatnonzero(np.isnan(table[:, target]))
        rows = np.flatnonzero(~np.isnan(table[:, target]))
        tuning = method.tuning(source, target, ONE)
        models = next(iter(imputer._loop.models.kept.values()))

        def lie(at):
            return models.coordinates(source.scaling, table[at])

        donors = Donors(rows, lie(rows), table[rows, target])
        exponent = int(np.frexp(np.abs(donors.targets).max())[1])
        low, high = candidate_limits(np.ldexp(donors.targets, -exponent), self.settings.reach)
        self.problem = PartedProblem(
            observed=observed,
            target=target,
            grid=usable_grid(self.settings.learning_grid, rows.size),
            exponent=exponent,
            low=low,
            high=high,
            transform=tuning.transform(observed),
            level=tuning.level,
            weights=tuning.weights,
            shrinkage=models.shrinkage,
            n_donors=rows.size,
        )
        self.regions = divide_space(donors.points[::sample_step], n_parts)
        owner = self.regions.owner(donors.points)
        floor, ceiling = self.regions.boxes(len(observed))
        self.own, self.needs = [], []
        for part in range(self.regions.n_regions):
            own, needs = find_needs(
                donors.take(owner == part),
                (floor[part], ceiling[part]),
                n_learning=self.problem.n_nearest(self.settings.n_neighbors),
                proven=proven,
                context=ONE,
            )
            self.own.append(own)
            self.needs.append(needs)
        self.owner_of = dict(zip(rows.tolist(), owner.tolist(), strict=True)) | {NONE: -1}
        self.halos = [self._halo(part) for part in range(self.regions.n_regions)]
        self.queries = lie(self.receivers)

    def _halo(self, part):
        needs = self.needs[part]
        lent = [lend(own, needs.low, needs.high) for at, own in enumerate(self.own) if at != part]
        nobody = self.own[part].take(np.empty(0, np.intp))
        return nobody.and_also(*lent)

    def learn(self):
        """Each part's models: its tree, its rows, its coefficients."""
        k, n_parts = self.settings.n_neighbors, self.regions.n_regions
        lists = [
            nearest_lists(own, halo, n_neighbors=k, context=ONE)
            for own, halo in zip(self.own, self.halos, strict=True)
        ]
        mail = [[] for _ in range(n_parts)]
        for part in range(n_parts):
            owner = np.vectorize(self.owner_of.get)(lists[part].nearest)
            owner[lists[part].nearest == NONE] = part
            to, judge, judged = foreign_judges(lists[part], owner, part)
            by_row = self.own[part].and_also()
            for other in range(n_parts):
                mail[other].append((by_row.take(judge[to == other]), judged[to == other]))
        learned = []
        for part in range(n_parts):
            judges = Donors(
                *(
                    np.concatenate([getattr(sent, name) for sent, _ in mail[part]])
                    for name in ("rows", "points", "targets")
                )
            )
            judged = np.concatenate([names for _, names in mail[part]])
            models = part_models(
                self.own[part], self.halos[part], judges, judged, lists[part], problem=self.problem
            )
            own = self.own[part].and_also()
            coef = learn_own(models, own.rows, settings=self.settings, context=ONE)
            learned.append((index_donors(own.points), own.rows, coef))
        return learned

    def fill(self):
        """Receivers ask the part that owns their place, then those that may have nearer donors."""
        k, learned = self.settings.n_neighbors, self.learn()
        home = self.regions.owner(self.queries)
        who, lines = [], []

        def ask(part, at):
            tree, rows, coef = learned[part]
            found = nearest_donors(tree, self.queries[at], n_neighbors=k, context=ONE)
            answers = ask_part(tree, rows, coef, self.queries[at], found, self.problem, k)
            who.append(at)
            lines.append(answers)
            return answers

        reach = np.empty(self.queries.shape[0])
        for part in range(self.regions.n_regions):
            at = np.flatnonzero(home == part)
            if at.size:
                reach[at] = ask(part, at).distance[:, -1]
        low = np.array([own.points.min(axis=0) for own in self.own])
        high = np.array([own.points.max(axis=0) for own in self.own])
        rows, boxes = touched_boxes(self.queries, reach, low, high)
        for part in range(self.regions.n_regions):
            at = rows[(boxes == part) & (home[rows] != part)]
            if at.size:
                ask(part, at)
        answers = Answers(
            *(
                np.concatenate([getattr(line, name) for line in lines])
                for name in ("distance", "rows", "said")
            )
        )
        receivers, values = vote_over_parts(np.concatenate(who), answers, self.problem)
        assert receivers.tolist() == list(range(self.receivers.size))
        return values


def make_table(seed, n_rows, n_columns, kind="smooth"):
    random = np.random.default_rng(seed)
    table = random.normal(size=(n_rows, n_columns))
    if kind == "ties":
        table = np.round(table)
    if kind == "tails":
        table = table**5
    if kind == "tiny":
        # Their squares are no numbers: with `scale="none"`, all rows lie in one place.
        table *= 1e-170
    if kind == "duplicates":
        table[: n_rows // 2] = table[0]
    table[:, 0] = np.sin(table[:, 1]) + 0.5 * table[:, -1] + random.normal(scale=0.1, size=n_rows)
    table[random.choice(n_rows, n_rows // 10, replace=False), 0] = np.nan
    return table


GRID = (1, 3, 6, 10, 16, 25)
"""Small beside a part, so that halos are not everything."""


@pytest.mark.parametrize("kind", ["smooth", "ties", "tails", "duplicates"])
@pytest.mark.parametrize("n_parts", [1, 2, 7])
@pytest.mark.parametrize(
    "settings",
    [
        {"learning_grid": GRID},
        {**iim.PAPER, "learning_grid": range(1, 30, 4)},
        {"learning_neighbors": 20, "weights": "distance"},
        {"learning_grid": GRID, "n_neighbors": 3, "level": "own", "weights": "uniform", "reach": 0.0},
        # Fewer to learn from than to be judged by.
        {"learning_grid": (1, 2, 4), "n_neighbors": 15},
    ],
    ids=["default", "paper", "fixed", "other", "judges"],
)
def test_parts_that_have_all_that_they_need_fill_as_one_machine(kind, n_parts, settings):
    division = Division(make_table(0, 80 if PLAIN else 600, 4, kind), settings, n_parts, proven=True)
    assert division.fill().tolist() == division.local[division.receivers, 0].tolist()


def test_rows_that_are_too_close_to_be_told_apart_fill_as_one_machine():
    settings = {**iim.PAPER, "learning_grid": range(1, 30, 4)}
    table = make_table(0, 150, 4, "tiny")
    table[:, 0] *= 1e-170
    division = Division(table, settings, 4, proven=True)
    assert division.fill().tolist() == division.local[division.receivers, 0].tolist()


@pytest.mark.skipif(PLAIN, reason="many rows take too long without compiler")
def test_a_halo_is_not_everything():
    division = Division(make_table(0, 5000, 3), {"learning_grid": GRID}, 4, proven=True)
    for own, halo in zip(division.own, division.halos, strict=True):
        assert 0 < halo.rows.size < 5000 - 500 - own.rows.size
    assert division.fill().tolist() == division.local[division.receivers, 0].tolist()


def test_parts_with_fewer_donors_than_models_learn_from_get_all_of_them():
    division = Division(make_table(0, 100, 3), {}, 7, proven=False)
    everyone = sum(own.rows.size for own in division.own)
    assert all(
        own.rows.size + halo.rows.size == everyone
        for own, halo in zip(division.own, division.halos, strict=True)
    )
    assert division.fill().tolist() == division.local[division.receivers, 0].tolist()


@pytest.mark.skipif(PLAIN, reason="many rows take too long without compiler")
def test_a_sampled_halo_is_smaller_and_hardly_worse():
    table = make_table(1, 4000, 4)
    proven, sampled = (
        Division(table, {"learning_grid": GRID}, 6, proven=proven) for proven in (True, False)
    )
    sizes = [sum(halo.rows.size for halo in each.halos) for each in (proven, sampled)]
    assert 0 < sizes[1] < sizes[0]
    truth = sampled.local[sampled.receivers, 0]
    assert np.sqrt(np.mean((sampled.fill() - truth) ** 2)) < 0.01 * truth.std()


@pytest.mark.parametrize("kind", ["smooth", "ties", "tails"])
def test_whatever_is_within_reach_is_in_the_part_or_in_its_halo(kind):
    table = make_table(2, 200 if PLAIN else 1500, 3, kind)
    division = Division(table, {"learning_grid": GRID}, 3 if PLAIN else 5, proven=True)
    everyone = division.own[0].and_also(*division.own[1:])
    for own, needs, halo in zip(division.own, division.needs, division.halos, strict=True):
        here = np.isin(everyone.rows, np.concatenate([own.rows, halo.rows]))
        gaps = own.points[:, None] - everyone.points
        apart = np.sqrt(np.sum(gaps**2, axis=2))
        assert here[(apart <= needs.radius[:, None]).any(axis=0)].all()
        # And what is within reach suffices: as many donors as the largest model learns from.
        assert (np.sort(apart, axis=1)[:, GRID[-1] - 1] <= needs.radius).all()


def test_judges_from_elsewhere_are_sent_once_to_each_part():
    lists = Lists(np.array([4, 9]), np.array([[1, 2, 5], [4, 7, NONE]]), np.zeros(2))
    owner = np.array([[1, 1, 2], [0, 2, 0]])
    part, judge, judged = foreign_judges(lists, owner, 0)
    assert part.tolist() == [1, 2, 2]
    assert judge.tolist() == [0, 0, 1]
    assert judged.tolist() == [[1, 2, NONE], [NONE, NONE, 5], [NONE, 7, NONE]]


def test_receivers_with_too_few_answers_are_left_out():
    division = Division(make_table(0, 100, 3), {"learning_grid": GRID, "n_neighbors": 2}, 1, proven=True)
    distance, rows = np.array([[1.0, np.inf], [1.0, 2.0]]), np.array([[7, NONE], [3, 4]])
    answers = Answers(distance, rows, np.ones((2, 2)))
    receivers, values = vote_over_parts(np.array([0, 1]), answers, division.problem)
    assert receivers.tolist() == [1]
    assert values.size == 1
