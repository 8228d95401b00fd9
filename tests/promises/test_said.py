"""A live conversation: what is said is stored first, and can be recalled when the call returns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

import kataribe
from kataribe.domain.space import user_space
from kataribe.domain.terms import Language
from kataribe.engine import Services
from kataribe.errors import EmbedderUnavailableError, MissingExtraError
from kataribe.ports import Embedder, Matrix, Vector
from kataribe.testing.fakes import CountingEmbedder, FailingEmbedder, FrozenClock
from support.hits import turn_hits
from support.stores import empty_store, services

NOW = datetime(2024, 5, 8, 10, 0, 0, 123456, tzinfo=UTC)
TOKYO = timezone(timedelta(hours=9))
SAID: dict[Language, tuple[str, str, str]] = {
    "en": ("I left the silver key under the stone by the mill.", "Where is the silver key?", "stone"),
    "ja": ("銀の鍵は水車小屋のそばの石の下に置いてきたよ。", "銀の鍵はどこ？", "石の下"),
}


class RemoteEmbedder(CountingEmbedder):
    """An embedder on another machine, which may be away."""

    def __init__(self, inner: Embedder) -> None:
        super().__init__(inner)
        self.is_away = False

    @property
    def is_remote(self) -> bool:
        return True

    @property
    def dimensions(self) -> int:
        raise AssertionError("the length of a vector is not asked of another machine")

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        if self.is_away:
            raise EmbedderUnavailableError("it is away")
        return await super().embed_documents(texts)

    async def embed_query(self, text: str) -> Vector:
        return await super().embed_query(text)


class Clocked:
    """A store whose clock stands still, and the embedder it was given."""

    def __init__(self, path: Path, embedder: Embedder | None = None) -> None:
        self.clock = FrozenClock(NOW)
        self.embedder = embedder or CountingEmbedder(services().embedder("hash"))
        self.services: Services = replace(services(), clock=self.clock, embedder=lambda _: self.embedder)
        self.path = str(empty_store(path))
        self.store = kataribe.open(self.path, services=self.services)

    def recalled(self, question: str, **asked: str) -> list[str]:
        found = self.store.recall(question, user="nora", planner="none", **asked)  # type: ignore[arg-type]
        return [hit.fact_id for hit in found.hits]


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Clocked]:
    made = Clocked(tmp_path / "k.db")
    with made.store:
        made.store.user("nora").create(language="en", embedder="hash")
        yield made


@pytest.mark.parametrize("language", ["en", "ja"])
def test_what_was_said_is_recalled_when_the_call_returns(tmp_path: Path, language: Language) -> None:
    text, question, _ = SAID[language]
    live = Clocked(tmp_path / "k.db")
    with live.store:
        live.store.user("nora").create(language=language, embedder="hash")
        told = live.store.user("nora").said(text, speaker="Nora", persona="akari")
        assert (told.pending, told.holders, told.made) == (None, ("akari",), False)
        found = live.store.recall(question, user="nora", persona="akari")
        assert [(hit.fact_id, hit.text, hit.speaker) for hit in turn_hits(found.hits)] == [
            (told.turn_id, text, "Nora")
        ]
        assert found.hits[0].parts["similarity"] > 0
        assert found.pending_turns == 0
        assert live.recalled(question) == [], "only akari was there"
        assert live.store.user("nora").verify().ok


def test_a_turn_is_the_same_as_one_that_was_put_and_synced(live: Clocked, tmp_path: Path) -> None:
    for number in range(40):
        live.clock.advance()
        live.store.user("nora").said(f"What was said as number {number}.", speaker="Nora", persona="akari")
    turns = live.store.user("nora").turns()
    assert len({turn.turn_id for turn in turns}) == 40
    other = Clocked(tmp_path / "other.db")
    other.clock.set(live.clock.now())
    with other.store:
        other.store.user("nora").create(language="en", embedder="hash")
        other.store.user("nora").put_turns(turns)
        other.store.user("nora").sync()
        asked = {"user": "nora", "persona": "akari", "top_k": 50}
        mine, theirs = (one.store.recall("number 7", **asked) for one in (live, other))  # type: ignore[arg-type]
        assert mine == theirs
    assert live.store.admin.work(user="nora") == ()
    assert live.store.user("nora").verify().ok


def test_without_a_persona_the_world_holds_it_and_it_says_so(live: Clocked) -> None:
    told = live.store.user("nora").said("The mill is closed.", speaker="Nora")
    assert (told.holders, told.is_public) == (("world",), True)
    both = live.store.user("nora").said("The lamp is red.", speaker="Nora", persona=["rin", "akari"])
    assert (both.holders, both.is_public) == (("akari", "rin"), False)
    assert live.recalled("The lamp is red.", persona="rin")[0] == both.turn_id


def test_a_turn_stands_behind_the_last_of_its_session(live: Clocked) -> None:
    whole = NOW.replace(microsecond=123000)
    first = live.store.user("nora").said("one", speaker="Nora")
    second = live.store.user("nora").said("two", speaker="Nora")
    assert [first.session, second.session] == ["2024-05-08", "2024-05-08"]
    assert [first.time, second.time] == [whole, whole + timedelta(milliseconds=1)]
    earlier = datetime(2024, 5, 8, 17, 0, tzinfo=TOKYO)
    third = live.store.user("nora").said("three", speaker="Nora", time=earlier)
    assert (third.time, third.time.utcoffset()) == (whole + timedelta(milliseconds=2), timedelta(hours=9))
    apart = live.store.user("nora").said("four", speaker="Nora", time=earlier, session="past")
    assert (apart.time, apart.session) == (earlier, "past")
    assert [turn.text for turn in live.store.user("nora").turns()] == ["four", "one", "two", "three"]
    live.store.user("nora").put_turns(
        [replace(live.store.user("nora").turns()[0], time=earlier - timedelta(days=1))]
    )
    again = live.store.user("nora").said("five", speaker="Nora", time=earlier, session="past")
    assert again.turn_id != apart.turn_id, "one that was moved keeps its id"


def test_it_is_stored_before_anybody_embeds(tmp_path: Path) -> None:
    class Looking(CountingEmbedder):
        async def embed_documents(self, texts: Sequence[str]) -> Matrix:
            with live.store._of._engine._ledger.reading() as view:
                seen.extend(turn.text for turn in view.turns(user_space("nora")))
            return await super().embed_documents(texts)

    seen: list[str] = []
    live = Clocked(tmp_path / "k.db", Looking(services().embedder("hash")))
    with live.store:
        live.store.user("nora").said("The mill is closed today.", speaker="Nora")
    assert seen == ["The mill is closed today."]


@pytest.mark.parametrize("language", ["en", "ja"])
def test_with_a_remote_embedder_words_find_it_at_once_and_likeness_later(
    tmp_path: Path, language: Language
) -> None:
    text, question, word = SAID[language]
    remote = RemoteEmbedder(services().embedder("hash"))
    live = Clocked(tmp_path / "k.db", remote)
    with live.store:
        live.store.user("nora").create(language=language, embedder="hash")
        remote.is_away = True
        told = live.store.user("nora").said(text, speaker="Nora", persona="akari")
        other = live.store.user("nora").said("ok", speaker="Akari", persona="akari")
        assert told.pending is not None
        assert "sync" in told.pending
        assert remote.documents == [], "nobody was asked"
        found = live.store.recall(question, user="nora", persona="akari", planner="none")
        assert found.hits[0].fact_id == told.turn_id
        assert (found.hits[0].parts["similarity"], found.warnings) == (0, ())
        assert found.hits[0].parts["keyword"] > 0
        assert live.store.viewer(user="nora", persona="akari").search_log([word]).matched == 1
        assert [one.unit for one in live.store.admin.work(user="nora")] == ["2024-05-08"]
        assert live.store.user("nora").verify().problems == ()
        assert live.store.user("nora").sync(waits=False).failed != {}
        assert live.recalled(question, persona="akari")[0] == told.turn_id, "it is not lost by that"
        remote.is_away = False
        live.store.user("nora").sync(retry=True)
        found = live.store.recall(question, user="nora", persona="akari")
        assert found.hits[0].parts["similarity"] > 0
        assert {told.turn_id, other.turn_id} == {
            h.fact_id for h in live.store.known(user="nora", persona="akari").hits
        }
        assert live.store.admin.work(user="nora") == ()
        last = live.store.user("nora").said("The lamp by the mill is out.", speaker="Nora", persona="akari")
        parts = {hit.fact_id: hit.parts for hit in live.store.recall(text, user="nora", persona="akari").hits}
        assert parts[told.turn_id]["similarity"] > 0.9, "what was embedded stays so"
        assert last.turn_id not in parts or parts[last.turn_id]["similarity"] == 0
        live.store.user("nora").sync()
        assert live.store.user("nora").verify().ok


def test_many_without_a_vector_are_told_apart_by_words(tmp_path: Path) -> None:
    live = Clocked(tmp_path / "k.db", RemoteEmbedder(services().embedder("hash")))
    with live.store:
        live.store.user("nora").create(language="en", embedder="hash")
        for number in range(70):
            live.store.user("nora").said(f"The lamp number n{number} is red.", speaker="Nora")
        live.clock.advance()
        assert live.recalled("n42")[0] == live.store.user("nora").turns()[42].turn_id
        live.store.user("nora").sync()
        live.clock.advance()
        live.store.user("nora").said("The lamp number n70 is red.", speaker="Nora")
        live.clock.advance()
        assert live.recalled("n70")[0] == live.store.user("nora").turns()[70].turn_id
        live.store.admin.reembed(embedder="other", user="nora")
        assert live.store.user("nora").verify().ok


def test_what_cannot_be_embedded_is_stored_and_found_by_words(tmp_path: Path) -> None:
    embedder = FailingEmbedder(services().embedder("hash"), ["The mill is closed."])
    live = Clocked(tmp_path / "k.db", embedder)
    with live.store:
        live.store.user("nora").create(language="en", embedder="hash")
        live.store.user("nora").said("The lamp is red.", speaker="Nora")
        told = live.store.user("nora").said("The mill is closed.", speaker="Nora")
        assert told.pending is not None
        assert "told to fail" in told.pending
        live.clock.advance()
        assert live.recalled("mill closed")[0] == told.turn_id
        embedder.failing.clear()
        assert live.store.user("nora").said("The lamp is out.", speaker="Nora").pending is None
        assert live.store.admin.work(user="nora") == (), "it has brought the other up with it"
        assert live.store.user("nora").verify().ok


def test_an_embedder_that_is_not_installed_loses_nothing(live: Clocked) -> None:
    def gone(_: str) -> Embedder:
        raise MissingExtraError("it is not installed; type: pip install it")

    live.store.user("nora").said("The lamp is red.", speaker="Nora")
    with kataribe.open(live.path, services=replace(live.services, embedder=gone)) as bare:
        told = bare.user("nora").said("The mill is closed.", speaker="Nora")
        assert told.pending == "it is not installed; type: pip install it"
    assert [turn.text for turn in live.store.user("nora").turns()] == [
        "The lamp is red.",
        "The mill is closed.",
    ]


def test_a_missing_user_is_made_in_the_language_of_its_first_words(tmp_path: Path) -> None:
    live = Clocked(tmp_path / "k.db")
    with live.store as store:
        with pytest.raises(kataribe.InputError, match=r"by; name one with language=$"):
            store.user("nora").said("Hi!", speaker="Nora", embedder="hash")
        assert store.admin.users() == ()
        told = store.user("nora").said("I came home from the harbour.", speaker="Nora", embedder="hash")
        assert (told.made, told.user.language, told.user.embedder) == (True, "en", "hash")
        assert store.user("ren").said("ただいま。", speaker="蓮", embedder="hash").user.language == "ja"
        assert (
            store.user("kim").said("OK", speaker="Kim", language="ja", embedder="hash").user.language == "ja"
        )
        assert not store.user("kim").said("OK", speaker="Kim").made
        with pytest.raises(kataribe.ConflictError, match="the language of user 'kim' is ja, not en"):
            store.user("kim").said("OK", speaker="Kim", language="en")
        assert len(store.user("kim").turns()) == 2


def test_under_a_story_somebody_must_hold_it(live: Clocked) -> None:
    store = live.store
    store.story("s").create(language="en", embedder="hash")
    store.story("s").episodes.put(no=1, text="The mill stood still.")
    store.story("s").cast.add(kataribe.Character(character_id="akari"))
    for asked, words in (
        ({"story": "s", "at": 1}, "name at least one"),
        ({"story": "s", "persona": "akari"}, "give both the story and at"),
        ({"story": "s", "at": 9, "persona": "akari"}, "not at 9"),
        ({"time": datetime(2024, 1, 1)}, "no zone"),
        ({"persona": "a:b"}, "not allowed in an id"),
    ):
        with pytest.raises(kataribe.InputError, match=words):
            store.user("nora").said("The mill is closed.", speaker="Nora", **asked)
    with pytest.raises(kataribe.NotFoundError, match="no story 'x'"):
        store.user("nora").said("The mill is closed.", speaker="Nora", story="x", at=1, persona="akari")
    with pytest.raises(kataribe.InputError, match="must not be empty"):
        store.user("nora").said(" ", speaker="Nora")
    assert store.user("nora").turns() == ()
    told = store.user("nora").said("The mill is closed.", speaker="Nora", story="s", at=1, persona="akari")
    assert told.pending is None
    assert [turn.turn_id for turn in store.user("nora").turns(story="s", at=1)] == [told.turn_id]
    asked = {"user": "nora", "story": "s", "persona": "akari"}
    for at, there in ((1, [told.turn_id]), (2, [told.turn_id])):
        found = store.recall("closed mill", at=at, **asked)  # type: ignore[arg-type]
        assert [hit.fact_id for hit in found.hits if hit.kind == "turn"] == there


def test_the_systems_turn_is_stored_and_not_remembered(live: Clocked) -> None:
    told = live.store.user("nora").said("Be kind.", speaker="system")
    assert told.pending is None
    assert live.recalled("Be kind.") == []
    assert len(live.store.user("nora").turns()) == 1
    assert live.store.user("nora").verify().ok


def test_many_who_speak_at_once_each_recall_their_own(live: Clocked) -> None:
    def speak(number: int) -> kataribe.TurnReceipt:
        return live.store.user("nora").said(f"This is word w{number}.", speaker="Nora", persona="akari")

    with ThreadPoolExecutor(8) as pool:
        told = list(pool.map(speak, range(40)))
    assert all(one.pending is None for one in told)
    assert len({one.turn_id for one in told}) == 40
    assert len({one.time for one in told}) == 40
    known = live.store.known(user="nora", persona="akari", as_of=NOW + timedelta(days=1))
    assert {hit.fact_id for hit in known.hits} == {one.turn_id for one in told}
    assert live.store.admin.work(user="nora") == ()
    assert live.store.user("nora").verify().ok
