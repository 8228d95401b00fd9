"""What was said with a user as plain inputs, kept beside the engine: what a fresh build is made from."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import datetime
from pathlib import Path

import kataribe
from kataribe.conversation.associations import Associations
from kataribe.domain.conversation.life.policy import TierPolicy, policy_from
from kataribe.domain.conversation.turns import Turn
from kataribe.domain.gate import position_of
from kataribe.domain.recall.log_search import LogSearchPolicy
from kataribe.domain.terms import Language, known_by
from kataribe.engine import Services
from kataribe.face.sync.kataribe import Kataribe
from kataribe.formats.wire.associations import IdeaJson, idea_json
from kataribe.formats.wire.context import context_json
from kataribe.formats.wire.recall import recollection_json
from support.stores import empty_store, services

USER = "u"
Asker = tuple[str | None, datetime]
"""A persona, or nobody, and the moment as of which is asked."""

LOOSE = LogSearchPolicy(shortest=0, longest=20, middle=1)
STRICT = LogSearchPolicy(shortest=0, newest=1, oldest=0, exclude_last=2)


def numbers_of(night: datetime) -> TierPolicy:
    """Say by which numbers a night is held: others from one to the next."""
    return _NUMBERS[night.toordinal() % len(_NUMBERS)]


_NUMBERS = [
    policy_from({}),
    policy_from({"thread": {"turns": 2}, "promotion": {"mentions": 1}, "mid": {"recent_hours": 2}}),
    policy_from({"decay": {"warm_days": 2, "cool_days": 4, "archive_days": 8, "delete_days": 500}}),
]


def admits(turn: Turn, asker: Asker) -> bool:
    """Tell by the plain rule whether an asker may remember a turn."""
    persona, as_of = asker
    held = turn.audience.world or (persona is not None and persona in turn.audience.members)
    return held and turn.at <= position_of(as_of) and not turn.is_system


def seen_by(turns: Mapping[str, Turn], asker: Asker) -> dict[str, Turn]:
    """Give the turns without anything outside the asker's gate: not said yet, or told to others only."""
    persona, _ = asker
    return {
        turn_id: turn if turn.audience.world or persona is None else replace(turn, audience=known_by(persona))
        for turn_id, turn in turns.items()
        if admits(turn, asker)
    }


@contextmanager
def fresh_talk(
    turns: Mapping[str, Turn],
    folder: Path,
    *,
    language: Language = "en",
    made_by: Services | None = None,
    nights: Iterable[datetime] = (),
    model: str = "rules",
) -> Iterator[Kataribe]:
    """Give a store made from these turns, all remembered, in which these nights were held."""
    with tempfile.TemporaryDirectory(dir=folder) as inside:
        store = empty_store(Path(inside) / "fresh.db")
        with kataribe.open(str(store), services=made_by or services()) as made:
            made.user(USER).create(language=language, embedder="hash", model=model)
            made.user(USER).put_turns(list(turns.values()))
            made.user(USER).sync()
            for night in nights:
                made.user(USER).memory.nightly(at=night, policy=numbers_of(night))
            yield made


def associated(found: Associations) -> list[IdeaJson]:
    """Give all that is told of ideas, without the keys that another store gives otherwise."""
    return [idea_json(one.space, one.holder, one.idea, one.sources) for one in found.ideas]


def everything(
    kataribe: Kataribe,
    askers: Iterable[Asker],
    questions: Iterable[str],
    words: Iterable[str],
    written_back: Sequence[str] = (),
) -> list[object]:
    """Give all that these askers can be given of a user: known, recall, contexts, and past logs."""
    asked, looked_for, askers = list(questions), list(words), list(askers)
    found: list[object] = []
    together = kataribe.recall_many(
        asked[0],
        [{"user": USER, "persona": persona, "as_of": as_of} for persona, as_of in askers],
        top_k=50,
        explain=True,
    )
    for place, (persona, as_of) in enumerate(askers):
        told = kataribe.known(user=USER, persona=persona, as_of=as_of)
        found.append(recollection_json(told, ranked=False))
        for question in asked:
            for top_k in (2, 50):
                hits = kataribe.recall(
                    question, user=USER, persona=persona, as_of=as_of, top_k=top_k, explain=True
                )
                found.append(recollection_json(hits))
                assert (question, top_k) != (asked[0], 50) or hits == together[place]
        viewer = kataribe.viewer(user=USER, persona=persona, as_of=as_of)
        found.append(context_json(viewer.context(asked[-1], budget=900, min_similarity=-1)))
        found.append(viewer.threads())
        found += [viewer.with_words(text) for text in written_back]
        found += [viewer.memories(), viewer.memories(state="superseded")]
        found += [associated(viewer.associate(one, top_k=50)) for one in (*asked[:1], *looked_for)]
        found += [viewer.buffer(session=session) for session in (None, "1")]
        for hit in told.hits[:: max(1, len(told.hits) // 3)]:
            near = kataribe.viewer(user=USER, persona=persona, as_of=as_of).read_turn(hit.fact_id, around=1)
            found.append(recollection_json(near, ranked=False))
        for policy, seed in ((LOOSE, 0), (LOOSE, 7), (STRICT, 0)):
            for keywords in ([word] for word in looked_for):
                search = kataribe.viewer(user=USER, persona=persona, as_of=as_of).search_log(
                    keywords, policy=policy, seed=seed
                )
                found.append(asdict(search))
    return found
