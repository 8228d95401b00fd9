"""The page on HTTP: its requests are sent, and it names every route."""

from __future__ import annotations

import asyncio
import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from kataribe.surfaces.http.table import ROUTES
from support.serving import Served, served
from test_docs import _BLOCK, READMES, ROOT, commands, is_as, text_of

PAGE = ROOT / "docs" / "http.md"
BASE = "localhost:8374"


async def sent(here: Served, line: str) -> str:
    """Send what a line of curl sends."""
    words = shlex.split(line)
    assert words[0] == "curl"
    method, path, body = "GET", "", None
    headers: dict[str, Any] = {}
    rest = iter(words[1:])
    for word in rest:
        if word == "-X":
            method = next(rest)
        elif word == "-d":
            body = json.loads(next(rest))
        elif word == "-H":
            name, _, value = next(rest).partition(": ")
            headers[name] = value
        else:
            assert word.startswith(BASE)
            path = word.removeprefix(BASE)
    return (await here.owner(method, path, body, **headers)).text


@pytest.mark.parametrize("page", [PAGE, ROOT / "docs" / "openai.md", *READMES], ids=lambda page: page.name)
def test_the_requests_of_a_page_are_answered_as_it_says(page: Path, tmp_path: Path) -> None:
    async def run() -> None:
        async with served(tmp_path) as here:
            for block in _BLOCK.finditer(text_of(page)):
                if block["language"] != "curl":
                    continue
                for command in commands(block["body"]):
                    got = await sent(here, command.line)
                    assert is_as(command.expected, [got]), (command.line, got)

    asyncio.run(run())


def test_the_page_names_every_route() -> None:
    text = text_of(PAGE)
    assert [one for one in ROUTES if f"`{one.method} {one.path}`" not in text] == []
