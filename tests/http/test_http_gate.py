"""P1 and P2 over HTTP: what is outside a key's gate changes no byte of an answer, head and status too."""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

from hypothesis import given, settings
from hypothesis import strategies as st

from kataribe.domain.access import AccessScope
from kataribe.surfaces.http.options import ServerOptions
from kataribe.surfaces.http.routes import EVERYBODY, Route
from kataribe.surfaces.http.table import ROUTES
from support.effort import EFFORT
from support.serving import Client, Served, served

WORDS = ("鍵", "灯台", "雨", "key", "lamp", "ferry", "海辺の町")
CAST = ("澪", "kai", "wren")
NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
AS_OF = (NOON + timedelta(days=1)).isoformat()
UPTO = 3
FREE = ServerOptions(rate=1e6, burst=10**6)


@dataclass(frozen=True)
class Told:
    """A fact of an episode, or a turn: who holds it."""

    number: int
    words: tuple[str, ...]
    holders: tuple[str, ...]

    @property
    def text(self) -> str:
        return f"{' '.join(self.words)} {self.number}。"


tellings = st.lists(
    st.builds(
        Told,
        number=st.integers(1, 5),
        words=st.tuples(st.sampled_from(WORDS), st.sampled_from(WORDS)),
        holders=st.sampled_from([(), ("澪",), ("kai",), ("kai", "wren"), ("澪", "wren")]),
    ),
    min_size=2,
    max_size=8,
    unique_by=lambda one: (one.text,),
)


def has_read(one: Told) -> bool:
    return one.number < UPTO


def is_inside(one: Told, *, by_episode: bool) -> bool:
    return (not one.holders or "澪" in one.holders) and (not by_episode or one.number < UPTO)


async def fill_story(here: Served, told: Sequence[Told]) -> Client:
    await tell(here, told)
    return await here.key("viewer", story="s", persona="澪", upto=UPTO)


async def fill_for_a_reader(here: Served, told: Sequence[Told]) -> Client:
    await tell(here, told)
    return await here.key("reader", story="s", read=UPTO - 1)


async def tell(here: Served, told: Sequence[Told]) -> None:
    tale = here.memory.story("s")
    await tale.create(language="ja", embedder="hash")
    last = max([UPTO - 1, *(one.number for one in told)])
    for no in range(1, last + 1):
        facts = [_row(one) for one in told if one.number == no]
        await tale.episodes.put(no, f"第{no}話", facts=facts)
    await tale.sync()


def _row(one: Told) -> Mapping[str, object]:
    who: object = list(one.holders) or "public"
    fact_id = f"f-{one.number}-{'-'.join(one.words)}"
    return {"fact_id": fact_id, "text": one.text, "known_by": who}


async def fill_user(here: Served, told: Sequence[Told]) -> Client:
    talk = here.memory.user("yuki")
    await talk.create(language="ja", embedder="hash")
    for one in told:
        first, second = (WORDS.index(word) for word in one.words)
        await talk.said(
            one.text,
            speaker="yuki",
            persona=one.holders or None,
            session="・".join(one.holders) or "all",
            time=NOON + timedelta(minutes=one.number * 100 + first * 10 + second),
            turn_id=f"t-{one.number}-{'-'.join(one.words)}",
        )
    return await here.key("user", user="yuki", persona="澪")


async def crowd(here: Served) -> None:
    """Put others in beside: another story, another user, and keys of theirs."""
    other = here.memory.story("other")
    await other.create(language="ja", embedder="hash")
    await other.episodes.put(1, "灯台の鍵", facts=[{"text": "灯台の鍵が消えた。", "known_by": ["澪"]}])
    ren = here.memory.user("ren")
    await ren.create(language="ja", embedder="hash")
    await ren.said("灯台の雨の鍵", speaker="ren", persona="澪", time=NOON, session="all")
    await here.key("user", user="ren", persona="澪")


def bodies(route: Route, question: str, bound: Mapping[str, object]) -> dict[str, object]:
    """Ask a route with all that it needs."""
    needs: Mapping[str, object] = {
        "question": question,
        "text": question,
        "keywords": [question],
        "turn_id": f"t-1-{question}-{question}",
        "ids": [],
    }
    required = {one.name for one in route.beside.values() if one.is_required}
    return {**{name: needs[name] for name in required}, **bound}


async def seen(caller: Client, asked: Sequence[Mapping[str, object]], questions: Sequence[str]) -> list[Any]:
    """Ask everything a bound key may ask, and give all that can be seen of the answers."""
    found = await seen_by_openai(caller, questions)
    for route in ROUTES:
        if route.scopes != EVERYBODY:
            continue
        for bound in asked:
            for question in questions:
                got = await caller(route.method, route.path, bodies(route, question, bound))
                assert got.status_code < 500, (route.path, got.text)
                found.append((route.path, got.status_code, sorted(got.headers.items()), got.content))
    return found


