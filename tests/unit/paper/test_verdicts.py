"""What a section says of its numbers, on records made by hand."""

import pytest

from iim.paper.cases import ORDER
from iim.paper.efforts import QUICK
from iim.paper.learning_times import WAYS
from iim.paper.records import Found, Store
from iim.paper.sections import adaptive, applications, complexity, holes, scalability, stepping, today


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path)


def keep(store, tasks, **record):
    for task in tasks:
        store.write(task, {"took": 1.0, "n_threads": 1, "versions": {}, **record})


def filled(error, spread=1.0):
    """A record whose RMS error is as given."""
    return {
        "truth": [0.0, 0.0],
        "filled": [error, -error],
        "spread": spread,
        "mean": 0.0,
        "seconds": {"fit": 1, "fill": 1},
    }


def test_adaptive_learning_is_held_against_every_fixed_number(store):
    keep(store, adaptive.chosen("asf", QUICK), **filled(2.0))
    for (n_learning, tasks), error in zip(
        adaptive.fixed("asf", QUICK).items(), (5.0, 1.5, 2.0, 9.0), strict=True
    ):
        assert n_learning in adaptive.QUICK_FIXED
        keep(store, tasks, **filled(error))
    said = adaptive.score(QUICK, Found(store)).verdict
    assert said[0] == (
        "ASF: adaptive 2; the best fixed l, 10, gives 1.5; adaptive learning is better than 2 of 4 fixed "
        "numbers."
    )
    assert said[1] == "CA: not all was measured."


def test_a_fixed_number_that_is_missing_is_left_out(store):
    keep(store, adaptive.chosen("asf", QUICK), **filled(2.0))
    keep(store, list(adaptive.fixed("asf", QUICK).values())[1], **filled(3.0))
    said = adaptive.score(QUICK, Found(store)).verdict
    assert said[0].endswith("10, gives 3; adaptive learning is better than 1 of 1 fixed numbers.")


def test_scalability_says_how_many_times_and_how_time_grows(store):
    for way, seconds in zip(WAYS, ((4.0, 16.0), (1.0, 2.0)), strict=True):
        for (n_rows, tasks), taken in zip(
            scalability.points("ca", way, QUICK).items(), seconds, strict=True
        ):
            assert n_rows in scalability.QUICK_SIZES
            keep(store, tasks, seconds={"total": taken, "learning": taken})
    said = scalability.score(QUICK, Found(store)).verdict
    assert said[0] == "SN (stand-in): not all was measured."
    assert said[1] == (
        "CA: incremental is 4.0 to 8.0 times as fast; time grows as n^2.00 (straightforward) and n^1.00 "
        "(incremental)."
    )


def test_stepping_counts_models_that_are_the_same(store):
    last = stepping.ENDS["l up to 100"]
    for way in WAYS:
        for step, tasks in stepping.points(last, way, QUICK).items():
            # The two ways differ at one step of three.
            digest = f"{step} {way if step == 20 else ''}"
            keep(store, tasks, digest=digest, seconds={"total": 1.0}, truth=[0.0], filled=[float(step)])
    said = stepping.score(QUICK, Found(store)).verdict
    assert said[0].endswith("to the last bit, in 2 of 3 cases.")
    assert said[1] == "Error, l up to 100: 5 (h = 5), 20 (h = 20), 100 (h = 100)."
    assert stepping.score(QUICK, Found(Store(store.folder / "empty"))).verdict == ()


def test_purity_counts_the_most_common_and_ties_share_places(store):
    for method, counts in (
        ("iim", [[3, 1], [0, 4]]),
        ("knn", [[4, 0], [1, 3]]),
        ("mean", [[2, 2], [2, 2]]),
    ):
        keep(store, applications.cluster_tasks("asf", method, QUICK), counts=counts, n_rows=8)
    section = applications.score(QUICK, Found(store))
    assert section.blocks[0].cells["IIM", "ASF"].ours == pytest.approx(7 / 8)
    assert section.blocks[0].cells["Mean", "ASF"].ours == pytest.approx(4 / 8)
    assert section.verdict == (
        "ASF: the best are IIM 0.875, kNN 0.875, Mean 0.500; IIM is number 1 to 2 of 3. All lie between "
        "0.500 and 0.875.",
    )


