"""Connections to one file, lent out one view or transaction at a time and kept for the next."""

from __future__ import annotations

import os
import sqlite3
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import BoundedSemaphore, Lock
from typing import Any

_KEPT = 8
"""Connections that stay open while nobody uses them."""
_MOST = 40
"""Connections that may be lent at once; who comes later waits."""


@dataclass(frozen=True, slots=True, eq=False)
class Lent:
    """A connection of the driver, and what is remembered beside it as long as it is open."""

    driver: sqlite3.Connection
    info: dict[Any, Any] = field(default_factory=dict)


class Pool:
    """Opens connections when they are asked for; `shares_one` has one alone (a store in memory)."""

    def __init__(self, connect: Callable[[], sqlite3.Connection], *, shares_one: bool) -> None:
        self._connect = connect
        self._one: Lent | None = Lent(connect()) if shares_one else None
        self._free: deque[Lent] = deque()
        self._lock = Lock()
        self._left = BoundedSemaphore(_MOST)
        self._process = os.getpid()
        self._is_closed = False

    @contextmanager
    def lent(self) -> Iterator[Lent]:
        """Lend a connection; what it left undone is undone. Raises `sqlite3.Error`."""
        if self._one is not None:
            yield self._one
            return
        with self._left:
            connection = self._take()
            try:
                yield connection
            finally:
                self._take_back(connection)

    def _take(self) -> Lent:
        with self._lock:
            if self._process != os.getpid():
                # A connection opened before a fork is the parent's: it is neither used nor closed here.
                self._process, self._free = os.getpid(), deque()
            if self._free:
                return self._free.pop()
        return Lent(self._connect())

    def _take_back(self, connection: Lent) -> None:
        try:
            connection.driver.rollback()
        except sqlite3.Error:
            connection.driver.close()
            return
        with self._lock:
            if len(self._free) < _KEPT and not self._is_closed:
                self._free.append(connection)
                return
        connection.driver.close()

    def close(self) -> None:
        """Close what nobody uses, and the rest when it comes back; a store in memory is gone then."""
        with self._lock:
            self._is_closed = True
            free, self._free = self._free, deque()
            one, self._one = self._one, None
        for connection in (*free, *([one] if one is not None else [])):
            connection.driver.close()
