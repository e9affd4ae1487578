"""Parameters said in the body of a class: what subclasses get, keep and are told."""

import inspect

import numpy as np
import pytest
from sklearn.base import clone

import iim
from iim._checks import whole_number
from iim.imputers import KnnImputer
from iim.imputers._declaring import parameter


class Own(KnnImputer):
    """With a constructor of its own."""

    def __init__(self, n_neighbors=3, *, extra=1, random_state=None):
        super().__init__(n_neighbors)
        self.extra = extra
        self.random_state = random_state


class Below(Own):
    """Made from one that has a constructor of its own."""


class Mixin:
    """Another base, with a constructor."""

    def __init__(self, *positional, **named):
        super().__init__(*positional, **named)
        self.mixed = True


class Mixed(Mixin, KnnImputer):
    """Of both."""


class More(KnnImputer):
    """One more parameter."""

    more = parameter(default=2, check=whole_number(least=1))


@pytest.mark.parametrize("method", [Own, Below])
def test_a_constructor_of_ones_own_is_kept(method):
    imputer = method(4, extra=2)
    assert (imputer.n_neighbors, imputer.extra) == (4, 2)
    assert clone(imputer).extra == 2
    assert imputer.fit_transform([[1.0, 2.0], [3.0, np.nan]]).tolist() == [[1, 2], [3, 2]]


def test_the_constructor_of_another_base_is_called():
    assert Mixed(n_neighbors=2).mixed


def test_settings_are_taken_that_the_constructor_has():
    shared = {"random_state": 7, "n_jobs": 2, "extra": 5}
    assert Own._taken(shared) == {"random_state": 7, "extra": 5}
    assert KnnImputer._taken(shared) == {"n_jobs": 2}


def test_a_method_with_a_constructor_of_its_own_gets_seeds(monkeypatch):
    monkeypatch.setitem(iim.METHODS, "own", Own)
    seeds = []
    monkeypatch.setattr(
        Own, "fit", lambda self, X: seeds.append(self.random_state) or super(Own, self).fit(X)
    )
    iim.compare(np.random.default_rng(0).normal(size=(40, 3)), ["own"], repeats=2, random_state=3)
    assert None not in seeds
    assert len(seeds) == 2


def test_a_parameter_can_be_added():
    assert More().more == 2
    assert "more=3" in repr(More(more=3))
    with pytest.raises(iim.InvalidParameter, match="`more` of More"):
        More(more=0).fit([[1.0]])
    assert inspect.getdoc(More).startswith("One more parameter.\n\nParameters\n----------\n")


def test_wrong_arguments_name_the_class_and_what_it_takes():
    with pytest.raises(TypeError, match=r"KnnImputer: .*'n_neighbours'\. Did you mean 'n_neighbors'\?"):
        KnnImputer(n_neighbours=3)
    with pytest.raises(TypeError, match=r"By position it takes: n_neighbors\. Give the others by name"):
        KnnImputer(3, 4)
    assert KnnImputer.__init__.__qualname__ == "KnnImputer.__init__"


def test_the_registry_knows_without_loading():
    assert "knn" in iim.METHODS
    assert "nonsense" not in iim.METHODS
    assert iim.imputers.KnnImputer is KnnImputer
    with pytest.raises(AttributeError, match="no attribute 'Nonsense'"):
        iim.imputers.Nonsense  # noqa: B018
