"""IIMImputer as a user meets it."""

import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import iim
from strategies import holed, untied

EXAMPLE = iim.samples.example("numpy")


class TestParameters:
    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            (
                {"n_neighbors": 0},
                r"`n_neighbors` of IIMImputer: a whole number, 1 or more, is needed; received 0\.",
            ),
            ({"n_neighbors": 2.5}, "received 2.5"),
            ({"n_neighbors": True}, "received True"),
            ({"learning_neighbors": 0}, "None, or a whole number, 1 or more, is needed; received 0"),
            ({"learning_grid": "all"}, r"'auto', or a sequence of whole numbers, 1 or more, is needed"),
            ({"learning_grid": []}, r"received \[\]"),
            ({"learning_grid": [1, 0]}, r"received \[1, 0\]"),
            ({"alpha": -1}, "'auto', or a finite number, 0 or more, is needed; received -1"),
            ({"alpha": np.nan}, "received nan"),
            ({"penalty": "ridge"}, "'slopes' or 'all' is needed; received 'ridge'"),
            ({"scale": None}, "'standard' or 'robust' or 'none' is needed; received None"),
            ({"weights": "vote"}, "'uniform' or 'distance' or 'closest' is needed; received 'vote'"),
            ({"donors": "all"}, "'available' or 'complete' is needed"),
            ({"min_donors": 0}, "'auto', or a whole number, 1 or more, is needed"),
            ({"strategy": "best"}, "'auto' or 'patterns' or 'iterative' is needed"),
            ({"prepare": "all"}, "'seen' or 'single' is needed"),
            ({"n_jobs": 0}, "None, or a whole number other than 0, is needed; received 0"),
            ({"progress": "yes"}, "True or False, or a callable, is needed"),
            ({"add_indicator": 1}, "True or False is needed; received 1"),
            (
                {"missing_values": {"a": 1}},
                "a number, text, None or NaN, or a sequence of these, is needed",
            ),
            ({"learning_grid": iter([1, 2])}, "list_iterator"),
            ({"learning_grid": np.array(5)}, r"received array\(5\)"),
            ({"missing_values": False}, "received False"),
            ({"min_value": np.nan}, "received nan"),
            ({"missing_values": [[1]]}, r"received \[\[1\]\]"),
            ({"min_value": "low"}, "to these, is needed; received 'low'"),
            ({"min_value": [0, 1, 2]}, "one for each of the 2 columns of the table, is needed; received 3"),
            ({"min_value": 2, "max_value": 1}, "no more than `max_value` is needed; received 2 and 1"),
        ],
    )
    def test_impossible_values_are_refused(self, parameters, message):
        with pytest.raises(iim.InvalidParameter, match=message):
            iim.IIMImputer(**parameters).fit(EXAMPLE)

    def test_the_constructor_only_stores(self):
        grid = [3, 1]
        imputer = iim.IIMImputer(learning_grid=grid, n_neighbors="nonsense")
        assert imputer.learning_grid is grid
        imputer = iim.IIMImputer(learning_grid=grid).fit(EXAMPLE)
        assert grid == [3, 1]
        assert imputer.learning_grid_ == (1, 3)

    def test_paper_is_a_complete_set_of_decisions(self):
        imputer = iim.IIMImputer(**iim.PAPER).fit(EXAMPLE)
        assert (imputer.alpha_, imputer.strategy_) == (0.001, "patterns")
        assert imputer.learning_grid_ == tuple(range(1, 101, 5))


