"""The command line: results go to standard output, everything else to standard error."""

from kataribe.surfaces.cli.app import main

__all__ = ["main"]
