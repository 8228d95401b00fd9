"""The model behind a server: asked in the shapes of OpenAI's chat completions, and heard as it speaks."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Protocol

ChatJson = Mapping[str, object]
"""A request, a completion or a chunk of one, as JSON."""


class UpstreamStream(Protocol):
    """A reply that comes in chunks. Ended before its end, nothing more is read of it."""

    def __aiter__(self) -> AsyncIterator[ChatJson]:
        """Give the chunks in order. Raises `ModelError` where the reply breaks off."""
        ...

    async def aclose(self) -> None:
        """Hang up; doing it twice is doing it."""
        ...


class Upstream(Protocol):
    """A model that chat completions are asked of."""

    @property
    def model(self) -> str:
        """What the provider calls the model."""
        ...

    async def complete(self, body: ChatJson) -> dict[str, object]:
        """Ask for a whole completion. Raises `ModelError` when there is none."""
        ...

    async def stream(self, body: ChatJson) -> UpstreamStream:
        """Begin to ask for a completion in chunks. Raises `ModelError` when none begins."""
        ...

    async def close(self) -> None:
        """Hang up on whatever is still asked; doing it twice is doing it."""
        ...
