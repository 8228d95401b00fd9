"""What programs are shown: hits and recollections as plain JSON values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum

from kataribe.domain.gate import Viewer
from kataribe.domain.memory import Explanation, Hit, Recollection


def hit_json(hit: Hit, *, ranked: bool = True) -> dict[str, object]:
    """Give a hit as the command line prints it; `ranked` adds score, parts and marks."""
    shown: dict[str, object] = {"id": hit.id, "fact_id": hit.fact_id}
    if ranked:
        shown["score"] = hit.score
    shown |= {
        "text": hit.text,
        "space": hit.space,
        **_where(hit),
        "scope": hit.scope,
        "character_id": hit.character_id,
        "importance": hit.importance,
        "kind": hit.kind,
        "quote": hit.quote,
        "quote_episode_no": hit.quote_episode_no,
        "offsets": None if hit.offsets is None else list(hit.offsets),
        "pinned": hit.pinned,
        "superseded_by": hit.superseded_by,
        "told_from": hit.told_from,
    }
    if ranked:
        shown["parts"] = dict(hit.parts)
        shown["marks"] = [mark.value for mark in hit.marks]
    return shown


def slim_hit_json(hit: Hit) -> dict[str, object]:
    """Give a hit as a model is handed it: its text, where it is from, and the id that other tools take.

    Marks are there when it has any.
    """
    if hit.session is None:
        where: dict[str, object] = {"episode_no": hit.episode_no}
    else:
        where = {"session": hit.session, "speaker": hit.speaker, "time": hit.time}
    marks = {"marks": [mark.value for mark in hit.marks]} if hit.marks else {}
    return {"text": hit.text, **where, "fact_id": hit.fact_id, **marks}


def _where(hit: Hit) -> dict[str, object]:
    """Say where a hit is from: an episode, or a session of a conversation."""
    if hit.session is None:
        return {"episode_no": hit.episode_no, "episode_id": hit.episode_id}
    return {"session": hit.session, "speaker": hit.speaker, "time": hit.time, "caption": hit.caption}


def viewer_json(viewer: Viewer, *, in_cast: bool) -> dict[str, object]:
    """Say who asked, and as of when: in a story, with a user, or both."""
    shown: dict[str, object] = {}
    if viewer.story is not None:
        shown |= {"story": viewer.story, "character": viewer.character, "at": viewer.at, "in_cast": in_cast}
    if viewer.as_of is not None:
        shown |= {"user": viewer.user, "persona": viewer.persona, "as_of": viewer.as_of.isoformat()}
    return shown


def _pending(found: Recollection) -> dict[str, object]:
    shown: dict[str, object] = {}
    if found.viewer.story is not None:
        shown["pending_episodes"] = list(found.pending_episodes)
    if found.viewer.user is not None:
        shown["pending_turns"] = found.pending_turns
    return shown


def recollection_json(found: Recollection, *, ranked: bool = True) -> dict[str, object]:
    """Give a recollection as the one object of `recall --json` and `known --json`."""
    shown: dict[str, object] = {
        "viewer": viewer_json(found.viewer, in_cast=found.in_cast),
        "cutoff": found.cutoff,
        "hits": [hit_json(hit, ranked=ranked) for hit in found.hits],
        **_pending(found),
        "backend": {
            "embedder": found.backend.embedder,
            "model": found.backend.model,
            "reranker": found.backend.reranker,
        },
        "note": found.note,
    }
    if found.warnings:
        shown["warnings"] = list(found.warnings)
    if found.explanation is not None:
        shown["explain"] = explanation_json(found.explanation)
    return shown


def explanation_json(told: Explanation) -> dict[str, object]:
    """Give all that is told of how a recall came about, whatever its fields, as plain JSON values."""
    shown = {one.name: _plain(getattr(told, one.name)) for one in fields(told)}
    shown["dropped"] = [{"fact_id": fact, "reason": reason} for fact, reason in told.dropped]
    return shown


def _plain(value: object) -> object:
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: _plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(one) for one in value]
    return str(value)
