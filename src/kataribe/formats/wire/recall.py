"""What programs are shown: hits and recollections as plain JSON values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NotRequired, TypedDict

from kataribe.domain.around import SentencePlace, joined
from kataribe.domain.gate import Viewer
from kataribe.domain.memory import Explanation, FactHit, Hit, PassageHit, Recollection, TurnHit


class HitJson(TypedDict):
    """A hit. A fact's has its episode, a turn's the session it was said in, a passage's its document.

    `score` is there where it was ranked. `around` is a sentence among those of its paragraph that the
    viewer may know, of what was ranked; null for a fact that is no sentence of a text.
    """

    id: str
    fact_id: str
    score: NotRequired[float | None]
    relevance: NotRequired[float | None]
    text: str
    around: NotRequired[str | None]
    space: str
    episode_no: NotRequired[int]
    episode_id: NotRequired[str]
    session: NotRequired[str]
    speaker: NotRequired[str | None]
    time: NotRequired[str | None]
    caption: NotRequired[str | None]
    document: NotRequired[str]
    headings: NotRequired[list[str]]
    page: NotRequired[int | None]
    version: NotRequired[int]
    scope: str
    character_id: str
    importance: int
    kind: str
    quote: str | None
    quote_episode_no: int | None
    offsets: list[int] | None
    pinned: bool
    superseded_by: str | None
    told_from: str | None
    evidence: str | None
    confidence: float | None
    parts: NotRequired[dict[str, float]]
    marks: NotRequired[list[str]]


class ViewerJson(TypedDict, total=False):
    """Who asked: of a story the first four keys, with a user the three after, of both all seven.

    A reader has `story`, `reader` and `read`, the number of the last episode read.
    """

    story: str
    character: str
    at: int | None
    in_cast: bool
    user: str | None
    persona: str | None
    as_of: str
    reader: bool
    read: int


class BackendJson(TypedDict):
    """Who embedded, read and ranked."""

    embedder: str
    model: str
    reranker: str | None


class DroppedFactJson(TypedDict):
    """A fact that a recall left out."""

    fact_id: str
    reason: str


class ExplanationJson(TypedDict):
    """How a recall came about."""

    slices: list[str]
    admissible: int
    terms: list[str]
    expansions: list[str]
    dropped: list[DroppedFactJson]
    candidates: dict[str, int]
    intent: str
    detected: bool
    made_by: str
    note: str | None
    profile: str
    keywords: list[str]
    planned: list[str]
    stripped: list[str]


class RecollectionJson(TypedDict):
    """The one object of `recall --json` and `known --json`; with `qid` a line of a batch."""

    qid: NotRequired[str]
    viewer: ViewerJson
    cutoff: int | None
    hits: list[HitJson]
    pending_episodes: NotRequired[list[int]]
    pending_turns: NotRequired[int]
    backend: BackendJson
    note: str | None
    warnings: NotRequired[list[str]]
    explain: NotRequired[ExplanationJson]


class UnansweredJson(TypedDict):
    """A line of a batch whose question could not be asked."""

    qid: str | None
    error: str


def hit_json(hit: Hit, *, ranked: bool = True) -> HitJson:
    """Give a hit as the command line prints it; `ranked` adds score, what is around, parts and marks."""
    shown: Mapping[str, object] = {
        "id": hit.id,
        "fact_id": hit.fact_id,
        **({"score": hit.score, "relevance": hit.relevance} if ranked else {}),
        "text": hit.text,
        **({"around": hit.around} if ranked and isinstance(hit, FactHit) else {}),
        "space": hit.space,
        **_where(hit),
        "scope": hit.scope,
        "character_id": hit.character_id,
        "importance": hit.importance,
        "kind": hit.kind.value,
        **_quote(hit),
        "pinned": hit.pinned,
        "superseded_by": hit.superseded_by,
        "told_from": hit.told_from,
        "evidence": hit.evidence,
        "confidence": hit.confidence,
        **(_rank(hit) if ranked else {}),
    }
    return shown  # type: ignore[return-value]  # the order of keys is part of what is shown


def _quote(hit: Hit) -> dict[str, object]:
    """Give the words of the story a fact is told in; turns and passages quote nothing."""
    if not isinstance(hit, FactHit):
        return {"quote": None, "quote_episode_no": None, "offsets": None}
    offsets = None if hit.offsets is None else list(hit.offsets)
    return {"quote": hit.quote, "quote_episode_no": hit.quote_episode_no, "offsets": offsets}


def _rank(hit: Hit) -> dict[str, object]:
    return {"parts": dict(hit.parts), "marks": [mark.value for mark in hit.marks]}


def slim_hits_json(hits: Iterable[Hit]) -> list[dict[str, object]]:
    """Give hits as a model is handed them, what is around one where that says more than its text.

    A sentence that stands around a hit is around no later one.
    """
    seen: set[SentencePlace] = set()
    return [slim_hit_json(hit, around=_fresh(hit, seen)) for hit in hits]


def _fresh(hit: Hit, seen: set[SentencePlace]) -> str | None:
    """Give what stands around a hit and was not seen yet, which is noted; None for nothing but itself."""
    if not isinstance(hit, FactHit) or hit.place in seen:
        return None
    fresh = [one for one in hit.sentences if one.place not in seen]
    seen.update(one.place for one in fresh)
    return joined(fresh) if len(fresh) > 1 else None


def slim_hit_json(hit: Hit, *, around: str | None = None) -> dict[str, object]:
    """Give a hit as a model is handed it: its text, where it is from, and the id that other tools take.

    Marks, and what is around it, are there when there are any.
    """
    if isinstance(hit, TurnHit):
        where: dict[str, object] = {
            "session": hit.session,
            "speaker": hit.speaker,
            "time": hit.time.isoformat(),
        }
    elif isinstance(hit, PassageHit):
        where = _written(hit)
    else:
        where = {"episode_no": hit.episode_no}
    marks = {"marks": [mark.value for mark in hit.marks]} if hit.marks else {}
    beside = {} if around is None else {"around": around}
    return {"text": hit.text, **beside, **where, "fact_id": hit.fact_id, **marks}


def _where(hit: Hit) -> dict[str, object]:
    """Say where a hit is from: an episode, a session of a conversation, or a document."""
    if isinstance(hit, FactHit):
        return {"episode_no": hit.episode_no, "episode_id": hit.episode_id}
    if isinstance(hit, PassageHit):
        return _written(hit)
    said = {"session": hit.session, "speaker": hit.speaker, "time": hit.time.isoformat()}
    return {**said, "caption": hit.caption}


def _written(hit: PassageHit) -> dict[str, object]:
    headings = list(hit.headings)
    return {"document": hit.document, "headings": headings, "page": hit.page, "version": hit.version}


def viewer_json(viewer: Viewer, *, in_cast: bool) -> ViewerJson:
    """Say who asked, and as of when: in a story, with a user, or both."""
    shown: ViewerJson = {}
    if viewer.is_reader:
        return {"story": viewer.story or "", "reader": True, "read": viewer.cutoff}
    if viewer.story is not None:
        shown |= {"story": viewer.story, "character": viewer.character, "at": viewer.at, "in_cast": in_cast}
    if viewer.as_of is not None:
        shown |= {"user": viewer.user, "persona": viewer.persona, "as_of": viewer.as_of.isoformat()}
    return shown


def recollection_json(
    found: Recollection, *, ranked: bool = True, qid: str | None = None
) -> RecollectionJson:
    """Give a recollection as the one object of `recall --json` and `known --json`."""
    shown: Mapping[str, object] = {
        **({} if qid is None else {"qid": qid}),
        "viewer": viewer_json(found.viewer, in_cast=found.in_cast),
        "cutoff": found.cutoff,
        "hits": [hit_json(hit, ranked=ranked) for hit in found.hits],
        **({} if found.viewer.story is None else {"pending_episodes": list(found.pending_episodes)}),
        **({} if found.viewer.user is None else {"pending_turns": found.pending_turns}),
        "backend": {
            "embedder": found.backend.embedder,
            "model": found.backend.model,
            "reranker": found.backend.reranker,
        },
        "note": found.note,
        **({"warnings": list(found.warnings)} if found.warnings else {}),
        **({} if found.explanation is None else {"explain": explanation_json(found.explanation)}),
    }
    return shown  # type: ignore[return-value]  # as in `hit_json`


def explanation_json(told: Explanation) -> ExplanationJson:
    """Give all that is told of how a recall came about."""
    return {
        "slices": list(told.slices),
        "admissible": told.admissible,
        "terms": list(told.terms),
        "expansions": list(told.expansions),
        "dropped": [{"fact_id": fact, "reason": reason} for fact, reason in told.dropped],
        "candidates": dict(told.candidates),
        "intent": told.intent,
        "detected": told.detected,
        "made_by": told.made_by,
        "note": told.note,
        "profile": told.profile,
        "keywords": list(told.keywords),
        "planned": list(told.planned),
        "stripped": list(told.stripped),
    }


def unanswered_json(qid: str | None, error: Exception) -> UnansweredJson:
    """Give a question of a batch that could not be asked."""
    return {"qid": qid, "error": str(error)}