class TestShapes:
    def test_one_row(self):
        imputer = iim.IIMImputer().fit([[1.0, 2.0]])
        assert imputer.transform([[np.nan, 5.0], [np.nan, np.nan]]).tolist() == [[1.0, 5.0], [1.0, 2.0]]

    def test_one_column_gets_its_mean(self):
        filled = iim.IIMImputer().fit_transform([[1.0], [np.nan], [3.0]])
        assert filled.tolist() == [[1.0], [2.0], [3.0]]

    def test_nothing_missing(self):
        table = untied(10, 3)
        assert iim.IIMImputer().fit_transform(table).tobytes() == table.tobytes()

    def test_a_row_with_everything_missing_gets_the_means(self):
        table = untied(30, 3)
        means = table.mean(axis=0)
        imputer = iim.IIMImputer().fit(np.vstack([table, np.full((1, 3), np.nan)]))
        np.testing.assert_allclose(imputer.transform(np.full((2, 3), np.nan)), [means, means])
        assert imputer.fallbacks_ == {name: {"column mean": 1} for name in ("x0", "x1", "x2")}

    def test_fewer_rows_than_neighbours(self):
        filled = iim.IIMImputer(n_neighbors=50).fit_transform(EXAMPLE)
        assert 1 < filled[8, 1] < 6

    def test_two_donors(self):
        filled = iim.IIMImputer().fit_transform([[0.0, 1.0], [1.0, 3.0], [0.5, np.nan]])
        assert 1 <= filled[2, 1] <= 3

    def test_several_holes_in_a_row_are_filled_one_by_one(self):
        # Each from the row's known values only: a hole is filled as if it were the only one asked for. What
        # is found out by trying is found out once for a column, from all others, so it has no part here.
        table = untied(60, 4)
        settings = {"distance": "scaled", "level": "fitted", "weights": "votes", "shrinkage": "none"}
        imputer = iim.IIMImputer(**settings).fit(table)
        row = table[:1].copy()
        row[0, [1, 3]] = np.nan
        both = imputer.transform(row)[0]
        for target, other in ((1, 3), (3, 1)):
            alone = iim.IIMImputer(**settings).fit(np.delete(table, other, axis=1))
            only = alone.transform(np.delete(row, other, axis=1))[0]
            assert both[target] == pytest.approx(np.insert(only, other, np.nan)[target], rel=1e-12)

    def test_new_patterns_and_new_rows(self):
        table = untied(60, 4)
        imputer = iim.IIMImputer().fit(table)
        rows = untied(5, 4, seed=9)
        rows[[0, 1, 2, 3], [0, 1, 2, 3]] = np.nan
        assert np.isfinite(imputer.transform(rows)).all()


class TestEmptyColumns:
    TABLE = np.column_stack([untied(20, 2), np.full(20, np.nan)])

    def test_dropped_with_a_warning(self):
        with pytest.warns(
            iim.ImputationWarning,
            match=r"No value is known in 1 of 3 columns: 'x2'. They are left out.*keep_empty_features=True",
        ):
            imputer = iim.IIMImputer().fit(self.TABLE)
        assert imputer.transform(self.TABLE).shape == (20, 2)
        assert imputer.get_feature_names_out().tolist() == ["x0", "x1"]

    def test_kept_as_zeros_with_a_warning(self):
        with pytest.warns(iim.ImputationWarning, match="They are filled with 0"):
            imputer = iim.IIMImputer(keep_empty_features=True).fit(self.TABLE)
        filled = imputer.transform(self.TABLE)
        assert (filled[:, 2] == 0).all()
        seen_later = self.TABLE.copy()
        seen_later[4, 2] = 5.5
        assert imputer.transform(seen_later)[4, 2] == 5.5

    def test_nothing_but_holes(self):
        with pytest.warns(iim.ImputationWarning, match="No value is known in 2 of 2 columns"):
            imputer = iim.IIMImputer(keep_empty_features=True).fit(np.full((4, 2), np.nan))
        assert (imputer.transform(np.full((3, 2), np.nan)) == 0).all()
        with pytest.warns(iim.ImputationWarning, match="left out"):
            assert iim.IIMImputer().fit_transform(np.full((4, 2), np.nan)).shape == (4, 0)
        with pytest.warns(iim.ImputationWarning, match="left out"):
            assert iim.IIMImputer().fit_transform(pd.DataFrame({"a": [None, np.nan]})).shape == (2, 0)


