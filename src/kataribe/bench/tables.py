"""Figures of an evaluation as a table a person reads, or as one JSON object."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from kataribe.bench.ablation import WHOLE
from kataribe.bench.evaluate import StoryFigures, TalkFigures
from kataribe.bench.presence import ALL, PresenceFigures
from kataribe.bench.worth import Figure, Measured, Worth
from kataribe.formats.wire.bench import (
    HoldersBenchJson,
    MeasuredSetJson,
    PartsBenchJson,
    PartWorthJson,
    StoryBenchJson,
    TalkBenchJson,
)

_TALK_HEAD = ("setting", "questions", "asked", "recall@5", "recall@10", "recall@25", "MRR", "ms")
_CONTEXT_HEAD = ("tokens", "told", "per 1,000")
_PRESENCE_HEAD = (
    *("work", "mode", "of", "sentences", "guessed", "right", "noted"),
    *("precision", "recall", "waiting", "missed", "to world"),
)
_STORY_HEAD = (
    "story",
    "from",
    "setting",
    "probes",
    "leaks",
    "top 1",
    "top 5",
    "by words",
    "around",
    "MRR",
    "ms",
)


def talk_lines(figures: Iterable[TalkFigures]) -> Iterator[str]:
    """Give the table of conversations line by line, as the figures come."""
    is_begun = False
    for one in figures:
        if not is_begun:
            head = _TALK_HEAD if one.context_tokens is None else (*_TALK_HEAD, *_CONTEXT_HEAD)
            yield _line(head, (30, 14, 6))
            is_begun = True
        shares = [f"{share:.3f}" for share in (one.recall_5, one.recall_10, one.recall_25, one.mrr)]
        cells = (one.setting, one.category, str(one.asked), *shares, f"{one.ms:.1f}", *_of_context(one))
        yield _line(cells, (30, 14, 6))


def _of_context(one: TalkFigures) -> Iterator[str]:
    """Say what contexts came to, where they were put together."""
    if one.context_tokens is not None:
        yield f"{one.context_tokens:.0f}"
        yield f"{one.context_evidence or 0:.3f}"
        yield f"{one.evidence_per_1000 or 0:.3f}"


def story_lines(figures: Iterable[StoryFigures]) -> Iterator[str]:
    """Give the table of stories line by line, as the figures come."""
    yield _line(_STORY_HEAD, (20, 6, 30, 7, 6))
    for one in figures:
        shares = [f"{share:.3f}" for share in (one.top_1, one.top_5, one.by_words, one.around, one.mrr)]
        head = (one.story, one.mode, one.setting, str(one.probes), str(one.leaks))
        yield _line((*head, *shares, f"{one.ms:.1f}"), (20, 6, 30, 7, 6))


def presence_lines(figures: Iterable[PresenceFigures]) -> Iterator[str]:
    """Give the table of who was there line by line: each mode as a whole, by evidence and by episode."""
    widths = (20, 8, 12)
    yield _line(_PRESENCE_HEAD, widths)
    for one in figures:
        of = one.evidence if one.episode is None else f"episode {one.episode}"
        whole = one.evidence == ALL
        noted, recall = (str(one.noted), f"{one.recall:.3f}") if whole else ("", "")
        rest = (str(one.waiting), str(one.missed), str(one.to_world)) if whole else ("", "", "")
        counts = (str(one.sentences), str(one.guessed), str(one.right), noted)
        yield _line((one.work, one.mode, of, *counts, f"{one.precision:.3f}", recall, *rest), widths)


def presence_json(figures: Iterable[PresenceFigures], *, extractor: str) -> str:
    """Give the figures of who was there as one JSON object on one line."""
    whole: HoldersBenchJson = {
        "bench": "holders",
        "extractor": extractor,
        "figures": [one.as_json() for one in figures],
    }
    return json.dumps(whole, ensure_ascii=False)


def as_json(name: str, figures: Sequence[TalkFigures] | Sequence[StoryFigures], *, embedder: str) -> str:
    """Give everything as one JSON object on one line."""
    talks = [one.as_json() for one in figures if isinstance(one, TalkFigures)]
    stories = [one.as_json() for one in figures if isinstance(one, StoryFigures)]
    whole: TalkBenchJson | StoryBenchJson = (
        {"bench": name, "embedder": embedder, "figures": stories}
        if stories
        else {"bench": name, "embedder": embedder, "figures": talks}
    )
    return json.dumps(whole, ensure_ascii=False)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = [f"{cell:<{widths[at]}}" if at < len(widths) else f"{cell:>9}" for at, cell in enumerate(cells)]
    return " ".join(padded).rstrip()


def worth_lines(measured: Sequence[Measured], worths: Sequence[Worth]) -> Iterator[str]:
    """Give the table of the parts: what was found with all of them, then what each one earns."""
    yield _columns("part", "default", [f"{one.name} ({one.asked})" for one in measured], "earns on")
    yield _columns("", "", [" ".join(f"{name:>6}" for name in _short(one)) for one in measured], "")
    yield _columns(WHOLE, "", [_numbers(one.found[WHOLE], "6.3f") for one in measured], "")
    for worth in worths:
        more = [worth.more.get(one.name) for one in measured]
        cells = ["" if one is None else _numbers(one, "+6.3f") for one in more]
        earns = f"{len(worth.earns)} of {len(worth.more)}"
        yield _columns(worth.part, "on" if worth.is_on else "off", cells, earns)
    for worth in worths:
        if worth.is_on and not worth.earns and worth.unasked:
            yield f"{worth.part} is on for what is not asked here: {worth.unasked}"


def worth_json(measured: Sequence[Measured], worths: Sequence[Worth], *, embedder: str, as_of: str) -> str:
    """Give what the parts are worth as one JSON object on one line."""
    kinds = {one.name: one.kind for one in measured}
    sets: list[MeasuredSetJson] = [
        {"set": one.name, "asked": one.asked, **one.found[WHOLE].as_json(one.kind)} for one in measured
    ]
    parts: list[PartWorthJson] = [
        {
            "part": one.part,
            "on": one.is_on,
            "more": {name: more.as_json(kinds[name]) for name, more in one.more.items()},
            "earns": list(one.earns),
            "unasked": one.unasked or None,
        }
        for one in worths
    ]
    whole: PartsBenchJson = {
        "bench": "parts",
        "embedder": embedder,
        "as_of": as_of,
        "sets": sets,
        "parts": parts,
    }
    return json.dumps(whole, ensure_ascii=False)


def _short(measured: Measured) -> tuple[str, ...]:
    return ("R@5", "R@10", "MRR") if measured.kind == "talk" else ("top 1", "top 5", "MRR")


def _numbers(figure: Figure, form: str) -> str:
    return " ".join(f"{one:{form}}" for one in figure)


def _columns(part: str, default: str, cells: Sequence[str], last: str) -> str:
    return f"{part:<30} {default:<7} {' '.join(f'{cell:>22}' for cell in cells)}  {last}".rstrip()
