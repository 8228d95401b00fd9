"""Clients of other programs, in Node.js: OpenAI's own, and Mastra's for MCP."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import kataribe
from support.openai_serving import Listening, listening
from support.stores import empty_store, services
from support.upstream import StubUpstream, calls, says, upstream_server

HERE = Path(__file__).parent
SECONDS = 120


def node(script: str, *arguments: str) -> Any:
    """Run a script, and give what it prints as JSON."""
    done = subprocess.run(
        ["node", str(HERE / script), *arguments],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        cwd=HERE,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_openai_s_own_client_talks_with_a_persona(tmp_path: Path) -> None:
    async def talked(here: Listening, stub: StubUpstream) -> tuple[Any, list[tuple[str, str]]]:
        stub.acts = [
            says("聞いた。"),
            says("駅", "だね。"),
            calls("weather"),
            says("届いた。"),
            says("灯", "った。"),
        ]
        await here.memory.user("nora").create(language="ja", embedder="hash")
        secret = await here.key("user", user="nora", persona="澪")
        told = await asyncio.to_thread(node, "openai_client.mjs", here.url, secret)
        return told, [(turn.speaker, turn.text) for turn in await here.memory.user("nora").turns()]

    async def whole(stub: StubUpstream) -> None:
        async with listening(tmp_path, stub) as here:
            told, turns = await talked(here, stub)
        assert told["models"] == ["kataribe/%E6%BE%AA"]
        assert (told["whole"], told["streamed"]) == ("聞いた。", "駅だね。")
        assert (told["call"]["name"], told["finish"]) == ("weather", "tool_calls")
        assert told["response"] == ["completed", "届いた。"]
        assert (told["events"][0], told["events"][-1]) == ("response.created", "response.completed")
        assert told["vectors"][0] == told["vectors"][1] > 0
        assert told["errors"] == {
            "model": ["NotFoundError", 404],
            "key": ["AuthenticationError", 401],
            "messages": ["BadRequestError", 400],
        }
        assert turns == [
            ("nora", "わたしのメールはnora@example.comです。"),
            ("澪", "聞いた。"),
            ("nora", "傘は駅にある。"),
            ("澪", "駅だね。"),
            ("nora", "明日の天気は？"),
            ("nora", "手紙が来た。"),
            ("澪", "届いた。"),
            ("nora", "灯りがついた。"),
            ("澪", "灯った。"),
        ]
        assert "nora@example.com" not in json.dumps(stub.bodies)

    with upstream_server() as stub:
        asyncio.run(whole(stub))


@pytest.fixture
def tale(tmp_path: Path) -> Path:
    """Give a store with a story in which one character knows more than the other."""
    path = empty_store(tmp_path / "tale.db")
    with kataribe.open(str(path), services=services()) as memory:
        story = memory.story("tale")
        story.create(language="en", embedder="hash", audience="wide")
        for character_id in ("ada", "bo"):
            story.cast.add(kataribe.Character(character_id=character_id))
        story.tell("The key is lost.", facts=[{"text": "The silver key is lost.", "known_by": "public"}])
        story.tell("Ada buried it.", facts=[{"text": "Ada buried the silver key.", "known_by": ["ada"]}])
    return path


def command(path: Path, persona: str) -> list[str]:
    arguments = ["--db", str(path), "mcp", "--story", "tale", "--as", persona, "--at", "3"]
    return ["-m", "kataribe", *arguments]


@pytest.mark.parametrize(("persona", "knows"), [("ada", True), ("bo", False)])
@pytest.mark.parametrize("over", ["pipe", "http"])
def test_mastra_s_client_has_the_tools_of_its_viewer(
    tale: Path, persona: str, knows: bool, over: str
) -> None:
    asked = "Where is the silver key?"
    if over == "pipe":
        server = {"command": sys.executable, "args": command(tale, persona)}
        told = node("mastra_client.mjs", json.dumps(server), asked)
    else:
        with subprocess.Popen(
            [sys.executable, *command(tale, persona), "--http", "0"],
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ,
        ) as served:
            assert served.stderr is not None
            url = served.stderr.readline().split()[2].rstrip(";")
            try:
                told = node("mastra_client.mjs", json.dumps({"url": url}), asked)
            finally:
                served.terminate()
    assert "kataribe_recall_memories" in told["tools"]
    found = json.dumps(told["found"])
    assert "The silver key is lost." in found
    assert ("Ada buried the silver key." in found) == knows