class TestMismatch:
    def test_another_number_of_columns(self):
        with pytest.raises(ValueError, match="X has 3 features, but IIMImputer is expecting 2"):
            iim.IIMImputer().fit(EXAMPLE).transform(np.zeros((1, 3)))

    def test_other_names(self):
        frame = pd.DataFrame(EXAMPLE, columns=["a", "b"])
        with pytest.raises(ValueError, match="feature names should match"):
            iim.IIMImputer().fit(frame).transform(frame.rename(columns={"b": "c"}))

    def test_other_order(self):
        frame = pd.DataFrame(EXAMPLE, columns=["a", "b"])
        with pytest.raises(ValueError, match="same order"):
            iim.IIMImputer().fit(frame).transform(frame[["b", "a"]])

    def test_not_fitted(self):
        with pytest.raises(ValueError, match="not fitted yet"):
            iim.IIMImputer().transform(EXAMPLE)

    def test_a_failed_fit_leaves_it_unfitted(self):
        imputer = iim.IIMImputer()
        with pytest.raises(iim.UnusableTable):
            imputer.fit([[1.0, np.inf]])
        with pytest.raises(ValueError, match="not fitted yet"):
            imputer.transform(EXAMPLE)

    @pytest.mark.parametrize(
        ("broken", "error"),
        [
            ({"X": [[1.0, np.inf, 2.0]]}, iim.UnusableTable),
            ({"X": EXAMPLE, "min_value": [1.0] * 9}, iim.InvalidParameter),
            ({"X": EXAMPLE, "progress": "interrupt"}, KeyboardInterrupt),
        ],
        ids=["table", "parameter", "Ctrl-C"],
    )
    def test_a_fit_that_does_not_end_changes_nothing(self, broken, error):
        frame = pd.DataFrame(EXAMPLE, columns=["a", "b"])
        imputer = iim.IIMImputer().fit(frame)
        filled = imputer.transform(frame)

        def interrupt(_):
            raise KeyboardInterrupt

        table = broken.pop("X")
        if "progress" in broken:
            broken["progress"] = interrupt
        with pytest.raises(error):
            imputer.set_params(**broken).fit(table)
        imputer.set_params(min_value=None, progress=False)
        pd.testing.assert_frame_equal(imputer.transform(frame), filled)

    def test_refit_forgets_the_former_table(self):
        imputer = iim.IIMImputer().fit(pd.DataFrame(EXAMPLE, columns=["a", "b"]))
        imputer.fit(untied(30, 3))
        assert imputer.n_features_in_ == 3
        assert not hasattr(imputer, "feature_names_in_")
        assert imputer.transform([[np.nan, 1.0, 2.0]]).shape == (1, 3)


class TestFallbacks:
    def test_none_is_counted_in_the_ordinary_case(self):
        assert iim.IIMImputer().fit(holed(200)).fallbacks_ == {}

    def test_fewer_columns(self):
        table = untied(100, 3)
        table[5:, 1] = np.nan  # only five rows know it
        table[0, 2] = np.nan
        with pytest.warns(iim.FallbackWarning, match="^1 missing cell is .*: 'x2': 1 .fewer"):
            imputer = iim.IIMImputer(strategy="patterns").fit(table)
        assert imputer.fallbacks_ == {"x2": {"fewer columns": 1}}
        assert imputer.explain(table, 0, "x2").observed == ("x0",)

    def test_complete_rows_that_do_not_exist(self):
        table = untied(40, 4)
        table[::2, 2] = np.nan
        table[1::2, 3] = np.nan
        table[0, 0] = np.nan
        with pytest.warns(iim.FallbackWarning, match=r"'x0': 1 \(avail.*; 'x3': 20 \(fewer columns\)\.$"):
            imputer = iim.IIMImputer(**iim.PAPER).fit(table)
        assert imputer.fallbacks_ == {
            "x0": {"available rows instead of complete ones": 1},  # other even rows know the rest
            "x2": {"fewer columns": 20},  # no row knows both x2 and x3
            "x3": {"fewer columns": 20},
        }

    def test_a_seen_pattern_is_told_of_once_and_a_new_one_when_it_comes(self):
        table = untied(100, 3)
        table[5:, 1] = np.nan
        table[0, 2] = np.nan
        imputer = iim.IIMImputer(strategy="patterns")
        with pytest.warns(iim.FallbackWarning) as told:
            imputer.fit_transform(table)
        assert len(told) == 1
        assert told[0].filename == __file__
        imputer.transform(table)
        with pytest.warns(iim.FallbackWarning, match="'x0': 2 .fewer columns"):
            imputer.transform(np.array([[np.nan, 1, 1], [np.nan, 2, 1], [1, 1, 1]]))

    def test_a_row_that_knows_nothing_is_counted_only(self):
        table = holed(200)
        table[7] = np.nan
        fallbacks = iim.IIMImputer().fit(table).fallbacks_
        assert fallbacks == {f"x{column}": {"column mean": 1} for column in range(4)}

    def test_a_step_of_a_pipeline_is_told_of_at_its_call(self):
        table = untied(100, 3)
        table[5:, 1] = np.nan
        table[0, 2] = np.nan
        with pytest.warns(iim.FallbackWarning) as told:
            make_pipeline(iim.IIMImputer(strategy="patterns"), StandardScaler()).fit(table)
        assert told[0].filename == __file__


