"""What a person types: single keys without Enter on a terminal, characters of a pipe elsewhere."""

from __future__ import annotations

import codecs
import os
import re
import select
import signal
import socket
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from threading import current_thread, main_thread
from types import TracebackType
from typing import Any, Self

import typer

from kataribe.surfaces.cli import output

ESCAPE = "\x1b"
_SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O.)")
END = ""
"""What is given when nothing more will come."""


class PressedKeys:
    """Reads keys and lines. Use it as a context manager: the terminal is left as it was found."""

    def __init__(self) -> None:
        self.is_terminal = sys.stdin.isatty()
        self._typed: deque[str] = deque()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._before: Any = None
        self._stops = ExitStack()
        self._stopped: socket.socket | None = None

    def __enter__(self) -> Self:
        # At once: what is typed before the first key is asked for counts too.
        self._cbreak()
        if self.is_terminal and sys.platform != "win32" and current_thread() is main_thread():
            self._stopped = self._stops.enter_context(_stop_signals())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stops.close()
        self._restore()

    def key(self) -> str:
        """Give the next key, `END` when there is none; an arrow or the like is `ESCAPE`."""
        if not self.is_terminal:
            return sys.stdin.read(1)
        while not self._typed:
            if not self._read():
                return END
        found = self._typed.popleft()
        # Ctrl-D ends; Ctrl-C stops by a signal where the terminal sends one, and here where it does not.
        if found == "\x03":
            raise KeyboardInterrupt
        return END if found == "\x04" else found

    def line(self, prompt: str, present: str = "") -> str | None:
        """Ask for a line, to be edited from what is there; None when nothing more will come."""
        if not self.is_terminal:
            found = sys.stdin.readline()
            return found.removesuffix("\n").removesuffix("\r") if found else None
        ahead = "".join(self._typed)
        self._typed.clear()
        self._restore()
        line, ended, rest = ahead.replace("\r", "\n").partition("\n")
        if ended:
            self._typed.extend(rest)
            return line
        try:
            return _edited(prompt, ahead or present)
        except EOFError:
            return None
        finally:
            self._cbreak()

    def _cbreak(self) -> None:
        """Let every key through as it is typed; again before each, for a stop may change the mode."""
        if not self.is_terminal or sys.platform == "win32":
            return
        import termios
        import tty

        fd = sys.stdin.fileno()
        if self._before is None:
            self._before = termios.tcgetattr(fd)
        # Draining keeps what was typed ahead.
        tty.setcbreak(fd, termios.TCSADRAIN)

    def _read(self) -> bool:
        if sys.platform == "win32":
            return self._read_console()
        self._cbreak()
        self._wait()
        data = os.read(sys.stdin.fileno(), 1024)
        text = self._decoder.decode(data, final=not data)
        # What arrows and the like send counts as one key.
        self._typed.extend(_SEQUENCE.sub(ESCAPE, text))
        return bool(data)

    def _wait(self) -> None:
        """Wait until there is something to read: a stop that comes just before is noticed here."""
        while self._stopped is not None:
            ready, _, _ = select.select([sys.stdin, self._stopped], [], [])
            if self._stopped in ready:
                # Of another signal than a stop, or an exception would have been raised by now.
                self._stopped.recv(1024)
            if sys.stdin in ready:
                return

    def _read_console(self) -> bool:
        try:
            text = typer.getchar()
        except EOFError:
            return False
        self._typed.extend([ESCAPE] if text[:1] in ("\x00", "\xe0", ESCAPE) else text)
        return True

    def _restore(self) -> None:
        if self._before is not None:
            import termios

            termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, self._before)
            self._before = None


@contextmanager
def _stop_signals() -> Iterator[socket.socket]:
    """Give what becomes readable when a signal comes, whichever thread it comes to."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.setblocking(False)
        before = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
        try:
            yield ours
        finally:
            signal.set_wakeup_fd(before)


def _edited(prompt: str, present: str) -> str:
    """Ask for a line; where the system can, what is there stands in it already."""
    output.flush()
    try:
        # Not at the top: on some terminals it speaks when it is loaded.
        import readline
    except ImportError:
        found = input(prompt)
        return found or present
    readline.set_startup_hook(lambda: readline.insert_text(present))
    try:
        return input(prompt)
    finally:
        readline.set_startup_hook(None)
