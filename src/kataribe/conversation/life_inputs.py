"""What happened between a holder and a user, put together for the replay, all of it behind a gate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kataribe.conversation.model_word import ToldToHolder, answered, word_of
from kataribe.conversation.threads import HeldShare, thread_policies, vectors_of
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
from kataribe.domain.conversation.life.policy import PolicyTimes
from kataribe.domain.conversation.life.replay import BEFORE_ALL, Happened, RunningLife
from kataribe.domain.conversation.life.stubs import TurnStub
from kataribe.domain.conversation.life.values import ItemKind, Life
from kataribe.domain.conversation.life.words import content_words
from kataribe.domain.conversation.masking import mask_one_time
from kataribe.domain.conversation.statements import is_lasting, statement_kind
from kataribe.domain.conversation.summaries import ModelAsk
from kataribe.domain.conversation.threads import Thread, ThreadCutter, Vector, turn_order
from kataribe.domain.conversation.turns import Role, Turn, role_of
from kataribe.domain.ids import WORLD
from kataribe.domain.privacy.keeping import keeps_in
from kataribe.domain.records import SpaceState
from kataribe.domain.terms import RULES, Language
from kataribe.domain.text.paragraphs import sentences
from kataribe.ports import RecordedNight, View

Expired = tuple[Turn, TurnStub]
"""What is left of a turn, and what the replay takes it by."""
NOBODY: Mapping[str, Expired] = {}
_ALWAYS = 1 << 62
_MANY, _COMMON = 30, 10
"""From so many turns on a word that stands in more than one in ten of them says little of a topic."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LifeInputs:
    """All that is replayed of one holder in one space."""

    space: str
    holder: str
    language: Language
    happened: Happened
    asks: tuple[ModelAsk, ...] = ()
    """What a model is to be asked, with the answers there are; none where rules do all."""

    def life(self, night: Night | None = None) -> Life:
        """Replay it, as if one more night had been held."""
        nights = self.happened.nights if night is None else [*self.happened.nights, night]
        running = RunningLife(space=self.space, holder=self.holder, language=self.language)
        return running.begin(replace(self.happened, nights=nights)).life


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
    """
    happened = LifeReader(state, user_id, holder).read(view, expiring=expiring)
    if happened is None:
        return None
    found = LifeInputs(space=state.space, holder=holder, language=state.language, happened=happened)
    return with_model(view, state, found, model_id or summed_by(view, user_id))


def summed_by(view: View, user_id: str) -> str:
    """Name who sums up what was said with a user."""
    user = view.user(user_id)
    return RULES if user is None else user.model_id


def with_model(view: View, state: SpaceState, inputs: LifeInputs, model_id: str) -> LifeInputs:
    """Add what a model is to be asked, and what it has answered; nothing where that are rules."""
    if model_id == RULES:
        return inputs
    happened = inputs.happened
    told = ToldToHolder(
        holder=inputs.holder,
        language=inputs.language,
        times=PolicyTimes((night.at, night.policy) for night in happened.nights),
        turns=happened.turns,
        flushes=happened.flushes,
        by_rules=inputs.life(),
    )
    kept = {ask.fingerprint: ask for ask in view.model_asks(inputs.space, inputs.holder)}
    asks = answered(told.asks(model_id), kept)
    word = word_of(asks, state.embedder_id)
    return replace(inputs, asks=asks, happened=replace(happened, model=word))


class LifeReader:
    """Reads what happened to a holder: all of it, and later what came since.

    Turns that are not in memory yet have not happened: once they are, they are read.
    """

    def __init__(self, state: SpaceState, user_id: str, holder: str) -> None:
        self._state = state
        self._user_id = user_id
        self._holder = holder
        self._share = HeldShare(state.space, holder, tuple(dict.fromkeys((WORLD, holder))), _ALWAYS)
        self._topics = _Topics(state.language)
        self._times = PolicyTimes()
        self._cutter = ThreadCutter(
            state.language, thread_policies(self._times, state), space=state.space, holder=holder
        )
        self._known: set[str] = set()
        self._bare: set[str] = set()
        """Turns that are in memory without a vector: they may still get one."""
        self._nights: tuple[RecordedNight, ...] = ()
        self._uses: frozenset[UsedAt] = frozenset()
        self._decisions: tuple[HandDecision, ...] = ()
        self._revision: object = None

    @property
    def turns(self) -> int:
        """How many turns were read."""
        return len(self._known)

    def read(self, view: View, *, expiring: Mapping[str, Expired] = NOBODY) -> Happened | None:
        """Read all of it, once; None where the holder holds no turn of its own.

        `expiring` are turns, by id, that are taken as they will be when their text has expired.
        """
        space, share = self._state.space, self._share
        vectors = vectors_of(view, share)
        remembered = share.remembered(view)
        said = (
            expiring[turn.turn_id][0] if turn.turn_id in expiring else turn
            for turn in view.turns(space)
            if turn.turn_id in remembered
        )
        turns = [share.seen(turn) for turn in said if share.holds(turn)]
        if not any(self._holder in turn.audience.holders() for turn in turns):
            return None
        stubs = {**view.stubs(space), **{turn_id: stub for turn_id, (_, stub) in expiring.items()}}
        return self._happened(view, turns, vectors, BEFORE_ALL, stubs)

    def read_later(self, view: View, upto: int) -> Happened | None:
        """Read what came since, as far as it is later than a position; None: all is to be read again."""
        if self._revision is None or view.space(self._state.space) != self._state:
            return None
        found = self._changed(view)
        if found is None:
            return None
        turns, vectors = found
        if turns and not view.stubs(self._state.space).keys().isdisjoint(turn.turn_id for turn in turns):
            return None
        nights = view.nights(self._user_id)
        is_longer = nights[: len(self._nights)] == self._nights
        fresh = nights[len(self._nights) :]
        is_later = all(at > upto for at in (*(turn.at for turn in turns), *(night.at for night in fresh)))
        if not (is_longer and is_later):
            return None
        return self._happened(view, turns, vectors, upto, {})

    def _changed(self, view: View) -> tuple[list[Turn], Mapping[str, Vector]] | None:
        """Give the turns that are in memory since it was read last, with their vectors."""
        space, share = self._state.space, self._share
        token, revision = self._revision if isinstance(self._revision, tuple) else ("", 0)
        now = _revision_of(view, space)
        units = view.changed_units(space, revision)
        if now[0] != token or units is None:
            return None
        keys = view.unit_keys(share.gate, {space: units})
        memories = {one.key: one.fact_id for one in view.admitted(share.gate, keys=keys)}
        if not self._bare.isdisjoint(memories.values()):
            return None
        ids = set(memories.values()) - self._known
        said = (turn for unit in units for turn in view.turns(space, unit=unit) if turn.turn_id in ids)
        turns = sorted((share.seen(turn) for turn in said if share.holds(turn)), key=turn_order)
        # Unit by unit, so that what was said before is not brought up for it.
        entries = (one for unit in units for one in view.entries_of(space, unit, revision=revision))
        vectors = {
            one.fact_id: one.vector for one in entries if one.holder in share.holders and one.fact_id in ids
        }
        return turns, vectors

    def _happened(
        self,
        view: View,
        turns: Sequence[Turn],
        vectors: Mapping[str, Vector],
        after: int,
        stubs: Mapping[str, TurnStub],
    ) -> Happened:
        space = self._state.space
        nights = view.nights(self._user_id)
        uses = frozenset(view.turn_uses(space, f":{'' if self._holder == WORLD else self._holder}"))
        decisions = view.hand_decisions(space, self._holder)
        for night in nights[len(self._nights) :]:
            self._times.add(night.at, night.policy)
        people = [turn for turn in sorted(turns, key=turn_order) if not turn.is_system]
        over = [self._cutter.add(turn, vectors.get(turn.turn_id)) for turn in people]
        threads = [*(one for one in over if one is not None), *self._cutter.left(after)]
        before = set(self._decisions)
        happened = Happened.of(
            _said_turns(people, self._user_id, self._state.language, vectors, self._topics, stubs),
            (_flush_of(thread) for thread in threads),
            (Night(night.at, night.policy) for night in nights[len(self._nights) :]),
            uses - self._uses,
            (one for one in decisions if one not in before),
        )
        self._known.update(turn.turn_id for turn in turns)
        self._bare.update(turn.turn_id for turn in turns if turn.turn_id not in vectors)
        self._nights, self._uses, self._decisions = nights, uses, decisions
        self._revision = _revision_of(view, space)
        return happened


def _revision_of(view: View, space: str) -> tuple[str, int]:
    """Give the token of a space, and the revision of its memories."""
    state = view.feed_state("", space)
    return ("", 0) if state is None else (state.collection, state.revision)


def _flush_of(thread: Thread) -> Flush:
    return Flush(
        at=thread.ended or 0,
        thread_id=thread.thread_id,
        turn_ids=tuple(turn.turn_id for turn in thread.turns),
        why="" if thread.ended_by is None else thread.ended_by.value,
    )


def _said_turns(
    turns: Iterable[Turn],
    user_id: str,
    language: Language,
    vectors: Mapping[str, Vector],
    topics: _Topics,
    stubs: Mapping[str, TurnStub],
) -> Iterable[SaidTurn]:
    for turn in turns:
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
    # For how long what is said is kept is no command of what was said up to now.
    commands = () if keeps_in(text, language) is not None else read_commands(text, language)
    for one in commands:
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
