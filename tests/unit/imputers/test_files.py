"""Saving and loading imputers: what is kept, what is not, and what is refused."""

import re
import sys
from collections import UserDict, deque
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import iim
from iim.persistence import encoding
from strategies import holed, untied

TABLE = holed(40, 3, share=0.1)
ROWS = holed(20, 3, share=0.4, seed=3)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.iim"


def kept(imputer, path):
    imputer.save(path)
    return iim.load(path)


# Parameters and names.


@pytest.mark.parametrize(
    "missing_values",
    [np.nan, None, -99, -99.5, "?", [-99, "?"], (-1, None), {-1, -2}, frozenset({7}), pd.NA, [pd.NA, -1]]
    + [np.array([-1, -2]), np.array([-1.5]), np.array(["?", "n/a"]), np.float32(0.1), np.int64(-1), 10**30],
    ids=repr,
)
def test_what_means_missing_is_kept(path, missing_values):
    imputer = iim.MeanImputer(missing_values=missing_values).fit(TABLE)
    found = kept(imputer, path).missing_values
    assert type(found) is type(missing_values)
    assert repr(found) == repr(missing_values)


@pytest.mark.parametrize(
    "grid", ["auto", range(1, 30, 4), [1, 5], (2, 4), {3, 6}, np.array([1, 8])], ids=repr
)
def test_the_learning_grid_is_kept(path, grid):
    loaded = kept(iim.IIMImputer(learning_grid=grid).fit(TABLE), path)
    assert type(loaded.learning_grid) is type(grid)
    assert repr(loaded.learning_grid) == repr(grid)


@pytest.mark.parametrize(
    "columns",
    [["b", "a", "ü"], [3, 1, 2], [1.5, np.inf, -0.0], [True, False, None]],
    ids=repr,
)
def test_the_names_of_columns_are_kept(path, columns):
    frame = pd.DataFrame(TABLE, columns=pd.Index(columns, dtype=object))
    imputer = iim.KnnImputer(donors="complete").fit(frame)
    loaded = kept(imputer, path)
    assert loaded._columns_in == imputer._columns_in
    assert loaded.fallbacks_ == imputer.fallbacks_
    rows = pd.DataFrame(ROWS, columns=frame.columns)
    pd.testing.assert_frame_equal(loaded.transform(rows), imputer.transform(rows), check_exact=True)


@pytest.mark.parametrize("name", [pd.Timestamp("2020-01-01"), ("a", "b"), 1j], ids=repr)
def test_a_name_that_cannot_be_kept_is_told(path, name):
    columns = pd.Index([name], dtype=object, tupleize_cols=False)
    imputer = iim.MeanImputer().fit(pd.DataFrame(TABLE[:, :1], columns=columns))
    message = re.escape(
        f"Column {name!r}: a name that is text, a number, True, False or None is needed to save"
    )
    with pytest.raises(iim.UnusableTable, match=message):
        imputer.save(path)
    assert not path.exists()


def test_a_parameter_that_cannot_be_kept_is_told(path):
    imputer = iim.MeanImputer(missing_values=Fraction(1, 3)).fit(TABLE)
    with pytest.raises(iim.InvalidParameter, match=r"`missing_values` of MeanImputer: numbers, text, None"):
        imputer.save(path)
    imputer = iim.IIMImputer().fit(TABLE).set_params(learning_grid=range(1, 10**7))
    with pytest.raises(iim.InvalidParameter, match=r"`learning_grid` of IIMImputer: .*which is more than"):
        imputer.save(path)


def test_rounds_without_end_are_told(path):
    imputer = iim.SvdImputer(max_iter=10**7).fit(TABLE)
    with pytest.raises(iim.InvalidParameter, match=r"SvdImputer cannot be saved: .*`max_iter` up to 10000"):
        imputer.save(path)
    imputer = iim.IllsImputer(rounds=10**7).fit(TABLE)
    with pytest.raises(
        iim.InvalidParameter, match=r"IllsImputer cannot be saved: .*rounds and draws up to 10000"
    ):
        imputer.save(path)


EXTREMES = {
    "n_neighbors": [np.int8(100), 2**63 - 1, 10**30],
    "learning_neighbors": [np.int8(100), 2**62 + 1],
    "learning_grid": [range(1, 40), np.array([1, 2], np.uint8)],
    **{name: [np.int16(3)] for name in ("max_iter", "rounds", "n_rounds", "draws")},
    "max_depth": [10**9],
    "alpha": [0, np.float32(0.5), Fraction(1, 2), 1e300],
    "min_donors": [np.int8(100), 10**30],
    "max_donors": [np.uint8(200), 10**30],
    "scale": ["robust", "none"],
    "tol": [0, np.float32(0.5), Fraction(1, 2)],
    "fuzziness": [np.float32(3), 10**6],
    "rank": [np.uint8(1), 10**30],
    "n_clusters": [np.uint8(2)],
    "n_components": [np.uint8(2)],
    "learning_rate": [np.float16(0.5), Fraction(1, 2)],
    "base_score": [np.float16(0.5), 1, Fraction(1, 2)],
}