def test_more_learning_neighbors_than_any_table_has_are_all_donors():
    table = holed(60)
    every = iim.IIMImputer(learning_neighbors=60).fit_transform(table)
    assert iim.IIMImputer(learning_neighbors=2**70).fit_transform(table).tobytes() == every.tobytes()


class TestRounds:
    def test_the_table_is_filled_better_than_by_means(self):
        random = np.random.default_rng(0)
        truth = np.tanh(random.normal(size=(120, 1)) @ random.normal(size=(1, 4)))
        table = truth.copy()
        holes = np.random.default_rng(0).random(truth.shape) < 0.3
        table[holes] = np.nan
        filled = iim.IIMImputer(strategy="iterative").fit_transform(table)
        means = np.nanmean(table, axis=0)
        for column, hole in enumerate(holes.T):
            ours = filled[hole, column] - truth[hole, column]
            theirs = means[column] - truth[hole, column]
            assert (ours**2).mean() < 0.5 * (theirs**2).mean()

    def test_what_is_known_may_lead_beyond_it(self):
        x = np.linspace(0, 1, 60)
        table = np.column_stack([x, 2 * x, 3 * x])
        imputer = iim.IIMImputer(strategy="iterative", reach=None).fit(table)
        filled = imputer.transform(np.array([[3, np.nan, 9], [3, np.nan, np.nan]]))
        np.testing.assert_allclose(filled, [[3, 6, 9]] * 2, rtol=0.02)

    @pytest.mark.parametrize(("shift", "factor"), [(0.0, 2.0**7), (1e4, 1.0), (-50.0, 0.1)])
    def test_units_do_not_matter(self, shift, factor):
        table = holed(80, 4, share=0.2)
        filled = iim.IIMImputer(strategy="iterative").fit_transform(table)
        moved = table.copy()
        moved[:, [0, 2]] = table[:, [0, 2]] * factor + shift
        found = iim.IIMImputer(strategy="iterative").fit_transform(moved)
        found[:, [0, 2]] = (found[:, [0, 2]] - shift) / factor
        np.testing.assert_allclose(found, filled, rtol=1e-5, atol=1e-6)

    def test_a_row_is_filled_the_same_alone_and_after_it_was_kept(self, tmp_path):
        imputer = iim.IIMImputer(strategy="iterative").fit(holed(80, 4, share=0.2))
        rows = holed(30, 4, share=0.5, seed=5)
        filled = imputer.transform(rows)
        assert np.vstack([imputer.transform(row[None]) for row in rows]).tobytes() == filled.tobytes()
        imputer.save(tmp_path / "model.iim")
        for again in (iim.load(tmp_path / "model.iim"), pickle.loads(pickle.dumps(imputer))):
            assert again.transform(rows).tobytes() == filled.tobytes()
        once = iim.IIMImputer(strategy="iterative", n_jobs=1).fit(holed(80, 4, share=0.2))
        assert once.transform(rows).tobytes() == filled.tobytes()

    @pytest.mark.parametrize("settings", [{"donors": "complete"}, {"max_donors": 30}])
    def test_few_donors(self, settings):
        table = holed(120, 3, share=0.1)
        filled = iim.IIMImputer(strategy="iterative", **settings).fit_transform(table)
        assert np.isfinite(filled).all()

    def test_rows_of_which_nothing_is_known_get_means(self):
        table = holed(100)
        imputer = iim.IIMImputer(strategy="iterative").fit(table)
        row = np.full((1, 4), np.nan)
        np.testing.assert_array_equal(imputer.transform(row)[0], imputer._loop.source.means)
        explained = imputer.explain(row, 0, 2)
        assert (explained.fallback, explained.value) == ("column mean", imputer._loop.source.means[2])

    def test_columns_complete_at_fit_may_have_holes_later(self):
        table = untied(60, 4)
        table[:20, 1] = np.nan
        seen = iim.IIMImputer(strategy="iterative").fit(table)
        ahead = iim.IIMImputer(strategy="iterative", prepare="single").fit(table)
        assert [pattern.target for pattern in seen._loop.models.kept] == [1]
        assert sorted(pattern.target for pattern in ahead._loop.models.kept) == [0, 1, 2, 3]
        new = holed(12, share=0.4, seed=1)
        assert seen.transform(new).tobytes() == ahead.transform(new).tobytes()
        assert not ahead._loop.models._recent

    def test_what_is_explained_adds_up(self):
        table = holed(60, 4, share=0.25)
        imputer = iim.IIMImputer(5, strategy="iterative").fit(table)
        filled = imputer.transform(table)
        row = int(np.flatnonzero(np.isnan(table).sum(axis=1) == 2)[0])
        column = int(np.flatnonzero(np.isnan(table[row]))[0])
        explained = imputer.explain(table, row, column)
        assert explained.value == explained.voted == filled[row, column]
        # Of the row's own values only; the vote has a share of 1 here or less.
        knows = np.flatnonzero(~np.isnan(table[row]))
        assert explained.observed == tuple(f"x{at}" for at in knows) or explained.observed == tuple(knows)
        assert explained.known.tolist() == table[row][knows].tolist()
        said = explained.intercepts + explained.slopes @ explained.known
        inside = ~explained.limited
        np.testing.assert_allclose(said[inside], explained.candidates[inside], rtol=1e-9, atol=1e-9)
        assert explained.value == pytest.approx(explained.weights @ explained.candidates)
        assert "(filled)" not in str(explained)

    def test_a_batch_of_rows_has_no_more_cells_than_fit(self, monkeypatch):
        table = holed(60, 4, share=0.25)
        imputer = iim.IIMImputer(5, strategy="iterative").fit(table)
        filled = imputer.transform(table)
        monkeypatch.setattr("iim.core.rounds.round_loop.CELLS_AT_ONCE", 7)
        assert imputer.transform(table).tobytes() == filled.tobytes()

    def test_a_pickle_has_nothing_that_can_be_computed_again(self):
        table = holed(60, 4, share=0.25)
        # Without rounds before the last, there is a table for each column.
        imputer = iim.IIMImputer(5, strategy="iterative", max_iter=0).fit(table)
        imputer.transform(table)
        assert "_recent" in vars(imputer._loop.completed)
        loaded = pickle.loads(pickle.dumps(imputer))
        assert "_recent" not in vars(loaded._loop.completed)
        assert loaded._loop.source.matrix.values.flags.writeable


