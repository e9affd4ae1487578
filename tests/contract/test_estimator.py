"""Every registered method keeps the contract of a scikit-learn transformer."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import iim
from cases import ALL_VERSIONS, QUICK

EXPECTED_FAILURES: dict[str, str] = {}
"""Checks that a method may fail, each with its reason; there are none."""


OTHERS = iim.METHODS.keys() - ALL_VERSIONS


@parametrize_with_checks(
    [*(iim.METHODS[key]() for key in sorted(ALL_VERSIONS)), iim.IIMImputer(strategy="iterative")],
    expected_failed_checks=lambda _estimator: EXPECTED_FAILURES,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.current
@parametrize_with_checks(
    [iim.METHODS[key](**QUICK.get(key, {})) for key in sorted(OTHERS)],
    expected_failed_checks=lambda _estimator: EXPECTED_FAILURES,
)
def test_scikit_learn_checks_of_the_other_methods(estimator, check):
    check(estimator)


@pytest.mark.parametrize("key", iim.METHODS)
def test_every_method_says_what_it_is(key):
    method = iim.METHODS[key]
    assert method.paper_name
    assert method.family in {"tuple", "attribute", "individual", "blend"}
