"""Use every handle of an installed kataribe, as a stranger's script would: `python every_handle.py`.

It needs no extra: texts are embedded by spelling. mypy and pyright hold it strictly.
"""

from __future__ import annotations

import asyncio
import sys
from datetime import UTC, datetime, timedelta

import kataribe

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)


def write(memory: kataribe.Kataribe) -> None:
    """Write a story, a branch of it, and what was said."""
    tale = memory.story("tale")
    tale.create(language="en", embedder="hash")
    for name in ("ada", "bo"):
        tale.cast.add(kataribe.Character(character_id=name))
    tale.episodes.put(1, "[[known-by: public]] The silver key of the well is lost.")
    number = tale.tell("Ada buried the key.", facts=[{"text": "Ada buried the key.", "known_by": ["ada"]}])
    tale.sync()
    fact_id = tale.facts.add("The pear tree blooms.", episode_no=number)
    tale.facts.pin(fact_id)
    tale.checkpoint("spring")
    tale.branches.add("if", after=1)
    memory.story("if").episodes.put(2, "[[known-by: public]] Bo finds the key under a stone.")
    nora = memory.user("nora")
    nora.create(language="en", embedder="hash")
    nora.put_turns(
        [kataribe.Turn(turn_id="1", session="1", speaker="nora", text="I saw the silver key.", time=NOON)]
    )
    memory.library("rules").create(language="en", embedder="hash")
    memory.library("rules").put("returns.txt", "Returns are taken for seven days.")
    memory.sync()


def read(memory: kataribe.Kataribe) -> None:
    """Read as viewers and as the author."""
    ada = memory.viewer(story="tale", persona="ada", at=3)
    assert [hit.text for hit in ada.recall("Who buried the key?", top_k=1).hits] == ["Ada buried the key."]
    bo = memory.recall("Who buried the key?", story="tale", persona="bo", at=3)
    assert "Ada buried the key." not in [hit.text for hit in bo.hits]
    assert memory.known(story="if", persona="bo", at="now").viewer.at == 3
    both = memory.recall_many("key", [{"story": "tale", "persona": name, "at": 3} for name in ("ada", "bo")])
    assert both[1] == memory.recall("key", story="tale", persona="bo", at=3)
    assert "silver key" in ada.context("Where is the key?").text
    assert memory.answer("Where is the key?", user="nora").used
    assert ada.recall_tool()(query="key")
    assert memory.viewer(user="nora").search_log(["silver"]).hits
    assert [hit.document for hit in memory.library("rules").search("returns").hits] == ["returns.txt"]
    assert [one.library_id for one in memory.libraries()] == ["rules"]
    tale = memory.story("tale")
    assert len(tale.episodes.list()) == 2
    assert tale.views.matrix().rows
    assert tale.views.check().ok
    assert [kept.name for kept in tale.checkpoints.list()] == ["spring"]
    assert memory.story("if").branches.origin().parent == "tale"
    nora = memory.user("nora")
    assert nora.state().turns == 1
    assert nora.memory.nightly(at=NOON + timedelta(days=1)).changed == ()
    assert [one.value.text for one in nora.memory.list().memories] == ["I saw the silver key."]
    assert [len(one.thread.turns) for one in memory.viewer(user="nora").threads().threads] == [1]
    assert memory.viewer(user="nora", as_of=NOON).buffer().tokens > 0
    assert memory.admin.index.lag() is None
    assert memory.changes().changes
    assert memory.verify().ok


def change(memory: kataribe.Kataribe) -> None:
    """Talk, rewind and take back."""
    chat = memory.user("nora").chat(persona="ada", session="2")
    chat.said("The lamp of the mill is broken.")
    assert chat.recall("What is broken?").hits
    memory.user("nora").remember([{"role": "user", "content": "The lamp is mended."}], session="3")
    tale = memory.story("tale")
    tale.episodes.delete(2)
    tale.rewind("spring")
    tale.undo()
    tale.undo()
    memory.sync()
    memory.admin.flush()
    assert memory.admin.work() == ()
    assert memory.verify().ok


async def later(path: str) -> None:
    """Do the same from an event loop."""
    async with await kataribe.open_async(path) as memory:
        viewer = memory.viewer(story="tale", persona="ada", at="now")
        found = await viewer.recall("Who buried the key?")
        assert found.hits
        assert await viewer.recall_tool()(query="key")
        assert len(await memory.admin.stories()) == 2


def main(path: str) -> None:
    """Drive every handle on one store."""
    with kataribe.open(path) as memory:
        write(memory)
        read(memory)
        change(memory)
    asyncio.run(later(path))
    sys.stdout.write(f"every handle of kataribe {kataribe.__version__} answers\n")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "k.db")
