"""What one viewer knows that another does not, and where two stories part."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from kataribe.domain.gate import Gate, Viewer
from kataribe.domain.ids import WORLD, text_hash
from kataribe.domain.memory import Memory
from kataribe.domain.story.views import (
    REVIEW,
    Difference,
    EpisodeMark,
    EpisodePair,
    Line,
    StoryDifference,
    pending_of,
)
from kataribe.errors import InputError
from kataribe.ports import View
from kataribe.read.guard import admit, succession
from kataribe.story.kind import open_story
from kataribe.story.views.story_view import StoryView, see, shares_of

_Told = dict[tuple[str, str], Line]
"""What a story tells, by holder and hash of the words: the first line of each."""


def diff(view: View, left: Viewer, right: Viewer) -> Difference:
    """Compare what two viewers of one story know; raises `InputError`, `NotFoundError`.

    Each side is exactly what `known` gives that viewer.
    """
    if left.story != right.story:
        raise InputError("two viewers are compared within one story; compare stories by themselves")
    opened = (open_story(view, left), open_story(view, right))
    known_left, known_right = (_known(view, one.gate) for one in opened)
    new_left, new_right = (succession(view, one.gate).superseded_by for one in opened)
    return Difference(
        left=left,
        right=right,
        only_left=_lines(known_left, but=known_right, superseded=new_left),
        only_right=_lines(known_right, but=known_left, superseded=new_right),
        superseded=tuple(
            _line(memory, new_right[fact_id])
            for fact_id, memory in known_left.items()
            if fact_id in known_right and fact_id in new_right and fact_id not in new_left
        ),
        pending=tuple(sorted({*opened[0].pending_episodes, *opened[1].pending_episodes})),
        missing=tuple(
            dict.fromkeys(
                viewer.character
                for viewer, one in zip((left, right), opened, strict=True)
                if not one.scope.in_cast
            )
        ),
    )


def _known(view: View, gate: Gate) -> dict[str, Memory]:
    found: dict[str, Memory] = {}
    for memory in admit(gate, view.admitted(gate)):
        found.setdefault(memory.fact_id, memory)
    return found


def _lines(
    known: Mapping[str, Memory], *, but: Collection[str], superseded: Mapping[str, str]
) -> tuple[Line, ...]:
    return tuple(
        _line(memory, superseded.get(fact_id)) for fact_id, memory in known.items() if fact_id not in but
    )


def _line(memory: Memory, superseded_by: str | None) -> Line:
    return Line(
        fact_id=memory.fact_id,
        holder=memory.holder,
        episode_no=memory.episode_no,
        text=memory.text,
        superseded_by=superseded_by,
    )


def diff_stories(
    view: View, left_id: str, right_id: str, *, at: int | None = None, character: str | None = None
) -> StoryDifference:
    """Compare two stories, canon and branch say, up to the episode before `at` (None: all of them).

    `character` asks for the world's facts and that one's own. Raises `NotFoundError`.
    """
    left, right = see(view, left_id), see(view, right_id)
    last = None if at is None else at - 1
    marks_left = {mark.no: mark for mark in left.episodes(last=last)}
    marks_right = {mark.no: mark for mark in right.episodes(last=last)}
    holders = None if character is None else {WORLD, character}
    told_left = _told(view, left, marks_left, holders)
    told_right = _told(view, right, marks_right, holders)
    pairs = _pairs(left, right, marks_left, marks_right)
    return StoryDifference(
        left=left_id,
        right=right_id,
        at=at,
        shared=sum(1 for no, mark in marks_left.items() if mark == marks_right.get(no)),
        episodes=pairs,
        only_left=tuple(line for key, line in told_left.items() if key not in told_right),
        only_right=tuple(line for key, line in told_right.items() if key not in told_left),
        pending_left=pending_of(tuple(marks_left.values())),
        pending_right=pending_of(tuple(marks_right.values())),
    )


def _told(view: View, seen: StoryView, shown: Collection[int], holders: Collection[str] | None) -> _Told:
    found: _Told = {}
    for no, share in shares_of(view, seen, holders=holders):
        if no in shown and share.holder != REVIEW:
            line = Line(fact_id=share.fact_id, holder=share.holder, episode_no=no, text=share.text)
            found.setdefault((share.holder, text_hash(share.text)), line)
    return found


def _pairs(
    left: StoryView, right: StoryView, marks_left: dict[int, EpisodeMark], marks_right: dict[int, EpisodeMark]
) -> tuple[EpisodePair, ...]:
    hashes = {
        (side, state.no): state.text_hash
        for side, seen in enumerate((left, right))
        for state in seen.states.values()
    }
    found: list[EpisodePair] = []
    for no in _numbers(marks_left, marks_right):
        one, other = marks_left.get(no), marks_right.get(no)
        if one is None or other is None:
            found.append(EpisodePair(no=no, left=one, right=other))
        elif (one.story_id, one.episode_id) != (other.story_id, other.episode_id):
            changed = [] if hashes[0, no] == hashes[1, no] else ["text"]
            changed += [] if one.title == other.title else ["title"]
            if changed:
                found.append(EpisodePair(no=no, left=one, right=other, changed=tuple(changed)))
    return tuple(found)


def _numbers(*marks: Iterable[int]) -> list[int]:
    return sorted({no for each in marks for no in each})