class TestBounds:
    def test_one_bound_for_all(self):
        table = holed()
        filled = iim.IIMImputer(min_value=-0.1, max_value=0.2).fit_transform(table)
        new = filled[np.isnan(table)]
        assert new.min() == -0.1
        assert new.max() == 0.2
        known = ~np.isnan(table)
        assert filled[known].tobytes() == table[known].tobytes()

    def test_one_bound_per_column(self):
        table = holed()
        filled = iim.IIMImputer(min_value=[-9, 0.1, -9, -9]).fit_transform(table)
        holes = np.isnan(table)
        assert filled[holes[:, 1], 1].min() >= 0.1
        plain = iim.IIMImputer().fit_transform(table)
        assert (filled[:, [0, 2, 3]] == plain[:, [0, 2, 3]]).all()

    def test_infinity_leaves_a_column_unbounded(self):
        table = holed()
        filled = iim.IIMImputer(min_value=[-np.inf, 0.1, -np.inf, -np.inf]).fit_transform(table)
        assert (filled[:, [0, 2, 3]] == iim.IIMImputer().fit_transform(table)[:, [0, 2, 3]]).all()

    def test_parameters_changed_after_fit_wait_for_the_next_fit(self):
        table = holed()
        imputer = iim.IIMImputer(n_neighbors=5, strategy="patterns").fit(table)
        filled = imputer.transform(table)
        imputer.set_params(n_neighbors=2, min_value=[0.0, 1.0])
        assert imputer.transform(table).tobytes() == filled.tobytes()
        assert imputer.candidates(table).values.shape[1] == 5

    def test_bounds_follow_their_columns_past_empty_ones(self):
        table = np.column_stack([np.full(80, np.nan), holed()])
        with pytest.warns(iim.ImputationWarning):
            filled = iim.IIMImputer(max_value=[0, -5, 9, 9, 9]).fit_transform(table)
        assert (filled[np.isnan(table[:, 1]), 0] == -5).all()


