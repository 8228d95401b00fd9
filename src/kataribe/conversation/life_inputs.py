"""What happened between a holder and a user, put together for the replay, all of it behind a gate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kataribe.conversation.model_word import ToldToHolder, answered, word_of
from kataribe.conversation.threads import HeldShare, threads_of, vectors_of
from kataribe.domain.conversation.commands import read_commands
from kataribe.domain.conversation.corrections import read_correction
from kataribe.domain.conversation.life.events import (
    Flush,
    HandDecision,
    Night,
    SaidStatement,
    SaidTurn,
    TurnAsk,
    TurnCorrection,
    TurnVerb,
    UsedAt,
)
from kataribe.domain.conversation.life.policy import DEFAULT_TIERS, TierPolicy
from kataribe.domain.conversation.life.replay import replay
from kataribe.domain.conversation.life.stubs import TurnStub
from kataribe.domain.conversation.life.summed import NO_MODEL, ModelWord
from kataribe.domain.conversation.life.values import ItemKind, Life
from kataribe.domain.conversation.life.words import content_words
from kataribe.domain.conversation.masking import mask_one_time
from kataribe.domain.conversation.statements import is_lasting, statement_kind
from kataribe.domain.conversation.summaries import ModelAsk
from kataribe.domain.conversation.threads import Vector
from kataribe.domain.conversation.turns import Role, Turn, role_of
from kataribe.domain.ids import WORLD
from kataribe.domain.records import SpaceState
from kataribe.domain.terms import RULES, Language
from kataribe.domain.text.paragraphs import sentences
from kataribe.ports import View

Expired = tuple[Turn, TurnStub]
"""What is left of a turn, and what the replay takes it by."""
NOBODY: Mapping[str, Expired] = {}
_ALWAYS = 1 << 62
_MANY, _COMMON = 30, 10
"""From so many turns on a word that stands in more than one in ten of them says little of a topic."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LifeInputs:
    """All that `replay` is given of one holder in one space."""

    space: str
    holder: str
    language: Language
    policy: TierPolicy
    turns: tuple[SaidTurn, ...]
    flushes: tuple[Flush, ...]
    nights: tuple[Night, ...]
    uses: tuple[UsedAt, ...]
    decisions: tuple[HandDecision, ...]
    model: ModelWord = NO_MODEL
    asks: tuple[ModelAsk, ...] = ()
    """What a model is to be asked, with the answers there are; none where rules do all."""


def life_inputs(
    view: View,
    state: SpaceState,
    user_id: str,
    holder: str,
    model_id: str | None = None,
    *,
    expiring: Mapping[str, Expired] = NOBODY,
) -> LifeInputs | None:
    """Read what happened to a holder; None where it holds no turn of its own.

    `model_id` is who sums up in the place of the user's model. `expiring` are turns, by id, that are
    taken as they will be when their text has expired.
    Turns that are not in memory yet have not happened: once they are, it is replayed.
    """
    space = state.space
    share = HeldShare(space, holder, tuple(dict.fromkeys((WORLD, holder))), _ALWAYS)
    vectors = vectors_of(view, share)
    remembered = share.remembered(view)
    said = (
        expiring[turn.turn_id][0] if turn.turn_id in expiring else turn
        for turn in view.turns(space)
        if turn.turn_id in remembered
    )
    turns = [share.seen(turn) for turn in said if share.holds(turn)]
    if not any(holder in turn.audience.holders() for turn in turns):
        return None
    nights = view.nights(user_id)
    policy = nights[-1].policy if nights else DEFAULT_TIERS
    stubs = {**view.stubs(space), **{turn_id: stub for turn_id, (_, stub) in expiring.items()}}
    threads = threads_of(state, share, turns, vectors, now=_ALWAYS, limits=policy.thread)
    found = LifeInputs(
        space=space,
        holder=holder,
        language=state.language,
        policy=policy,
        turns=tuple(_said_turns(turns, user_id, state.language, vectors, stubs)),
        flushes=tuple(
            Flush(
                at=thread.ended,
                thread_id=thread.thread_id,
                turn_ids=tuple(turn.turn_id for turn in thread.turns),
                why="" if thread.ended_by is None else thread.ended_by.value,
            )
            for thread in threads
            if thread.ended is not None
        ),
        nights=tuple(Night(night.at) for night in nights),
        uses=view.turn_uses(space, f":{'' if holder == WORLD else holder}"),
        decisions=view.hand_decisions(space, holder),
    )
    user = view.user(user_id)
    summed_by = model_id or (RULES if user is None else user.model_id)
    return found if summed_by == RULES else _with_model(view, state, summed_by, found)


def _with_model(view: View, state: SpaceState, model_id: str, inputs: LifeInputs) -> LifeInputs:
    """Add what a model is to be asked, and what it has answered."""
    told = ToldToHolder(
        holder=inputs.holder,
        language=inputs.language,
        policy=inputs.policy,
        turns=inputs.turns,
        flushes=inputs.flushes,
        by_rules=life_of(inputs),
    )
    kept = {ask.fingerprint: ask for ask in view.model_asks(inputs.space, inputs.holder)}
    asks = answered(told.asks(model_id), kept)
    return replace(inputs, asks=asks, model=word_of(asks, state.embedder_id))


