"""`python -m kataribe` is the command line."""

from kataribe.surfaces.cli import main

if __name__ == "__main__":
    main()
