"""Who knows what by subject, and what a text would move, as plain JSON values."""

from __future__ import annotations

from typing import TypedDict

from kataribe.domain.story.overviews import (
    FactImpact,
    Impact,
    KnowledgeSummary,
    ProbeImpact,
    Subject,
    SubjectKnowledge,
)


class CountedFactJson(TypedDict):
    """A fact that a summary counts."""

    fact_id: str
    text: str


class SubjectHolderJson(TypedDict):
    """What one character knows of a subject: `own` is what everybody does not know, `total` all of it."""

    character_id: str
    name: str
    total: int
    own: list[str]
    last_episode_no: int | None


class SubjectJson(TypedDict):
    """Somebody or something that facts name; `subject` is null for facts that name nobody."""

    subject: str | None
    name: str
    in_cast: bool
    fact_ids: list[str]
    everybody: list[str]
    characters: list[SubjectHolderJson]


class SummaryJson(TypedDict):
    """The one object of `matrix --summary --json`."""

    story: str
    title: str | None
    at: int | None
    pending_episodes: list[int]
    facts: list[CountedFactJson]
    subjects: list[SubjectJson]


class FactImpactJson(TypedDict):
    """A fact that a text moves: `change` is new, gone, holders or text."""

    fact_id: str
    episode_no: int
    change: str
    text: str
    before: list[str]
    after: list[str]


class HolderImpactJson(TypedDict):
    """How many facts a holder gains and loses."""

    holder: str
    name: str
    gains: int
    loses: int


class ProbeImpactJson(TypedDict):
    """A probe of which the hits change."""

    question: str
    character: str
    episode_no: int
    met_before: bool
    met_after: bool
    lost: list[str]
    gained: list[str]


class ImpactJson(TypedDict):
    """The one object of `impact --json`."""

    story: str
    episode_no: int
    change: str
    kept: int
    facts: list[FactImpactJson]
    holders: list[HolderImpactJson]
    asked: int
    probes: list[ProbeImpactJson]
    pending_episodes: list[int]


def summary_json(found: KnowledgeSummary) -> SummaryJson:
    """Give who knows what, by subject."""
    return {
        "story": found.story_id,
        "title": found.title,
        "at": found.at,
        "pending_episodes": list(found.pending),
        "facts": [{"fact_id": fact_id, "text": text} for fact_id, text in found.texts.items()],
        "subjects": [_subject(one) for one in found.subjects],
    }


def _subject(one: Subject) -> SubjectJson:
    return {
        "subject": one.subject or None,
        "name": one.name,
        "in_cast": one.in_cast,
        "fact_ids": list(one.fact_ids),
        "everybody": list(one.everybody),
        "characters": [_holder(held) for held in one.holders],
    }


def _holder(held: SubjectKnowledge) -> SubjectHolderJson:
    return {
        "character_id": held.holder,
        "name": held.name,
        "total": held.total,
        "own": list(held.own),
        "last_episode_no": held.last_no,
    }


def impact_json(found: Impact) -> ImpactJson:
    """Give what a text would move."""
    return {
        "story": found.story_id,
        "episode_no": found.episode_no,
        "change": found.change,
        "kept": found.kept,
        "facts": [_fact(one) for one in found.facts],
        "holders": [
            {"holder": one.holder, "name": one.name, "gains": one.gains, "loses": one.loses}
            for one in found.holders
        ],
        "asked": found.asked,
        "probes": [_probe(one) for one in found.probes],
        "pending_episodes": list(found.pending),
    }


def _fact(one: FactImpact) -> FactImpactJson:
    return {
        "fact_id": one.fact_id,
        "episode_no": one.episode_no,
        "change": one.change.value,
        "text": one.text,
        "before": list(one.before),
        "after": list(one.after),
    }


def _probe(one: ProbeImpact) -> ProbeImpactJson:
    return {
        "question": one.question,
        "character": one.character,
        "episode_no": one.at,
        "met_before": one.met_before,
        "met_after": one.met_after,
        "lost": list(one.lost),
        "gained": list(one.gained),
    }
