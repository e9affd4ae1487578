"""Imputers that do one simple thing, or go wrong in one way."""

import sys
import time
import warnings
import zlib

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


class Unspeakable(Exception):
    def __str__(self):
        raise RuntimeError("no words")


class RaisesUnspeakable(Constant):
    def fit(self, _):
        raise Unspeakable


class Exits(Constant):
    def fit(self, _):
        sys.exit("had enough")


class Noise(Constant):
    """Fills noise, other noise for other tables: two of these are the same method with another seed."""

    def transform(self, X):
        rng = np.random.default_rng([self.value, zlib.crc32(np.nan_to_num(X).tobytes())])
        return np.where(np.isnan(X), rng.normal(size=X.shape), X)


class SlowAtFirst(Constant):
    """Takes a moment for its first fit, as one that compiles."""

    def fit(self, X):
        if not self.seen:
            time.sleep(0.4)
        return super().fit(X)


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


class WarnsOfNumbers(Constant):
    """Warns with other numbers each time, and of two different things from one line."""

    def transform(self, X):
        for text in (
            f"no convergence after {X[~np.isnan(X)].sum()} steps",
            "a bad omen",
            "rows [1 2]",
            "rows [3]",
        ):
            warnings.warn(text, RuntimeWarning, stacklevel=2)
        return super().transform(X)
