"""The tools of one viewer as a toolset of Pydantic AI, with a model that is a function."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

import kataribe
from kataribe.agents.pydantic_ai import toolset
from kataribe.domain.recall.requests import ViewerKeys
from support.stores import empty_store, services

TOLD = {
    "en": ("Ada buried the silver key under the pear tree.", "Where is the silver key?"),
    "ja": ("アダは銀の鍵を梨の木の下に埋めた。", "銀の鍵はどこ？"),
}


def talked(path: Path, viewer: ViewerKeys, *calls: dict[str, Any]) -> tuple[list[str], list[ModelMessage]]:
    """Run an agent whose model makes these calls of `recall_memories`, one after the other."""
    offered: list[str] = []
    left = list(calls)

    def model(_: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        offered[:] = [one.name for one in info.function_tools]
        if left:
            return ModelResponse(parts=[ToolCallPart("recall_memories", left.pop(0))])
        return ModelResponse(parts=[TextPart("done")])

    async def run() -> list[ModelMessage]:
        memory = await kataribe.open_async(str(path), services=services())
        try:
            agent = Agent(FunctionModel(model), toolsets=[toolset(memory, viewer)])
            return (await agent.run("?")).all_messages()
        finally:
            await memory.close()

    return offered, asyncio.run(run())


@pytest.mark.parametrize("language", ["en", "ja"])
def test_an_agent_remembers_as_its_character_whatever_its_model_says(tmp_path: Path, language: Any) -> None:
    secret, question = TOLD[language]
    path = empty_store(tmp_path / "s.db")
    with kataribe.open(str(path), services=services()) as memory:
        story = memory.story("s")
        story.create(language=language, embedder="hash", audience="wide")
        for who in ("ada", "bo"):
            story.cast.add(kataribe.Character(character_id=who))
        story.tell(secret, facts=[{"text": secret, "known_by": ["ada"]}])
    calls: tuple[dict[str, Any], ...] = ({"query": question, "persona": "ada"}, {"query": question})
    for who, knows in (("ada", True), ("bo", False)):
        offered, messages = talked(path, {"story": "s", "persona": who, "at": 2}, *calls)
        assert offered == ["recall_memories", "known"]
        parts = [part for message in messages for part in message.parts]
        refused, given = [part for part in parts if isinstance(part, ToolReturnPart)]
        assert refused.outcome == "retried"
        assert "persona" in str(refused.content)
        assert (secret in json.dumps(given.content, ensure_ascii=False)) is knows
