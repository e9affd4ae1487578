"""Every registered method keeps the contract of a scikit-learn transformer."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import iim
from cases import QUICK

EXPECTED_FAILURES: dict[str, str] = {}
"""Checks that a method may fail, each with its reason; there are none."""


@parametrize_with_checks(
    [
        *(method(**QUICK.get(key, {})) for key, method in iim.METHODS.items()),
        iim.IIMImputer(strategy="iterative"),
    ],
    expected_failed_checks=lambda _estimator: EXPECTED_FAILURES,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("key", iim.METHODS)
def test_every_method_says_what_it_is(key):
    method = iim.METHODS[key]
    assert method.paper_name
    assert method.family in {"tuple", "attribute", "individual", "blend"}
