"""Stubs: what stays of a turn whose text has expired, so that the replay goes on as if it had not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from kataribe.domain.conversation.life.events import Place, SaidTurn, TurnAsk, TurnCorrection, TurnVerb
from kataribe.domain.conversation.life.values import ItemKind
from kataribe.domain.conversation.life.words import content_words, folded, holds
from kataribe.domain.conversation.masking import mask_one_time
from kataribe.domain.conversation.threads import phrase_at, too_short
from kataribe.domain.conversation.turns import Turn
from kataribe.domain.ids import digest
from kataribe.domain.terms import Language

if TYPE_CHECKING:
    from kataribe.domain.conversation.life.events import Vector

LEFT_OUT = "…"
"""What stands where words have expired; one character, so that no stub is longer than what was said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStub:
    """What the replay takes a turn by once its text has expired: spans of what is left of it.

    `said_hash` is of the turn as it was said. `vector` is that of the text that has expired, made by
    `embedder_id`. `echoes` are the turns whose commands to forget named only words that it had.
    """

    turn_id: str
    said_hash: str
    embedder_id: str
    vector: Vector | None = field(default=None, compare=False, repr=False)
    statements: tuple[tuple[int, int, ItemKind], ...] = ()
    asks: tuple[TurnAsk, ...] = ()
    correction: TurnCorrection | None = None
    echoes: tuple[str, ...] = ()


def said_hash(turn: Turn) -> str:
    """Tell a turn as it was said from every other."""
    return digest("said", turn.turn_id, turn.session, turn.speaker, turn.text, turn.caption or "")


def stub_of(
    turn: Turn,
    said: SaidTurn | None,
    *,
    language: Language,
    embedder_id: str,
    forgets: Iterable[SaidTurn] = (),
) -> tuple[Turn, TurnStub]:
    """Give what a turn becomes when its text expires, and its stub.

    Its statements stay, and what its commands and its correction name; `said` is None for a turn
    that is never remembered, of which nothing stays. `forgets` are the turns with commands to forget.
    """
    spans = [] if said is None else _kept(said, language)
    text, moved = _cut(mask_one_time(turn.text), spans)
    if not too_short(turn.text, language):
        # Threads are cut by how long a message is.
        text = text.ljust(_least(language))
    left = replace(turn, text=text, caption=None)
    stub = TurnStub(turn_id=turn.turn_id, said_hash=said_hash(turn), embedder_id=embedder_id)
    return left, stub if said is None else _filled(stub, said, moved, language, forgets)


def _least(language: Language) -> int:
    return next(length for length in range(1, 1000) if not too_short(" " * length, language))


def _kept(said: SaidTurn, language: Language) -> list[Place]:
    found = [(one.start, one.end) for one in said.statements]
    found += [(one.start, one.end) for one in said.asks if one.end > one.start]
    if said.correction is not None:
        found += [one for one in (said.correction.old, said.correction.new) if one is not None]
        if not said.statements:
            # Then it is compared by all of its words.
            found.append((0, len(said.text)))
    phrase = phrase_at(said.text, language)
    return _merged([*found, *([] if phrase is None else [phrase])])


def _merged(places: Iterable[Place]) -> list[Place]:
    found: list[Place] = []
    for start, end in sorted(places):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return [one for one in found if one[1] > one[0]]


@dataclass(frozen=True, slots=True)
class _Moved:
    """Where spans of what was said stand in what is left."""

    places: tuple[tuple[Place, int], ...]

    def place(self, start: int, end: int) -> Place:
        """Give the new place of a span; an empty one points nowhere."""
        for (first, last), at in self.places:
            if first <= start and end <= last and end > start:
                return at + start - first, at + end - first
        return 0, 0


def _cut(text: str, spans: Sequence[Place]) -> tuple[str, _Moved]:
    pieces: list[str] = []
    places: list[tuple[Place, int]] = []
    at = length = 0
    for start, end in (*spans, (len(text), len(text))):
        if start > at:
            between = LEFT_OUT if text[at:start].strip() else text[at]
            pieces.append(between)
            length += len(between)
        if end > start:
            places.append(((start, end), length))
            pieces.append(text[start:end])
            length += end - start
        at = end
    return "".join(pieces) or LEFT_OUT, _Moved(tuple(places))


def _filled(
    stub: TurnStub, said: SaidTurn, moved: _Moved, language: Language, forgets: Iterable[SaidTurn]
) -> TurnStub:
    return replace(
        stub,
        vector=said.vector,
        statements=tuple((*moved.place(one.start, one.end), one.kind) for one in said.statements),
        asks=tuple(_ask(one, moved) for one in said.asks),
        correction=None if said.correction is None else _correction(said.correction, moved),
        echoes=tuple(sorted({*said.echoes, *_echoes(said, forgets, language)})),
    )


def _ask(one: TurnAsk, moved: _Moved) -> TurnAsk:
    start, end = moved.place(one.start, one.end)
    return replace(one, start=start, end=end)


def _correction(one: TurnCorrection, moved: _Moved) -> TurnCorrection:
    return TurnCorrection(
        old=None if one.old is None else moved.place(*one.old),
        new=None if one.new is None else moved.place(*one.new),
    )


def _echoes(said: SaidTurn, forgets: Iterable[SaidTurn], language: Language) -> Iterable[str]:
    text = folded(said.text, language)
    for other in forgets:
        for ask in other.asks:
            words = content_words(other.text[ask.start : ask.end], language)
            if ask.verb is TurnVerb.FORGET and words and all(holds(text, one, language) for one in words):
                yield other.turn_id
