"""Imputers that do one simple thing, or go wrong in one way."""

import warnings

import numpy as np


class Constant:
    """Fills one number; remembers the tables that it was given."""

    def __init__(self, value=0.0):
        self.value = value
        self.seen = []

    def __deepcopy__(self, memo):
        other = type(self)(self.value)
        other.seen = self.seen
        return other

    def fit(self, X):
        self.seen.append(X.copy())
        self.fitted_ = True
        return self

    def transform(self, X):
        return np.where(np.isnan(X), self.value, X)


class Raises(Constant):
    def fit(self, _):
        raise ZeroDivisionError("cannot do that")


class RaisesLater(Constant):
    def transform(self, _):
        raise RuntimeError("nor that")


class LeavesHoles(Constant):
    """Leaves the second column as it is."""

    def transform(self, X):
        filled = np.where(np.isnan(X), 0.0, X)
        filled[:, 1] = X[:, 1]
        return filled


class DropsAColumn(Constant):
    def transform(self, X):
        return np.zeros((X.shape[0], X.shape[1] - 1))


class Warns(Constant):
    def transform(self, X):
        warnings.warn("shaky ground", RuntimeWarning, stacklevel=2)
        return super().transform(X)
