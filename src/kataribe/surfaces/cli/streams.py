"""The three standard streams, made fit for use: whatever they are, an error about them is one line."""

from __future__ import annotations

import io
import os
import sys
from typing import NoReturn, TextIO, cast

from kataribe.errors import InputError


class ClosedStream(io.TextIOBase):
    """Stands in for a stream that was closed before the program began; it says so when it is used."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name

    @property
    def buffer(self) -> ClosedStream:
        """Give itself: bytes cannot be had or written either."""
        return self

    def read(self, size: int | None = -1, /) -> NoReturn:  # noqa: ARG002 - the shape of a stream
        """Refuse."""
        raise self._refusal()

    def readline(self, size: int = -1, /) -> NoReturn:  # type: ignore[override]  # noqa: ARG002
        """Refuse."""
        raise self._refusal()

    def write(self, text: object, /) -> NoReturn:  # noqa: ARG002
        """Refuse."""
        raise self._refusal()

    def _refusal(self) -> InputError:
        return InputError(f"{self._name} is closed; open it, or send it to a file")


def prepare() -> None:
    """Make the standard streams UTF-8 whatever the locale says; put something in the place of closed ones."""
    _fill_gaps()
    if cast(TextIO | None, sys.stdin) is None:
        sys.stdin = ClosedStream("standard input")
    if cast(TextIO | None, sys.stdout) is None:
        sys.stdout = ClosedStream("standard output")
    if cast(TextIO | None, sys.stderr) is None:
        # There is nobody to be told.
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - open to the end
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Texts come back byte for byte; keys that are no text are keys that mean nothing.
            stream.reconfigure(encoding="utf-8", errors="strict" if stream is sys.stdout else "replace")


def _fill_gaps() -> None:
    """Take the numbers of closed streams, so that no file opened later is written to as if it were one."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def let_go(stream: TextIO) -> None:
    """Drop what a stream could not take: Python must not complain about it while it exits."""
    try:
        number = stream.fileno()
    except (OSError, ValueError):
        return
    os.dup2(os.open(os.devnull, os.O_WRONLY), number)
