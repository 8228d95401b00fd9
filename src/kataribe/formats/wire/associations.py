"""What programs are shown of what goes with what."""

from __future__ import annotations

from typing import TypedDict

from kataribe.domain.conversation.associations.graph import MarkedTurn
from kataribe.domain.conversation.associations.spreading import Idea, PathStep


class PathStepJson(TypedDict):
    """One step on the way to an idea, and the newest turns by which it is there."""

    start: str
    edge: str
    end: str
    turns: list[str]


class IdeaJson(TypedDict):
    """A line of `associate --json`; `id` is that of a memory, null for any other kind."""

    space: str
    holder: str
    kind: str
    id: str | None
    label: str
    activation: float
    hops: int
    path: list[PathStepJson]
    sources: list[str]


def idea_json(space: str, holder: str, idea: Idea, sources: tuple[MarkedTurn, ...]) -> IdeaJson:
    """Give an idea with the way to it and the turns it rests on."""
    return {
        "space": space,
        "holder": holder,
        "kind": idea.node.kind.value,
        "id": idea.node.memory_id,
        "label": idea.node.label,
        "activation": idea.activation,
        "hops": idea.hops,
        "path": [_step_json(step) for step in idea.path],
        "sources": [turn.turn_id for turn in sources],
    }


def _step_json(step: PathStep) -> PathStepJson:
    return {
        "start": step.start.label,
        "edge": step.kind.value,
        "end": step.end.label,
        "turns": [turn.turn_id for turn in step.turns],
    }
