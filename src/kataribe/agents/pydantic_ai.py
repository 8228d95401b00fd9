"""Pydantic AI: the tools of one viewer as a toolset of an agent. Importing this loads Pydantic AI."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from pydantic_ai import FunctionToolset, ModelRetry, Tool

from kataribe.agents.toolset import tools_of
from kataribe.domain.recall.requests import ViewerKeys
from kataribe.errors import KataribeError
from kataribe.face.aio.kataribe import AsyncKataribe
from kataribe.tools import AsyncTool, Rows


def toolset(memory: AsyncKataribe, viewer: ViewerKeys, *, library: str | None = None) -> FunctionToolset[Any]:
    """Make a toolset for an agent that remembers as one viewer, and as no one else.

    What is refused the model is asked to mend. Raises `InputError` when these words make no viewer.
    """
    tools = tools_of(memory, viewer, library=library)
    made: list[Tool[Any]] = [
        Tool.from_schema(_called(one), one.name, one.description, dict(one.parameters)) for one in tools
    ]
    return FunctionToolset(made)


def _called(tool: AsyncTool) -> Callable[..., Awaitable[Rows]]:
    async def call(**arguments: object) -> Rows:
        try:
            return await tool(**arguments)
        except KataribeError as error:
            raise ModelRetry(str(error)) from error

    return call
