"""Files that fit their checksum and were made up: whatever they claim, they are refused, and say why."""

import copy
import re
from functools import cache

import numpy as np
import pytest

import iim
from hostile_files import write_container
from iim.persistence.container import read_container
from strategies import holed, untied, with_hole_column

TABLE = holed(40, 3, share=0.1)
LEARNED = with_hole_column(untied(90, 3, seed=1), 2, 4)[0]
"""Long enough for learned distances, which are better here."""
ROWS = holed(20, 3, share=0.4, seed=3)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.iim"


def at(tree, *keys):
    for key in keys:
        tree = tree[key]
    return tree


def put(path, value):
    """A change of the JSON: ``value`` at a path of keys."""

    def change(content, arrays):
        at(content, *path[:-1])[path[-1]] = value

    return change


def put_array(name, change):
    """A change of the one array whose name ends so."""

    def changed(content, arrays):
        (found,) = [full for full in arrays if full == name or full.endswith(f".kept.0.{name}")]
        arrays[found] = np.ascontiguousarray(change(arrays[found].copy()))

    return changed


def first_is(value):
    def change(array):
        array.reshape(-1)[0] = value
        return array

    return change


def entry_is(value):
    """One entry beside the diagonal."""

    def change(array):
        array[0, 1] = value
        return array

    return change


def less(array):
    return array[:-1]


def one_less(array):
    """The first donor of each column is none."""
    return array & (np.cumsum(array, axis=0) > 1)


def without_columns(content, arrays):
    """Rows to be searched on no column at all."""
    at(content, *SOLUTION)["observed"] = []
    arrays["_models.kept.0.models.model.donors.points"] = np.empty((30, 0))
    arrays["_models.kept.0.models.model.donors.targets"] = np.zeros(30)


def one_way_for_many_trees(content, arrays):
    """Very many trees, all of which go the same long way down."""
    nodes = "_models.kept.0.models."
    left = np.where(np.arange(200_001) % 2 == 0, np.arange(200_001) + 1, 0)
    left[-1] = 0
    arrays[nodes + "first"] = np.zeros(200_000, np.int32)
    arrays[nodes + "left"] = left.astype(np.int32)
    arrays[nodes + "unknown_left"] = np.zeros(left.size, bool)
    arrays[nodes + "column"] = np.zeros(left.size, np.int32)
    arrays[nodes + "value"] = np.zeros(left.size, np.float32)


def indicated_but_not_chosen(content, arrays):
    arrays["_chosen_columns"] = arrays["_known_columns"] = np.array([0, 1], np.int32)
    arrays["_indicated"] = np.array([2], np.int32)
    matrix = at(content, "state", "_source", "matrix")
    matrix["columns"] = matrix["columns"][:2]
    arrays["_source.matrix.values"] = arrays["_source.matrix.values"][:, :2].copy()
    arrays["_fallen.known"] = arrays["_fallen.known"][:, :2].copy()
    for name in ("scaling.exponent", "scaling.center", "scaling.spread", "means"):
        arrays[f"_source.{name}"] = arrays[f"_source.{name}"][:2]


def judged_again(content, arrays):
    """All judged lists in one, which is longer than there are donors."""
    name = "_loop.models.kept.0.models.first"
    arrays[name] = np.where(np.arange(arrays[name].size) > 0, arrays[name][-1], 0).astype(np.int32)


ENTRY = ("kept", 0)
KEPT, LOOP = ("state", "_models", *ENTRY), ("state", "_loop", "PatternLoop")
METHOD = (*LOOP, "method")
SETTINGS = (*METHOD, "settings")
COMPLETED, ROUNDS = (("state", "_loop", "RoundLoop", part) for part in ("completed", "rounds"))
CHOICE = (*ROUNDS, "rounds", 0, "columns", 0)
CALIBRATION = ("state", "_calibration", "Calibration")
TUNING = (*METHOD, "tunings", *ENTRY, "models")
BOOSTING = ("state", "_boosting")
ASKED = (*LOOP, "models", *ENTRY)
MODELS, SOLUTION = (*ASKED, "models"), (*KEPT, "models")
PROBLEM = (*MODELS, "problem")


