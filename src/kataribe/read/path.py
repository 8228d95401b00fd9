"""The way of a read: gate -> plan -> candidates -> score -> guard, in one view of the ledger."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from kataribe.domain.filters import Filter
from kataribe.domain.gate import AnyViewer, Slice, UserViewer
from kataribe.domain.ids import normalise
from kataribe.domain.memory import Backend, Explanation, Hit, Memory, Recollection
from kataribe.domain.planning import SearchPlan
from kataribe.domain.ranking import DEFAULT_RECALL, RecallPolicy, repeats
from kataribe.ports import Reading, Vector
from kataribe.read.candidates import find
from kataribe.read.gate import open_gate
from kataribe.read.guard import Links, admit, evidence, show, succession
from kataribe.read.plan import plan, to_embed
from kataribe.read.prints import check_embedder
from kataribe.read.score import log_hits, parts, score
from kataribe.read.usage import with_uses
from kataribe.read.values import UNPLANNED, Candidates, Opened, Plan, Ranked, Scored


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked, with its vector and the embedder that made it.

    The vector is that of what `words_to_embed` gives. `searched` is the planner's plan.
    `min_similarity` is a cosine: hits less like the question are left out. Memories whose text
    is one of `recent` are left out too.
    """

    text: str
    vector: Vector
    embedder_id: str
    top_k: int
    where: Filter | None = None
    explain: bool = False
    searched: SearchPlan = UNPLANNED
    min_similarity: float | None = None
    recent: tuple[str, ...] = ()
    policy: RecallPolicy = field(default=DEFAULT_RECALL)


@dataclass(frozen=True, slots=True)
class _Found:
    """What was searched for, what came of it, and why some of it is left out."""

    plan: Plan
    candidates: Candidates
    ranked: Ranked
    links: Links
    kept: list[Scored]
    dropped: tuple[tuple[str, str], ...]


def words_to_embed(ledger: Reading, viewer: AnyViewer, question: str, policy: RecallPolicy) -> str:
    """Give what to embed of a question: without the names of speakers of turns the viewer may be given.

    Raises `NotFoundError`.
    """
    if not isinstance(viewer, UserViewer) or not policy.strip_names:
        return question
    return to_embed(question, ledger.speakers(open_gate(ledger, viewer).gate))


def recall(ledger: Reading, viewer: AnyViewer, question: Question, backend: Backend) -> Recollection:
    """Give the memories that answer best, best first; an empty result is legal (P9).

    Raises `NotFoundError` and `EmbedderMismatchError`.
    """
    opened = open_gate(ledger, viewer)
    check_embedder(opened.home, question.embedder_id)
    if opened.gate.is_closed:
        return _answer(opened, (), backend)
    if not question.searched.needed:
        return _unsearched(ledger, opened, question, backend)
    speakers = ledger.speakers(opened.gate) if opened.is_talk else ()
    asked = plan(question.text, opened, policy=question.policy, searched=question.searched, speakers=speakers)
    found = _ranked(ledger, opened, asked, question)
    kept = {one.candidate.key: one for one in found.kept}
    memories = {m.key: m for m in admit(opened.gate, ledger.admitted(opened.gate, keys=kept.keys()))}
    proof = evidence(ledger, opened, memories.values())
    hits = tuple(
        show(memories[key], found.links, proof, score=one.score, parts=parts(found.ranked, one))
        for key, one in kept.items()
        if key in memories
    )
    log_hits(hits, profile=question.policy.profile, intent=asked.searched.intent)
    told = _explain(ledger, opened, found, question.policy) if question.explain else None
    return _answer(opened, hits, backend, told)


def _unsearched(ledger: Reading, opened: Opened, question: Question, backend: Backend) -> Recollection:
    """Give what comes of a plan that needs nothing: no index is asked, and it is said why (P9)."""
    searched = question.searched
    told = Explanation(
        slices=tuple(_said(opened, one) for one in opened.gate.slices),
        admissible=len(ledger.admitted(opened.gate)) if question.explain else 0,
        terms=(),
        expansions=(),
        dropped=(),
        candidates={"vectors": 0, "keywords": 0, "all": 0},
        intent=searched.intent.value,
        detected=searched.detected,
        made_by=searched.made_by,
        note=searched.why_not,
        profile=question.policy.profile,
    )
    found = _answer(opened, (), backend, told if question.explain else None)
    return replace(found, note=searched.why_not)


def _ranked(ledger: Reading, opened: Opened, asked: Plan, question: Question) -> _Found:
    """Search and score; when what is left out takes the place of what is not, search wider."""
    policy = question.policy
    pool = max(policy.pool, 3 * question.top_k)
    places = () if opened.is_talk else ledger.places(opened.gate)
    while True:
        candidates = find(
            ledger,
            opened,
            asked,
            question.vector,
            where=question.where,
            pool=pool,
            policy=policy,
            least=question.min_similarity,
        )
        ranked = with_uses(ledger, opened, score(candidates, opened, asked, policy, places), policy)
        links = _links(ledger, opened, ranked)
        kept, dropped = _left(ledger, opened, candidates, ranked, links, question)
        if len(kept) >= question.top_k or candidates.is_all:
            return _Found(asked, candidates, ranked, links, kept, dropped)
        pool *= 4


