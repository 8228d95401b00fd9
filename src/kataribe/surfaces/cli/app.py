"""The command `kataribe`: its groups, and how errors leave it."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence
from typing import Annotated

import typer

from kataribe import __version__
from kataribe.errors import KataribeError, shortened
from kataribe.settings import from_environment, variable_of
from kataribe.surfaces.cli import output, streams
from kataribe.surfaces.cli.commands import RootGroup, plain_app
from kataribe.surfaces.cli.store import CHOICE

EXIT_CHECK, EXIT_USAGE, EXIT_REFUSED, EXIT_CRASHED, EXIT_STOPPED = 1, 2, 3, 70, 130

_UsageError: type[Exception] = typer.BadParameter.__mro__[1]
"""What the parser raises for bad usage of any sort; it is the base of the one public class."""

app = plain_app(cls=RootGroup, name="kataribe", help="Who remembers what, as of when, and why.")


def _version(asked: bool) -> None:
    if asked:
        output.result(__version__)
        raise typer.Exit


@app.callback()
def options(
    db: Annotated[
        str | None,
        typer.Option("--db", metavar="PATH", help="The store (else KATARIBE_DB, else ./kataribe.db)."),
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option("--policy", metavar="FILE", help="Numbers that tune recall (else KATARIBE_POLICY)."),
    ] = None,
    keys: Annotated[
        str | None,
        typer.Option("--keys", metavar="FILE", help="The users' keys (else KATARIBE_KEYS)."),
    ] = None,
    version: Annotated[  # noqa: ARG001 - its callback has spoken before
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Who remembers what, as of when, and why."""
    CHOICE.path = db
    CHOICE.policy = policy
    CHOICE.keys = keys


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and give its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    try:
        code = app(args=given, prog_name="kataribe", standalone_mode=False)
        output.flush()
    except KataribeError as error:
        output.note(f"error: {_line(error.in_shell)}")
        return EXIT_REFUSED
    except _UsageError as error:
        output.note(f"error: {_line(_message(error))}; see `{_path_of(error)} --help`")
        return EXIT_USAGE
    except (KeyboardInterrupt, typer.Abort):
        output.note("stopped; what was done stays done, run the command again to go on")
        return EXIT_STOPPED
    except BrokenPipeError:
        # The reader has seen enough.
        streams.let_go(sys.stdout)
        return 0
    except UnicodeError:
        output.note("error: what was given holds bytes that are not UTF-8 text; give it as UTF-8")
        return EXIT_REFUSED
    except OSError as error:
        output.note(f"error: {_of_system(error)}")
        return EXIT_REFUSED
    except Exception as error:
        if _tells_texts():
            raise
        for line in _crash(error).split("\n"):
            output.note(line)
        return EXIT_CRASHED
    return code if isinstance(code, int) else 0


def _tells_texts() -> bool:
    """Whether what goes wrong may be told in the words of whoever it is about."""
    try:
        return from_environment(CHOICE.path).trace_text
    except KataribeError:
        return False


def _crash(error: Exception) -> str:
    """Say where something broke that never should; its message may hold anybody's words."""
    at = "".join(traceback.format_tb(error.__traceback__))
    kind = f"{type(error).__module__}.{type(error).__qualname__}"
    return (
        f"{at}error: kataribe broke: {kind}; what was stored before stays. What it says is kept back: "
        f"{variable_of('trace_text')}=1 shows it"
    )


_READER_SAYS = "Value error, "
"""What the parser's reader of values puts before what it refuses, and what tells nobody anything."""
_ALIKE = (("--no", "--at", "--episode"), ("--as", "--persona", "--speaker"), ("--top-k", "--last"))
"""Options of several commands that are easily taken for each other."""


def _message(error: Exception) -> str:
    if meant := _meant(error):
        return f"there is no {getattr(error, 'option_name', '')} here; did you mean {meant}?"
    spoken = getattr(error, "format_message", None)
    told = str(spoken() if callable(spoken) else error).replace(_READER_SAYS, "")
    return shortened(told.rstrip("."))


def _meant(error: Exception) -> str | None:
    """Name the option that a command has in the place of one that it has not."""
    given, context = getattr(error, "option_name", None), getattr(error, "ctx", None)
    if context is None:
        return None
    there = {name for parameter in context.command.params for name in parameter.opts}
    group = next((group for group in _ALIKE if given in group and given not in there), ())
    return next((name for name in group if name in there), None)


def _of_system(error: OSError) -> str:
    said = error.strerror or str(error)
    return shortened(said if error.filename is None else f"{error.filename}: {said}")


def _path_of(error: Exception) -> str:
    context = getattr(error, "ctx", None)
    return str(context.command_path) if context is not None else "kataribe"


def _line(text: str) -> str:
    return " ".join(text.split())


def main() -> None:
    """Run the command line of this process."""
    streams.prepare()
    sys.exit(run())
