"""Writers of one process take turns in the order they came; SQLite alone lets them race and sleep."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from time import monotonic

from kataribe.errors import StoreBusyError


class WriterQueue:
    """A lock that is handed on first come, first served."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._mutex = Lock()
        self._taken = False
        self._waiting: deque[Lock] = deque()

    @contextmanager
    def turn(self, seconds: float) -> Iterator[float]:
        """Wait for the turn; gives what is left of the seconds. Raises `StoreBusyError`."""
        begun = monotonic()
        self._wait(seconds)
        try:
            yield max(0.0, seconds - (monotonic() - begun))
        finally:
            self._hand_on()

    def _wait(self, seconds: float) -> None:
        with self._mutex:
            if not self._taken:
                self._taken = True
                return
            mine = Lock()
            mine.acquire()
            self._waiting.append(mine)
        try:
            if mine.acquire(timeout=max(0.0, seconds)):
                return
            with self._mutex:
                if mine in self._waiting:
                    self._waiting.remove(mine)
                    raise StoreBusyError(
                        f"{self._path} is being written in this process; "
                        f"what was stored before stays, try again in a moment"
                    )
            # It was handed on between the two: take it.
        except BaseException as error:
            if not isinstance(error, StoreBusyError):
                self._leave(mine)
            raise

    def _leave(self, mine: Lock) -> None:
        """Give up waiting; a turn that has come meanwhile goes to the next."""
        with self._mutex:
            if mine in self._waiting:
                self._waiting.remove(mine)
                return
        self._hand_on()

    def _hand_on(self) -> None:
        with self._mutex:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._taken = False
