"""AutoImputer: what it chooses, what it says of it, and how it keeps to its time."""

import copy
import pickle

import numpy as np
import pytest
import sklearn

import iim
from cases import assert_same, row_by_row
from hostile_files import write_container
from iim.imputers import _trials
from iim.persistence.container import read_container
from strategies import holed, untied

pytestmark = pytest.mark.filterwarnings("ignore::iim.FallbackWarning")

FEW = ["iim", "glr", "knn", "mean"]


def curved(n_rows=300, seed=0, noise=0.05):
    """A column that is a bent function of others, one that is linear, and one that nobody can tell."""
    random = np.random.default_rng(seed)
    a, b = random.normal(size=(2, n_rows))
    linear = a - b + noise * random.normal(size=n_rows)
    bent = np.abs(a) + np.abs(b) + noise * random.normal(size=n_rows)
    return np.column_stack([a, b, linear, bent, random.normal(size=n_rows)])


def with_holes(table, share=0.1, seed=1):
    random = np.random.default_rng(seed)
    rows = random.permutation(len(table))[: round(share * len(table))]
    columns = random.integers(table.shape[1], size=rows.size)
    found = table.copy()
    found[rows, columns] = np.nan
    return found


class TestChoice:
    def test_each_column_has_what_fits_it(self):
        imputer = iim.AutoImputer(["glr", "knn"], blend=False).fit(curved(600))
        assert imputer.weights_["x3"] == {"knn": 1.0}
        assert imputer.weights_["x4"] == {"glr": 1.0}
        assert imputer.left_out_ == {}

    def test_weights_are_none_negative_and_sum_to_one(self):
        imputer = iim.AutoImputer(FEW).fit(with_holes(curved()))
        assert list(imputer.weights_) == [f"x{at}" for at in range(5)]
        for weights in imputer.weights_.values():
            assert sum(weights.values()) == pytest.approx(1)
            assert min(weights.values()) >= 0.02
        assert imputer.n_hidden_.keys() == imputer.weights_.keys()
        assert sum(imputer.n_hidden_.values()) > 100

    def test_fills_are_the_weighted_sums(self, monkeypatch):
        monkeypatch.setattr("iim.core.methods.blending.FARTHEST", 100.0)
        table = with_holes(curved())
        imputer = iim.AutoImputer(["glr", "knn"], repeats=1).fit(table)
        fills = {key: iim.METHODS[key]().fit_transform(table) for key in ("glr", "knn")}
        for column, weights in enumerate(imputer.weights_.values()):
            expected = sum(weight * fills[key][:, column] for key, weight in weights.items())
            np.testing.assert_allclose(imputer.transform(table)[:, column], expected, rtol=1e-12)

    def test_a_single_method_is_that_method(self):
        table = holed(80)
        for methods in ("knn", ["knn"], {"knn": {}}):
            assert_same(
                iim.AutoImputer(methods).fit_transform(table), iim.KnnImputer().fit_transform(table)
            )
        near = iim.AutoImputer({"knn": {"n_neighbors": 2}}).fit_transform(table)
        assert_same(near, iim.KnnImputer(n_neighbors=2).fit_transform(table))

    def test_a_table_without_holes_is_enough(self):
        imputer = iim.AutoImputer(FEW, repeats=2, hide=0.1).fit(curved(100))
        assert imputer.n_hidden_ == dict.fromkeys(imputer.weights_, 4)

    def test_columns_without_holes_have_the_weights_of_all(self):
        table = curved()
        table[::7, 3] = np.nan
        imputer = iim.AutoImputer(FEW).fit(table)
        assert list(imputer.errors_) == ["x3"]
        assert imputer.weights_["x0"] == imputer.weights_["x1"]

    def test_one_column_has_the_mean(self):
        filled = iim.AutoImputer().fit_transform([[1.0], [2.0], [np.nan], [6.0]])
        assert filled.tolist() == [[1.0], [2.0], [3.0], [6.0]]

    def test_no_fill_runs_away(self):
        table = curved(60)
        table[3, 0] = np.nan
        imputer = iim.AutoImputer("glr").fit(table)
        far = table[:1] * 1e6
        far[0, 2] = np.nan
        known = table[:, 2]
        assert np.abs(imputer.transform(far)[0, 2]) <= np.ptp(known) + np.abs(known).max()

    def test_the_default_is_no_worse_than_its_best_part(self):
        pytest.importorskip("xgboost")
        imputer = iim.AutoImputer().fit(curved(400, noise=0.3))
        assert {"iim", "mean"} <= set(imputer.seconds_)
        mean_error = {
            key: np.mean([errors[key] for errors in imputer.errors_.values()])
            for key in imputer.errors_["x0"]
        }
        # Of what weights cost that are learned on half of the cells.
        assert mean_error.pop("auto") < 1.01 * min(mean_error.values())


