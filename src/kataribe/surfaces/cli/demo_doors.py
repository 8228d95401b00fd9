"""The demo's doors: a server in a process of its own, asked by curl, by an OpenAI client and over MCP."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from importlib import import_module
from importlib.util import find_spec
from typing import Any
from urllib.parse import quote, urlsplit

import kataribe as face
from kataribe.surfaces.cli import output

_NEEDED = {"fastapi": "server", "uvicorn": "server", "mcp": "mcp"}
_LISTENS = "listening on "
_SECONDS = 60


@dataclass(frozen=True, slots=True)
class _Asked:
    """A character that is served, what it is asked, and who else is tried with its key."""

    story: str
    character: str
    at: int
    question: str
    other: str


_ASKED = (
    _Asked("lantern-isle", "wren", 8, "Who is the Lamplighter?", "odile"),
    _Asked("yoimachi", "澪", 6, "灯守は誰だった？", "源造"),
)


def show_doors(kataribe: face.Kataribe, path: str) -> None:
    """Serve the store to programs: an access key binds each of them to one character."""
    output.heading("doors for programs: whoever connects is bound by its key, never by what it asks")
    extras = sorted({extra for module, extra in _NEEDED.items() if find_spec(module) is None})
    if extras:
        output.result(f"  left out; it needs: pip install 'kataribe[{','.join(extras)}]'")
        return
    made = [
        kataribe.admin.access.add("viewer", story=one.story, persona=one.character, upto=one.at)
        for one in _ASKED
    ]
    try:
        with _server(path) as address:
            output.result("  kataribe serve: a process of its own")
            for asked, key in zip(_ASKED, made, strict=True):
                _curl(address, asked, key.secret)
                _openai(address, asked, key.secret)
    finally:
        for key in made:
            kataribe.admin.access.revoke(key.key.key_id)
    output.result("  kataribe mcp: another, for an agent that calls tools")
    for asked in _ASKED:
        asyncio.run(_agent(path, asked))


@contextmanager
def _server(path: str) -> Iterator[str]:
    """Give the address of a server of the store, on a free port of this machine."""
    command = [sys.executable, "-m", "kataribe", "--db", path, "serve", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, encoding="utf-8") as running:
        assert running.stderr is not None
        try:
            said = []
            for line in running.stderr:
                said.append(line)
                if _LISTENS in line:
                    yield line.partition(_LISTENS)[2].strip()
                    return
            raise face.InputError(f"the server did not start: {''.join(said).strip()}")
        finally:
            running.terminate()


def _curl(address: str, asked: _Asked, secret: str) -> None:
    """Ask with the words that curl would send, as who the key is bound to and as somebody else."""
    told = json.dumps({"question": asked.question, "top_k": 1}, ensure_ascii=False)
    output.result(f"    curl -H 'Authorization: Bearer ktr_...' .../recall -d '{told}'")
    status, found = _post(address, secret, {"question": asked.question, "top_k": 1})
    for hit in found.get("hits", []):
        output.result(f"      {status}: [ep {hit['episode_no']}] {hit['text']}")
    status, found = _post(address, secret, {"question": asked.question, "persona": asked.other})
    output.result(f"      the same key as {asked.other}, {status}: {found['detail']}")


def _post(address: str, secret: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """Send a body to `/recall`, and give the status and what came back."""
    connection = HTTPConnection(urlsplit(address).netloc, timeout=_SECONDS)
    try:
        connection.request(
            "POST",
            "/recall",
            json.dumps(body).encode(),
            {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"},
        )
        reply = connection.getresponse()
        return reply.status, json.loads(reply.read())
    finally:
        connection.close()


def _openai(address: str, asked: _Asked, secret: str) -> None:
    """Ask with the OpenAI client, which knows nothing of kataribe."""
    if find_spec("openai") is None:
        output.result("    (an OpenAI client is not installed here)")
        return
    openai: Any = import_module("openai")
    model = f"kataribe/{quote(asked.story, safe='')}@{asked.at}/{quote(asked.character, safe='')}"
    with openai.OpenAI(base_url=f"{address}/v1", api_key=secret, timeout=_SECONDS) as client:
        listed = [one.id for one in client.models.list()]
        output.result(f"    openai: the models of this key are {listed}")
        found = client.chat.completions.create(
            model=model, messages=[{"role": "user", "content": asked.question}]
        )
        for line in (found.choices[0].message.content or "").splitlines()[:2]:
            output.result(f"      {line}")


async def _agent(path: str, asked: _Asked) -> None:
    """Call the tool of an agent, over standard input and output."""
    mcp: Any = import_module("mcp")
    arguments = ["-m", "kataribe", "--db", path, "mcp", "--story", asked.story, "--as", asked.character]
    command = mcp.StdioServerParameters(
        command=sys.executable, args=[*arguments, "--at", str(asked.at)], env=None
    )
    stdio: Any = import_module("mcp.client.stdio")
    # What stands in for the standard error output, as in a notebook, is no file that a process can write to.
    async with mcp.Client(stdio.stdio_client(command, errlog=sys.__stderr__)) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        found = await client.call_tool("recall_memories", {"query": asked.question, "top_k": 1})
    output.result(f"    an agent bound to {asked.character} has {', '.join(names)}: recall_memories gives")
    for hit in json.loads(found.content[0].text):
        output.result(f"      {hit['text']}")
