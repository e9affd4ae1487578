"""The command line as a module: ``python -m iim``."""

import sys

from iim.cli import main

if __name__ == "__main__":
    sys.exit(main())
