"""What holds of talk holds of talk under a story too: who asks may have a story and a user at once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict

import pytest

import kataribe
from kataribe import SearchPlan, StoredTurns
from kataribe.domain.gate import position_of
from kataribe.domain.ids import WORLD
from kataribe.domain.records import Trace
from kataribe.domain.space import story_space, user_space
from kataribe.domain.story.inputs import Character
from kataribe.domain.terms import Language
from kataribe.face.aio.kataribe import AsyncKataribe
from kataribe.testing.fakes import CountingEmbedder
from support.stores import services
from support.talk import turn

SAID: dict[Language, tuple[str, str, str]] = {
    "en": (
        "The silver compass pointed north again this morning.",
        "The silver compass lies behind the parcel scales now.",
        "silver compass",
    ),
    "ja": (
        "今朝も銀の羅針盤はふたたび北を指したのだということだったよ、ミナ。",
        "銀の羅針盤はいま郵便局の小包ばかりのうしろにしまってあるのだそうだ。",
        "銀の羅針盤",
    ),
}
LANGUAGES: tuple[Language, ...] = ("en", "ja")


class Asked(TypedDict):
    """A viewer of a story and a user."""

    story: str
    persona: str
    at: int
    user: str


def viewer(at: int) -> Asked:
    """Give who asks at an episode."""
    return {"story": "s", "persona": "mio", "at": at, "user": "u"}


def run(path: Path, act: Callable[[AsyncKataribe], Awaitable[None]], **parts: Any) -> None:
    """Act on a new store with a story of two episodes and a user."""

    async def inside() -> None:
        store = await kataribe.open_async(str(path), services=replace(services(), **parts))
        try:
            await store.story("s").create(language="en", embedder="hash")
            await store.story("s").cast.put((Character(character_id="mio"),))
            for no in (1, 2):
                await store.story("s").episodes.put(no=no, text=f"Hello, said mio for the time number {no}.")
            await store.sync()
            await act(store)
        finally:
            await store.close()

    asyncio.run(inside())


async def talk(store: AsyncKataribe, language: Language) -> None:
    """Say the same id twice: outside the story, and at its second episode."""
    outside, under, _ = SAID[language]
    await store.user("u").create(language=language, embedder="hash")
    await store.user("u").put_turns([turn(1, outside, to=["mio"])])
    await store.user("u").put_turns([turn(1, under, to=["mio"], day=1)], story="s", at=2)
    await store.sync()


@pytest.mark.parametrize("greeting", ["Hello!", "こんにちは！"])
def test_small_talk_is_not_searched_for_wherever_it_is_asked(tmp_path: Path, greeting: str) -> None:
    embedder = CountingEmbedder(services().embedder("hash"))

    async def act(store: AsyncKataribe) -> None:
        await talk(store, "en")
        for at in (1, 3):
            found = await store.recall(greeting, **viewer(at))
            assert (found.hits, found.note) == ((), "small talk: nothing is looked for")
        assert embedder.queries == []
        assert (await store.recall(greeting, planner="none", **viewer(3))).hits != ()

    run(tmp_path / "t.db", act, embedder=lambda _: embedder)


@pytest.mark.parametrize("language", LANGUAGES)
def test_keywords_are_looked_up_under_the_story_too_as_far_as_it_has_come(
    tmp_path: Path, language: Language
) -> None:
    outside, under, word = SAID[language]

    async def looked_up(store: AsyncKataribe, at: int) -> list[tuple[str, str]]:
        asked: dict[str, Any] = {"plan": SearchPlan(keywords=(word,), made_by="me"), "top_k": 1}
        made = await store.context("So?", min_similarity=1.0, **asked, **viewer(at))
        assert len({item.handle for item in made.items}) == len(made.items)
        return sorted((item.fact_id, item.text) for item in made.items if "in it" in item.reason)

    async def act(store: AsyncKataribe) -> None:
        await talk(store, language)
        told = {at: [text for _, text in await looked_up(store, at)] for at in (1, 2)}
        assert [outside in text for text in told[1]] == [True], "what is said at episode 2 is not known at 1"
        assert len(told[2]) == 2, "two turns of one id in two spaces are two"
        assert any(under in text for text in told[2])
        found = await store.viewer(**viewer(2)).search_log([word])
        assert [hit.text for hit in found.hits] == [under, outside]
        assert len((await store.viewer(**viewer(1)).search_log([word])).hits) == 1

    run(tmp_path / "t.db", act)


def test_a_story_alone_has_no_logs_to_look_in(tmp_path: Path) -> None:
    async def act(store: AsyncKataribe) -> None:
        plan = SearchPlan(keywords=("mio",), made_by="me")
        made = await store.context("Who is it?", story="s", persona="mio", at=3, plan=plan)
        assert made.hits > 0
        assert [one.verb for one in await store.admin.traces(story="s")] == ["recall"]

    run(tmp_path / "t.db", act)


def test_what_the_system_says_under_a_story_is_kept_and_not_waited_for(tmp_path: Path) -> None:
    async def act(store: AsyncKataribe) -> None:
        await store.user("u").create(language="en", embedder="hash")
        told = [turn(1, "Be brief.", speaker="system", to=["mio"]), turn(2, "I am here.", to=["mio"])]
        stored = await store.user("u").put_turns(told, story="s", at=1)
        assert stored == StoredTurns(changed=2)
        assert (await store.known(**viewer(3))).pending_turns == 1
        await store.sync()
        known = await store.known(**viewer(1))
        assert ([hit.fact_id for hit in known.hits], known.pending_turns) == (["t2"], 0)
        assert await store.user("u").turns(story="s", at=1) == tuple(told)
        assert (await store.user("u").verify()).problems == ()

    run(tmp_path / "t.db", act)


def test_turns_ahead_of_the_clock_are_told_under_a_story_too(tmp_path: Path) -> None:
    async def act(store: AsyncKataribe) -> None:
        await store.user("u").create(language="en", embedder="hash")
        ahead = turn(1, "Later.", to=["mio"], day=365_000)
        assert (await store.user("u").put_turns([ahead], story="s", at=1)).ahead == ("t1",)

    run(tmp_path / "t.db", act)


def a_trace(verb: str, *, story: str = "", user: str | None = None) -> Trace:
    """Make a trace of a story, a user, or both."""
    return Trace(
        at="2024-01-01T00:00:00+00:00", story=story, user=user, character="mio", verb=verb, filter=None,
        slices=(), ids=(),
    )  # fmt: skip


def test_the_last_traces_of_each_story_and_user_stay(tmp_path: Path) -> None:
    """One of both counts in both, and goes when neither keeps it."""

    async def act(store: AsyncKataribe) -> None:
        for user_id in ("u", "v"):
            await store.user(user_id).create(language="en", embedder="hash")

        def verbs(space: str) -> list[str]:
            with store._engine._ledger.reading() as view:
                return [one.verb for one in view.traces(space, last=99)]

        def put(*given: Trace, keep: int | None = None) -> None:
            with store._engine._ledger.writing() as tx:
                tx.put_traces(given, keep=keep)

        put(a_trace("both", story="s", user="u"), a_trace("v", user="v"), a_trace("v2", user="v"))
        put(*(a_trace(f"s{no}", story="s") for no in range(3)), keep=2)
        assert verbs(story_space("s")) == ["s2", "s1", "both"], "still among the last of its user"
        assert verbs(user_space("v")) == ["v2", "v"], "nothing of its was written"
        put(a_trace("u1", user="u"), a_trace("u2", user="u"), keep=2)
        assert verbs(user_space("u")) == ["u2", "u1"]
        assert verbs(story_space("s")) == ["s2", "s1"]
        put(a_trace("gone", story="s", user="v"), keep=0)
        assert (verbs(story_space("s")), verbs(user_space("v"))) == ([], [])
        assert verbs(user_space("u")) == ["u2", "u1"]

    run(tmp_path / "t.db", act)


def test_pending_counts_people_alone(tmp_path: Path) -> None:
    async def act(store: AsyncKataribe) -> None:
        await store.user("u").create(language="en", embedder="hash")
        told = [turn(no, "x", speaker=who) for no, who in enumerate(("Ｓｙｓｔｅｍ", "TOOL", "Ann"))]
        await store.user("u").put_turns(told)
        with store._engine._ledger.reading() as view:
            upto = position_of(told[-1].time)
            assert view.pending_turns(user_space("u"), holders={WORLD}, upto=upto) == 1
        assert (await store.user("u").state()).pending_turns == 1

    run(tmp_path / "t.db", act)
