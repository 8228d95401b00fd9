"""The face in the programs that hold it: notebooks and servers with a loop, children of a fork, tasks."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

import kataribe
from support.stores import empty_store, services

WORDS = pytest.mark.parametrize(
    ("language", "text", "question"),
    [("en", "The key is under the stone.", "Where is the key?"), ("ja", "鍵は石の下にある。", "鍵はどこ？")],
)


def told(path: Path, language: Any, text: str) -> str:
    """Make a store with one episode that everybody knows."""
    store = str(empty_store(path / "k.db"))
    with kataribe.open(store, services=services()) as memory:
        story = memory.story("s")
        story.create(language=language, embedder="hash")
        story.episodes.put(1, text)
        story.sync()
    return store


@WORDS
def test_a_store_is_used_and_closed_inside_a_running_loop(
    tmp_path: Path, language: Any, text: str, question: str
) -> None:
    store = told(tmp_path, language, text)

    async def cell() -> list[str]:
        with kataribe.open(store, services=services()) as memory:
            return [hit.text for hit in memory.recall(question, story="s", persona="ann", at=2).hits]

    assert asyncio.run(cell()) == [text]


@WORDS
def test_every_handle_is_there_for_a_loop(tmp_path: Path, language: Any, text: str, question: str) -> None:
    async def main() -> None:
        store = str(empty_store(tmp_path / "k.db"))
        async with await kataribe.open_async(store, services=services()) as memory:
            story = memory.story("s")
            await story.create(language=language, embedder="hash")
            await story.episodes.put(1, text)
            await memory.sync()
            viewer = memory.viewer(story="s", persona="ann", at=2)
            found = await viewer.recall(question)
            assert found == await memory.recall(question, story="s", persona="ann", at=2)
            rows = await viewer.recall_tool()(query=question)
            assert [row["text"] for row in rows] == [text] == [hit.text for hit in found.hits]
            assert [one.story_id for one in await memory.admin.stories()] == ["s"]
        with pytest.raises(kataribe.StoreError):
            await memory.verify()

    asyncio.run(main())


def test_closing_twice_is_closing_and_what_comes_after_is_refused(tmp_path: Path) -> None:
    memory = kataribe.open(str(empty_store(tmp_path / "k.db")), services=services())
    memory.close()
    memory.close()
    with pytest.raises(kataribe.StoreError, match="open it again"):
        memory.admin.stories()


def test_a_child_of_a_fork_is_told_to_open_the_store_again(tmp_path: Path) -> None:
    store = told(tmp_path, "en", "The key is under the stone.")
    read, write = os.pipe()
    with kataribe.open(store, services=services()) as memory:
        child = os.fork()
        if child == 0:
            said = b"nothing"
            try:
                memory.recall("key", story="s", persona="ann", at=2)
            except kataribe.StoreError as error:
                said = str(error).encode()
            finally:
                memory.close()
                os.write(write, said)
                os._exit(0)
        _, status = os.waitpid(child, 0)
        os.close(write)
        with os.fdopen(read, "rb") as answer:
            assert b"open it again" in answer.read()
        assert status == 0
        assert memory.recall("key", story="s", persona="ann", at=2).hits, "the parent's is as it was"