class TestHonesty:
    def test_what_it_says_of_its_error_is_true_elsewhere(self):
        table = curved(1000, noise=0.3)
        told = iim.AutoImputer(FEW).fit(table[:400])
        unseen = table[400:]
        for column, name in enumerate(told.errors_):
            rows = unseen.copy()
            rows[:, column] = np.nan
            errors = (told.transform(rows)[:, column] - unseen[:, column]) / table[:400, column].std()
            assert np.sqrt(np.mean(errors**2)) == pytest.approx(told.errors_[name]["auto"], rel=0.25)

    def test_noise_is_not_told_to_be_foreseen(self):
        noise = np.random.default_rng(5).normal(size=(150, 4))
        imputer = iim.AutoImputer(["iim", "glr", "knn", "knne", "ifc", "mean"]).fit(noise)
        assert np.mean([errors["auto"] for errors in imputer.errors_.values()]) > 0.95

    def test_the_error_is_that_of_choices_made_on_other_rows(self):
        # No cell's own error may have a part in the weights that it is scored with.
        imputer = iim.AutoImputer(["glr", "knn"], blend=False, repeats=1).fit(with_holes(curved()))
        for errors in imputer.errors_.values():
            assert errors["auto"] >= min(errors["glr"], errors["knn"]) * 0.999


class TestSameAgain:
    def test_the_same_seed_gives_the_same_bits_with_any_threads(self):
        table = with_holes(curved(120))
        first = iim.AutoImputer(repeats=1, random_state=3, n_jobs=1).fit(table)
        again = iim.AutoImputer(repeats=1, random_state=3, n_jobs=4).fit(table)
        assert first.weights_ == again.weights_
        assert first.errors_ == again.errors_
        assert_same(first.transform(table), again.transform(table))

    def test_another_seed_hides_other_cells(self):
        table = with_holes(curved(120))
        first, other = (iim.AutoImputer(FEW, random_state=seed).fit(table) for seed in (0, 1))
        assert first.errors_ != other.errors_

    def test_a_row_is_filled_alone_as_in_a_crowd(self):
        imputer = iim.AutoImputer(repeats=1).fit(with_holes(curved(120)))
        rows = with_holes(curved(40, seed=8), share=1.0)
        assert_same(row_by_row(imputer, rows), imputer.transform(rows))

    def test_threads_asked_for_later_are_those_of_the_members(self):
        table = with_holes(curved(120))
        imputer = iim.AutoImputer(FEW, n_jobs=1, repeats=1).fit(table)
        before = imputer.transform(table)
        assert_same(imputer.set_params(n_jobs=2).transform(table), before)
        assert {member.get_params().get("n_jobs", 1) for member in imputer._members.values()} == {1}

    def test_copies_fill_the_same(self):
        table = with_holes(curved(120))
        imputer = iim.AutoImputer(FEW, repeats=1).fit(table)
        for other in (copy.deepcopy(imputer), pickle.loads(pickle.dumps(imputer))):
            assert_same(other.transform(table), imputer.transform(table))
            assert other.weights_ == imputer.weights_


class Fails(iim.MeanImputer):
    """Fails on a table with so many known cells, or fills with what is no number."""

    when = "always"

    def _fit(self, matrix):
        super()._fit(matrix)
        if self.when == "always" or (
            self.when == "at the end" and not np.isnan(matrix.values[:, 1:]).any()
        ):
            raise ValueError("no luck\ntoday")

    def _fill(self, matrix):
        # Better than all others where it is measured, if it ever is.
        return super()._fill(matrix) + (np.nan if self.when == "not a number" else 0.0)


