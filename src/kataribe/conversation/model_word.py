"""What models are asked about what a holder was told, and what their kept answers are to a replay.

All of it follows from the inputs alone: a question is about a thread as it stood when it left the
buffer, or about a turn and what was said before it, without what was gone by then.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cached_property

from kataribe.domain.arrays import np
from kataribe.domain.conversation.life.events import Flush, SaidStatement, SaidTurn
from kataribe.domain.conversation.life.policy import TierPolicy
from kataribe.domain.conversation.life.summed import ModelWord, SummedItem, SummedThread, ToldOtherwise
from kataribe.domain.conversation.life.values import Life, TurnState
from kataribe.domain.conversation.life.words import content_words, topic_key
from kataribe.domain.conversation.summaries import (
    ModelAsk,
    NewerWords,
    OlderWords,
    SpokenLine,
    ThreadText,
    fingerprint_of,
)
from kataribe.domain.gate import EPOCH
from kataribe.domain.ids import text_hash
from kataribe.domain.similarity import exact_similarities
from kataribe.domain.terms import Language

MOST_OLDER = 8
"""Older statements that a model is shown beside a newer one."""
_GONE = frozenset({TurnState.HIDDEN, TurnState.LOG_ONLY, TurnState.SUPERSEDED})


@dataclass(frozen=True, kw_only=True)
class ToldToHolder:
    """What one holder was told in one space, and how its turns stand by rules alone."""

    holder: str
    language: Language
    policy: TierPolicy
    turns: Sequence[SaidTurn]
    flushes: Sequence[Flush]
    by_rules: Life
    _words: dict[tuple[str, int], frozenset[str]] = field(default_factory=dict)

    @cached_property
    def ordered(self) -> list[SaidTurn]:
        """The turns in their order."""
        return sorted(self.turns, key=lambda one: one.order)

    @cached_property
    def _gone_from(self) -> Mapping[str, list[tuple[int, bool]]]:
        found: dict[str, list[tuple[int, bool]]] = {}
        for fate in self.by_rules.fates:
            found.setdefault(fate.turn_id, []).append((fate.position, fate.state in _GONE))
        return found

    def is_open(self, turn_id: str, at: int) -> bool:
        """Whether a turn is given to anybody at a position, as rules have it."""
        rows = [gone for position, gone in self._gone_from.get(turn_id, ()) if position <= at]
        return not (rows and rows[-1])

    def asks(self, model_id: str) -> Iterator[ModelAsk]:
        """Give all that a model is to be asked."""
        known = {turn.turn_id: turn for turn in self.turns}
        leaves: dict[str, int] = {}
        for flush in self.flushes:
            shown = [known[one] for one in flush.turn_ids if one in known and self.is_open(one, flush.at)]
            leaves |= dict.fromkeys(flush.turn_ids, flush.at)
            if shown:
                lines = tuple(_line(turn) for turn in sorted(shown, key=lambda one: one.order))
                most = self.policy.mid.item_characters
                asked = ThreadText(thread_id=flush.thread_id, language=self.language, lines=lines, most=most)
                yield self._ask(asked, model_id, flush.at)
        for place, turn in enumerate(self.ordered):
            older = self._older(place, turn)
            if older and turn.turn_id in leaves:
                newer = NewerWords(language=self.language, line=_line(turn), older=tuple(older))
                yield self._ask(newer, model_id, leaves[turn.turn_id])

    def _ask(self, asked: ThreadText | NewerWords, model_id: str, ready_at: int) -> ModelAsk:
        found = fingerprint_of(asked, model_id)
        return ModelAsk(holder=self.holder, asked=asked, fingerprint=found, ready_at=ready_at)

    def _older(self, place: int, turn: SaidTurn) -> list[OlderWords]:
        """Give the earlier statements of the speaker that a turn may contradict: those nearest to it.

        They share a content word or the topic with one of its statements, or are linked to it by their
        vectors. Where its words say themselves what they correct or command, nobody is asked.
        """
        is_asked = bool(turn.statements) and turn.correction is None and not turn.asks
        if not is_asked or not self.is_open(turn.turn_id, turn.at):
            return []
        before = [
            (number, one)
            for number, one in enumerate(self.ordered[:place])
            if one.speaker == turn.speaker and one.statements and self.is_open(one.turn_id, turn.at)
        ]
        linked = self._linked(turn, [one for _, one in before])
        mine = frozenset[str]().union(*(self._content(turn, one) for one in turn.statements))
        topics = {topic_key(one.topic) for one in turn.statements} - {""}
        ranked: list[tuple[int, int, int, OlderWords]] = []
        for (number, one), is_linked in zip(before, linked, strict=True):
            for said in one.statements:
                common = len(mine & self._content(one, said)) + (topic_key(said.topic) in topics)
                if common or is_linked:
                    ranked.append((-common, -number, said.start, _older_words(one, said)))
        nearest = sorted(ranked, key=lambda each: each[:3])[:MOST_OLDER]
        return [each[3] for each in sorted(nearest, key=lambda each: (-each[1], each[2]))]

    def _linked(self, turn: SaidTurn, before: Sequence[SaidTurn]) -> list[bool]:
        vector, floor = turn.vector, self.policy.importance.linked
        with_vector = [place for place, one in enumerate(before) if one.vector is not None]
        found = [False] * len(before)
        if vector is not None and with_vector:
            rows = np.stack([one.vector for one in before if one.vector is not None])
            for place, likeness in zip(with_vector, exact_similarities(rows, vector).tolist(), strict=True):
                found[place] = likeness >= floor
        return found

    def _content(self, turn: SaidTurn, said: SaidStatement) -> frozenset[str]:
        key = (turn.turn_id, said.start)
        if key not in self._words:
            self._words[key] = frozenset(content_words(turn.text[said.start : said.end], self.language))
        return self._words[key]


def _day(at: int) -> str:
    return (EPOCH + timedelta(milliseconds=at)).date().isoformat()


def _line(turn: SaidTurn) -> SpokenLine:
    return SpokenLine(
        turn_id=turn.turn_id,
        speaker=turn.speaker,
        is_users=turn.is_users,
        day=_day(turn.at),
        text=turn.text,
    )


def _older_words(turn: SaidTurn, said: SaidStatement) -> OlderWords:
    return OlderWords(
        turn_id=turn.turn_id,
        start=said.start,
        end=said.end,
        day=_day(turn.at),
        text=turn.text[said.start : said.end],
    )


def answered(wanted: Iterable[ModelAsk], kept: Mapping[str, ModelAsk]) -> tuple[ModelAsk, ...]:
    """Give each question with the answer that was kept of it."""
    return tuple(
        replace(one, answer=there.answer, embedder_id=there.embedder_id, vectors=there.vectors)
        if (there := kept.get(one.fingerprint)) is not None
        else one
        for one in wanted
    )


def word_of(asks: Iterable[ModelAsk], embedder_id: str) -> ModelWord:
    """Give what the answers there are say to a replay; vectors of another embedder are left aside."""
    threads: list[SummedThread] = []
    otherwise: list[ToldOtherwise] = []
    for ask in asks:
        if ask.answer is None:
            continue
        if isinstance(ask.asked, ThreadText):
            vectors = ask.vectors if ask.embedder_id == embedder_id else {}
            items = tuple(_with_vector(item, vectors) for item in ask.answer.items)
            shown = frozenset(ask.asked.turn_ids)
            threads.append(SummedThread(thread_id=ask.asked.thread_id, turn_ids=shown, items=items))
        elif ask.answer.older:
            otherwise.append(ToldOtherwise(turn_id=ask.asked.line.turn_id, older=ask.answer.older))
    return ModelWord(threads=tuple(threads), otherwise=tuple(otherwise))


def _with_vector(item: SummedItem, vectors: Mapping[str, bytes]) -> SummedItem:
    raw = vectors.get(text_hash(item.text))
    return item if raw is None else replace(item, vector=np.frombuffer(raw, dtype="<f4"))
