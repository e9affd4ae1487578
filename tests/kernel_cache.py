"""The folder of compiled kernels; run by `make`, it is printed, so that pages and tests compile once."""

import hashlib
import sys
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def kernel_cache() -> Path:
    """Of these kernels and this numba.

    numba notices a changed kernel, not a changed callee of it: the folder is named by all of them. And it
    throws away what another version of it left there.
    """
    digest = hashlib.sha256(f"{version('numba')} {sys.version}".encode())
    for source in sorted((ROOT / "src" / "iim" / "kernels").glob("*.py")):
        digest.update(source.read_bytes())
    return ROOT / ".numba_cache" / digest.hexdigest()[:16]


if __name__ == "__main__":
    sys.stdout.write(str(kernel_cache()))
