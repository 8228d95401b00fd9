"""`kataribe`, or `python -m kataribe`: the command line, with its benchmarks."""

from kataribe.surfaces.cli import main
from kataribe.surfaces.cli.app import app
from kataribe.surfaces.cli.commands import LISTED, UPKEEP, Listed

LISTED.append(
    Listed(UPKEEP, "bench", "Measure how well recall finds, on data you bring.", "kataribe.bench.cli")
)

__all__ = ["app", "main"]

if __name__ == "__main__":
    main()
