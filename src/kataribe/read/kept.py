"""What is at hand before anything is searched, made fit for a context: each thing is said once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from kataribe.domain.ids import normalise
from kataribe.domain.recall.at_hand import AtHand, KeptLine, SaidLine, wanted_kept
from kataribe.domain.recall.context import (
    CUT,
    Component,
    ContextItem,
    ContextPolicy,
    Count,
    Dropped,
    DropReason,
    newest,
)
from kataribe.domain.recall.context_words import kept_where, words
from kataribe.domain.terms import Language
from kataribe.domain.text import fence
from kataribe.domain.text.paragraphs import sentences
from kataribe.read.select import WITHHELD, Screened

Turn = tuple[str, str]
"""Space and id of a turn."""
KEPT = (Component.LONG, Component.MID)
"""The parts that what is kept of conversations stands in, in the order in which they claim."""
FENCES: Mapping[Component, str] = {
    Component.LONG: "long-term",
    Component.MID: "mid-term",
    Component.SHORT: "short-term",
}
_SHOWN = 40


@dataclass(frozen=True, slots=True)
class NamedKept:
    """A memory under its handle, and why it is wanted; `why` is set where it makes way, with the reason."""

    handle: str
    line: KeptLine
    reason: str
    why: DropReason | None = None
    detail: str = ""

    def item(self, language: Language, cost: Callable[[fence.Fenced], int]) -> ContextItem:
        """Make it an item of a context."""
        line = self.line
        made = fence.Fenced(handle=self.handle, where=kept_where(line, language), text=line.text)
        return ContextItem(
            handle=self.handle,
            id=line.memory_id,
            fact_id=line.memory_id,
            where=made.where,
            text=line.text,
            tokens=cost(made),
            reason=self.reason,
            sources=line.sources,
        )

    def dropped(self, why: DropReason, detail: str) -> Dropped:
        """Say that it is not in the context."""
        part, name = self.line.part, self.line.memory_id
        return Dropped(part=part, why=why, detail=detail, handle=self.handle, id=name, fact_id=name)


@dataclass(frozen=True, slots=True)
class Short:
    """The messages that were just said: those to be shown, and those that make way.

    `asked` is the last one where it is the question itself.
    """

    shown: tuple[SaidLine, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    asked: SaidLine | None = None

    @property
    def standing(self) -> tuple[SaidLine, ...]:
        """All that stand in the context, the question too."""
        return self.shown if self.asked is None else (*self.shown, self.asked)

    @property
    def turns(self) -> frozenset[Turn]:
        """The turns they are."""
        return frozenset((line.space, line.turn_id) for line in self.standing)


def short_lines(
    found: AtHand | None, question: str, recent: Sequence[str], *, room: int, count: Count
) -> Short:
    """Choose the newest messages that fit into `room` tokens.

    What the question or a recent message says word for word makes way for it.
    """
    if found is None:
        return Short()
    dropped: list[Dropped] = []
    lines: list[SaidLine] = []
    said = {normalise(message) for message in recent}
    asked: SaidLine | None = None
    for at, line in enumerate(found.said, start=1):
        text = normalise(line.text)
        if at == len(found.said) and text == normalise(question):
            asked = line
            dropped.append(unsaid(line, DropReason.DUPLICATE, "it is the question"))
        elif line.is_withheld:
            dropped.append(unsaid(line, DropReason.SENSITIVE, WITHHELD))
        elif text in said:
            dropped.append(unsaid(line, DropReason.RECENT, "the recent messages say so"))
        else:
            lines.append(line)
    first = newest([count(f"{written(line)}\n") for line in lines], room)
    dropped += [unsaid(line, DropReason.BUDGET, f"no room for {_start(line)!r}") for line in lines[:first]]
    return Short(tuple(lines[first:]), tuple(dropped), asked)


def written(line: SaidLine) -> str:
    """Write a message as a line of a context."""
    return f"- {fence.escape(line.line)}"


def unsaid(line: SaidLine, why: DropReason, detail: str) -> Dropped:
    """Say that a message is not in the context."""
    return Dropped(part=Component.SHORT, why=why, detail=detail, id=line.turn_id, fact_id=line.turn_id)


def _start(line: SaidLine) -> str:
    return line.line if len(line.line) <= _SHOWN else line.line[:_SHOWN] + CUT


def short_overhead(language: Language, count: Count) -> int:
    """Give the tokens that stand around the messages."""
    fenced = fence.fenced(FENCES[Component.SHORT], "0" * fence.MARK_LENGTH, [])
    return count(f"{words(language).short}\n{fenced}\n\n")


def without_said(screened: Screened, said: frozenset[Turn]) -> Screened:
    """Leave out of what was found the turns that stand among the messages just said."""
    again = [one for one in screened.chosen if (one.hit.space, one.hit.fact_id) in said]
    if not again:
        return screened
    dropped = [one.dropped(DropReason.RECENT, "it was said just now") for one in again]
    return replace(
        screened,
        chosen=tuple(one for one in screened.chosen if one not in again),
        dropped=(*screened.dropped, *dropped),
    )


def kept_lines(
    found: AtHand, question: str, language: Language, screened: Screened, parts: Sequence[Component]
) -> tuple[NamedKept, ...]:
    """Name what is worth a place of what is kept, the long term first; handles go on after those of hits."""
    chosen = wanted_kept([one for one in found.kept if one.part in parts], question, language)
    ordered = [pair for part in KEPT for pair in chosen if pair[0].part is part]
    left_out = _left_out(screened)
    first = screened.count + 1
    return tuple(
        _kept(f"m{number}", line, shared, left_out)
        for number, (line, shared) in enumerate(ordered, start=first)
    )


def _kept(handle: str, line: KeptLine, shared: int, left_out: Mapping[Turn, Dropped]) -> NamedKept:
    reasons = [
        *(["the user wanted it kept, or it is pinned"] if line.is_standing else []),
        *(["the conversation goes on from it"] if line.is_resumed else []),
        *([f"shares {shared} word{'s' * (shared != 1)} with the question"] if shared else []),
    ]
    reason = ", ".join(reasons) or ("fresh" if line.part is Component.MID else "kept for long")
    if line.is_withheld:
        return NamedKept(handle, line, reason, DropReason.SENSITIVE, WITHHELD)
    unused = [left_out.get((line.space, source)) for source in line.sources]
    if all(unused) and not (line.is_standing or line.is_resumed or line.is_by_hand):
        first = next(one for one in unused if one is not None)
        return NamedKept(handle, line, reason, first.why, f"what was said was left out as {first.handle}")
    return NamedKept(handle, line, reason)


def _left_out(screened: Screened) -> dict[Turn, Dropped]:
    """Give by turn what was recalled and may not be used."""
    places = {hit.id: (hit.space, hit.fact_id) for hit in screened.found.hits}
    unused = (DropReason.BELOW_MINIMUM, DropReason.JUDGE)
    return {
        places[one.id]: one
        for one in screened.dropped
        if one.why in unused and one.id is not None and one.id in places
    }


def once(
    kept: Sequence[NamedKept],
    turns: frozenset[Turn],
    texts: Sequence[str],
    language: Language,
    policy: ContextPolicy,
) -> tuple[NamedKept, ...]:
    """Take out of what is kept what stands in the context already: a memory makes way for what was said.

    `turns` are those that stand there, `texts` all that is said there. Of a memory that says more
    than they do the rest stays.
    """
    said = [normalise(text) for text in texts]
    found: list[NamedKept] = []
    for one in kept:
        made = one if one.why is not None else _once(one, turns, said, language, policy)
        found.append(made)
        if made.why is None:
            said.append(normalise(made.line.text))
    return tuple(found)


def _once(
    one: NamedKept, turns: frozenset[Turn], said: Sequence[str], language: Language, policy: ContextPolicy
) -> NamedKept:
    line = one.line
    stand = all((line.space, source) in turns for source in line.sources)
    text = line.text
    told = [text[start:end] for start, end in sentences(text, 0, len(text), language)] or [text]
    left = [each for each in told if not _is_said(normalise(each), said, policy.contained)]
    if not left or (stand and not line.is_by_hand):
        return replace(one, why=DropReason.DUPLICATE, detail="what was said stands there itself")
    if len(left) == len(told):
        return one
    rest = (" " if language == "en" else "").join(left)
    return replace(one, line=replace(line, text=rest))


def _is_said(text: str, said: Sequence[str], contained: int) -> bool:
    return any(text == one or (len(text) >= contained and text in one) for one in said)
