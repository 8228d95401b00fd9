"""OpenAI's Agents SDK: the tools of one viewer as function tools. Importing this loads the SDK."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

from agents.tool_context import ToolContext

from agents import FunctionTool
from kataribe.agents.toolset import tools_of
from kataribe.domain.recall.requests import ViewerKeys
from kataribe.errors import InputError, KataribeError
from kataribe.face.aio.kataribe import AsyncKataribe
from kataribe.tools import AsyncTool


def function_tools(
    memory: AsyncKataribe, viewer: ViewerKeys, *, library: str | None = None
) -> list[FunctionTool]:
    """Make the tools of an agent that remembers as one viewer, and as no one else.

    What is refused is told to the model, which may mend it. Raises `InputError` when these words make no
    viewer.
    """
    return [
        FunctionTool(
            name=one.name,
            description=one.description,
            params_json_schema=dict(one.parameters),
            on_invoke_tool=_called(one),
            # A strict schema has no argument that may be left out; ours are checked by the tools.
            strict_json_schema=False,
        )
        for one in tools_of(memory, viewer, library=library)
    ]


def _called(tool: AsyncTool) -> Callable[[ToolContext[Any], str], Awaitable[str]]:
    async def call(_: ToolContext[Any], written: str) -> str:
        try:
            return json.dumps(await tool(**_arguments(written)), ensure_ascii=False)
        except KataribeError as error:
            return f"error: {error}"

    return call


def _arguments(written: str) -> dict[str, object]:
    """Read what a model wrote; nothing is no arguments. Raises `InputError`."""
    try:
        given = json.loads(written or "{}")
    except (ValueError, RecursionError) as error:
        raise InputError("the arguments must be a JSON object") from error
    if not isinstance(given, dict):
        raise InputError("the arguments must be a JSON object")
    return given