@pytest.mark.filterwarnings("ignore")  # of what comes of odd parameters
@pytest.mark.parametrize("key", iim.METHODS)
def test_what_is_saved_can_be_loaded_whatever_the_parameters(path, key):
    table = holed(24, 3, share=0.1)
    table[5, 1] = 1e170
    small = {"n_rounds": 2} if key == "xgb" else {}
    for name in iim.METHODS[key]().get_params():
        for value in EXTREMES.get(name, []):
            try:
                imputer = iim.METHODS[key](**{**small, name: value}).fit(
                    TABLE if value == "none" else table
                )
            except (ValueError, OverflowError):
                continue
            try:
                imputer.save(path)
            except iim.InvalidParameter as error:
                assert "fit again" in str(error)  # noqa: PT017 (either end is fine)
                continue
            iim.load(path)


def test_rounds_that_were_not_needed_are_not_kept(path):
    # Whatever the limit, rounds end when they no longer help.
    imputer = iim.IIMImputer(strategy="iterative", max_iter=10**6).fit(TABLE)
    loaded = kept(imputer, path)
    assert loaded.n_iter_ == imputer.n_iter_ < 100
    assert loaded.transform(ROWS).tobytes() == imputer.transform(ROWS).tobytes()


# Squares overflow on such a scale; kernels that are not compiled warn of what comes of it.
@pytest.mark.filterwarnings("ignore:(overflow|invalid value) encountered in scalar:RuntimeWarning")
def test_a_far_outlier_is_kept(path):
    table = TABLE.copy()
    table[3, 1] = 1e170
    imputer = iim.EracerImputer(scale="robust").fit(table)
    np.testing.assert_array_equal(kept(imputer, path).transform(ROWS), imputer.transform(ROWS))


def test_small_integers_of_numpy_do_not_overflow(path):
    for method in (iim.KnnImputer, iim.KnneImputer):
        imputer = method(n_neighbors=np.int8(100)).fit(TABLE)
        assert imputer._source.min_donors == 200
        assert kept(imputer, path).n_neighbors == 100


def test_parameters_that_could_not_be_fitted_are_told(path):
    imputer = iim.KnnImputer().fit(TABLE).set_params(n_neighbors=-3)
    with pytest.raises(iim.InvalidParameter, match=r"`n_neighbors` of KnnImputer: .* received -3\. Change"):
        imputer.save(path)
    assert not path.exists()


def test_trees_of_any_depth_are_told(path):
    table = np.zeros((1200, 2))
    table[:, 0] = np.arange(1200)
    table[3, 1] = np.nan
    imputer = iim.XgbImputer(n_rounds=1, max_depth=10**9).fit(table)
    with pytest.raises(iim.InvalidParameter, match=r"`Boosting\.max_depth`: a whole number from 1 to 1000"):
        imputer.save(path)
    imputer = iim.XgbImputer(n_rounds=1, max_depth=1000).fit(table)
    assert kept(imputer, path).max_depth == 1000


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"columns": pd.Index(["a", "c"])}, {"columns": ["a", "c"]}),
        ({"columns": pd.Series(["a", "c"])}, {"columns": ["a", "c"]}),
        ({"columns": {"a": 0, "c": 1}.keys()}, {"columns": ["a", "c"]}),
        ({"min_value": UserDict(a=0.5)}, {"min_value": {"a": 0.5}}),
        ({"max_value": deque([1.0, None, "observed"])}, {"max_value": [1.0, None, "observed"]}),
    ],
)
def test_collections_of_other_libraries_are_kept_as_lists_and_dicts(path, given, found):
    frame = pd.DataFrame(TABLE, columns=list("abc"))
    imputer = iim.MeanImputer(**given).fit(frame)
    loaded = kept(imputer, path)
    assert {name: loaded.get_params()[name] for name in found} == found
    pd.testing.assert_frame_equal(loaded.transform(frame), imputer.transform(frame), check_exact=True)


def test_an_attribute_of_ones_own_that_cannot_be_kept_is_told(path):
    imputer = iim.MeanImputer().fit(TABLE)
    imputer.note_ = object()
    with pytest.raises(
        iim.InvalidParameter, match=r"The attribute 'note_' of this MeanImputer: .*delete it"
    ):
        imputer.save(path)


def test_text_that_is_no_unicode_is_kept(path):
    imputer = iim.MeanImputer().fit(
        pd.DataFrame(TABLE, columns=pd.Index(["a", "b\ud800", "c"], dtype=object))
    )
    assert kept(imputer, path)._columns_in == ("a", "b\ud800", "c")


@pytest.mark.parametrize("step", [1, -1])
def test_a_loaded_model_is_saved_to_the_same_bytes(path, step):
    # The order of a set depends on the order in which it was filled.
    numbers = [10**20 * at for at in range(50)][::step]
    imputer = iim.KnnImputer(missing_values=set(numbers), donors="complete").fit(TABLE)
    imputer.save(path)
    first = path.read_bytes()
    iim.load(path).save(path)
    assert path.read_bytes() == first