def life_of(inputs: LifeInputs) -> Life:
    """Replay what happened to a holder."""
    return replay(
        inputs.turns,
        inputs.flushes,
        inputs.nights,
        inputs.uses,
        inputs.decisions,
        inputs.policy,
        space=inputs.space,
        holder=inputs.holder,
        language=inputs.language,
        model=inputs.model,
    )


def _said_turns(
    turns: Sequence[Turn],
    user_id: str,
    language: Language,
    vectors: Mapping[str, Vector],
    stubs: Mapping[str, TurnStub],
) -> Iterable[SaidTurn]:
    topics = _Topics(language)
    for turn in turns:
        if turn.is_system:
            continue
        if turn.turn_id in stubs:
            is_users = role_of(turn, user_id) is Role.USER
            yield _said_of_stub(turn, stubs[turn.turn_id], topics, vectors, is_users=is_users)
            continue
        text = mask_one_time(turn.text)
        is_users = role_of(turn, user_id) is Role.USER
        corrected = read_correction(text, language)
        yield SaidTurn(
            turn_id=turn.turn_id,
            at=turn.at,
            session=turn.session,
            speaker=turn.speaker,
            is_users=is_users,
            text=text,
            ordinal=turn.ordinal,
            vector=vectors.get(turn.turn_id),
            statements=tuple(_statements(text, language, topics)),
            asks=tuple(_asks(text, language)) if is_users else (),
            correction=None if corrected is None else TurnCorrection(old=corrected.old, new=corrected.new),
        )


def _said_of_stub(
    turn: Turn, stub: TurnStub, topics: _Topics, vectors: Mapping[str, Vector], *, is_users: bool
) -> SaidTurn:
    """Give a turn whose text has expired by what was read in it before."""
    return SaidTurn(
        turn_id=turn.turn_id,
        at=turn.at,
        session=turn.session,
        speaker=turn.speaker,
        is_users=is_users,
        text=turn.text,
        ordinal=turn.ordinal,
        vector=vectors.get(turn.turn_id),
        statements=tuple(_with_topics(turn.text, stub.statements, topics)),
        asks=stub.asks if is_users else (),
        correction=stub.correction,
        echoes=stub.echoes,
    )


def _with_topics(
    text: str, found: Iterable[tuple[int, int, ItemKind]], topics: _Topics
) -> Iterable[SaidStatement]:
    words = [
        (start, end, kind, content_words(text[start:end], topics.language)) for start, end, kind in found
    ]
    for start, end, kind, words_of in words:
        yield SaidStatement(start=start, end=end, kind=kind, topic=topics.of(words_of))
    topics.add({word for *_, words_of in words for word in words_of})


def _statements(text: str, language: Language, topics: _Topics) -> Iterable[SaidStatement]:
    """Give the sentences of a turn that say something of lasting worth."""
    found: list[tuple[int, int, tuple[str, ...]]] = []
    for start, end in sentences(text, 0, len(text), language):
        words = text[start:end]
        if is_lasting(words, language) and not _only_commands(words, language):
            found.append((start, end, content_words(words, language)))
    for start, end, words_of in found:
        kind = ItemKind(statement_kind(text[start:end], language).value)
        yield SaidStatement(start=start, end=end, kind=kind, topic=topics.of(words_of))
    topics.add({word for _, _, words_of in found for word in words_of})


def _only_commands(words: str, language: Language) -> bool:
    """Whether a sentence is a command of what was said before it, and states nothing itself."""
    asked = read_commands(words, language)
    return bool(asked) and all(one.is_of_last_turn for one in asked)


def _asks(text: str, language: Language) -> Iterable[TurnAsk]:
    for one in read_commands(text, language):
        start, end = one.span
        yield TurnAsk(verb=TurnVerb(one.kind.value), start=start, end=end, is_clear=one.is_clear)


@dataclass(slots=True)
class _Topics:
    """Says what a statement is about: the word that was spoken of most before.

    Of equals it is the last one in English, where objects stand behind, and the longest one in
    Japanese. Words that stand in more than a tenth of many turns are passed over where there are
    others.
    """

    language: Language
    turns: int = 0
    counts: Counter[str] = field(default_factory=Counter)

    def of(self, words: Sequence[str]) -> str:
        """Give the topic of a statement of these content words; empty where it has none."""
        telling = [word for word in words if not self._is_common(word)] or list(words)
        if not telling:
            return ""
        places = {word: place for place, word in enumerate(telling)}
        if self.language == "ja":
            return max(places, key=lambda word: (self.counts[word], len(word), -places[word]))
        return max(places, key=lambda word: (self.counts[word], places[word]))

    def _is_common(self, word: str) -> bool:
        return self.turns >= _MANY and self.counts[word] * _COMMON > self.turns

    def add(self, words: set[str]) -> None:
        """Note what a turn spoke of."""
        self.turns += 1
        self.counts.update(words)
