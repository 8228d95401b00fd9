"""What happened between a holder and a user, put together for the replay, all of it behind a gate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

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
from kataribe.domain.conversation.life.policy import PolicyTimes
from kataribe.domain.conversation.life.values import ItemKind
from kataribe.domain.conversation.life.words import content_words
from kataribe.domain.conversation.masking import mask_one_time
from kataribe.domain.conversation.statements import is_lasting, statement_kind
from kataribe.domain.conversation.threads import Vector
from kataribe.domain.conversation.turns import Role, Turn, role_of
from kataribe.domain.ids import WORLD
from kataribe.domain.records import SpaceState
from kataribe.domain.terms import Language
from kataribe.domain.text.paragraphs import sentences
from kataribe.ports import View

_ALWAYS = 1 << 62
_MANY, _COMMON = 30, 10
"""From so many turns on a word that stands in more than one in ten of them says little of a topic."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LifeInputs:
    """All that `replay` is given of one holder in one space."""

    space: str
    holder: str
    language: Language
    turns: tuple[SaidTurn, ...]
    flushes: tuple[Flush, ...]
    nights: tuple[Night, ...]
    uses: tuple[UsedAt, ...]
    decisions: tuple[HandDecision, ...]


def life_inputs(view: View, state: SpaceState, user_id: str, holder: str) -> LifeInputs | None:
    """Read what happened to a holder; None where it holds no turn of its own.

    Turns that are not in memory yet have not happened: once they are, it is replayed.
    """
    space = state.space
    share = HeldShare(space, holder, tuple(dict.fromkeys((WORLD, holder))), _ALWAYS)
    vectors = vectors_of(view, share)
    remembered = share.remembered(view)
    said = (turn for turn in view.turns(space) if turn.turn_id in remembered)
    turns = [share.seen(turn) for turn in said if share.holds(turn)]
    if not any(holder in turn.audience.holders() for turn in turns):
        return None
    nights = view.nights(user_id)
    times = PolicyTimes((night.at, night.policy) for night in nights)
    threads = threads_of(state, share, turns, vectors, now=_ALWAYS, times=times)
    return LifeInputs(
        space=space,
        holder=holder,
        language=state.language,
        turns=tuple(_said_turns(turns, user_id, state.language, vectors)),
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
        nights=tuple(Night(night.at, night.policy) for night in nights),
        uses=view.turn_uses(space, f":{'' if holder == WORLD else holder}"),
        decisions=view.hand_decisions(space, holder),
    )


def _said_turns(
    turns: Sequence[Turn], user_id: str, language: Language, vectors: Mapping[str, Vector]
) -> Iterable[SaidTurn]:
    topics = _Topics(language)
    for turn in turns:
        if turn.is_system:
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


def _statements(text: str, language: Language, topics: _Topics) -> Iterable[SaidStatement]:
    """Give the sentences of a turn that say something of lasting worth."""
    found: list[tuple[int, int, tuple[str, ...]]] = []
    for start, end in sentences(text, 0, len(text), language):
        words = text[start:end]
        if is_lasting(words, language):
            found.append((start, end, content_words(words, language)))
    for start, end, words_of in found:
        kind = ItemKind(statement_kind(text[start:end], language).value)
        yield SaidStatement(start=start, end=end, kind=kind, topic=topics.of(words_of))
    topics.add({word for _, _, words_of in found for word in words_of})


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
