"""`kataribe`, or `python -m kataribe`: the command line, with its benchmarks."""

from kataribe.bench.cli import app as bench_app
from kataribe.surfaces.cli import main
from kataribe.surfaces.cli.app import app

app.add_typer(bench_app, name="bench", help="Measure how well recall finds, on data you bring.")

__all__ = ["app", "main"]

if __name__ == "__main__":
    main()
