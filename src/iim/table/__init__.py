"""Containers to numbers and back: numpy, and every frame that narwhals knows.

``read_frame`` and ``read_array`` make a :class:`~iim.matrix.MaskedMatrix`; ``write_frame`` and
``write_array`` put filled values into a copy of the original, so that observed cells come back as they
came: same bits, same dtype where a column has no hole, same index, same order.

``read_table``, for functions that only look, takes more: lists of rows, and frames with columns that are no
numbers, which it sets aside and names.
"""
