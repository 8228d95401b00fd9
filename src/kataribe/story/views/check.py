"""Looking a story over: what an author would want to know before somebody reads it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from kataribe.domain.memory import Reason
from kataribe.domain.story.views import REVIEW, Finding, Inspection, Severity, pending_of
from kataribe.domain.terms import FactOrigin
from kataribe.ports import View
from kataribe.story.views import cast_checks, fact_checks
from kataribe.story.views.held_fact import HeldFact
from kataribe.story.views.story_view import StoryView, see, shares_of


def check(ledger: View, story_id: str) -> Inspection:
    """Look a story over; the worst findings come first. Raises `NotFoundError`.

    Only what is in memory is looked at; episodes that are not are a finding themselves.
    """
    seen = see(ledger, story_id)
    gathered = _gather(ledger, seen)
    pending = pending_of(seen.episodes())
    found = [
        *_pending(story_id, pending),
        *_in_review(story_id, gathered),
        *_without_quote(gathered),
        *fact_checks.links(gathered.facts),
        *fact_checks.leaks(gathered.facts, seen.story.language),
        *fact_checks.contradictions(gathered.facts, seen.story.language),
        *fact_checks.quotes(ledger, seen, gathered.facts),
        *cast_checks.ignorance(seen, gathered.holders),
        *cast_checks.look_alike_ids(seen),
        *cast_checks.group_ids(seen),
        *cast_checks.shared(seen),
        *cast_checks.names(ledger, seen),
    ]
    counts = Counter(finding.severity for finding in found)
    return Inspection(
        story_id=story_id,
        episodes=len(seen.states),
        facts=len(gathered.facts),
        findings=tuple(sorted((_marked(one, gathered) for one in found), key=Finding.order)),
        pending=pending,
        guessed=sum(fact.is_guessed for fact in gathered.facts.values()),
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


def _gather(ledger: View, seen: StoryView) -> _Gathered:
    found = _Gathered()
    for no, share in shares_of(ledger, seen):
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


def _marked(finding: Finding, gathered: _Gathered) -> Finding:
    """Name those of a finding's facts that are somebody's by guess."""
    facts = gathered.facts
    guessed = tuple(one for one in finding.fact_ids if one in facts and facts[one].is_guessed)
    return replace(finding, guessed=guessed) if guessed else finding


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
