"""Unattributed dialogue: two who talk take turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kataribe.adapters.rules.passages import QuotedPassage

_MOST_NARRATION = 1
"""Paragraphs of narration a conversation goes on over."""
_BACK = 6
"""Lines of dialogue that are looked back on for who talks with whom."""


def runs(passages: Sequence[QuotedPassage]) -> tuple[tuple[int, ...], ...]:
    """Give the conversations: paragraphs that begin with a quotation, at most one of narration between."""
    found: list[list[int]] = []
    for index, passage in enumerate(passages):
        if not is_line(passage):
            continue
        if found and index - found[-1][-1] <= _MOST_NARRATION + 1:
            found[-1].append(index)
        else:
            found.append([index])
    return tuple(tuple(run) for run in found if len(run) > 1)


def is_line(passage: QuotedPassage) -> bool:
    """Whether a paragraph opens with something said."""
    return bool(passage.quotes) and not passage.told_between(passage.start, passage.quotes[0][0]).strip()


def by_turns(run: Sequence[int], told: Mapping[int, str]) -> dict[int, str]:
    """Give the speakers of lines that name none, where two and no more are heard around them.

    `told` holds for lines whose speaker is named who that is.
    """
    found: dict[int, str] = {}
    for place, line in enumerate(run):
        if line in told or place == 0 or run[place - 1] != line - 1:
            continue
        before = told.get(run[place - 1]) or found.get(run[place - 1])
        if before is None:
            continue
        near = run[max(place - _BACK, 0) : place + _BACK]
        others = {told[each] for each in near if each in told} - {before}
        if len(others) == 1:
            found[line] = next(iter(others))
    return found