def _links(ledger: Reading, opened: Opened, ranked: Ranked) -> Links:
    # Turns supersede nothing: what was said was said.
    if opened.is_talk:
        return Links({})
    return succession(ledger, opened.gate, of={one.candidate.fact_id for one in ranked.scored})


def _left(
    ledger: Reading,
    opened: Opened,
    candidates: Candidates,
    ranked: Ranked,
    links: Links,
    question: Question,
) -> tuple[list[Scored], tuple[tuple[str, str], ...]]:
    """Part candidates into the best that stay and those left out, each with its reason."""
    least, recent = question.min_similarity, {normalise(text) for text in question.recent}
    left: list[Scored] = []
    dropped: list[tuple[int, str]] = []
    for one in ranked.scored:
        key, fact_id = one.candidate.key, one.candidate.fact_id
        like = candidates.similarity[key]
        if fact_id in links.superseded_by:
            dropped.append((one.row, f"superseded by {links.superseded_by[fact_id]}"))
        elif least is not None and like < least:
            dropped.append((one.row, f"similarity {like:.6f} is below {least:g}"))
        elif recent and normalise(candidates.traits[key].text) in recent:
            dropped.append((one.row, "said in the recent messages"))
        else:
            left.append(one)
    distinct, same = _thinned(ledger, opened, left, question)
    reasons = dict(dropped) | same
    named = {one.row: one.candidate.fact_id for one in ranked.scored}
    told = tuple((named[row], reasons[row]) for row in named if row in reasons)
    return distinct, told


def _thinned(
    ledger: Reading, opened: Opened, left: list[Scored], question: Question
) -> tuple[list[Scored], dict[int, str]]:
    """Let what says the same as something better make way; gives the reasons by row.

    Where there is nothing to make way for, it stays: who asks for enough is given all (U-13).
    """
    most, threshold = question.top_k, question.policy.duplicate_similarity
    if threshold <= 0 or len(left) <= most:
        return left[:most], {}
    same: dict[int, int] = {}
    # Most often few repeat: the vectors of as many as are wanted and some more will do.
    for some in (2 * most, len(left)):
        vectors = ledger.vectors.vectors_of([one.candidate.key for one in left[:some]], gate=opened.gate)
        matrix = np.stack([vectors[one.candidate.key] for one in left[:some]])
        same = repeats(matrix, threshold, enough=most)
        if len(matrix) - len(same) >= most:
            break
    kept = set([at for at in range(len(left)) if at not in same][:most])
    kept |= set(sorted(same)[: most - len(kept)])
    told = {left[at].row: f"says the same as {left[by].candidate.fact_id}" for at, by in same.items()}
    gone = {left[at].row: told[left[at].row] for at in same if at not in kept}
    return [left[at] for at in sorted(kept)], gone


def known(ledger: Reading, viewer: AnyViewer, backend: Backend, where: Filter | None = None) -> Recollection:
    """Give everything the viewer may know, in story order; superseded facts are marked, not left out."""
    opened = open_gate(ledger, viewer)
    if opened.gate.is_closed:
        return _answer(opened, (), backend)
    memories: tuple[Memory, ...] = admit(opened.gate, ledger.admitted(opened.gate, where=where))
    links = succession(ledger, opened.gate)
    proof = evidence(ledger, opened, memories)
    return _answer(opened, tuple(show(memory, links, proof) for memory in memories), backend)


def _answer(
    opened: Opened, hits: tuple[Hit, ...], backend: Backend, explanation: Explanation | None = None
) -> Recollection:
    return Recollection(
        viewer=opened.viewer,
        in_cast=opened.in_cast,
        hits=hits,
        pending_episodes=opened.pending,
        pending_turns=opened.pending_turns,
        backend=backend,
        explanation=explanation,
    )


def _explain(ledger: Reading, opened: Opened, found: _Found, policy: RecallPolicy) -> Explanation:
    asked, searched = found.plan, found.plan.searched
    rows = len(found.candidates.found)
    return Explanation(
        slices=tuple(_said(opened, one) for one in opened.gate.slices),
        admissible=len(ledger.admitted(opened.gate)),
        terms=asked.terms,
        expansions=asked.expansions,
        dropped=found.dropped,
        candidates={"vectors": found.candidates.near, "keywords": found.candidates.wordy, "all": rows},
        intent=searched.intent.value,
        detected=searched.detected,
        made_by=searched.made_by,
        note=searched.note,
        profile=policy.profile,
        keywords=asked.phrases,
        planned=searched.terms,
        stripped=asked.named if policy.strip_names else (),
    )


def _said(opened: Opened, one: Slice) -> str:
    if isinstance(opened.viewer, UserViewer):
        return f"{one.space} {one.holder} as of {opened.viewer.as_of.isoformat()}"
    cap, cutoff = opened.parts[one.part].cap_no, opened.cutoff
    return f"{one.space} {one.holder} up to episode {cutoff if cap is None else min(cutoff, cap)}"