async def seen_by_openai(caller: Client, questions: Sequence[str]) -> list[Any]:
    """Ask under every name of a model, as OpenAI's clients do; what tells times apart is left out."""
    names = ("澪", "kai", "s@2/澪", "s@3/澪", "s@4/澪", "s@3/kai", "s@2", "other@2/澪", "nobody@1/澪")
    found: list[Any] = []
    asked: list[tuple[str, str, object]] = [("GET", "/v1/models", None)]
    for question in questions:
        messages = [{"role": "user", "content": question}]
        for name in names:
            body: dict[str, object] = {"model": f"kataribe/{name}:plain", "messages": messages, "user": "ren"}
            asked.append(("POST", "/v1/chat/completions", body))
            asked.append(("POST", "/v1/chat/completions", {**body, "stream": True}))
            asked.append(("POST", "/v1/responses", {**body, "input": question}))
        asked.append(("POST", "/v1/embeddings", {"model": "x", "input": question}))
    for name in names:
        asked.append(("GET", f"/v1/models/kataribe%2F{quote(name, safe='')}", None))
    # What is stored last: in a session in which others talked with other personas.
    for words in (questions, [*questions, "次は?"]):
        history = [{"role": "user", "content": one} for one in words]
        told: dict[str, object] = {
            "model": "kataribe/澪",
            "messages": history,
            "metadata": {"session_id": "kai"},
        }
        asked.append(("POST", "/v1/chat/completions", told))
    for method, path, sent in asked:
        got = await caller(method, path, sent)
        assert got.status_code < 500, (path, got.text)
        head = sorted(one for one in got.headers.items() if one[0] != "content-length")
        found.append((path, got.status_code, head, _OF_NOW.sub(b"", got.content)))
    return found


_OF_NOW = re.compile(rb"(?:chatcmpl-|resp_|msg_)[0-9a-f]+|\"created(?:_at)?\": \d+|\(20[0-9]{2}-[^)]*\)")


async def both(
    fill: Any, told: Sequence[Told], inside: Sequence[Told], asked: Any, questions: Sequence[str]
) -> None:
    """Compare the answers of a store that holds everything with those of one that holds the gate's share."""
    answers = []
    for given_, is_whole in ((told, True), (inside, False)):
        with tempfile.TemporaryDirectory() as folder:
            async with served(Path(folder), FREE) as here:
                if is_whole:
                    await crowd(here)
                answers.append(await seen(await fill(here, given_), asked, questions))
    whole, share = answers
    assert whole == share
    outside = [one.text for one in told if one not in inside]
    for _, _, _, content in whole:
        for text in outside:
            assert text not in content.decode()


@settings(max_examples=4 * EFFORT)
@given(told=tellings, questions=st.lists(st.sampled_from(WORDS), min_size=1, max_size=2, unique=True))
def test_what_is_outside_a_viewers_key_changes_no_byte_of_any_answer(
    told: list[Told], questions: list[str]
) -> None:
    inside = [one for one in told if is_inside(one, by_episode=True)]
    asked = [{}, {"at": 2}, {"at": UPTO + 1}, {"persona": "kai"}]
    asyncio.run(both(fill_story, told, inside, asked, questions))


@settings(max_examples=4 * EFFORT)
@given(told=tellings, questions=st.lists(st.sampled_from(WORDS), min_size=1, max_size=2, unique=True))
def test_what_is_outside_a_users_key_changes_no_byte_of_any_answer(
    told: list[Told], questions: list[str]
) -> None:
    inside = [one for one in told if is_inside(one, by_episode=False)]
    asked = [{"as_of": AS_OF}, {"as_of": AS_OF, "user": "ren"}, {"persona": "kai", "as_of": AS_OF}]
    asyncio.run(both(fill_user, told, inside, asked, questions))


@settings(max_examples=4 * EFFORT)
@given(told=tellings, questions=st.lists(st.sampled_from(WORDS), min_size=1, max_size=2, unique=True))
def test_what_is_outside_a_readers_key_changes_no_byte_of_any_answer(
    told: list[Told], questions: list[str]
) -> None:
    inside = [one for one in told if has_read(one)]
    asked: list[Mapping[str, object]] = [
        *({}, {"read": 1}, {"read": UPTO}, {"read": 99}),
        *({"persona": "kai"}, {"at": 1}, {"user": "ren"}, {"story": "other"}, {"reader": False}),
    ]
    asyncio.run(both(fill_for_a_reader, told, inside, asked, questions))


def test_the_routes_that_are_compared_are_all_that_a_bound_key_reads() -> None:
    reads = [route for route in ROUTES if {AccessScope.VIEWER, AccessScope.READER} & route.scopes]
    assert len(reads) >= 10
    assert all(route.scopes == EVERYBODY for route in reads)
