"""The way of a read: gate -> plan -> candidates -> score -> guard, in one view of the ledger."""

from __future__ import annotations

from dataclasses import dataclass, field

from kataribe.domain.filters import Filter
from kataribe.domain.gate import AnyViewer, Slice, UserViewer
from kataribe.domain.memory import Backend, Explanation, Hit, Memory, Recollection
from kataribe.domain.ranking import DEFAULT_RECALL, RecallPolicy
from kataribe.ports import Reading, Vector
from kataribe.read.candidates import find
from kataribe.read.gate import open_gate
from kataribe.read.guard import Links, admit, evidence, show, succession
from kataribe.read.plan import plan
from kataribe.read.prints import check_embedder
from kataribe.read.score import parts, score
from kataribe.read.usage import with_uses
from kataribe.read.values import Candidates, Opened, Plan, Scored


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked, with its vector and the embedder that made it."""

    text: str
    vector: Vector
    embedder_id: str
    top_k: int
    where: Filter | None = None
    explain: bool = False
    policy: RecallPolicy = field(default=DEFAULT_RECALL)


def recall(ledger: Reading, viewer: AnyViewer, question: Question, backend: Backend) -> Recollection:
    """Give the memories that answer best, best first; an empty result is legal (P9).

    Raises `NotFoundError` and `EmbedderMismatchError`.
    """
    opened = open_gate(ledger, viewer)
    check_embedder(opened.home, question.embedder_id)
    if opened.gate.is_closed:
        return _answer(opened, (), backend)
    asked = plan(question.text, opened)
    found, scored, links = _ranked(ledger, opened, asked, question)
    current = [one for one in scored if one.candidate.fact_id not in links.superseded_by]
    kept = {one.candidate.key: one for one in current[: question.top_k]}
    memories = {m.key: m for m in admit(opened.gate, ledger.admitted(opened.gate, keys=kept.keys()))}
    proof = evidence(ledger, opened, memories.values())
    hits = tuple(
        show(memories[key], links, proof, score=one.score, parts=parts(found, one, question.policy))
        for key, one in kept.items()
        if key in memories
    )
    told = _explain(ledger, opened, asked, scored, links) if question.explain else None
    return _answer(opened, hits, backend, told)


def _ranked(
    ledger: Reading, opened: Opened, asked: Plan, question: Question
) -> tuple[Candidates, tuple[Scored, ...], Links]:
    """Search and score; when what is superseded takes the place of what is not, search wider."""
    pool = max(question.policy.pool, 3 * question.top_k)
    while True:
        found = find(ledger, opened.gate, asked, question.vector, where=question.where, pool=pool)
        scored = with_uses(ledger, opened, score(found, question.policy), question.policy)
        links = succession(ledger, opened.gate, of={one.candidate.fact_id for one in scored})
        current = sum(one.candidate.fact_id not in links.superseded_by for one in scored)
        if current >= question.top_k or len(scored) < pool:
            return found, scored, links
        pool *= 4


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


def _explain(
    ledger: Reading, opened: Opened, asked: Plan, scored: tuple[Scored, ...], links: Links
) -> Explanation:
    return Explanation(
        slices=tuple(_said(opened, one) for one in opened.gate.slices),
        admissible=len(ledger.admitted(opened.gate)),
        terms=asked.terms,
        expansions=asked.expansions,
        dropped=tuple(
            (one.candidate.fact_id, f"superseded by {links.superseded_by[one.candidate.fact_id]}")
            for one in scored
            if one.candidate.fact_id in links.superseded_by
        ),
    )


def _said(opened: Opened, one: Slice) -> str:
    if isinstance(opened.viewer, UserViewer):
        return f"{one.space} {one.holder} as of {opened.viewer.as_of.isoformat()}"
    cap, cutoff = opened.parts[one.part].cap_no, opened.cutoff
    return f"{one.space} {one.holder} up to episode {cutoff if cap is None else min(cutoff, cap)}"