@cache
def fitted(key):
    if key == "rounds":
        return iim.IIMImputer(strategy="iterative").fit(TABLE)
    if key == "learned":
        return iim.IIMImputer(strategy="patterns").fit(LEARNED)
    if key == "calibrated":
        return iim.IIMImputer(strategy="patterns").fit(TABLE).calibrate()
    if key == "iim":
        return iim.IIMImputer(strategy="patterns").fit(TABLE)
    return iim.METHODS[key](**({"n_rounds": 3} if key == "xgb" else {})).fit(TABLE)


HOSTILE = [
    # What compiled loops would follow out of bounds.
    ("iim", put_array("models.judges", first_is(40)), "PatternModels.judges"),
    ("iim", put_array("models.judges", first_is(-1)), "PatternModels.judges"),
    ("iim", put_array("models.first", first_is(1)), "beginnings of lists"),
    ("iim", put_array("models.first", less), "PatternModels.first"),
    ("iim", put_array("models.first", lambda a: np.r_[0, 5, 4, a[3:]]), "beginnings of lists"),
    ("iim", judged_again, "no more than all donors"),
    ("iim", put_array("models.grid", lambda a: a[::-1]), "increasing numbers"),
    ("iim", put_array("models.grid", first_is(0)), "PatternModels.grid"),
    ("iim", put_array("models.grid", lambda a: np.r_[a[:-1], 1000]), "PatternModels.grid"),
    ("iim", put_array("models.grid", lambda a: a[:0]), "PatternModels.grid"),
    ("iim", put_array("models.points", first_is(np.nan)), "PatternModels.points"),
    ("iim", put_array("models.points", lambda a: a[:, :-1]), "PatternModels.points"),
    ("iim", put_array("models.points", lambda a: a.astype(np.float32)), "PatternModels.points"),
    ("iim", put_array("models.coef", lambda a: a[:, :-1]), "PatternModels.coef"),
    ("iim", put_array("models.n_learning", first_is(1000)), "PatternModels.n_learning"),
    ("iim", put_array("models.targets", less), "PatternModels.targets"),
    ("iim", put_array("models.problem.rows", first_is(1000)), "Problem.rows"),
    ("iim", put((*PROBLEM, "observed"), [0, 7]), "Problem.observed"),
    ("iim", put((*PROBLEM, "observed"), []), "Problem.observed"),
    ("iim", put((*PROBLEM, "pattern", "observed"), [0]), "Problem.observed"),
    ("iim", put((*PROBLEM, "fallback"), "ALL"), "KeyError"),
    ("iim", put((*MODELS, "exponent"), 10**9), "PatternModels.exponent"),
    ("iim", put((*ASKED, "pattern", "target"), 9), "Pattern.target"),
    ("iim", put((*ASKED, "pattern", "observed"), []), "not those of its pattern"),
    ("iim", put((*ASKED, "models"), {"list": []}), "Entry.models"),
    ("iim", put((*SETTINGS, "alpha"), -1.0), "Settings.alpha"),
    ("iim", put((*SETTINGS, "learning_grid"), []), "Settings.learning_grid"),
    ("iim", put_array("_loop.source.scaling.spread", first_is(0)), "Scaling.spread"),
    ("iim", put_array("_loop.source.scaling.center", first_is(np.nan)), "Scaling.center"),
    ("iim", put_array("_loop.source.scaling.exponent", first_is(2**30)), "Scaling.exponent"),
    ("iim", put_array("_loop.source.matrix.values", first_is(np.inf)), "MaskedMatrix.values"),
    ("iim", put_array("_loop.source.matrix.values", lambda a: a * [1, np.nan, 1]), "MaskedMatrix.values"),
    ("iim", put_array("_limits.low", less), "Limits.low"),
    ("iim", put_array("_limits.high", first_is(np.nan)), "Limits.high"),
    ("learned", put_array("models.transform", entry_is(0.125)), "PatternModels.transform"),
    ("learned", put_array("models.transform", lambda a: a[:, :-1]), "PatternModels.transform"),
    ("learned", put_array("models.transform", lambda a: a[:1, :1]), "PatternModels.transform"),
    ("learned", put_array("models.transform", lambda a: a.reshape(-1)), "PatternModels.transform"),
    ("learned", put_array("models.transform", lambda a: a[:0]), "PatternModels.transform"),
    ("learned", put_array("models.transform", lambda a: a.astype(np.float32)), "PatternModels.transform"),
    ("learned", put_array("models.transform", lambda a: a * np.nan), "PatternModels.transform"),
    ("learned", put_array("models.transform", lambda a: a * 1e9), "PatternModels.transform"),
    ("learned", put((*MODELS, "level"), "auto"), "PatternModels.level"),
    ("learned", put((*MODELS, "weights"), "auto"), "PatternModels.weights"),
    ("learned", put_array("models.metric", entry_is(0.125)), "ColumnTuning.metric"),
    ("learned", put_array("models.metric", lambda a: a[:, :-1]), "ColumnTuning.metric"),
    ("learned", put_array("models.metric", lambda a: a[:1, :1]), "ColumnTuning.metric"),
    ("learned", put_array("models.metric", lambda _: np.eye(50)), "ColumnTuning.metric"),
    ("learned", put_array("models.metric", lambda a: a * np.nan), "ColumnTuning.metric"),
    ("learned", put_array("models.metric", lambda a: a * np.inf), "ColumnTuning.metric"),
    ("learned", put((*TUNING, "observed"), [0]), "ColumnTuning.metric"),
    ("learned", put((*TUNING, "observed"), [0, 7]), "ColumnTuning.observed"),
    ("learned", put((*TUNING, "level"), "auto"), "ColumnTuning.level"),
    ("learned", put((*TUNING, "weights"), "auto"), "ColumnTuning.weights"),
    ("learned", put((*TUNING, "error"), "small"), "ColumnTuning.error"),
    ("learned", put((*SETTINGS, "reach"), -1.0), "Settings.reach"),
    ("learned", put((*SETTINGS, "distance"), "own"), "Settings.distance"),
    ("rounds", put_array("_loop.completed.known", lambda a: a & False), "donors for every column"),
    ("rounds", put_array("_loop.completed.donors", lambda a: a & False), "donors for every column"),
    ("rounds", put_array("_loop.completed.known", less), "CompletedTable.known"),
    ("rounds", put_array("_loop.completed.donors", one_less), "not those that its models are for"),
    ("rounds", put_array("_loop.completed.rows", lambda a: a[::-1]), "CompletedTable.rows"),
    ("rounds", put((*COMPLETED, "voted"), 2), "CompletedTable.voted"),
    ("rounds", put_array("_loop.completed.gaussian.mean", less), "Gaussian.mean"),
    ("rounds", put_array("_loop.completed.gaussian.covariance", entry_is(0.125)), "Gaussian.covariance"),
    ("rounds", put_array("_loop.completed.gaussian.covariance", first_is(np.nan)), "Gaussian.covariance"),
    ("rounds", put_array("_loop.completed.gaussian.covariance", first_is(-1e-3)), "Gaussian.covariance"),
    ("rounds", put_array("_loop.completed.gaussian.covariance", lambda _: np.empty((0, 0))), "covariance"),
    ("rounds", put_array("_loop.completed.standard.spread", first_is(0)), "Scaling.spread"),
    ("rounds", put_array("_loop.completed.source.matrix.values", first_is(np.nan)), "rows without holes"),
    ("rounds", put((*ROUNDS, "max_donors"), 0), "RoundPlan.max_donors"),
    ("rounds", put((*ROUNDS, "ridge"), 0.0), "RoundPlan.ridge"),
    ("rounds", put((*COMPLETED, "gaussian", "ridge"), 0.0), "Gaussian.ridge"),
    ("rounds", put((*ROUNDS, "rounds"), []), "RoundPlan.rounds"),
    ("rounds", put((*ROUNDS, "rounds", 0, "columns"), []), "Round.columns"),
    ("rounds", put((*CHOICE, "level"), "auto"), "ColumnChoice.level"),
    ("rounds", put((*CHOICE, "weights"), "auto"), "ColumnChoice.weights"),
    ("rounds", put((*CHOICE, "n_neighbors"), 0), "ColumnChoice.n_neighbors"),
    ("rounds", put((*CHOICE, "alpha"), -1.0), "ColumnChoice.alpha"),
    ("rounds", put((*CHOICE, "vote"), 1.5), "ColumnChoice.vote"),
    ("rounds", put((*CHOICE, "gaussian"), -0.5), "ColumnChoice.gaussian"),
    ("rounds", put((*CHOICE, "tuning", "observed"), [0, 7]), "ColumnTuning"),
    ("rounds", put(("state", "_loop", "RoundLoop", *PROBLEM[3:], "observed"), [2]), "points"),
    ("calibrated", put_array("_calibration.voted.0.scores", lambda a: a[::-1]), "ErrorScale.scores"),
    ("calibrated", put_array("_calibration.means.2.scores", first_is(np.nan)), "ErrorScale.scores"),
    ("calibrated", put((*CALIBRATION, "voted", 0, "floor"), -1.0), "ErrorScale.floor"),
    ("calibrated", put((*CALIBRATION, "voted", 0, "unit"), 0.0), "ErrorScale.unit"),
    ("calibrated", put((*CALIBRATION, "means"), []), "Calibration.means"),
    ("calibrated", put(("state", "_calibration"), 1), "_calibration"),
    ("glr", put_array("models.model.slopes", less), "Line.slopes"),
    ("glr", put((*SOLUTION, "observed"), [0]), "does not have the columns"),
    ("glr", put((*SOLUTION, "model"), []), "Solution.model"),
    ("eracer", put_array("models.model.donors.points", first_is(np.nan)), "KnownValues.points"),
    ("eracer", put_array("models.model.donors.targets", less), "KnownValues.targets"),
    ("eracer", without_columns, "a column to measure distances on"),
    ("pmm", put_array("models.model.predicted", lambda a: a[::-1]), "increasing"),
    ("pmm", put((*SOLUTION, "model", "drawn"), []), "Matching.drawn"),
    ("xgb", put_array("models.left", first_is(10**6)), "DecisionTrees.left"),
    ("xgb", put_array("models.left", lambda a: a[::-1]), "DecisionTrees.left"),
    ("xgb", put_array("models.left", lambda a: np.where(a > 0, 1, 0)), "DecisionTrees.left"),
    ("xgb", put_array("models.column", first_is(2)), "DecisionTrees.column"),
    ("xgb", put_array("models.value", first_is(np.nan)), "DecisionTrees.value"),
    ("xgb", put_array("models.first", first_is(1)), "DecisionTrees.first"),
    ("xgb", put_array("models.first", lambda a: a[::-1]), "DecisionTrees.first"),
    ("xgb", put((*KEPT, "models", "n_inputs"), 10**9), "not those of its pattern"),
    ("xgb", put_array("_known", first_is(1e30)), "_known"),
    ("xgb", one_way_for_many_trees, "DecisionTrees.first"),
    ("xgb", put((*BOOSTING, "max_depth"), 2000), "Boosting.max_depth"),
    # What would go on for ever, or take all memory.
    ("xgb", put((*BOOSTING, "n_rounds"), 10**12), "Boosting.n_rounds"),
    ("xgb", put((*BOOSTING, "plugin"), "x"), "Boosting"),
    ("svd", put(("state", "_rounds"), [0.0, 10**15]), "_rounds"),
    ("svd", put_array("components_", lambda a: a * 1.5), "orthonormal"),
    ("ills", put(("state", "_fixed", "namespace", "rounds"), 10**12), "_fixed"),
    ("blr", put(("state", "_fixed", "namespace", "draws"), 10**12), "_fixed"),
    ("blr", put(("state", "_seed"), 2**64), "_seed"),
    ("knn", put(("state", "n_features_in_"), 10**18), "n_features_in_"),
    ("knn", put(("state", "_fixed", "namespace", "n_neighbors"), 0), "_fixed"),
    ("iim", put(("parameters", "learning_grid"), {"range": [1, 10**15, 1]}), "too long"),
    # What would come to an odd end later.
    ("knn", put(("state", "_models"), {"kept": [{}]}), "Entry"),
    ("knn", put(("state", "transform"), 1), "not an attribute of a fitted imputer"),
    ("knn", put(("state", "n_jobs"), 1), "not an attribute of a fitted imputer"),
    ("knn", put(("state", "__class__"), 1), "not an attribute of a fitted imputer"),
    ("knn", put(("state", "a b"), 1), "not an attribute of a fitted imputer"),
    ("knn", put(("state", "__len__"), 1), "not an attribute of a fitted imputer"),
    ("knn", put(("state", "_sklearn_output_config"), 1), "not an attribute of a fitted imputer"),
    ("knn", put(("state", "_metadata_request"), 1), "not an attribute of a fitted imputer"),
    ("knn", put(("state", "_missing_values"), [[1, 2]]), "_missing_values"),
    ("knn", put(("state", "_missing_values"), [0] * 10**5), "_missing_values"),
    ("knn", indicated_but_not_chosen, "an indicated column is not among"),
    ("knn", put(("parameters", "n_neighbors"), 0), "`n_neighbors` of KnnImputer"),
    ("knn", put(("parameters", "unknown"), 0), "TypeError"),
    ("knn", put(("parameters", "missing_values"), {"builtins.eval": "1"}), "not a known kind of value"),
    ("knn", put(("parameters",), None), "AttributeError"),
    ("knn", lambda content, _: content["state"].pop("_source"), "KeyError"),
    ("knn", lambda content, _: content.pop("state"), "KeyError"),
    ("knn", lambda _, arrays: arrays.pop("_known_columns"), "is missing, or used twice"),
    ("knn", lambda _, arrays: arrays.update(more=np.zeros(3)), "is not used"),
    ("knn", put_array("_known_columns", first_is(7)), "_known_columns"),
    ("gmm", put_array("_mixture.covariances", first_is(-1)), "positive definite"),
    ("gmm", put_array("_mixture.covariances", lambda a: a + np.triu(np.ones(3), 1)), "symmetric"),
    ("gmm", put_array("_mixture.weights", first_is(0)), "Mixture.weights"),
    ("ifc", put_array("_centers", lambda a: a[:0]), "_centers"),
    ("mean", put_array("means_", lambda a: a[:, None]), "means_"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("key", "change", "reason"),
    HOSTILE,
    ids=[f"{number}-{key}" for number, (key, *_) in enumerate(HOSTILE)],
)
def test_a_file_that_fits_its_checksum_and_is_made_up_is_refused(path, key, change, reason):
    fitted(key).save(path)
    iim.load(path)
    content, arrays = read_container(path)
    content, arrays = copy.deepcopy(content), dict(arrays)
    change(content, arrays)
    write_container(path, content, arrays)
    message = f"has a valid checksum, but contains no .*{re.escape(reason)}"
    with pytest.raises(iim.UnusableFile, match=message):
        iim.load(path)


def test_a_file_of_a_later_version_says_which_one(path):
    # A parameter that came without a new format version, which must not happen.
    fitted("mean").save(path)
    content, arrays = read_container(path)
    content["parameters"]["later"], content["iim"] = 1, "9.1"
    write_container(path, content, arrays)
    message = r"'later'. According to the file, iim '9\.1' wrote it: load it with that version"
    with pytest.raises(iim.UnusableFile, match=message):
        iim.load(path)
    content["iim"] = [[["deep"]]]
    write_container(path, content, arrays)
    with pytest.raises(iim.UnusableFile, match=r"iim <list> wrote it"):
        iim.load(path)


@pytest.mark.parametrize("key", ["knn", "iim", "rounds"])
def test_huge_numbers_of_neighbours_are_all_the_donors(path, key):
    fitted(key).save(path)
    content, arrays = read_container(path)
    settings = ("state", "_loop", "RoundLoop" if key == "rounds" else "PatternLoop", *SETTINGS[3:])
    place = at(content, *(("state", "_fixed", "namespace") if key == "knn" else settings))
    place["n_neighbors"] = 10**18
    for one in at(content, *ROUNDS)["rounds"][-1]["columns"] if key == "rounds" else ():
        one["n_neighbors"] = 10**18
    write_container(path, content, arrays)
    assert np.isfinite(iim.load(path).transform(ROWS)).all()


@pytest.mark.parametrize("size", [-1.0, 1e308, 1e-308, 0.0])
def test_a_metric_of_any_size_still_fills(path, size):
    # New patterns take their part of it; one with all directions negative is no metric.
    fitted("learned").save(path)
    content, arrays = read_container(path)
    name = "_loop.method.tunings.kept.0.models.metric"
    arrays = {**arrays, name: np.array([[1.0, 0.25], [0.25, 0.5]]) * size}
    write_container(path, content, arrays)
    rows = untied(6, 3)
    rows[:3, 1:] = rows[3:5, [0, 2]] = rows[5, 2] = np.nan
    assert np.isfinite(iim.load(path).transform(rows)).all()