class TestFailures:
    @pytest.fixture
    def table(self):
        table = curved(100)
        table[::9, 0] = np.nan
        return table

    @pytest.mark.parametrize(
        ("when", "why"),
        [
            ("always", "ValueError: no luck"),
            ("not a number", "FloatingPointError: some cells came back without a finite value."),
        ],
    )
    def test_a_method_that_fails_is_left_out_with_its_reason(self, monkeypatch, table, when, why):
        monkeypatch.setattr(Fails, "when", when)
        monkeypatch.setitem(iim.METHODS, "svd", Fails)
        imputer = iim.AutoImputer(["svd", "knn"]).fit(table)
        assert imputer.left_out_ == {"svd": why}
        assert imputer.weights_["x0"] == {"knn": 1.0}
        assert np.isfinite(imputer.transform(table)).all()
        assert why in str(imputer.choices())

    def test_one_that_fails_on_the_whole_table_only_is_left_out_as_well(self, monkeypatch):
        monkeypatch.setattr(Fails, "when", "at the end")
        monkeypatch.setitem(iim.METHODS, "svd", Fails)
        noise = np.random.default_rng(0).normal(size=(80, 3))
        imputer = iim.AutoImputer(["svd", "knn"]).fit(noise)
        assert imputer.left_out_ == {"svd": "ValueError: no luck"}
        assert imputer.weights_["x0"] == {"knn": 1.0}
        assert list(imputer.errors_["x0"]) == ["auto", "knn"]

    def test_if_all_fail_the_first_says_why(self, monkeypatch, table):
        monkeypatch.setattr(Fails, "when", "always")
        monkeypatch.setitem(iim.METHODS, "svd", Fails)
        with pytest.raises(ValueError, match="no luck"):
            iim.AutoImputer("svd").fit(table)

    def test_ctrl_c_is_no_failure(self, monkeypatch, table):
        def stop(*_):
            raise KeyboardInterrupt

        monkeypatch.setattr(iim.KnnImputer, "_fit", stop)
        imputer = iim.AutoImputer(["knn", "mean"])
        with pytest.raises(KeyboardInterrupt):
            imputer.fit(table)
        assert not hasattr(imputer, "weights_")

    def test_without_xgboost_it_is_left_out(self, monkeypatch, table):
        def absent():
            raise iim.MissingDependency("XgbImputer needs the package xgboost, which is not installed.")

        monkeypatch.setattr("iim.imputers.xgb.load_xgboost", absent)
        imputer = iim.AutoImputer(repeats=1).fit(table)
        assert imputer.left_out_["xgb"].startswith("MissingDependency: XgbImputer needs")

    @pytest.mark.parametrize("methods", ["auto me", ["auto"], [], {"auto": {}}, {"knn": 3}, {}, [3]])
    def test_impossible_methods_are_refused(self, methods):
        with pytest.raises(iim.InvalidParameter, match="`methods` of AutoImputer: 'auto', or a key of"):
            iim.AutoImputer(methods).fit(holed())


