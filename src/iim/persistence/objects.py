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
    # Ours, and those that Python and the libraries raise for inconsistent values.
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
    """An object of a class; raises UnusableFile if the bytes are damaged or forged.

    Parameters
    ----------
    data : bytes
        Result of :func:`to_bytes`.
    kind : type
        The class.
    shown : str
        Name of the bytes in errors.
    **sizes : int
        Sizes that are set already, such as ``columns``.
    """
    content, arrays = unpack(io.BytesIO(data), len(data), shown)
    decoder = Decoder(arrays)
    try:
        found: Kept = decoder.read(content["kept"], kind, Sizes(own=dict(sizes)))
        decoder.finish()
    except (*REFUSALS, MemoryError) as error:
        raise UnusableFile(
            f"{shown} has a valid checksum, but contains no {kind.__name__} that this iim can read: {error}"
        ) from error
    return found
