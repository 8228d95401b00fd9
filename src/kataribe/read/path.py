"""The way of a read: gate -> plan (-> preselect) -> candidates -> score -> guard, in one view."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from kataribe.domain.arrays import np
from kataribe.domain.filters import Filter
from kataribe.domain.gate import Gate, Viewer, joined
from kataribe.domain.ids import normalise
from kataribe.domain.memory import Backend, Explanation, Hit, Memory, Recollection
from kataribe.domain.recall.planning import Intent, SearchPlan
from kataribe.domain.recall.ranking import DEFAULT_RECALL, RecallPolicy, repeats
from kataribe.ports import Vector, VectorIndex, View
from kataribe.ports.kinds import AroundRequest, Associative, Fading, Home, Kinds, QuoteEvidence
from kataribe.read.candidates import NOTHING_IN_MIND, find
from kataribe.read.fading import faded
from kataribe.read.found_vectors import FoundVectors
from kataribe.read.gate import open_gate
from kataribe.read.guard import Links, admit, show, succession
from kataribe.read.newest import newest_first
from kataribe.read.plan import plan, words_for
from kataribe.read.preselect import MAY_MISS, UNREACHED, IndexQuestion, preselected, questions
from kataribe.read.relevance import relevance_of
from kataribe.read.score import log_hits, marks, parts, score
from kataribe.read.usage import with_uses
from kataribe.read.values import (
    UNPLANNED,
    Candidates,
    Opened,
    Plan,
    Preselected,
    Proposed,
    Ranked,
    Scored,
    each_once,
    once,
)
from kataribe.read.when import both, is_of_then, when_asked, within

STRAYS = "the search index does not fit the ledger; run `kataribe rebuild`"
"""What a viewer is told when the index holds what the ledger does not; how much may lie outside its gate."""


_OF_ANY_AGE = (Intent.EMOTIONAL, Intent.TECHNICAL, Intent.TEMPORAL)
"""What such a question is after need not be what was said last."""


@dataclass(frozen=True, slots=True)
class Unembedded:
    """The question has no vector for these (embedder id, words) of what is read: the store has changed."""

    wanted: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallQuestion:
    """What is asked, with its vectors.

    `vectors` go by embedder id and the words embedded, one for each home that is read. `searched` is
    the planner's plan. `min_similarity` is a cosine: hits less like the question are left out, and so
    are those less relevant than `min_relevance`, 0 to 1.
    Memories whose text is one of `recent` are left out too. `proposed` is what an index outside the
    store proposed (None: none was asked).
    """

    text: str
    vectors: Mapping[tuple[str, str], Vector]
    top_k: int
    where: Filter | None = None
    explain: bool = False
    searched: SearchPlan = UNPLANNED
    min_similarity: float | None = None
    min_relevance: float | None = None
    recent: tuple[str, ...] = ()
    archived: bool = False
    policy: RecallPolicy = field(default=DEFAULT_RECALL)
    proposed: Proposed | None = None
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By embedder id: the words that memories embedded by it are looked up by, beside the keywords."""

    @property
    def pool(self) -> int:
        """How many candidates each search takes at first."""
        return max(self.policy.pool, 3 * self.top_k)

    def key_for(self, home: Home) -> tuple[str, str]:
        """Say which vector answers for this home."""
        return home.built_with.embedder_id, words_for(home, self.text, self.policy)

    def vector_for(self, home: Home) -> Vector:
        """Give the vector of what this home is asked."""
        return self.vectors[self.key_for(home)]


@dataclass(frozen=True, slots=True)
class _Found:
    """What was searched for, what came of it, and why some of it is left out."""

    plan: Plan
    candidates: tuple[Candidates, ...]
    ranked: Ranked
    links: Mapping[int, Links]
    kept: list[Scored]
    dropped: tuple[tuple[str, str], ...]
    fadings: Sequence[Fading]
    misses_nothing: bool = True


def to_ask(
    kinds: Kinds, view: View, viewer: Viewer, question: RecallQuestion, index: VectorIndex
) -> tuple[IndexQuestion, ...]:
    """Say what an index outside the store is to be asked before the question is answered.

    It is asked nothing where a filter is: what passes one, the ledger alone knows. Raises `NotFoundError`.
    """
    opened = open_gate(kinds, view, viewer)
    if opened.gate.is_closed or not question.searched.needed or question.where is not None:
        return ()
    keys = {home.title: question.key_for(home) for home in opened.read}
    vectors = {title: question.vectors[key] for title, key in keys.items() if key in question.vectors}
    return questions(view, opened, vectors, index)


