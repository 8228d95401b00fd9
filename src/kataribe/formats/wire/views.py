"""The writer's views as plain JSON values."""

from __future__ import annotations

from collections.abc import Iterable

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

Json = dict[str, object]


def matrix_json(found: Matrix) -> Json:
    """Give a matrix: rows with a cell for each episode in which something is gained."""
    told: dict[tuple[str, int], list[Json]] = {}
    for line in found.lines:
        told.setdefault((line.holder, line.episode_no), []).append(
            {"fact_id": line.fact_id, "text": line.text}
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


def _mark(episode: EpisodeMark) -> Json:
    return {
        "episode_no": episode.no,
        "episode_id": episode.episode_id,
        "title": episode.title,
        "story": episode.story_id,
        "in_memory": episode.in_memory,
    }


def difference_json(found: Difference) -> Json:
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


def _viewer(viewer: Viewer) -> Json:
    return {"story": viewer.story, "character": viewer.character, "at": viewer.at}


def _lines(lines: Iterable[Line]) -> list[Json]:
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


def story_difference_json(found: StoryDifference) -> Json:
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


def _pair(pair: EpisodePair) -> Json:
    return {
        "episode_no": pair.no,
        "left": None if pair.left is None else _mark(pair.left),
        "right": None if pair.right is None else _mark(pair.right),
        "changed": list(pair.changed),
    }


def why_json(found: Why) -> Json:
    """Give one answer of `why`."""
    proof = found.evidence
    return {
        "viewer": _viewer_of(found),
        "fact_id": found.fact_id,
        "text": found.text,
        **_where(found),
        "episode_no": found.episode_no,
        "knows": found.knows,
        "known_from": found.known_from,
        "known_by": list(found.holders),
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


def _viewer_of(found: Why) -> Json:
    """Say who is asked about; with a user every key that was given."""
    viewer = found.viewer
    if viewer.as_of is None:
        return _viewer(viewer)
    own = {} if viewer.story is None else _viewer(viewer)
    return {**own, "user": viewer.user, "persona": viewer.persona, "as_of": viewer.as_of.isoformat()}


def _where(found: Why) -> Json:
    said = found.said
    if said is None:
        return {}
    return {"space": found.space, "session": said.session, "speaker": said.speaker, "time": said.time}


def timeline_json(found: Timeline) -> Json:
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


def _event(event: Event) -> Json:
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


def inspection_json(found: Inspection) -> Json:
    """Give what `check` found."""
    return {
        "story": found.story_id,
        "ok": found.ok,
        "episodes": found.episodes,
        "facts": found.facts,
        "counts": {severity.value: count for severity, count in found.counts.items()},
        "pending_episodes": list(found.pending),
        "findings": [_finding(finding) for finding in found.findings],
    }


def _finding(finding: Finding) -> Json:
    return {
        "code": finding.code,
        "severity": finding.severity.value,
        "episode_no": finding.episode_no,
        "fact_ids": list(finding.fact_ids),
        "characters": list(finding.characters),
        "says": finding.says,
        "advice": finding.advice,
    }
