"""Figures of an evaluation as a table a person reads, or as one JSON object."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from kataribe.bench.evaluate import StoryFigures, TalkFigures

_TALK_HEAD = ("setting", "questions", "asked", "recall@5", "recall@10", "recall@25", "MRR", "ms")
_STORY_HEAD = ("story", "from", "setting", "probes", "leaks", "top 1", "top 5", "by words", "MRR", "ms")


def talk_lines(figures: Iterable[TalkFigures]) -> Iterator[str]:
    """Give the table of conversations line by line, as the figures come."""
    yield _line(_TALK_HEAD, (30, 14, 6))
    for one in figures:
        shares = [f"{share:.3f}" for share in (one.recall_5, one.recall_10, one.recall_25, one.mrr)]
        yield _line((one.setting, one.category, str(one.asked), *shares, f"{one.ms:.1f}"), (30, 14, 6))


def story_lines(figures: Iterable[StoryFigures]) -> Iterator[str]:
    """Give the table of stories line by line, as the figures come."""
    yield _line(_STORY_HEAD, (20, 6, 30, 7, 6))
    for one in figures:
        shares = [f"{share:.3f}" for share in (one.top_1, one.top_5, one.by_words, one.mrr)]
        head = (one.story, one.mode, one.setting, str(one.probes), str(one.leaks))
        yield _line((*head, *shares, f"{one.ms:.1f}"), (20, 6, 30, 7, 6))


def as_json(name: str, figures: Sequence[TalkFigures] | Sequence[StoryFigures], **about: object) -> str:
    """Give everything as one JSON object on one line."""
    whole = {"bench": name, **about, "figures": [one.as_json() for one in figures]}
    return json.dumps(whole, ensure_ascii=False)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = [f"{cell:<{widths[at]}}" if at < len(widths) else f"{cell:>9}" for at, cell in enumerate(cells)]
    return " ".join(padded).rstrip()
