"""The writer's views as plain JSON values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NotRequired, TypedDict

from kataribe.domain.gate import Viewer
from kataribe.domain.ids import WORLD
from kataribe.domain.story.views import (
    REVIEW,
    Difference,
    EpisodeMark,
    EpisodePair,
    Event,
    Finding,
    Inspection,
    Line,
    Matrix,
    Row,
    StoryDifference,
    Timeline,
    Why,
)
from kataribe.formats.wire.story import HoldingJson, holding_json


class GainedFactJson(TypedDict):
    """A fact that is gained in a cell of the matrix, and what speaks for its holder."""

    fact_id: str
    text: str
    evidence: str | None
    confidence: float | None


class MatrixCellJson(TypedDict):
    """What a holder gains in one episode."""

    episode_no: int
    known_from: int | None
    count: int
    facts: list[GainedFactJson]


class MatrixRowJson(TypedDict):
    """What one holder gains; `holder` is null for what waits in review."""

    holder: str | None
    scope: str
    name: str
    total: int
    cells: list[MatrixCellJson]


class EpisodeMarkJson(TypedDict):
    """An episode at the head of a view."""

    episode_no: int
    episode_id: str
    title: str | None
    story: str
    in_memory: bool


class MatrixJson(TypedDict):
    """The one object of `matrix --json`."""

    story: str
    title: str | None
    pending_episodes: list[int]
    episodes: list[EpisodeMarkJson]
    rows: list[MatrixRowJson]


class StoryViewerJson(TypedDict):
    """A viewer of a story."""

    story: str | None
    character: str
    at: int | None


class LineJson(TypedDict):
    """A fact that one side knows."""

    fact_id: str
    character_id: str
    episode_no: int
    text: str
    superseded_by: str | None


class DifferenceJson(TypedDict):
    """The one object of `diff --json`."""

    left: StoryViewerJson
    right: StoryViewerJson
    only_left: list[LineJson]
    only_right: list[LineJson]
    superseded: list[LineJson]
    pending_episodes: list[int]
    not_in_cast: list[str]


class EpisodePairJson(TypedDict):
    """An episode in which two stories differ."""

    episode_no: int
    left: EpisodeMarkJson | None
    right: EpisodeMarkJson | None
    changed: list[str]


class StoryDifferenceJson(TypedDict):
    """The one object of `story branch diff --json`."""

    left: str
    right: str
    at: int | None
    shared_episodes: int
    episodes: list[EpisodePairJson]
    only_left: list[LineJson]
    only_right: list[LineJson]
    pending_left: list[int]
    pending_right: list[int]


class CheckJson(TypedDict):
    """One reason for or against."""

    step: str
    ok: bool
    says: str


class EvidenceJson(TypedDict):
    """What a fact was made from."""

    reason: str
    origin: str
    flagged: bool
    quote: str | None
    quote_episode_no: int | None
    told_from: str | None
    told_text: str | None


class AskedViewerJson(TypedDict, total=False):
    """Who is asked about; with a user every key that was given."""

    story: str | None
    character: str
    at: int | None
    user: str | None
    persona: str | None
    as_of: str


class WhyJson(TypedDict):
    """A line of `why --json`; a turn has its space, session, speaker and time."""

    viewer: AskedViewerJson
    fact_id: str
    text: str
    space: NotRequired[str]
    session: NotRequired[str]
    speaker: NotRequired[str]
    time: NotRequired[str]
    episode_no: int | None
    knows: bool
    known_from: int | None
    known_by: list[str]
    holdings: list[HoldingJson]
    superseded_by: str | None
    checks: list[CheckJson]
    evidence: EvidenceJson | None


class TimelineEventJson(TypedDict):
    """A telling of a fact."""

    episode_no: int
    episode_id: str
    fact_id: str
    text: str
    way: str
    linked: str | None
    known_by: list[str]
    in_review: bool


class LearnedJson(TypedDict):
    """When one character learns a fact; null when it never does."""

    character_id: str
    name: str
    episode_no: int | None
    known_from: int | None
    fact_id: str | None
    through: str | None


class TimelineJson(TypedDict):
    """The one object of `timeline --json`."""

    story: str
    fact_id: str
    text: str
    events: list[TimelineEventJson]
    learned: list[LearnedJson]
    pending_episodes: list[int]


class QuotedSentenceJson(TypedDict):
    """A sentence that a finding is about; null where its words do not stand in its episode."""

    fact_id: str
    episode_no: int
    paragraph: int | None
    start: int | None
    text: str


class FindingJson(TypedDict):
    """Something a writer would want to mend."""

    code: str
    severity: str
    episode_no: int | None
    fact_ids: list[str]
    characters: list[str]
    guessed_facts: list[str]
    says: str
    advice: str
    guessed: bool
    quotes: list[QuotedSentenceJson]


class InspectionJson(TypedDict):
    """The one object of `check --json`."""

    story: str
    ok: bool
    episodes: int
    facts: int
    guessed: int
    counts: dict[str, int]
    pending_episodes: list[int]
    findings: list[FindingJson]


def matrix_json(found: Matrix) -> MatrixJson:
    """Give a matrix: rows with a cell for each episode in which something is gained."""
    told: dict[tuple[str, int], list[GainedFactJson]] = {}
    for line in found.lines:
        told.setdefault((line.holder, line.episode_no), []).append(
            {
                "fact_id": line.fact_id,
                "text": line.text,
                "evidence": line.evidence,
                "confidence": line.confidence,
            }
        )
    return {
        "story": found.story_id,
        "title": found.title,
        "pending_episodes": list(found.pending),
        "episodes": [_mark(episode) for episode in found.episodes],
        "rows": [
            {
                "holder": row.holder or None,
                "scope": _scope(row),
                "name": row.name,
                "total": row.total,
                "cells": [
                    {
                        "episode_no": no,
                        "known_from": None if row.holder == REVIEW else no + 1,
                        "count": count,
                        "facts": told.get((row.holder, no), []),
                    }
                    for no, count in row.counts.items()
                ],
            }
            for row in found.rows
        ],
    }


def _scope(row: Row) -> str:
    if row.holder == REVIEW:
        return "review"
    return "world" if row.holder == WORLD else "character"


def _mark(episode: EpisodeMark) -> EpisodeMarkJson:
    return {
        "episode_no": episode.no,
        "episode_id": episode.episode_id,
        "title": episode.title,
        "story": episode.story_id,
        "in_memory": episode.in_memory,
    }


def difference_json(found: Difference) -> DifferenceJson:
    """Give what two viewers know apart from each other."""
    return {
        "left": _viewer(found.left),
        "right": _viewer(found.right),
        "only_left": _lines(found.only_left),
        "only_right": _lines(found.only_right),
        "superseded": _lines(found.superseded),
        "pending_episodes": list(found.pending),
        "not_in_cast": list(found.missing),
    }


def _viewer(viewer: Viewer) -> StoryViewerJson:
    return {"story": viewer.story, "character": viewer.character, "at": viewer.at}


def _lines(lines: Iterable[Line]) -> list[LineJson]:
    return [
        {
            "fact_id": line.fact_id,
            "character_id": line.holder,
            "episode_no": line.episode_no,
            "text": line.text,
            "superseded_by": line.superseded_by,
        }
        for line in lines
    ]


def story_difference_json(found: StoryDifference) -> StoryDifferenceJson:
    """Give where two stories part."""
    return {
        "left": found.left,
        "right": found.right,
        "at": found.at,
        "shared_episodes": found.shared,
        "episodes": [_pair(pair) for pair in found.episodes],
        "only_left": _lines(found.only_left),
        "only_right": _lines(found.only_right),
        "pending_left": list(found.pending_left),
        "pending_right": list(found.pending_right),
    }


def _pair(pair: EpisodePair) -> EpisodePairJson:
    return {
        "episode_no": pair.no,
        "left": None if pair.left is None else _mark(pair.left),
        "right": None if pair.right is None else _mark(pair.right),
        "changed": list(pair.changed),
    }


def why_json(found: Why) -> WhyJson:
    """Give one answer of `why`."""
    proof = found.evidence
    shown: Mapping[str, object] = {
        "viewer": _viewer_of(found),
        "fact_id": found.fact_id,
        "text": found.text,
        **_where(found),
        "episode_no": found.episode_no,
        "knows": found.knows,
        "known_from": found.known_from,
        "known_by": list(found.holders),
        "holdings": [holding_json(one) for one in found.holdings],
        "superseded_by": found.superseded_by,
        "checks": [{"step": c.step.value, "ok": c.ok, "says": c.says} for c in found.checks],
        "evidence": None
        if proof is None
        else {
            "reason": proof.reason.value,
            "origin": proof.origin.value,
            "flagged": proof.flagged,
            "quote": proof.quote,
            "quote_episode_no": proof.quote_no,
            "told_from": proof.told_from,
            "told_text": proof.told_text,
        },
    }
    return shown  # type: ignore[return-value]  # the order of keys is part of what is shown


def _viewer_of(found: Why) -> AskedViewerJson:
    """Say who is asked about; with a user every key that was given."""
    viewer = found.viewer
    if viewer.as_of is None:
        return _story_part(viewer)
    own = {} if viewer.story is None else _story_part(viewer)
    return {**own, "user": viewer.user, "persona": viewer.persona, "as_of": viewer.as_of.isoformat()}


def _story_part(viewer: Viewer) -> AskedViewerJson:
    return {"story": viewer.story, "character": viewer.character, "at": viewer.at}


def _where(found: Why) -> dict[str, object]:
    said = found.said
    if said is None:
        return {}
    return {"space": found.space, "session": said.session, "speaker": said.speaker, "time": said.time}


def timeline_json(found: Timeline) -> TimelineJson:
    """Give who learns a fact when."""
    return {
        "story": found.story_id,
        "fact_id": found.fact_id,
        "text": found.text,
        "events": [_event(event) for event in found.events],
        "learned": [
            {
                "character_id": one.character_id,
                "name": one.name,
                "episode_no": one.episode_no,
                "known_from": None if one.episode_no is None else one.episode_no + 1,
                "fact_id": one.fact_id,
                "through": one.through,
            }
            for one in found.learned
        ],
        "pending_episodes": list(found.pending),
    }


def _event(event: Event) -> TimelineEventJson:
    return {
        "episode_no": event.episode_no,
        "episode_id": event.episode_id,
        "fact_id": event.fact_id,
        "text": event.text,
        "way": event.way.value,
        "linked": event.linked,
        "known_by": list(event.holders),
        "in_review": event.in_review,
    }


def inspection_json(found: Inspection) -> InspectionJson:
    """Give what `check` found."""
    return {
        "story": found.story_id,
        "ok": found.ok,
        "episodes": found.episodes,
        "facts": found.facts,
        "guessed": found.guessed,
        "counts": {severity.value: count for severity, count in found.counts.items()},
        "pending_episodes": list(found.pending),
        "findings": [_finding(finding) for finding in found.findings],
    }


def _finding(finding: Finding) -> FindingJson:
    return {
        "code": finding.code,
        "severity": finding.severity.value,
        "episode_no": finding.episode_no,
        "fact_ids": list(finding.fact_ids),
        "characters": list(finding.characters),
        "guessed_facts": list(finding.guessed_facts),
        "says": finding.says,
        "advice": finding.advice,
        "guessed": finding.is_guess,
        "quotes": [
            {
                "fact_id": one.fact_id,
                "episode_no": one.episode_no,
                "paragraph": one.paragraph,
                "start": one.start,
                "text": one.text,
            }
            for one in finding.quotes
        ],
    }