class Clock:
    """A clock that only moves when a method works: by so many seconds for each row and fit."""

    def __init__(self, per_row):
        self.now = 0.0
        self.per_row = per_row
        self.fits = []

    def __call__(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock({"iim": 0.1, "mean": 0.0, "knn": 0.001, "glr": 0.01, "loess": 0.05})
    monkeypatch.setattr("iim.evaluation.attempts.now", clock)
    for key in clock.per_row:
        method = iim.METHODS[key]

        def fit(self, matrix, key=key, former=method._fit):
            clock.now += clock.per_row[key] * matrix.n_rows
            clock.fits.append((key, matrix.n_rows))
            former(self, matrix)

        monkeypatch.setattr(method, "_fit", fit)
    return clock


class TestTime:
    METHODS = ("loess", "glr", "knn", "mean", "iim")

    def fit(self, budget):
        return iim.AutoImputer(self.METHODS, time_budget=budget, repeats=2).fit(curved(500))

    def test_without_a_budget_all_take_part(self, clock):
        imputer = self.fit(None)
        assert clock.now > 0
        assert list(imputer.errors_["x0"]) == ["auto", *self.METHODS]
        assert {rows for _, rows in clock.fits} == {500}

    def test_with_none_left_iim_and_the_mean_do(self, clock):
        imputer = self.fit(0)
        assert {key for key, _ in clock.fits} == {"iim", "mean"}
        assert list(imputer.errors_["x0"]) == ["auto", "mean", "iim"]
        assert imputer.left_out_["knn"] == "the time budget of 0 s was used up"

    def test_the_quick_ones_come_first_and_what_does_not_fit_in_is_left_out(self, clock):
        # IIM takes 2 * 50 s here and 50 s at the end; kNN 1.5 s, GLR 15 s, LOESS 75 s, and all a little
        # more to find that out.
        imputer = self.fit(150 + 60 + 40)
        assert list(imputer.errors_["x0"]) == ["auto", "glr", "knn", "mean", "iim"]
        whole = [key for key, rows in clock.fits if rows == 500]
        assert whole[:8] == ["mean"] * 2 + ["iim"] * 2 + ["knn"] * 2 + ["glr"] * 2
        why = imputer.left_out_["loess"]
        assert why.startswith("it needs about 75 s; ")
        assert why.endswith(" s of the time budget of 250 s were left")

    def test_with_enough_all_take_part(self, clock):
        assert list(self.fit(1000).errors_["x0"]) == ["auto", *self.METHODS]
        assert clock.now < 1000

    def test_a_trial_that_fails_is_a_reason(self, clock, monkeypatch):
        monkeypatch.setattr(Fails, "when", "always")
        monkeypatch.setitem(iim.METHODS, "svd", Fails)
        imputer = iim.AutoImputer(["iim", "svd"], time_budget=1e6, repeats=1).fit(curved(100))
        assert imputer.left_out_ == {"svd": "ValueError: no luck"}
        assert clock.fits

    def test_growth_is_seen(self, clock, monkeypatch):
        monkeypatch.setattr(iim.KnnImputer, "_fill", lambda _, matrix: quadratic(clock, matrix))
        candidate = _trials.Candidate("knn", iim.KnnImputer)
        table = curved(4500)
        found = _trials.expect_seconds(
            candidate, iim.imputers.auto.MaskedMatrix(table, np.isnan(table), ())
        )
        assert found == pytest.approx(4500**2, rel=0.01)


def quadratic(clock, matrix):
    clock.now += matrix.n_rows**2
    return np.nan_to_num(matrix.values)


class TestReport:
    def test_it_is_a_table(self):
        imputer = iim.AutoImputer(FEW, repeats=1).fit(with_holes(curved()))
        choices = imputer.choices()
        text, page = str(choices), choices._repr_html_()
        assert text.splitlines()[1].split() == ["column", "weights", "error", "best", "alone", "cells"]
        for column in imputer.weights_:
            assert choices.in_words(column) in " ".join(text.split())
            assert f">{column}<" in page
        key, error = choices.best_alone("x2")
        assert error == imputer.errors_["x2"][key] == min(imputer.errors_["x2"][one] for one in FEW)

    def test_hostile_names_are_escaped(self):
        pd = pytest.importorskip("pandas")
        frame = pd.DataFrame(curved(60)[:, :2], columns=["<script>", "b\x1b[2J"])
        choices = iim.AutoImputer("mean", repeats=1).fit(frame).choices()
        assert "<script>" not in choices._repr_html_()
        assert "\x1b" not in str(choices)

    def test_before_fit_there_is_none(self):
        with pytest.raises(ValueError, match="not fitted"):
            iim.AutoImputer().choices()

    def test_progress_goes_from_nothing_to_all(self):
        told = []
        imputer = iim.AutoImputer(FEW, repeats=2, progress=told.append).fit(curved(60))
        assert told == sorted(told)
        assert told[-1] == 1.0
        assert len(told) > 4
        told.clear()
        imputer.transform(with_holes(curved(60)))
        assert told[-1] == 1.0


class TestFiles:
    @pytest.fixture
    def model(self, tmp_path):
        imputer = iim.AutoImputer(["knn", "glr", "gmm"], repeats=1).fit(with_holes(curved(80, noise=1)))
        imputer.save(tmp_path / "model.iim")
        return tmp_path / "model.iim", imputer

    def test_a_loaded_one_fills_and_tells_the_same(self, model):
        path, imputer = model
        loaded = iim.load(path)
        rows = with_holes(curved(30, seed=9), share=1.0)
        assert_same(loaded.transform(rows), imputer.transform(rows))
        assert str(loaded.choices()) == str(imputer.choices())
        assert list(loaded._members) == list(imputer._members)

    @pytest.mark.parametrize(
        ("change", "why"),
        [
            (lambda members: members.clear(), "a method for each weight is needed"),
            (lambda members: members.append(["twin", members[0][1]]), "is missing, or used twice"),
            (lambda members: members[0][1].update(method="auto"), "AutoImputer"),
            (lambda members: members[0][1].update(method="os.system"), "'os.system' is not a method"),
            (lambda members: members[0][1].update(method=["knn"]), "<list> is not a method"),
            (
                lambda members: members[1].__setitem__(0, members[0][0]),
                "a method for each weight is needed",
            ),
            (lambda members: members[0][1].update(method="mean"), ""),
            (lambda members: members[0][1]["state"].pop("_source"), "_source"),
            (lambda members: members[0][1]["state"].update(__class__=1), "is not an attribute"),
            (lambda members: members[0][1]["state"].update(n_features_in_=4), "n_features_in_"),
            (lambda members: members[0][1]["parameters"].update(n_neighbors=-1), "n_neighbors"),
            (lambda members: members.__setitem__(0, 3), ""),
        ],
    )
    def test_a_made_up_member_is_refused(self, model, change, why):
        path, _ = model
        content, arrays = read_container(path)
        change(content["state"]["_members"]["dict"])
        write_container(path, content, arrays)
        with pytest.raises(iim.UnusableFile, match="AutoImputer") as refused:
            iim.load(path)
        assert why in str(refused.value)

    def test_no_members_at_all(self, model):
        path, _ = model
        content, arrays = read_container(path)
        for members in (None, {}, "knn", {"dict": {}}):
            content["state"]["_members"] = members
            write_container(path, content, arrays)
            with pytest.raises(iim.UnusableFile):
                iim.load(path)

    @pytest.mark.parametrize("value", [-0.1, 0.7, np.nan, np.inf])
    def test_weights_that_are_none_are_refused(self, model, value):
        path, _ = model
        content, arrays = read_container(path)
        arrays["_weights"] = arrays["_weights"].copy()
        arrays["_weights"][0] = value
        write_container(path, content, arrays)
        with pytest.raises(iim.UnusableFile, match="weights"):
            iim.load(path)

    def test_a_range_without_a_number_in_it_is_refused(self, model):
        path, _ = model
        content, arrays = read_container(path)
        for name in ("_range.low", "_range.high"):
            changed = {**arrays, name: np.full_like(arrays[name], np.inf if "low" in name else -np.inf)}
            write_container(path, content, changed)
            with pytest.raises(iim.UnusableFile, match="FillRange"):
                iim.load(path)


def test_a_wide_table_with_many_holes():
    table = untied(60, 8, seed=1)
    table[np.random.default_rng(0).random(table.shape) < 0.3] = np.nan
    imputer = iim.AutoImputer(FEW, repeats=1).fit(table)
    assert np.isfinite(imputer.transform(table)).all()


def test_a_budget_too_small_for_all_that_was_asked_for_says_so():
    with pytest.raises(iim.InvalidParameter, match="enough for one of knn, glr is needed; received 0"):
        iim.AutoImputer(["knn", "glr"], time_budget=0).fit(curved())


def test_frames_that_scikit_learn_is_set_to_give_are_no_matter():
    pytest.importorskip("pandas")
    table, imputer = with_holes(curved()), iim.AutoImputer(["knn", "glr"], repeats=1)
    expected = imputer.fit_transform(table)
    with sklearn.config_context(transform_output="pandas"):
        np.testing.assert_array_equal(imputer.fit_transform(table).to_numpy(), expected)
