"""Who takes part in a comparison: keys, imputers of any make, names."""

import copy

import pytest
from sklearn.impute import KNNImputer, SimpleImputer

import iim
from comparisons import compare, timeless
from made_up_imputers import (
    Constant,
)
from strategies import holed


class TestMethods:
    def test_none_is_every_method_but_the_one_that_tries_the_others(self):
        result = compare(holed(60, 3), None, repeats=1)
        assert result.methods == tuple(key for key in iim.METHODS if key != "auto")
        assert result.failures == ()

    def test_what_chooses_takes_part_if_it_is_asked_for(self):
        chooser = iim.AutoImputer(["glr", "mean"], repeats=1)
        result = compare(holed(60, 3), ["mean", "auto", chooser], repeats=1, columns=[0])
        assert result.methods == ("mean", "auto", "AutoImputer")
        assert result.failures == ()
        assert result.settings["methods"] == {
            "mean": "mean",
            "auto": "auto",
            "AutoImputer": "AutoImputer(...)",
        }

    def test_keys_and_objects_and_names_of_one_s_own(self):
        assert compare(holed(), ["mean", KNNImputer(), KNNImputer(n_neighbors=2)]).methods == (
            "mean",
            "KNNImputer",
            "KNNImputer (2)",
        )
        assert compare(holed(), {"plain": "mean", "near": KNNImputer()}).methods == ("plain", "near")
        assert compare(holed(), "mean").methods == ("mean",)
        assert compare(holed(), KNNImputer()).methods == ("KNNImputer",)

    def test_pairs_are_named_as_in_a_pipeline(self):
        pairs = [("plain", "mean"), ("near", KNNImputer()), "knn", ("near", KNNImputer(n_neighbors=2))]
        result = compare(holed(), pairs)
        assert result.methods == ("plain", "near", "knn", "near (2)")
        mapped = compare(holed(), {"plain": "mean", "near": KNNImputer()})
        assert timeless(result.records)[: len(mapped.records)] == timeless(mapped.records)

    def test_an_imputer_that_can_be_iterated_over_is_one_imputer(self):
        class Listed(Constant):
            def __iter__(self):
                return iter("ab")

        assert compare(holed(), Listed()).methods == ("Listed",)

    @pytest.mark.parametrize(
        ("name", "key"),
        [
            ("KNNImputer", "knn"),
            ("IIMImputer", "iim"),
            ("IIMImputers", "iim"),
            ("kNN", "knn"),
            ("kNNE", "knne"),
            ("XgbImputer", "xgb"),
            ("Loess", "loess"),
            ("svdimputer", "svd"),
            (b"pmm", "pmm"),
        ],
    )
    def test_other_names_of_a_method_suggest_its_key(self, name, key):
        with pytest.raises(iim.InvalidParameter) as refused:
            compare(holed(), name)
        assert str(refused.value).endswith(f"is needed; received {name!r}. Did you mean {key!r}?")
        with pytest.raises(iim.InvalidParameter, match=f"Did you mean '{key}'"):
            compare(holed(), ["mean", name])

    def test_scikit_learn_s_mean_is_ours(self):
        result = compare(holed(), ["mean", SimpleImputer()])
        ours, theirs = result.overall
        assert ours.normalised_error == pytest.approx(theirs.normalised_error, rel=1e-12)

    def test_an_object_that_returns_a_frame(self):
        frame = compare(holed(), {"f": SimpleImputer().set_output(transform="pandas")})
        array = compare(holed(), {"f": SimpleImputer()})
        assert timeless(frame.records) == timeless(array.records)

    def test_objects_stay_as_they_were(self):
        imputer, own = KNNImputer(), Constant()
        before = copy.deepcopy(vars(imputer))
        compare(holed(), [imputer, own])
        assert vars(imputer) == before
        assert not hasattr(own, "fitted_")

    def test_methods_that_draw_get_seeds(self):
        first = compare(holed(), ["pmm", "blr"], repeats=2)
        assert timeless(first.records) == timeless(compare(holed(), ["pmm", "blr"], repeats=2).records)
        own = iim.METHODS["pmm"](random_state=0)
        assert timeless(first.records)[:8] != timeless(compare(holed(), {"pmm": own}, repeats=2).records)

    @pytest.mark.parametrize(
        ("methods", "message"),
        [
            (["mean", "knm"], r"`methods`: one of 'mean', 'knn'.*or an imputer, is needed; received 'knm'"),
            ("knm", r"Did you mean 'knn'\?"),
            ({"mine": "IIM"}, r"received 'IIM'\. Did you mean 'iim'\?"),
            (["zzzzzz"], r"received 'zzzzzz'\.$"),
            ([SimpleImputer], r"Give an instance: `SimpleImputer\(\)`\."),
            ([None], "objects with `fit` and `transform`, are needed; received None"),
            ([("near", None)], "objects with `fit` and `transform`, are needed; received None"),
            ([("a", "b", "c")], r"are needed; received \('a', 'b', 'c'\)"),
            (b"knn", "`methods`: text, one of 'mean'.*received b'knn'"),
            (3, "received 3"),
            ([], "at least one method is needed"),
            ({}, "at least one method is needed"),
        ],
    )
    def test_what_is_no_method_is_refused(self, methods, message):
        with pytest.raises(iim.InvalidParameter, match=message):
            compare(holed(), methods)
