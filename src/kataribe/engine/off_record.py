"""What is read off the record leaves nothing behind: no trace, no use, no text in a log or a span."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_OFF: ContextVar[bool] = ContextVar("kataribe_off_the_record", default=False)
"""Threads and tasks that a verb starts inherit it."""


@contextmanager
def off_the_record() -> Iterator[None]:
    """Let nothing of the verbs within be noted."""
    token = _OFF.set(True)
    try:
        yield
    finally:
        _OFF.reset(token)


def is_off_the_record() -> bool:
    """Whether nothing may be noted now."""
    return _OFF.get()
