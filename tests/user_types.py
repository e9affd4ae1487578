"""What type checkers tell users: read by mypy, which also tells when an error is none any more."""

from typing import TYPE_CHECKING, Any, assert_type

import iim

if TYPE_CHECKING:
    from iim import *  # noqa: F403 (names are found in this way, too)

    assert_type(iim.IIMImputer(5, alpha=0.1), iim.IIMImputer)
    assert_type(iim.KnnImputer().fit([[1.0]]), iim.KnnImputer)
    assert_type(iim.KnnImputer().n_neighbors, int)
    assert_type(iim.METHODS["knn"](n_neighbors=3), Any)
    assert_type(KnnImputer(3), iim.KnnImputer)  # noqa: F405

    iim.IIMImputer(n_neighbours=5)  # type: ignore[call-arg]
    iim.IIMImputer(n_neighbors="5")  # type: ignore[arg-type]
    iim.KnnImputer(5, 6)  # type: ignore[call-arg]
