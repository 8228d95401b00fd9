"""Who tells each part of a text, as the cast and the author's marks have it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kataribe.domain.story.audience import NarratorMark, narrator_marks
from kataribe.domain.story.inputs import Character
from kataribe.domain.text.paragraphs import is_heading, is_scene_break
from kataribe.ports import Source


@dataclass(frozen=True, slots=True)
class StoryTeller:
    """Who tells a part of a text, and to whom (nobody in particular: it is no telling)."""

    who: frozenset[str] = frozenset()
    told_to: frozenset[str] = frozenset()
    is_named: bool = True
    """True when the cast or a mark says so; else the text itself was read for it."""


NOBODY_TELLS = StoryTeller()


def is_border(paragraph: str) -> bool:
    """Whether a paragraph only parts scenes: a break, or a heading."""
    return is_scene_break(paragraph) or is_heading(paragraph)


def named_tellers(source: Source) -> tuple[StoryTeller, ...]:
    """Say for each paragraph who narrates it, as the cast and the marks have it: a mark goes first.

    A mark at the head of the text holds for all of it, another until the next break or heading.
    """
    known = frozenset(one.character_id for one in source.cast)
    marks = iter(narrator_marks(source.text))
    mark = next(marks, None)
    whole, part, begun = _by_cast(source.cast), NOBODY_TELLS, False
    found: list[StoryTeller] = []
    for start, end in source.paragraphs:
        if is_border(source.text[start:end]):
            part = NOBODY_TELLS
        rest = start
        while mark is not None and mark.start < end:
            part, rest = _by_mark(mark, known), mark.end
            whole = whole if begun else part
            mark = next(marks, None)
        begun = begun or (not is_border(source.text[start:end]) and bool(source.text[rest:end].strip()))
        found.append(part if part.who else whole)
    return tuple(found)


def _by_cast(cast: Iterable[Character]) -> StoryTeller:
    tells = [one for one in cast if one.narrates]
    who = frozenset(one.character_id for one in tells)
    told = frozenset(each for one in tells for narration in one.narrates for each in narration.told_to)
    # Whom it is told to may be one this episode does not know yet.
    return (
        StoryTeller(who, (told - who) & frozenset(one.character_id for one in cast)) if who else NOBODY_TELLS
    )


def _by_mark(mark: NarratorMark, known: frozenset[str]) -> StoryTeller:
    return StoryTeller(frozenset({mark.narrator}) & known, mark.told_to & known)
