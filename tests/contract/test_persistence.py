"""What every registered method promises of its file, with its default settings and with the paper's."""

import pickle
import random
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import iim
from cases import CASES, VARIANTS, assert_same, every, examples
from hostile_files import changed, forge, load_and_fill
from iim.persistence.container import read_container
from strategies import holed, tables_with_holes, untied

TESTS = Path(__file__).resolve().parents[1]

pytestmark = pytest.mark.filterwarnings("ignore::iim.FallbackWarning")

every_case = every([*CASES, *(case for case in VARIANTS if "rounds" in case.name)])
every_method = pytest.mark.parametrize("key", iim.METHODS)

KNOWN = holed(60, share=0.08)


def new_table():
    """Rows with every pattern of holes, most of which fit did not see."""
    table = untied(16, 4, seed=5)
    table[np.array(list(product([False, True], repeat=4)))] = np.nan
    return table


NEW = new_table()


def kept(imputer, folder):
    """The imputer, saved and loaded."""
    imputer.save(folder / "model.iim")
    return iim.load(folder / "model.iim")


def assert_alike(one, other) -> None:
    """Values of the same types and bits, at any depth of plain ones."""
    assert type(one) is type(other)
    if isinstance(one, np.ndarray) and one.dtype != object:
        assert_same(one, other)
    elif isinstance(one, (list, tuple, np.ndarray)):
        assert len(one) == len(other)
        for pair in zip(one, other, strict=True):
            assert_alike(*pair)
    elif isinstance(one, dict):
        assert_alike(list(one.items()), list(other.items()))
    else:
        assert repr(one) == repr(other)


@every_case
def test_a_kept_imputer_fills_to_the_last_bit_as_before(case, tmp_path):
    imputer = case.fit(KNOWN)
    loaded = kept(imputer, tmp_path)
    assert type(loaded) is type(imputer)
    assert_same(loaded.transform(KNOWN), imputer.transform(KNOWN))
    assert_same(loaded.transform(NEW), imputer.transform(NEW))


@every_case
def test_what_is_learned_at_transform_is_not_in_the_file(case, tmp_path):
    imputer = case.fit(KNOWN)
    imputer.save(tmp_path / "before.iim")
    expected = imputer.transform(NEW)
    imputer.save(tmp_path / "after.iim")
    assert (tmp_path / "after.iim").read_bytes() == (tmp_path / "before.iim").read_bytes()
    assert_same(iim.load(tmp_path / "after.iim").transform(NEW), expected)


@every_case
def test_a_kept_imputer_has_the_same_parameters_and_attributes(case, tmp_path):
    imputer = case.fit(pd.DataFrame(KNOWN, columns=["b", "a", "d", "c"]))
    loaded = kept(imputer, tmp_path)
    assert_alike(loaded.get_params(), imputer.get_params())
    public = [name for name in vars(imputer) if name.endswith("_")]
    assert {"n_features_in_", "feature_names_in_"} <= set(public)
    for name in public:
        assert_alike(getattr(loaded, name), getattr(imputer, name))
    assert list(vars(loaded)) == list(vars(imputer))
    assert loaded.get_feature_names_out().tolist() == ["b", "a", "d", "c"]


@every_case
def test_a_kept_imputer_can_be_copied_pickled_fitted_and_kept_again(case, tmp_path):
    imputer = case.fit(KNOWN)
    expected = imputer.transform(NEW)
    loaded = kept(imputer, tmp_path)
    first = (tmp_path / "model.iim").read_bytes()
    assert_same(pickle.loads(pickle.dumps(loaded)).transform(NEW), expected)
    assert_same(kept(loaded, tmp_path).transform(NEW), expected)
    assert (tmp_path / "model.iim").read_bytes() == first
    assert not hasattr(clone(loaded), "n_features_in_")
    assert_same(clone(loaded).fit(KNOWN).transform(NEW), expected)
    assert_same(loaded.fit(KNOWN).transform(NEW), expected)


@every_case
@settings(examples(0.08), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(table=tables_with_holes(max_columns=4))
def test_any_fitted_imputer_can_be_kept(case, tmp_path, table):
    try:
        imputer = case.fit(table, add_indicator=True, keep_empty_features=True)
    except iim.UnusableTable:
        return
    assert_same(kept(imputer, tmp_path).transform(table), imputer.transform(table))


@every_case
def test_parameters_set_after_fit_are_kept_and_wait_for_the_next_fit(case, tmp_path):
    imputer = case.fit(KNOWN)
    expected = imputer.transform(NEW)
    if "scale" in imputer.get_params():
        imputer.set_params(scale="robust")
        assert kept(imputer, tmp_path).scale == "robust"
    assert_same(kept(imputer, tmp_path).transform(NEW), expected)


@every_method
def test_every_attribute_that_fit_makes_is_checked_when_it_is_read(key):
    # A plain attribute that is not declared is kept as well. But then nothing stands
    # between a made-up file and the code that uses it.
    imputer = iim.METHODS[key]().fit(pd.DataFrame(KNOWN, columns=list("abcd")))
    attributes = set(vars(imputer)) - set(imputer.get_params())
    assert attributes == set(type(imputer)._fitted_names)


@every_case
@settings(examples(0.08), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32 - 1))
def test_a_made_up_file_is_refused_or_fills_something(case, tmp_path, seed):
    path = tmp_path / "model.iim"
    if not path.exists():
        case.fit(KNOWN).save(path)
    forge(tmp_path / "made_up.iim", *changed(random.Random(seed), *read_container(path)))
    load_and_fill(tmp_path / "made_up.iim", NEW)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="how much memory is used is read there")
def test_no_made_up_file_ends_the_process(run_python):
    # In a process of its own, with little room: to read past an array, or to believe a huge claim, ends it.
    shown = run_python(f"""
        import sys
        from itertools import product
        from pathlib import Path

        import numpy as np
        import resource

        sys.path.insert(0, {str(TESTS)!r})
        import iim
        from hostile_files import try_changes
        from strategies import holed, untied

        new = untied(16, 4, seed=5)
        new[np.array(list(product([False, True], repeat=4)))] = np.nan
        fitted = {{key: method().fit(holed(60, share=0.08)) for key, method in iim.METHODS.items()}}
        fitted["rounds"] = iim.IIMImputer(strategy="iterative").fit(holed(60, share=0.08))
        for key, imputer in fitted.items():
            imputer.transform(new)
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + 2**30, used + 2**30))
        for key, imputer in fitted.items():
            imputer.save("model.iim")
            print(key, *try_changes("model.iim", new, seed=7, n_files=60))
    """)
    counts = {line.split()[0]: [int(count) for count in line.split()[1:]] for line in shown.splitlines()}
    assert counts.keys() == {*iim.METHODS, "rounds"}
    for n_refused, n_filled in counts.values():
        assert n_refused > 20
        assert n_filled > 3
