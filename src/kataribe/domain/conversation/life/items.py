"""What a turn gives to memory: its statements, and what its commands name, as items of limited length."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kataribe.domain.conversation.life.events import Place, SaidStatement, SaidTurn, TurnAsk, TurnVerb
from kataribe.domain.conversation.life.summed import SummedItem
from kataribe.domain.conversation.life.values import ItemKind
from kataribe.domain.conversation.life.words import cut_at_sentence, same_words, topic_key
from kataribe.domain.ids import digest, text_hash

if TYPE_CHECKING:
    from kataribe.domain.conversation.life.events import Vector

_MAKING = frozenset({TurnVerb.REMEMBER, TurnVerb.FROM_NOW_ON})


@dataclass(frozen=True, slots=True, eq=False)
class LifeItem:
    """A span of a turn that may become a memory, or a source of one."""

    item_id: str
    number: int
    """Its place among all items, by which earlier ones are told from later ones."""
    turn: SaidTurn
    place: Place
    kind: ItemKind
    topic: str
    topic_key: str
    """What its topic is compared by; empty when it has none."""
    text: str
    same: str
    """What it shares with another saying of the same words."""
    subject: str
    """What tells whether two items are of one topic: the topic, or the words where there is none."""
    explicit: bool
    vector: Vector | None
    has_own_vector: bool
    sources: tuple[str, ...]
    """The ids of the turns it rests on, in the order they were said."""
    sensitivity: str | None = None
    """`pii_summary` or `none` of a model's words; None: nobody looked for personal data."""
    valence: float = 0.0


def memory_id_for(*, space: str, holder: str, kind: ItemKind, turn_id: str, text: str) -> str:
    """Make the id of a memory out of its first source: the turn, and the words it is made of."""
    return f"m-{digest('memory', space, holder, kind, turn_id, text_hash(text))[:24]}"


def items_of(turn: SaidTurn, *, space: str, holder: str, most: int, first: int) -> Iterator[LifeItem]:
    """Give the items of a turn in their order; `first` is the number of the first.

    A clear "remember" or "from now on" of the user makes the statements that its span touches explicit,
    each as far as both reach; where it touches none, the span itself is an item.
    """
    seen: set[str] = set()
    for place, kind, topic, explicit, vector in _spans(turn):
        text = cut_at_sentence(turn.text[place[0] : place[1]], most)
        item_id = memory_id_for(space=space, holder=holder, kind=kind, turn_id=turn.turn_id, text=text)
        key, same = topic_key(topic), same_words(text)
        if not same or item_id in seen:
            continue
        seen.add(item_id)
        yield LifeItem(
            item_id=item_id,
            number=first + len(seen) - 1,
            turn=turn,
            place=place,
            kind=kind,
            topic=topic,
            topic_key=key,
            text=text,
            same=same,
            subject=key or f"\0{same}",
            explicit=explicit,
            vector=turn.vector if vector is None else vector,
            has_own_vector=vector is not None,
            sources=(turn.turn_id,),
        )


def summed_item(made: SummedItem, turn: SaidTurn, *, space: str, holder: str, number: int) -> LifeItem:
    """Give an item in a model's words; `turn` is the last one that it rests on."""
    key, same = topic_key(made.topic), same_words(made.text)
    source = digest("sources", *made.sources)
    return LifeItem(
        item_id=memory_id_for(space=space, holder=holder, kind=made.kind, turn_id=source, text=made.text),
        number=number,
        turn=turn,
        place=(0, 0),
        kind=made.kind,
        topic=made.topic,
        topic_key=key,
        text=made.text,
        same=same,
        subject=key or f"\0{same}",
        explicit=made.explicit,
        vector=made.vector,
        has_own_vector=made.vector is not None,
        sources=made.sources,
        sensitivity="pii_summary" if made.pii else "none",
        valence=made.valence,
    )


_Span = tuple[Place, ItemKind, str, bool, "Vector | None"]


def _spans(turn: SaidTurn) -> list[_Span]:
    making = [one for one in commands(turn) if one.verb in _MAKING and one.end > one.start]
    touched = [_of_command(one, turn.statements) for one in making]
    named = {id(statement) for found in touched for statement, _ in found}
    spans: list[_Span] = [
        ((one.start, one.end), one.kind, one.topic, False, one.vector)
        for one in turn.statements
        if id(one) not in named
    ]
    for ask, found in zip(making, touched, strict=True):
        spans += [span for _, span in found] or [_bare(ask)]
    # By place, then by what they are, so that the order in which they were handed in does not matter.
    return sorted(spans, key=lambda one: (one[0], one[1], one[2], one[3]))


def _of_command(ask: TurnAsk, statements: Iterable[SaidStatement]) -> list[tuple[SaidStatement, _Span]]:
    found: list[tuple[SaidStatement, _Span]] = []
    for one in statements:
        start, end = max(one.start, ask.start), min(one.end, ask.end)
        if start < end:
            kind = ItemKind.POLICY if ask.verb is TurnVerb.FROM_NOW_ON else one.kind
            found.append((one, ((start, end), kind, one.topic, True, one.vector)))
    return found


def _bare(ask: TurnAsk) -> _Span:
    kind = ItemKind.POLICY if ask.verb is TurnVerb.FROM_NOW_ON else ItemKind.FACT
    return (ask.start, ask.end), kind, "", True, None


def commands(turn: SaidTurn) -> tuple[TurnAsk, ...]:
    """Give the clear commands of a turn: only the user's own turns command."""
    return tuple(one for one in turn.asks if one.is_clear) if turn.is_users else ()
