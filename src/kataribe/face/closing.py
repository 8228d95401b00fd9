"""How a synchronous face is opened and closed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Self

from kataribe.face.aio.kataribe import AsyncKataribe
from kataribe.face.loop import LoopThread
from kataribe.face.marks import upkeep


class Closing:
    """A face over one loop thread, which ends with it."""

    def __init__(self, of: AsyncKataribe, run: LoopThread) -> None:
        self._of = of
        self._run = run

    @classmethod
    def _start(cls, make: Callable[[], Awaitable[AsyncKataribe]]) -> Self:
        """Open the store on a loop thread of its own."""
        run = LoopThread()
        return cls(run.start(make), run)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @upkeep
    def close(self) -> None:
        """Write what waits and let go of the store; closing twice is closing.

        In a child of `os.fork` it lets go of nothing: the store is the parent's.
        """
        if self._run.is_closed or not self._run.is_of_this_process:
            return
        try:
            self._run(self._of.close())
        finally:
            self._run.stop()