def test_a_function_that_hears_of_progress_stays_behind(path):
    imputer = iim.KnnImputer(progress=lambda _: None).fit(TABLE)
    assert kept(imputer, path).progress is False
    assert kept(iim.KnnImputer(progress=True).fit(TABLE), path).progress is True


@pytest.mark.parametrize(
    "key", [key for key, m in iim.METHODS.items() if "random_state" in m().get_params()]
)
def test_a_random_state_stays_behind_and_what_it_drew_is_kept(path, key):
    imputer = iim.METHODS[key](random_state=np.random.RandomState(3)).fit(TABLE)
    loaded = kept(imputer, path)
    assert loaded.random_state is None
    np.testing.assert_array_equal(loaded.transform(ROWS), imputer.transform(ROWS))
    assert kept(iim.METHODS[key](random_state=7).fit(TABLE), path).random_state == 7


def test_the_kind_of_output_stays_behind(path):
    imputer = iim.MeanImputer().set_output(transform="pandas").fit(TABLE)
    assert isinstance(imputer.transform(ROWS), pd.DataFrame)
    assert isinstance(kept(imputer, path).transform(ROWS), np.ndarray)


def test_attributes_of_ones_own_are_kept(path):
    imputer = iim.MeanImputer().fit(TABLE)
    imputer.note_, imputer._marks = "March", np.array([[1.0, 2.0]])
    loaded = kept(imputer, path)
    assert loaded.note_ == "March"
    np.testing.assert_array_equal(loaded._marks, imputer._marks, strict=True)


# Models of every kind.


def test_a_service_that_met_no_hole_yet_is_kept(path):
    imputer = iim.IIMImputer(prepare="single").fit(untied(90, 3))
    loaded = kept(imputer, path)
    assert len(loaded._loop.models.kept) == 3
    assert all((models.n_learning > 0).all() for models in loaded._loop.models.kept.values())
    np.testing.assert_array_equal(loaded.transform(ROWS), imputer.transform(ROWS))
    assert str(loaded.explain(ROWS, 0, np.isnan(ROWS[0]).argmax())) == str(
        imputer.explain(ROWS, 0, np.isnan(ROWS[0]).argmax())
    )


def test_trees_of_several_leaves_are_built_again_as_they_were(path):
    imputer = iim.IIMImputer().fit(holed(700, 3, share=0.02))
    loaded = kept(imputer, path)
    for pattern, models in imputer._loop.models.kept.items():
        again = loaded._loop.models.kept[pattern]
        for one, other in zip(
            (*models.tree, *models.validation, models.coef, models.n_learning, models.targets),
            (*again.tree, *again.validation, again.coef, again.n_learning, again.targets),
            strict=True,
        ):
            np.testing.assert_array_equal(one, other, strict=True)


def test_patterns_beyond_the_room_of_a_header_are_learned_again(path, monkeypatch):
    imputer = iim.GlrImputer().fit(TABLE)
    expected = imputer.transform(TABLE)
    monkeypatch.setattr(encoding, "HEADER_ROOM", 2000)
    loaded = kept(imputer, path)
    assert 0 < len(loaded._loop.models.kept) < len(imputer._loop.models.kept)
    header_bytes = int.from_bytes(path.read_bytes()[:8], "little")
    assert header_bytes < 5000
    np.testing.assert_array_equal(loaded.transform(TABLE), expected)


# What is refused.


def test_an_imputer_that_is_not_fitted_is_refused(path):
    with pytest.raises(NotFittedError):
        iim.MeanImputer().save(path)
    assert not path.exists()


def test_a_method_that_nobody_knows_is_refused(path, monkeypatch):
    class OwnImputer(iim.MeanImputer):
        pass

    imputer = OwnImputer().fit(TABLE)
    with pytest.raises(
        iim.InvalidParameter, match=r"a method of `iim.METHODS` is needed; received a OwnImputer"
    ):
        imputer.save(path)
    monkeypatch.setitem(iim.METHODS, "own", OwnImputer)
    assert type(kept(imputer, path)) is OwnImputer
    monkeypatch.undo()
    with pytest.raises(
        iim.UnusableFile, match="contains a model of the method 'own', which this iim does not have"
    ):
        iim.load(path)


def test_learned_trees_fill_without_xgboost(path, monkeypatch):
    imputer = iim.XgbImputer(n_rounds=2).fit(TABLE)
    expected = imputer.transform(TABLE)
    imputer.save(path)
    monkeypatch.setitem(sys.modules, "xgboost", None)
    loaded = iim.load(path)
    np.testing.assert_array_equal(loaded.transform(TABLE), expected)
    with pytest.raises(iim.MissingDependency, match="XgbImputer needs the package xgboost"):
        loaded.fit(TABLE)


def test_values_within_themselves_are_told(path):
    endless = []
    endless.append(endless)
    imputer = iim.MeanImputer().fit(TABLE)
    imputer.note_ = endless
    with pytest.raises(iim.InvalidParameter, match="one of its values contains itself"):
        imputer.save(path)
    imputer.note_ = None
    for _ in range(150):
        imputer.note_ = [imputer.note_]
    with pytest.raises(iim.InvalidParameter, match="nested more than 100 levels deep"):
        imputer.save(path)
    assert not path.exists()