def recall(kinds: Kinds, view: View, viewer: Viewer, question: RecallQuestion) -> Recollection | Unembedded:
    """Give the memories that answer best, best first; an empty result is legal (P9).

    Where the question must be embedded otherwise than it was, as the store has changed, that is
    told and nothing is searched. Raises `NotFoundError`.
    """
    opened = open_gate(kinds, view, viewer)
    if opened.gate.is_closed:
        return _answer(view, opened, ())
    if not question.searched.needed:
        return _unsearched(view, opened, question)
    if missing := {question.key_for(home) for home in opened.read} - question.vectors.keys():
        return Unembedded(tuple(sorted(missing)))
    asked = replace(
        plan(question.text, opened, policy=question.policy, searched=question.searched), words=question.words
    )
    when = when_asked(question.text, opened.viewer)
    is_then = when is not None or asked.searched.intent in _OF_ANY_AGE or is_of_then(question.text)
    asked = replace(asked, when=when, is_of_then=is_then)
    found = _ranked(view, opened, asked, question)
    kept = {one.candidate.key: one for one in found.kept}
    standing = {m.key: m for m in admit(opened.gate, view.admitted(opened.gate, keys=kept.keys()))}
    memories = {key: found.fadings[kept[key].home].shown(one) for key, one in standing.items()}
    proofs = _proofs(view, found.candidates, memories.values(), AroundRequest(question.where))
    shown = [one for key, one in kept.items() if key in memories]
    told_of = zip(shown, parts(found.ranked, shown), marks(found.ranked, shown, question.policy), strict=True)
    hits = tuple(
        [
            show(
                memories[one.candidate.key],
                found.links[one.home],
                proofs[one.home],
                score=one.score,
                relevance=_relevance(found.candidates, one, question),
                parts=its_parts,
                marks=its_marks,
            )
            for one, its_parts, its_marks in told_of
        ]
    )
    log_hits(hits, profile=question.policy.profile, intent=asked.searched.intent)
    told = _explain(view, opened, found, question.policy) if question.explain else None
    strays = len(hits) < len(kept) or any(one.strays for one in found.candidates)
    answer = _answer(view, opened, hits, told, warnings=_warnings(question.proposed, found, strays=strays))
    empty = _nothing_then(asked, found)
    return answer if empty is None else replace(answer, note=empty)


def _nothing_then(asked: Plan, found: _Found) -> str | None:
    """Say that nothing is remembered of the time or the episodes asked about; None where something is."""
    then = asked.when
    narrowed = [one for one in found.candidates if within(one.home, then) is not None]
    if then is None or not narrowed or any(one.asked_for for one in narrowed):
        return None
    return f"nothing is remembered of {then.words!r} ({then.said})"


def _relevance(candidates: Sequence[Candidates], one: Scored, question: RecallQuestion) -> float | None:
    found, key = candidates[one.home], one.candidate.key
    trait = found.traits[key]
    return relevance_of(
        found.home, question.text, trait.text, similarity=found.similarity[key], speaker=trait.speaker
    )


def _warnings(proposed: Proposed | None, found: _Found, *, strays: bool) -> tuple[str, ...]:
    """Say what an answer may lack, and why."""
    warned = {
        STRAYS: strays,
        MAY_MISS: not found.misses_nothing,
        UNREACHED: proposed is not None and not proposed.was_reached,
    }
    return tuple(said for said, applies in warned.items() if applies)


