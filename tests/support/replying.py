"""Models that answer any question as a function says: nothing is sent anywhere."""

from __future__ import annotations

import inspect
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    UserPromptPart,
)
from pydantic_ai.models import Model
from pydantic_ai.models.function import AgentInfo, FunctionModel

Reply = dict[str, Any] | str | ModelResponse
"""Arguments of the output tool, a text in their place, or whatever else a model may answer."""
Script = Callable[[dict[str, Any]], Reply | Awaitable[Reply]]
"""Answers the JSON object of the prompt."""


class Replying:
    """A model that follows a script, and what it was told."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.asked: list[dict[str, Any]] = []
        self.told: list[str] = []
        """The instructions that went with each request."""

    @property
    def calls(self) -> int:
        """How many requests were made."""
        return len(self.asked)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Model]:
        """Open it, as an adapter does."""
        yield FunctionModel(self._answer, model_name="replying")

    async def _answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        parts = [part for message in messages if isinstance(message, ModelRequest) for part in message.parts]
        prompt = next(part.content for part in parts if isinstance(part, UserPromptPart))
        assert isinstance(prompt, str)
        self.asked.append(json.loads(prompt))
        self.told.append(info.instructions or "")
        reply = self.script(self.asked[-1])
        said = await reply if inspect.isawaitable(reply) else reply
        if isinstance(said, ModelResponse):
            return said
        if isinstance(said, str):
            return ModelResponse(parts=[TextPart(said)])
        return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, said)])
