"""A table small enough to count by hand: numbers, text between them, and holes."""

import numpy as np
import pandas as pd

SMALL = pd.DataFrame(
    {
        "a": [1.0, 2.0, 3.0, 4.0, np.nan, np.nan],
        "b": [2.0, 4.0, 6.0, 8.0, 10.0, np.nan],
        "who": list("uvwxyz"),
        "c": [0.0, 0.0, 1.0, 1.0, 1.0, 0.0],
    }
)
