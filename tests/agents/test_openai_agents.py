"""The tools of one viewer in OpenAI's Agents SDK, by its own runner with a model that is scripted."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

import kataribe
from agents import Agent, Model, ModelResponse, RunConfig, Runner, Usage
from kataribe.agents.openai_agents import function_tools
from kataribe.domain.recall.requests import ViewerKeys
from support.stores import empty_store, services

TOLD = {
    "en": ("Ada buried the silver key under the pear tree.", "Where is the silver key?"),
    "ja": ("アダは銀の鍵を梨の木の下に埋めた。", "銀の鍵はどこ？"),
}


class Scripted(Model):
    """Calls `recall_memories` with each of these arguments, one after the other, and is done then."""

    def __init__(self, *calls: str) -> None:
        self.left = list(calls)
        self.offered: list[str] = []

    async def get_response(self, *given: Any, **named: Any) -> ModelResponse:
        tools = named.get("tools", given[3] if len(given) > 3 else [])
        self.offered = [tool.name for tool in tools]
        if self.left:
            arguments = self.left.pop(0)
            output: Any = ResponseFunctionToolCall(
                call_id=f"call-{len(self.left)}",
                name="recall_memories",
                arguments=arguments,
                type="function_call",
            )
        else:
            text = ResponseOutputText(text="done", type="output_text", annotations=[])
            output = ResponseOutputMessage(
                id="m", content=[text], role="assistant", status="completed", type="message"
            )
        return ModelResponse(output=[output], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        raise AssertionError("nobody streams here")


def talked(path: Path, viewer: ViewerKeys, *calls: str) -> tuple[list[str], list[str]]:
    """Run an agent; gives the tools it was offered, and what its calls gave."""
    model = Scripted(*calls)

    async def run() -> list[str]:
        async with await kataribe.open_async(str(path), services=services()) as memory:
            agent = Agent(name="a", model=model, tools=[*function_tools(memory, viewer)])
            made = await Runner.run(agent, "?", run_config=RunConfig(tracing_disabled=True))
            return [str(one.output) for one in made.new_items if one.type == "tool_call_output_item"]

    given = asyncio.run(run())
    return model.offered, given


@pytest.mark.parametrize("language", ["en", "ja"])
def test_an_agent_remembers_as_its_character_whatever_its_model_writes(tmp_path: Path, language: Any) -> None:
    secret, question = TOLD[language]
    path = empty_store(tmp_path / "s.db")
    with kataribe.open(str(path), services=services()) as memory:
        story = memory.story("s")
        story.create(language=language, embedder="hash", audience="wide")
        for who in ("ada", "bo"):
            story.cast.add(kataribe.Character(character_id=who))
        story.tell(secret, facts=[{"text": secret, "known_by": ["ada"]}])
    calls = (json.dumps({"query": question, "persona": "ada"}), json.dumps({"query": question}), "[]", "")
    for who, knows in (("ada", True), ("bo", False)):
        offered, (refused, given, *wrong) = talked(path, {"story": "s", "persona": who, "at": 2}, *calls)
        assert offered == ["recall_memories", "known"]
        assert refused.startswith("error: ")
        assert "persona" in refused
        assert (secret in given) is knows
        assert all(one.startswith("error: ") for one in wrong)
