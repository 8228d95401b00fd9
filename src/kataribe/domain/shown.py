"""What programs are shown: hits and recollections as plain JSON values."""

from __future__ import annotations

from kataribe.domain.memory import Hit, Recollection


def hit_json(hit: Hit, *, ranked: bool = True) -> dict[str, object]:
    """Give a hit as the command line prints it; `ranked` adds score and parts."""
    shown: dict[str, object] = {"id": hit.id, "fact_id": hit.fact_id}
    if ranked:
        shown["score"] = hit.score
    shown |= {
        "text": hit.text,
        "episode_no": hit.episode_no,
        "episode_id": hit.episode_id,
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
    return shown


def recollection_json(found: Recollection, *, ranked: bool = True) -> dict[str, object]:
    """Give a recollection as the one object of `recall --json` and `known --json`."""
    shown: dict[str, object] = {
        "viewer": {
            "story": found.viewer.story,
            "character": found.viewer.character,
            "at": found.viewer.at,
            "in_cast": found.in_cast,
        },
        "cutoff": found.cutoff,
        "hits": [hit_json(hit, ranked=ranked) for hit in found.hits],
        "pending_episodes": list(found.pending_episodes),
        "backend": {
            "embedder": found.backend.embedder,
            "model": found.backend.model,
            "reranker": found.backend.reranker,
        },
    }
    if found.explanation is not None:
        shown["explain"] = {
            "slices": list(found.explanation.slices),
            "admissible": found.explanation.admissible,
            "terms": list(found.explanation.terms),
            "expansions": list(found.explanation.expansions),
            "dropped": [{"fact_id": fact, "reason": reason} for fact, reason in found.explanation.dropped],
        }
    return shown
