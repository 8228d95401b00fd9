"""`python -m kataribe.bench` measures on this machine."""

import sys

from kataribe.bench.command import main

if __name__ == "__main__":
    sys.exit(main())
