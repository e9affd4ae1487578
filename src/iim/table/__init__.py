"""Containers to numbers and back: numpy, and every frame that narwhals knows.

``read_frame`` and ``read_array`` make a :class:`~iim.matrix.MaskedMatrix`; ``write_frame`` and
``write_array`` put filled values into a copy of the original, so that observed cells come back as they
came: same bits, same dtype where a column has no hole, same index, same order.
"""