class TestIndicator:
    def test_columns_with_holes_at_fit_are_marked(self):
        table = untied(30, 3)
        table[4, 1] = np.nan
        imputer = iim.IIMImputer(add_indicator=True).fit(table)
        filled = imputer.transform(table)
        assert filled.shape == (30, 4)
        assert filled[:, 3].tolist() == [float(row == 4) for row in range(30)]
        assert imputer.get_feature_names_out(["a", "b", "c"]).tolist() == [
            "a",
            "b",
            "c",
            "missingindicator_b",
        ]

    def test_a_column_with_the_indicator_s_name_is_refused(self):
        table = pd.DataFrame({"a": [1.0, None, 3.0], "missingindicator_a": [5.0, 6.0, 7.0]})
        with pytest.raises(
            iim.UnusableTable, match="'missingindicator_a' has the name of an indicator column"
        ):
            iim.IIMImputer(add_indicator=True).fit(table)

    @pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
    def test_in_frames(self, frame):
        table = frame({"a": [1.0, None, 3.0, 4.0], "b": [1.0, 2.0, 3.0, 5.0]})
        filled = iim.IIMImputer(add_indicator=True).fit_transform(table)
        assert list(filled.columns) == ["a", "b", "missingindicator_a"]
        assert list(filled["missingindicator_a"]) == [0.0, 1.0, 0.0, 0.0]


class TestCompany:
    def test_pipeline_and_grid_search(self):
        table = holed(120)
        target = np.nansum(table, axis=1)
        model = make_pipeline(iim.IIMImputer(n_jobs=1), StandardScaler(), LinearRegression())
        search = GridSearchCV(model, {"iimimputer__n_neighbors": [3, 7]}, cv=2).fit(table, target)
        assert search.best_params_["iimimputer__n_neighbors"] in (3, 7)

    def test_column_transformer_leaves_text_alone(self):
        frame = pd.DataFrame(holed(50), columns=list("abcd")).assign(name=["x"] * 50)
        chosen = ColumnTransformer([("fill", iim.IIMImputer(), list("abcd"))], remainder="passthrough")
        filled = chosen.set_output(transform="pandas").fit_transform(frame)
        assert filled.columns.tolist() == ["fill__a", "fill__b", "fill__c", "fill__d", "remainder__name"]
        assert not filled.isna().any().any()

    def test_clone_pickle_and_deepcopy(self):
        table = holed()
        imputer = iim.IIMImputer(n_neighbors=4).fit(table)
        filled = imputer.transform(table)
        assert clone(imputer).n_neighbors == 4
        assert not hasattr(clone(imputer), "alpha_")
        for other in (pickle.loads(pickle.dumps(imputer)), copy.deepcopy(imputer)):
            assert other.transform(table).tobytes() == filled.tobytes()

    @pytest.mark.parametrize("kind", ["pandas", "polars"])
    @pytest.mark.parametrize("given", [np.asarray, pd.DataFrame, pl.DataFrame])
    def test_set_output(self, kind, given):
        table = holed()
        names = list("abcd")
        data = given(table) if given is np.asarray else given(dict(zip(names, table.T, strict=True)))
        imputer = iim.IIMImputer().set_output(transform=kind)
        filled = imputer.fit_transform(data)
        assert type(filled).__module__.split(".")[0] == kind
        assert list(filled.columns) == list(imputer.get_feature_names_out())
        assert filled.to_numpy().tolist() == iim.IIMImputer().fit_transform(table).tolist()

    def test_feature_names(self):
        frame = pd.DataFrame(EXAMPLE, columns=["A1", "A2"])
        imputer = iim.IIMImputer().fit(frame)
        assert imputer.get_feature_names_out().tolist() == ["A1", "A2"]
        assert imputer.feature_names_in_.tolist() == ["A1", "A2"]
        assert imputer.n_features_in_ == 2
