"""Saying things: results on standard output, progress and warnings on standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from kataribe.domain.evidence import EvidenceKind, is_guess
from kataribe.domain.text.printable import printable, printable_json, printable_line
from kataribe.errors import InputError
from kataribe.surfaces.cli.streams import let_go

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

Progress = Callable[[str, int, int], None]


def result(text: str) -> None:
    """Print a line of the result."""
    _write(printable_line(text))


def lines(text: str) -> None:
    """Print a result of several lines."""
    _write(printable(text))


def piece(text: str) -> None:
    """Print a piece of a line as it comes."""
    with _said_well():
        sys.stdout.write(printable(text))
        sys.stdout.flush()


def _write(text: str) -> None:
    with _said_well():
        sys.stdout.write(text + "\n")


def flush() -> None:
    """Let everything printed go out; raise `InputError` when it cannot."""
    with _said_well():
        sys.stdout.flush()


@contextmanager
def _said_well() -> Iterator[None]:
    """Say what is wrong with standard output; a reader that has gone is another matter."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        let_go(sys.stdout)
        raise InputError(
            f"standard output cannot be written: {error.strerror or error}; what the command did stays done"
        ) from error


def heading(text: str) -> None:
    """Begin a part of a longer result."""
    _write("")
    result(f"== {text} ==")


def verbatim(text: str) -> None:
    """Print a text byte for byte, with nothing added; a terminal is shown nothing that it would obey."""
    shown = printable(text) if sys.stdout.isatty() else text
    with _said_well():
        sys.stdout.flush()
        sys.stdout.buffer.write(shown.encode("utf-8"))
        sys.stdout.buffer.flush()


def json_line(value: object) -> None:
    """Print one JSON value on a line of its own."""
    _write(printable_json(json.dumps(value, ensure_ascii=False)))


def note(text: str) -> None:
    """Say something that is not a result."""
    _aside(printable_line(text) + "\n")


def _aside(text: str) -> None:
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        # Where warnings cannot be said, the work goes on and its exit code speaks.
        let_go(sys.stderr)


def over(text: str, *, is_last: bool) -> None:
    """Say how far something is, in place of what was said before; for a terminal."""
    _aside(f"\r{printable_line(text)}" + ("\n" if is_last else ""))


def warn(text: str) -> None:
    """Say something the person should know."""
    note(f"warning: {text}")


def ask(question: str) -> str:
    """Ask a person on the terminal, and give the line that was typed; nothing where there is none."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return ""
    note(question)
    sys.stderr.write("> ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower()


def count(number: int, noun: str) -> str:
    """Count things: `1 fact`, `2 facts`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def guess(evidence: EvidenceKind | None, confidence: float | None) -> str:
    """Say by what evidence something is guessed, and how sure: `present .82`; nothing where it is not."""
    if evidence is None or confidence is None or not is_guess(evidence):
        return ""
    return f"{evidence.value} {confidence:.2f}".replace(" 0.", " .")


def table(title: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table; plain tab-separated lines when nobody is looking at a terminal."""
    listed = [["" if cell is None else str(cell) for cell in row] for row in rows]
    if not sys.stdout.isatty():
        for row in (head, *listed):
            _write("\t".join(printable_line(cell) for cell in row))
        return
    from rich.table import Table

    made = Table(
        title=styled(title) if title else None, title_justify="left", show_edge=False, pad_edge=False
    )
    for name in head:
        made.add_column(styled(name), overflow="fold")
    for row in listed:
        made.add_row(*(styled(cell) for cell in row))
    console().print(made)


def console() -> Console:
    """Give what draws on the terminal."""
    from rich.console import Console

    return Console(highlight=False)


def styled(text: str, style: str = "") -> Text:
    """Make a text in a style for the terminal: what was written is shown as written, and obeyed by nobody."""
    from rich.text import Text

    return Text(printable(text), style=style)


def joined(*parts: tuple[str, str]) -> Text:
    """Make a text for the terminal out of parts, each in its own style."""
    from rich.text import Text

    return Text().join(styled(text, style) for text, style in parts)


def progress() -> Progress:
    """Make a progress line on standard error; a plain line a story when it is no terminal."""
    is_terminal = sys.stderr.isatty()

    def tell(story: str, done: int, total: int) -> None:
        # A story is called by its id, which holds no colon; turns by the space they lie in.
        said = f"{story}: {done} of {count(total, 'unit' if ':' in story else 'episode')}"
        if is_terminal:
            over(said, is_last=done >= total)
        elif done >= total:
            note(said)

    return tell