def test_f1_is_over_all_folds_and_warnings_are_told(store):
    folds = [
        {"truth": [0, 0, 1], "predicted": [0, 0, 1], "warned": []},
        {"truth": [1], "predicted": [0], "warned": ["few donors"]},
    ]
    keep(store, applications.classify_tasks("mam", "iim", QUICK), folds=folds)
    section = applications.score(QUICK, Found(store))
    # Class 0: precision 2/3, recall 1, F1 0.8; class 1: precision 1, recall 1/2, F1 2/3; two rows each.
    assert section.blocks[1].cells["IIM", "MAM"].ours == pytest.approx((0.8 + 2 / 3) / 2)
    assert section.verdict[-1] == "MAM: in some folds IIM warned; the raw records hold the warnings."


def test_holes_count_the_cases_in_which_iim_is_ahead_of_all_peers(store):
    errors = {"ASF, 5%": (1.0, 2.0, 3.0), "ASF, 20%": (2.0, 1.5, 9.0)}
    for column, values in errors.items():
        for method, error in zip(("IIM", "KNNImputer", "IterativeImputer"), values, strict=True):
            columns = [
                {"truth": [0.0], "filled": [2 * error], "spread": 2.0},
                {"truth": [], "filled": [], "spread": 1.0},
            ]
            keep(store, holes.tasks_of(column, method, QUICK), columns=columns, seconds={"all": 1.0})
    assert holes.score(QUICK, Found(store)).verdict == (
        "IIM with its defaults is ahead of all of scikit-learn's in 1 of 2 cases.",
        "ASF, 20%: IIM 2, the best of scikit-learn's 1.5.",
    )


def test_ranks_are_of_methods_that_were_measured_everywhere(store):
    """Two attributes, three methods; kNN was not measured on the second."""
    first, second = today.CASES[:2]
    for case, errors in ((first, {"iim": 1.0, "glr": 2.0, "knn": 3.0}), (second, {"iim": 2.0, "glr": 1.0})):
        for method, error in errors.items():
            keep(store, today.tasks_of(*case, method, QUICK), **filled(error, spread=2.0))
    section = today.score(QUICK, Found(store))
    table, ranking, attributes, _ = section.blocks
    assert table.cells["IIM", "ASF"].ours == pytest.approx(0.75)
    assert table.cells["kNN", "ASF"].ours is None
    assert ranking.ranks == {"IIM": 1.5, "GLR": 1.5}
    assert attributes.rows == ("ASF A1", "ASF A2")
    assert attributes.cells["ASF A1", "kNN"].ours == pytest.approx(1.5)
    assert attributes.cells["ASF A2", "kNN"].ours is None
    assert section.verdict[0] == "ASF: IIM 0.75, GLR 0.75; IIM is number 1 to 2."


def test_the_critical_difference_of_a_textbook():
    """Demsar (2006), section 3.2.2: four methods, 14 data sets, 5 %: q = 2.569, CD = 1.25."""
    assert today.critical_difference(4, 14) == pytest.approx(1.25, abs=0.005)
    assert today.critical_difference(2, 10) == pytest.approx(1.960 * (2 * 3 / 60) ** 0.5, abs=0.001)


def test_complexity_says_how_many_times_as_long_from_scratch(store):
    series = {
        "values": [100, 400],
        "straightforward": [2e-6, 8e-6],
        "incremental": [1e-6, 2e-6],
        "exponents": dict.fromkeys(WAYS, 1.0),
        "last_exponents": dict.fromkeys(WAYS, 0.5),
    }
    keep(store, complexity.tasks(QUICK), n_known=series, n_more=series, n_columns=series, same=True)
    section = complexity.score(QUICK, Found(store))
    assert section.verdict[0] == "Both ways learn the same models, to the last bit."
    assert section.verdict[-1] == "At l = 400, a step takes 4.0 times as long from scratch."
    assert section.blocks[1].cells["in l", "Incremental, measured"] == "1.00, at the end 0.50"


def test_every_method_is_in_the_order():
    assert len(ORDER) == 14
