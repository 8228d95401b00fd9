"""A model extractor whose model is a function: nothing is sent anywhere."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterable
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

from kataribe.adapters.pydantic_ai.extractor import ModelExtractor
from kataribe.adapters.pydantic_ai.names import Asking, read_name
from support.model_server import Fact

Answer = Iterable[Fact] | str | ModelResponse
"""Facts, a text in their place, or whatever else a model may answer."""
Script = Callable[[dict[str, Any], int], Answer]
"""Answers the JSON object of the prompt; the number counts the answers to one prompt from 1 on."""


class Scripted:
    """A model that follows a script, and what it was told."""

    def __init__(self, script: Script, *, name: str = "openai:scripted") -> None:
        self.script = script
        self.asked: list[dict[str, Any]] = []
        self.told: list[str] = []
        """All that was sent with each request."""
        self.extractor = ModelExtractor(read_name(name), Asking(), opened=self._opened)

    @property
    def calls(self) -> int:
        """How many requests were made."""
        return len(self.asked)

    @asynccontextmanager
    async def _opened(self) -> AsyncIterator[Model]:
        yield FunctionModel(self._answer, model_name="scripted")

    def _answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        parts = [part for message in messages if isinstance(message, ModelRequest) for part in message.parts]
        prompt = next(part.content for part in parts if isinstance(part, UserPromptPart))
        assert isinstance(prompt, str)
        # Answers are made in several threads at once: each must be to its own prompt.
        given = json.loads(prompt)
        self.asked.append(given)
        self.told.append(str(messages))
        answers = sum(isinstance(message, ModelResponse) for message in messages) + 1
        answer = self.script(given, answers)
        if isinstance(answer, ModelResponse):
            return answer
        if isinstance(answer, str):
            return ModelResponse(parts=[TextPart(answer)])
        return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, {"facts": list(answer)})])
