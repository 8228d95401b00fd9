"""What a model is asked about what was said, what it may answer, and what of that is taken."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from kataribe.domain.conversation.life.events import Place
from kataribe.domain.conversation.life.summed import Emotion, SummedItem, valence_of
from kataribe.domain.conversation.life.values import ItemKind
from kataribe.domain.conversation.life.words import content_words, folded, holds
from kataribe.domain.conversation.masking import mask_one_time
from kataribe.domain.ids import digest
from kataribe.domain.memory import NO_USAGE, Usage
from kataribe.domain.similarity import DECIMALS
from kataribe.domain.terms import Language

MOST_ITEMS = 24
"""Items that are taken of one thread."""
MOST_KEYWORDS = 12
MOST_TOPIC = 60
"""Characters of a topic or a keyword."""


class AskKind(StrEnum):
    """What a model is asked about what was said."""

    THREAD = "thread"
    """To sum up a thread that left the buffer."""
    NEWER = "newer"
    """Which older statements a newer one does away with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpokenLine:
    """A turn as a model is shown it: masked, with the day it was said on."""

    turn_id: str
    speaker: str
    is_users: bool
    day: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadText:
    """A thread to be summed up; no item may have more than `most` characters."""

    thread_id: str
    language: Language
    lines: tuple[SpokenLine, ...]
    most: int = 200

    @property
    def turn_ids(self) -> tuple[str, ...]:
        """The turns that are shown."""
        return tuple(line.turn_id for line in self.lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class OlderWords:
    """A statement of an earlier turn: where it stands in that, and its words."""

    turn_id: str
    start: int
    end: int
    day: str
    text: str

    @property
    def place(self) -> tuple[str, Place]:
        """The turn, and where in it."""
        return self.turn_id, (self.start, self.end)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewerWords:
    """What somebody says, and older statements of the same speaker that it may contradict."""

    language: Language
    line: SpokenLine
    older: tuple[OlderWords, ...]

    @property
    def turn_ids(self) -> tuple[str, ...]:
        """The turns that are shown."""
        return tuple(dict.fromkeys((self.line.turn_id, *(one.turn_id for one in self.older))))


Asked = ThreadText | NewerWords


def kind_of(asked: Asked) -> AskKind:
    """Say what is asked."""
    return AskKind.THREAD if isinstance(asked, ThreadText) else AskKind.NEWER


def fingerprint_of(asked: Asked, model_id: str) -> str:
    """Name a question by all that is shown, and by who is asked with which version of the prompt."""
    shown = json.dumps(asdict(asked), ensure_ascii=True, sort_keys=True)
    return digest("ask", model_id, kind_of(asked), shown)


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedItem:
    """An item as a model offers it; nothing of it is checked."""

    text: str
    topic: str = ""
    kind: str = ItemKind.FACT.value
    sources: tuple[str, ...] = ()
    explicit: bool = False
    pii: bool = False
    emotion: str = Emotion.NEUTRAL.value
    intensity: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedSummary:
    """What a model makes of a thread, and what asking took."""

    items: tuple[OfferedItem, ...] = ()
    keywords: tuple[str, ...] = ()
    usage: Usage = NO_USAGE


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedContradictions:
    """Which older statements a newer one does away with, by their place among those shown, from 0 on."""

    places: tuple[int, ...] = ()
    usage: Usage = NO_USAGE


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAnswer:
    """What was taken of an answer, and what was refused and why; `keywords` are a thread's."""

    items: tuple[SummedItem, ...] = ()
    keywords: tuple[str, ...] = ()
    older: tuple[tuple[str, Place], ...] = ()
    refused: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAsk:
    """A question to a model about what one holder was told, and its answer once there is one.

    `ready_at` is the position from which it may be asked. `vectors` are those of its items, by text
    hash, as `embedder_id` made them.
    """

    holder: str
    asked: Asked
    fingerprint: str
    ready_at: int = 0
    answer: ModelAnswer | None = None
    embedder_id: str = ""
    vectors: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def unit(self) -> str:
        """What the work on it is called."""
        return f"{kind_of(self.asked)}-{digest(self.holder, self.fingerprint)[:16]}"


def take_summary(offered: OfferedSummary, thread: ThreadText) -> ModelAnswer:
    """Take what may be kept of a model's items; the rest is refused, with the reason.

    An item rests on turns of the thread, is not empty and not too long. It also rests on those it does
    not name whose words it has. Only what rests on a turn of the user can be explicit: nobody else's
    words command.
    """
    taken: list[SummedItem] = []
    refused: list[str] = []
    for one in offered.items:
        item = _item_of(one, thread)
        why = _wrong_with(item, one, thread, len(taken))
        if why is None:
            taken.append(item)
        else:
            refused.append(f"{_short(item.text)!r}: {why}")
    keywords = dict.fromkeys(word for one in offered.keywords if (word := _short(_clean(one))))
    return ModelAnswer(
        items=tuple(dict.fromkeys(taken)), keywords=tuple(keywords)[:MOST_KEYWORDS], refused=tuple(refused)
    )


def _item_of(one: OfferedItem, thread: ThreadText) -> SummedItem:
    users = {line.turn_id for line in thread.lines if line.is_users}
    emotion = one.emotion.strip().casefold()
    felt = Emotion(emotion) if emotion in {*Emotion} else Emotion.NEUTRAL
    intensity = one.intensity if math.isfinite(one.intensity) else 0.0
    kind = one.kind.strip().casefold()
    named = set(one.sources)
    text, topic = _clean(one.text), _clean(one.topic)[:MOST_TOPIC]
    if not named.isdisjoint(thread.turn_ids):
        named |= _lent(f"{text} {topic}", named, thread)
    return SummedItem(
        text=text,
        topic=topic,
        kind=ItemKind(kind) if kind in {*ItemKind} else ItemKind.FACT,
        # In the order they were said, whatever the order in which they were named.
        sources=tuple(turn_id for turn_id in thread.turn_ids if turn_id in named),
        explicit=one.explicit and not named.isdisjoint(users),
        pii=one.pii,
        valence=round(valence_of(felt, intensity), DECIMALS),
    )


def _lent(text: str, named: set[str], thread: ThreadText) -> set[str]:
    """Give the turns that have content words of a text which none of those named has: it rests on them."""
    known = {line.turn_id: folded(line.text, thread.language) for line in thread.lines}
    found: set[str] = set()
    for word in content_words(text, thread.language):
        having = {turn_id for turn_id, told in known.items() if holds(told, word, thread.language)}
        if having.isdisjoint(named):
            found |= having
    return found


def _wrong_with(item: SummedItem, one: OfferedItem, thread: ThreadText, taken: int) -> str | None:
    if not any(char.isalnum() for char in item.text):
        return "it has no words"
    if len(item.text) > thread.most:
        return f"it has {len(item.text)} characters, {thread.most} are allowed"
    strangers = sorted(set(one.sources) - set(thread.turn_ids))
    if strangers or not item.sources:
        return "it rests on no turn of its thread" if not strangers else "it names a turn of another thread"
    return f"there are {MOST_ITEMS} already" if taken >= MOST_ITEMS else None


def take_contradictions(offered: OfferedContradictions, newer: NewerWords) -> ModelAnswer:
    """Take the statements that a model names, as far as they were shown."""
    known = sorted({place for place in offered.places if 0 <= place < len(newer.older)})
    refused = [f"there is no statement {one}" for one in offered.places if one not in known]
    return ModelAnswer(older=tuple(newer.older[place].place for place in known), refused=tuple(refused))


def _clean(text: str) -> str:
    """Mask what is good for one use, and let nothing in but words on one line."""
    plain = "".join(char if char.isprintable() else " " for char in text)
    return mask_one_time(" ".join(plain.split()))


def _short(text: str) -> str:
    return text[:MOST_TOPIC]


def texts_of(answer: ModelAnswer) -> Iterator[str]:
    """Give the texts of an answer that need a vector."""
    return (item.text for item in answer.items)


# -- as stored -------------------------------------------------------------------------------


def asked_out(asked: Asked) -> dict[str, Any]:
    """Write what is asked."""
    return asdict(asked)


def asked_in(kind: str, row: Mapping[str, Any]) -> Asked:
    """Read what is asked."""
    if AskKind(kind) is AskKind.THREAD:
        return ThreadText(**{**row, "lines": tuple(SpokenLine(**line) for line in row["lines"])})
    older = tuple(OlderWords(**one) for one in row["older"])
    return NewerWords(language=row["language"], line=SpokenLine(**row["line"]), older=older)


def answer_out(answer: ModelAnswer) -> dict[str, Any]:
    """Write what was taken of an answer."""
    return {
        "items": [_item_out(item) for item in answer.items],
        "keywords": list(answer.keywords),
        "older": [[turn_id, *place] for turn_id, place in answer.older],
        "refused": list(answer.refused),
    }


def _item_out(item: SummedItem) -> dict[str, Any]:
    return {
        "text": item.text,
        "topic": item.topic,
        "kind": item.kind.value,
        "sources": list(item.sources),
        "explicit": item.explicit,
        "pii": item.pii,
        "valence": item.valence,
    }


def answer_in(row: Mapping[str, Any]) -> ModelAnswer:
    """Read what was taken of an answer."""
    return ModelAnswer(
        items=tuple(
            SummedItem(**{**one, "kind": ItemKind(one["kind"]), "sources": tuple(one["sources"])})
            for one in row["items"]
        ),
        keywords=tuple(row["keywords"]),
        older=tuple((turn_id, (start, end)) for turn_id, start, end in row["older"]),
        refused=tuple(row["refused"]),
    )
