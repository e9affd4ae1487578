"""scikit-learn's base classes of a transformer, with type hints, which scikit-learn does not have.

Without them, type checkers accept any parameter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin

if TYPE_CHECKING:

    class Estimator:
        """Signatures of the methods used."""

        n_features_in_: int

        def get_params(self, deep: bool = True) -> dict[str, Any]: ...
        def set_params(self, **params: Any) -> Self: ...
        def set_output(self, *, transform: str | None = None) -> Self: ...
        def fit_transform(self, X: Any, y: Any = None) -> Any: ...
        def get_feature_names_out(self, input_features: Any = None) -> Any: ...
        def __sklearn_tags__(self) -> Any: ...

else:

    class Estimator(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
        """A transformer with as many output columns as input columns."""
