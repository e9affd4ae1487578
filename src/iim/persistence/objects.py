"""A single object of a kept class as the bytes of a file, and back."""

from __future__ import annotations

import io
from typing import Any, TypeVar

import numpy as np

from iim.exceptions import UnusableFile
from iim.persistence.container import pack, unpack
from iim.persistence.decoding import Decoder
from iim.persistence.encoding import Encoder
from iim.persistence.fields import Refused, Sizes

REFUSALS = (
    # Ours, and what Python and the libraries raise for values that do not fit together.
    *(Refused, ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, ArithmeticError),
    *(RecursionError, np.linalg.LinAlgError),
)

Kept = TypeVar("Kept")


def to_bytes(value: Any) -> bytes:
    """An object of a kept class; see :mod:`iim.persistence.classes`."""
    encoder = Encoder()
    tree = encoder.write(value, type(value), "kept")
    return b"".join(pack({"kept": tree}, encoder.arrays))


def from_bytes(data: bytes, kind: type[Kept], shown: str, **sizes: int) -> Kept:
    """An object of a class, or UnusableFile if the bytes are damaged, or made up.

    Parameters
    ----------
    data : bytes
        What :func:`to_bytes` has made.
    kind : type
        The class.
    shown : str
        What the bytes are called in errors.
    **sizes : int
        Sizes that are known already, such as ``columns``.
    """
    content, arrays = unpack(io.BytesIO(data), len(data), shown)
    decoder = Decoder(arrays)
    try:
        found: Kept = decoder.read(content["kept"], kind, Sizes(own=dict(sizes)))
        decoder.finish()
    except (*REFUSALS, MemoryError) as error:
        raise UnusableFile(
            f"{shown} fits its checksum, but holds no {kind.__name__} that this iim can read: {error}"
        ) from error
    return found
