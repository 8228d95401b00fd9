"""The property machine of one viewer of a story and of a user: edits of the story under talk about it.

After every step nothing outside a viewer's gate comes back, of story, talk or what was said
outside (P1). Once all is remembered, what every viewer is given is what a fresh build gives (P3),
and leaving out what lies outside its gate changes no byte (P2).
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule

import kataribe
from kataribe.domain.conversation.turns import Turn
from kataribe.domain.terms import Audience, FactSource, known_by
from kataribe.face.sync.kataribe import Kataribe
from kataribe.formats.wire.context import answer_json, context_json
from kataribe.formats.wire.recall import recollection_json
from promises.test_machine import CAST, LINES, MAX_NO, QUESTIONS, StoryMachine, audiences, numbers, picks
from support.effort import walks
from support.hits import fact_hits
from support.model import Model, ModelEpisode, bare, shorn
from support.stores import empty_store, services

USER = "u"
BEGIN = datetime(2024, 1, 1, 22, tzinfo=UTC)
SAID = {
    "en": (
        "I told Ann that the key is under the stone.",
        "The Fox was at the mill with you.",
        "Ben lies about the fire, I think.",
    ),
    "ja": (
        "鍵は石の下だとアンに話したよ。",
        "狐はあなたと水車小屋にいた。",
        "ベンは火事のことで嘘をついていると思う。",
    ),
}
WORD = {"en": "key", "ja": "鍵"}
Place = str | None
"""The id of the episode at which something was said, None outside every story."""
Who = tuple[str, int, datetime]
"""Who asks: a persona at an episode, as of a moment."""

times = st.builds(lambda hours: BEGIN + timedelta(hours=hours), st.integers(0, 60))
places = st.one_of(st.none(), numbers)
LAST = BEGIN + timedelta(days=9)
ASKERS: tuple[Who, ...] = (
    ("ann", 2, LAST),
    ("ben", 3, BEGIN + timedelta(hours=30)),
    ("cleo", MAX_NO + 9, LAST),
    ("stranger", 4, LAST),
)


class MixedMachine(StoryMachine):
    """The machine of stories, with a user who talks with its cast at its episodes and outside of them."""

    user_embedder = "hash"

    def __init__(self) -> None:
        super().__init__()
        self.said: dict[str, tuple[Place, Turn]] = {}
        self.has_met = False

    @initialize()
    def meet(self) -> None:
        """Make the user."""
        language: Any = self.language
        self.store.user(USER).create(language=language, embedder=self.user_embedder)
        self.has_met = True

    # -- what is said ----------------------------------------------------------------------

    @precondition(lambda self: self.is_in)
    @rule(pick=picks, time=times, audience=audiences, at=places)
    def say(self, pick: int, time: datetime, audience: Audience, at: int | None) -> None:
        """Say something at an episode or outside of the story, or say an earlier turn differently."""
        episode = None if at is None else self.model.at(at)
        if episode is not None and audience.world:
            audience = known_by(CAST[pick % len(CAST)])
        place = None if episode is None else episode.episode_id
        here = sorted(name for name, (other, _) in self.said.items() if other == place)
        lines = (*SAID[self.language], *LINES[self.language])
        turn = Turn(
            turn_id=here[pick % len(here)] if here and pick % 3 == 0 else self.next_id(),
            session=f"{place}",
            speaker=("nora", *CAST)[pick % 4],
            text=lines[pick % len(lines)],
            time=time,
            audience=audience,
        )
        self.store.user(USER).put_turns([turn], **self.held_at(place))
        self.said[turn.turn_id] = (place, turn)

    @rule(pick=picks)
    def unsay(self, pick: int) -> None:
        """Delete what was said outside or at an episode that is there."""
        live = {None, *(episode.episode_id for episode in self.model.live())}
        names = sorted(name for name, (place, _) in self.said.items() if place in live)
        if names:
            name = names[pick % len(names)]
            place, _ = self.said.pop(name)
            assert self.store.user(USER).delete_turns([name], **self.held_at(place)) == 1

    @rule(pick=picks)
    def keep_a_document(self, pick: int) -> None:
        """Write down in a library what is told and said, or take it away again: it moves nobody's reads."""
        library = self.store.library("l")
        if not self.store.libraries():
            language: Any = self.language
            library.create(language=language, embedder=self.user_embedder)
        if pick % 4 == 0 and library.state().documents:
            library.remove("a.txt")
        else:
            lines = (*SAID[self.language], *LINES[self.language])
            library.put("a.txt", "\n\n".join(lines[pick % len(lines) :]))

    @rule()
    def remember(self) -> None:
        """Bring the user's memory up to what was said, and leave the story's as it is."""
        self.store.sync(user=USER)

    def held_at(self, place: Place) -> dict[str, Any]:
        """Name an episode by its number of now."""
        return {} if place is None else {"story": "s", "at": self.model.episodes[place].no}

    # -- what is promised ------------------------------------------------------------------

    @invariant()
    @precondition(lambda self: self.is_in and self.has_met)
    def nothing_said_elsewhere_comes_back(self) -> None:
        """P1: what was said is known where it was said and later, to who was there, once it was said."""
        for asker in ASKERS:
            may = {turn.text for _, turn in heard_by(self.model, self.said, asker).values()}
            known = self.store.known(**keys(asker))
            mine = [hit for hit in known.hits if hit.kind == "turn"]
            assert {hit.fact_id for hit in mine} <= set(heard_by(self.model, self.said, asker))
            assert {hit.text for hit in mine} <= may
            told = fact_hits(hit for hit in known.hits if hit.kind != "turn")
            assert all(hit.episode_no < asker[1] for hit in told)

    @rule()
    def compare(self) -> None:
        if not (self.is_in and self.has_met):
            return
        self.store.sync()
        assert self.store.story("s").verify().problems == ()
        assert self.store.user(USER).verify().problems == ()
        mine = self.asked(self.store, ASKERS, ids=False)
        with self.fresh(self.model, self.said) as other:
            assert mine == self.asked(other, ASKERS, ids=False), "P3"
            exact = {asker: self.asked(other, [asker], ids=True) for asker in ASKERS}
        for asker, everything in exact.items():
            heard = heard_by(self.model, self.said, asker)
            known = everything[0]["hits"]  # type: ignore[index]
            assert {hit["fact_id"] for hit in known if hit["kind"] == "turn"} == set(heard)
            with self.fresh(*seen_by(self.model, heard, asker)) as less:
                assert everything == self.asked(less, [asker], ids=True), "P2"

    @contextmanager
    def fresh(self, model: Model, said: Mapping[str, tuple[Place, Turn]]) -> Iterator[Kataribe]:
        """Give a store made from these inputs, all remembered."""
        language: Any = self.language
        with tempfile.TemporaryDirectory(dir=self.path) as inside:
            folder = Path(inside)
            with kataribe.open(str(empty_store(folder / "fresh.db")), services=services()) as made:
                made.story("s").import_folder(model.write(folder / "story"))
                made.user(USER).create(language=language, embedder=self.user_embedder)
                numbers = {episode.episode_id: episode.no for episode in model.live()}
                for place, turn in said.values():
                    if place is None:
                        made.user(USER).put_turns([turn])
                    elif place in numbers:
                        made.user(USER).put_turns([turn], story="s", at=numbers[place])
                made.sync()
                yield made

    def asked(self, store: Kataribe, askers: Iterable[Who], *, ids: bool) -> list[object]:
        """Give all that these viewers can be given."""
        found: list[object] = []
        questions = QUESTIONS[self.language]
        for asker in askers:
            viewer = keys(asker)
            found.append(shorn(recollection_json(store.known(**viewer), ranked=False), ids=ids))
            for question in questions:
                for top_k in (2, 50):
                    hits = store.recall(question, top_k=top_k, explain=True, **viewer)
                    found.append(shorn(recollection_json(hits), ids=ids))
            made = store.context(questions[0], **viewer, budget=260)
            found.append(bare(context_json(made), ids=ids))
            found.append(bare(answer_json(store.answer(questions[1], **viewer)), ids=ids))
            found.append(asdict(store.viewer(**viewer).search_log([WORD[self.language]])))
        return found


