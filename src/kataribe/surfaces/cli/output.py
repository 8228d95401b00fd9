"""Saying things: results on standard output, progress and warnings on standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence

Progress = Callable[[str, int, int], None]


def result(text: str) -> None:
    """Print a line of the result."""
    sys.stdout.write(text + "\n")


def heading(text: str) -> None:
    """Begin a part of a longer result."""
    result(f"\n== {text} ==")


def verbatim(text: str) -> None:
    """Print a text byte for byte, with nothing added."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8"))
    sys.stdout.buffer.flush()


def json_line(value: object) -> None:
    """Print one JSON value on a line of its own."""
    result(json.dumps(value, ensure_ascii=False))


def note(text: str) -> None:
    """Say something that is not a result."""
    sys.stderr.write(text + "\n")


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


def table(title: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table; plain tab-separated lines when nobody is looking at a terminal."""
    listed = [["" if cell is None else str(cell) for cell in row] for row in rows]
    if not sys.stdout.isatty():
        result("\t".join(head))
        for row in listed:
            result("\t".join(cell.replace("\t", " ").replace("\n", " ") for cell in row))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    made = Table(title=title or None, title_justify="left", show_edge=False, pad_edge=False)
    for name in head:
        made.add_column(name, overflow="fold")
    for row in listed:
        # Text, not markup: what an author wrote is shown as written.
        made.add_row(*(Text(cell) for cell in row))
    Console().print(made)


def progress() -> Progress:
    """Make a progress line on standard error; a plain line a story when it is no terminal."""
    is_terminal = sys.stderr.isatty()

    def tell(story: str, done: int, total: int) -> None:
        if is_terminal:
            sys.stderr.write(
                f"\r{story}: {done} of {count(total, 'episode')}" + ("\n" if done >= total else "")
            )
            sys.stderr.flush()
        elif done >= total:
            note(f"{story}: {done} of {count(total, 'episode')}")

    return tell
