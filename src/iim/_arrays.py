"""Array types: float64, intp and bool, C-ordered, in all interfaces."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.intp]
Booleans: TypeAlias = npt.NDArray[np.bool_]