def keys(asker: Who) -> dict[str, Any]:
    """Name a viewer of the story and of the user."""
    character, at, as_of = asker
    return {"story": "s", "persona": character, "at": at, "user": USER, "as_of": as_of}


def heard_by(
    model: Model, said: Mapping[str, tuple[Place, Turn]], asker: Who
) -> dict[str, tuple[Place, Turn]]:
    """Give what a viewer may know of what was said, by the plain rule."""
    persona, at, as_of = asker
    numbers = {episode.episode_id: episode.no for episode in model.live()}
    return {
        name: (place, turn)
        for name, (place, turn) in said.items()
        if turn.time <= as_of
        and (persona in turn.audience.members or (place is None and turn.audience.world))
        and (place is None or (numbers.get(place, at + 1) <= at and persona in CAST))
    }


def seen_by(
    model: Model, heard: Mapping[str, tuple[Place, Turn]], asker: Who
) -> tuple[Model, dict[str, tuple[Place, Turn]]]:
    """Leave out all that lies outside a viewer's gate: later texts, others' secrets, what they were told.

    Of the episode it is at, nothing is left but its number: what is said there is held at it.
    """
    persona, at, _ = asker
    less = model.seen_by(persona, at)
    now = model.at(at)
    if now is not None:
        less.episodes[now.episode_id] = ModelEpisode(now.episode_id, at, "...", FactSource.SUPPLIED)
    theirs = {
        name: (place, turn if turn.audience.world else replace(turn, audience=known_by(persona)))
        for name, (place, turn) in heard.items()
    }
    return less, theirs


class JapaneseMixedMachine(MixedMachine):
    """The same in Japanese, with two embedders in one gate."""

    embedder = "chive"
    language = "ja"


class EnglishMixedMachine(MixedMachine):
    """The same in English, with two embedders in one gate."""

    embedder = "wordllama"


TestMixed = MixedMachine.TestCase
TestMixed.settings = walks(6, 12)
TestJapaneseMixed = JapaneseMixedMachine.TestCase
TestJapaneseMixed.settings = walks(4, 10)
TestEnglishMixed = EnglishMixedMachine.TestCase
TestEnglishMixed.settings = walks(4, 10)