def _unsearched(view: View, opened: Opened, question: RecallQuestion) -> Recollection:
    """Give what comes of a plan that needs nothing: no index is asked, and it is said why (P9)."""
    searched = question.searched
    told = Explanation(
        slices=_slices(opened),
        admissible=_admissible(view, opened) if question.explain else 0,
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
    found = _answer(view, opened, (), told if question.explain else None)
    return replace(found, note=searched.why_not)


def _proofs(
    view: View, found: tuple[Candidates, ...], memories: Collection[Memory], around: AroundRequest
) -> list[QuoteEvidence]:
    """Look up what the hits of each home lead to, and what stands around them."""
    return [
        one.home.evidence(view, [m for m in memories if m.key in one.traits], around=around) for one in found
    ]


def _ranked(view: View, opened: Opened, asked: Plan, question: RecallQuestion) -> _Found:
    """Search and score; when what is left out takes the place of what is not, search wider."""
    policy = question.policy
    pool = question.pool
    by_place = [home.gate for home in opened.read if home.lending.ages and not home.lending.by_clock]
    places = view.places(joined(by_place)) if by_place else ()
    fadings = [home.fading(view) for home in opened.read]
    if question.archived:
        fadings = [one.with_archived() for one in fadings]
    minded = [_in_mind(view, home, fade, question) for home, fade in zip(opened.read, fadings, strict=True)]
    while True:
        chosen = [_chosen(view, home, question, pool) for home in opened.read]
        candidates = tuple(
            _searched(view, home, asked, question, given, active, pool=pool)
            for home, given, active in zip(opened.read, chosen, minded, strict=True)
        )
        ranked = with_uses(view, opened, candidates, score(candidates, asked, policy, places), policy)
        ranked = faded(ranked, candidates, fadings, policy)
        links = {number: _links(view, one) for number, one in enumerate(candidates)}
        kept, dropped = _left(view, candidates, ranked, links, question, asked, fadings)
        if len(kept) >= question.top_k or all(one.is_all for one in candidates):
            whole = all(given is None or given.misses_nothing for given in chosen)
            return _Found(asked, candidates, ranked, links, kept, dropped, fadings, misses_nothing=whole)
        pool *= 4


def _in_mind(view: View, home: Home, fading: Fading, question: RecallQuestion) -> Mapping[int, float]:
    """Give what the question brings to mind in a home, where that counts."""
    if question.policy.association_share <= 0 or not isinstance(home, Associative):
        return NOTHING_IN_MIND
    return home.in_mind(view, question.text, fading)


def _searched(
    view: View,
    home: Home,
    asked: Plan,
    question: RecallQuestion,
    given: Preselected | None,
    in_mind: Mapping[int, float],
    *,
    pool: int,
) -> Candidates:
    """Search one home; where the question names a time or episodes, what is from there as well."""
    search = partial(
        find,
        view,
        home,
        asked,
        question.vector_for(home),
        pool=pool,
        policy=question.policy,
        least=question.min_similarity,
        in_mind=in_mind,
    )
    found = search(where=question.where, near=None if given is None else given.near)
    then = within(home, asked.when)
    if then is None:
        return once(found)
    every = once(found.joined(search(where=both(question.where, then)), frozenset()))
    keys = view.traits(home.gate, every.traits.keys(), where=then).keys()
    return replace(every, asked_for=frozenset(keys))


def _chosen(view: View, home: Home, question: RecallQuestion, pool: int) -> Preselected | None:
    """Give what an outside index chose for a home; None where there is none, or the store is to look."""
    if question.proposed is None:
        return None
    return preselected(view, home, question.vector_for(home), question.proposed, pool=pool)


def _links(view: View, found: Candidates) -> Links:
    return succession(view, found.home.gate, of=(trait.fact_id for trait in found.traits.values()))


def _left(
    view: View,
    candidates: tuple[Candidates, ...],
    ranked: Ranked,
    links: Mapping[int, Links],
    question: RecallQuestion,
    asked: Plan,
    fadings: Sequence[Fading],
) -> tuple[list[Scored], tuple[tuple[str, str], ...]]:
    """Part candidates into the best that stay and those left out, each with its reason."""
    wanted = question.min_relevance
    least, recent = question.min_similarity, {normalise(text) for text in question.recent}
    may_drop = (
        least is not None
        or wanted is not None
        or bool(recent)
        or any(one.superseded_by for one in links.values())
        or any(one.unsearched for one in fadings)
    )
    left: list[Scored] = [] if may_drop else list(ranked.scored)
    dropped: list[tuple[int, str]] = []
    for one in ranked.scored if may_drop else ():
        key, fact_id = one.candidate.key, one.candidate.fact_id
        found, newer = candidates[one.home], links[one.home].superseded_by
        like = found.similarity[key]
        told = (found.traits[key].space, fact_id)
        if (why := fadings[one.home].unsearched.get(told)) is not None:
            dropped.append((one.row, why))
        elif fact_id in newer:
            dropped.append((one.row, f"superseded by {newer[fact_id]}"))
        elif least is not None and like < least:
            dropped.append((one.row, f"similarity {like:.6f} is below {least:g}"))
        elif wanted is not None and (sure := _relevance(candidates, one, question) or 0.0) < wanted:
            dropped.append((one.row, f"relevance {sure:.6f} is below {wanted:g}"))
        elif recent and normalise(found.traits[key].text) in recent:
            dropped.append((one.row, "said in the recent messages"))
        else:
            left.append(one)
    vectors = FoundVectors(view, candidates)
    if not asked.is_of_then:
        left = newest_first(vectors, candidates, left, question.policy, some=2 * question.top_k)
    distinct, same = _thinned(vectors, candidates, left, question)
    reasons = dict(dropped) | same
    if not reasons:
        return distinct, ()
    named = {one.row: one.candidate.fact_id for one in ranked.scored}
    said = tuple((named[row], reasons[row]) for row in named if row in reasons)
    return distinct, said


def _thinned(
    vectors: FoundVectors, candidates: tuple[Candidates, ...], left: list[Scored], question: RecallQuestion
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
        seen = left[:some]
        same = _repeats(vectors, candidates, seen, threshold, enough=most)
        if len(seen) - len(same) >= most:
            break
    kept = set([at for at in range(len(left)) if at not in same][:most])
    kept |= set(sorted(same)[: most - len(kept)])
    told = {left[at].row: f"says the same as {left[by].candidate.fact_id}" for at, by in same.items()}
    gone = {left[at].row: told[left[at].row] for at in same if at not in kept}
    return [left[at] for at in sorted(kept)], gone


def _repeats(
    vectors: FoundVectors,
    candidates: tuple[Candidates, ...],
    seen: list[Scored],
    threshold: float,
    *,
    enough: int,
) -> dict[int, int]:
    """Tell which say the same as a better one; vectors of two embedders do not compare."""
    same: dict[int, int] = {}
    embedders = [one.home.built_with.embedder_id for one in candidates]
    for embedder in dict.fromkeys(embedders):
        places = [at for at, one in enumerate(seen) if embedders[one.home] == embedder]
        if not places:
            continue
        known = vectors.of([seen[at] for at in places])
        # What has no vector yet repeats nothing as far as anybody can tell.
        places = [at for at in places if seen[at].candidate.key in known]
        if not places:
            continue
        matrix = np.stack([known[seen[at].candidate.key] for at in places])
        found = repeats(matrix, threshold, enough=enough)
        same |= {places[row]: places[better] for row, better in found.items()}
    return same


def known(kinds: Kinds, view: View, viewer: Viewer, where: Filter | None = None) -> Recollection:
    """Give everything the viewer may know, in the gate's order; superseded facts are marked, not left out."""
    opened = open_gate(kinds, view, viewer)
    hits: list[Hit] = []
    for home in opened.read:
        admitted = each_once(home, admit(home.gate, view.admitted(home.gate, where=where)))
        memories = home.fading(view).left(admitted)
        links = succession(view, home.gate)
        proof = home.evidence(view, memories)
        hits += [show(memory, links, proof) for memory in memories]
    return _answer(view, opened, tuple(hits))


def nothing(kinds: Kinds, view: View, viewer: Viewer) -> Recollection:
    """Give what comes of not searching: nothing, for a viewer that is checked all the same.

    Raises `NotFoundError`.
    """
    return _answer(view, open_gate(kinds, view, viewer), ())


def _answer(
    view: View,
    opened: Opened,
    hits: tuple[Hit, ...],
    explanation: Explanation | None = None,
    *,
    warnings: tuple[str, ...] = (),
) -> Recollection:
    first = opened.homes[0]
    found = Recollection(
        viewer=opened.viewer,
        in_cast=opened.in_cast,
        hits=hits,
        pending_episodes=opened.pending_episodes,
        pending_turns=opened.pending_turns,
        backend=Backend(
            embedder=_each(home.built_with.embedder_id for home in opened.homes), model=first.built_with.model
        ),
        explanation=explanation,
        slices=opened.slices,
        warnings=warnings,
        embedded_by={
            part.space: home.built_with.embedder_id for home in opened.homes for part in home.gate.slices
        },
        unknown_persona=_holds_nothing(view, opened, hits),
    )
    return replace(found, note=found.persona_note) if found.unknown_persona else found


def _holds_nothing(view: View, opened: Opened, hits: Iterable[Hit]) -> bool:
    """Whether a user's viewer names a persona whose own slices are empty, as far as its gate goes (P2).

    What the persona holds later, and what others hold, is not looked at.
    """
    who = opened.viewer.persona
    if opened.has_cast or who is None or any(hit.character_id == who for hit in hits):
        return False
    own = tuple(part for part in opened.gate.slices if part.holder == who)
    if view.voices(Gate(own)):
        return False
    return not any(view.pending_turns(part.space, holders=(who,), upto=part.upto) for part in own)


def _each(names: Iterable[str]) -> str:
    """Give names once each, joined; most often there is one."""
    return ", ".join(dict.fromkeys(names))


def _admissible(view: View, opened: Opened) -> int:
    """Count what a viewer may be given."""
    return sum(len(each_once(home, view.admitted(home.gate))) for home in opened.read)


def _slices(opened: Opened) -> tuple[str, ...]:
    return tuple(home.describe(part) for home in opened.read for part in home.gate.slices)


def _explain(view: View, opened: Opened, found: _Found, policy: RecallPolicy) -> Explanation:
    asked, searched = found.plan, found.plan.searched
    counts = {
        "vectors": sum(one.near for one in found.candidates),
        "keywords": sum(one.wordy for one in found.candidates),
        "all": sum(len(one.traits) for one in found.candidates),
    }
    return Explanation(
        slices=_slices(opened),
        admissible=_admissible(view, opened),
        terms=asked.all_terms,
        expansions=asked.expansions,
        dropped=found.dropped,
        candidates=counts,
        intent=searched.intent.value,
        detected=searched.detected,
        made_by=searched.made_by,
        note=searched.note,
        profile=policy.profile,
        keywords=asked.phrases,
        planned=searched.terms,
        stripped=asked.named if policy.strip_names else (),
    )
