"""Containers to numbers and back: numpy, and every frame that narwhals knows.

``read_frame`` and ``read_array`` make a :class:`~iim.matrix.MaskedMatrix`. ``write_frame`` and
``write_array`` put fills into a copy of the original, so that observed cells are unchanged: same bits, same
index, same order, and the same dtype in columns without missing values.

``read_table``, for functions that only read, takes more: lists of rows, and frames with columns that are
not numbers, which it sets aside with the reason.
"""
