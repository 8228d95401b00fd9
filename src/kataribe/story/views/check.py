"""Looking a story over: what an author would want to know before somebody reads it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from kataribe.domain.memory import Reason
from kataribe.domain.story.likeness import likeness_of
from kataribe.domain.story.views import REVIEW, Finding, Inspection, Severity, pending_of
from kataribe.domain.terms import FactOrigin
from kataribe.ports import View
from kataribe.story.views import cast_checks, contradiction_checks, fact_checks
from kataribe.story.views.held_fact import HeldFact
from kataribe.story.views.meaning_checks import Shown, suspects
from kataribe.story.views.story_view import StoryView, see, shares_of


@dataclass(frozen=True, slots=True)
class Look:
    """What a look at the ledger found, and what is left to be weighed outside of it."""

    seen: StoryView
    facts: Mapping[str, HeldFact]
    findings: tuple[Finding, ...]
    suspected: tuple[Shown, ...] = ()


def look(view: View, story_id: str) -> Look:
    """Look a story over by rule. Raises `NotFoundError`.

    Only what is in memory is looked at; episodes that are not are a finding themselves.
    """
    seen = see(view, story_id)
    gathered = _gather(view, seen)
    facts = gathered.facts
    alike = tuple(fact_checks.contradictions(facts, seen.story.language))
    found = (
        *alike,
        *contradiction_checks.contradictions(facts, contradiction_checks.clashes(seen, facts), alike),
        *_pending(story_id, pending_of(seen.episodes())),
        *_in_review(story_id, gathered),
        *_without_quote(gathered),
        *fact_checks.links(facts),
        *fact_checks.leaks(facts, seen.story.language),
        *fact_checks.quotes(view, seen, facts),
        *cast_checks.ignorance(seen, gathered.holders),
        *cast_checks.look_alike_ids(seen),
        *cast_checks.group_ids(seen),
        *cast_checks.shared(seen),
        *cast_checks.names(view, seen),
    )
    return Look(seen, facts, found, _suspected(view, seen, facts, found))


def _suspected(
    view: View, seen: StoryView, facts: Mapping[str, HeldFact], found: Iterable[Finding]
) -> tuple[Shown, ...]:
    least = likeness_of(seen.story.embedder_id)
    if least is None:
        return ()
    known = {frozenset(finding.fact_ids) for finding in found if finding.code == "secret-shows"}
    return suspects(view, seen, facts, least, known)


def inspection(view: View, looked: Look, more: Iterable[Finding]) -> Inspection:
    """Put together what was found, the worst first; findings about two facts quote both."""
    marked = (_marked(one, looked.facts) for one in (*looked.findings, *more))
    found = sorted(marked, key=Finding.order)
    counts = Counter(finding.severity for finding in found)
    return Inspection(
        story_id=looked.seen.story_id,
        episodes=len(looked.seen.states),
        facts=len(looked.facts),
        findings=contradiction_checks.quoting(view, looked.seen, looked.facts, found),
        pending=pending_of(looked.seen.episodes()),
        guessed=sum(fact.is_guessed for fact in looked.facts.values()),
        counts={severity: counts[severity] for severity in Severity},
    )


@dataclass(slots=True)
class _Gathered:
    """What one pass over the story finds."""

    facts: dict[str, HeldFact] = field(default_factory=dict)
    holders: Counter[str] = field(default_factory=Counter)
    review: defaultdict[int, set[str]] = field(default_factory=lambda: defaultdict(set))
    lost: dict[str, tuple[int, str]] = field(default_factory=dict)
    flagged: defaultdict[int, set[str]] = field(default_factory=lambda: defaultdict(set))


def _gather(view: View, seen: StoryView) -> _Gathered:
    found = _Gathered()
    for no, share in shares_of(view, seen):
        if share.holder == REVIEW:
            if share.reason is Reason.LOST_QUOTE:
                found.lost[share.fact_id] = (no, share.quote or "")
            else:
                found.review[no].add(share.fact_id)
            continue
        found.holders[share.holder] += 1
        if share.flagged:
            found.flagged[no].add(share.fact_id)
        if share.fact_id in found.facts:
            found.facts[share.fact_id].add(share)
        else:
            found.facts[share.fact_id] = HeldFact.of(no, share)
    return found


def _marked(finding: Finding, facts: Mapping[str, HeldFact]) -> Finding:
    """Name those of a finding's facts that are somebody's by guess."""
    guessed = tuple(one for one in finding.fact_ids if one in facts and facts[one].is_guessed)
    return replace(finding, guessed_facts=guessed) if guessed else finding


def _pending(story_id: str, pending: tuple[int, ...]) -> Iterable[Finding]:
    if pending:
        yield Finding(
            code="not-in-memory",
            severity=Severity.WARNING,
            says=f"episode {_some(pending)} not in memory yet: what is told there was not looked at",
            advice=f"run `kataribe sync --story {story_id}`",
            episode_no=pending[0],
        )


def _in_review(story_id: str, gathered: _Gathered) -> Iterable[Finding]:
    see_review = f"see `kataribe fact review --story {story_id}`"
    for fact_id, (no, quote) in gathered.lost.items():
        yield Finding(
            code="lost-quote",
            severity=Severity.PROBLEM,
            says=f"its quote does not stand in episode {no}: {quote[:60]!r}",
            advice="correct the quote or the text; until then nobody remembers it",
            episode_no=no,
            fact_ids=(fact_id,),
        )
    for no, ids in gathered.review.items():
        yield Finding(
            code="in-review",
            severity=Severity.NOTE,
            says=f"{len(ids)} of episode {no} held by nobody yet: nobody was recognised surely enough",
            advice=see_review,
            episode_no=no,
            fact_ids=tuple(sorted(ids)),
        )
    for no, ids in gathered.flagged.items():
        yield Finding(
            code="guessed",
            severity=Severity.NOTE,
            says=f"{len(ids)} of episode {no} guessed after a change",
            advice=see_review,
            episode_no=no,
            fact_ids=tuple(sorted(ids)),
        )


def _without_quote(gathered: _Gathered) -> Iterable[Finding]:
    bare: defaultdict[int, list[str]] = defaultdict(list)
    for fact in gathered.facts.values():
        if fact.quote is None and fact.origin is not FactOrigin.EXTRACTED:
            bare[fact.episode_no].append(fact.fact_id)
    for no, ids in bare.items():
        yield Finding(
            code="no-evidence",
            severity=Severity.NOTE,
            says=f"{len(ids)} of episode {no} without a quote: nothing tells when the text no longer says so",
            advice="give a quote with `kataribe fact edit ID --quote Q`, or leave it so",
            episode_no=no,
            fact_ids=tuple(ids),
        )


def _some(numbers: tuple[int, ...]) -> str:
    shown = ", ".join(str(no) for no in numbers[:10])
    return shown if len(numbers) <= 10 else f"{shown} and {len(numbers) - 10} more"
