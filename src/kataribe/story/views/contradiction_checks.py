"""Checks that guess: sentences that contradict each other by what they mean, and where they stand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from kataribe.domain.story.contradictions import Clash, Statement, find_clashes
from kataribe.domain.story.inputs import NameKind
from kataribe.domain.story.views import Finding, QuotedSentence, Severity
from kataribe.domain.text.paragraphs import paragraphs
from kataribe.ports import View
from kataribe.story.views.fact_checks import episode_texts, root_of
from kataribe.story.views.held_fact import HeldFact
from kataribe.story.views.story_view import StoryView

Facts = Mapping[str, HeldFact]


def clashes(seen: StoryView, facts: Facts) -> tuple[Clash, ...]:
    """Find pairs of facts that somebody holds both for true and that contradict each other, by rule."""
    replaced = {fact.supersedes for fact in facts.values() if fact.supersedes is not None}
    told = [
        Statement(fact.fact_id, fact.episode_no, fact.text)
        for fact in facts.values()
        if fact.fact_id not in replaced
    ]
    found = find_clashes(told, seen.story.language, _names(seen))
    return tuple(clash for clash in found if _can_clash(facts, facts[clash.one], facts[clash.other]))


def _names(seen: StoryView) -> dict[str, list[str]]:
    return {
        character.character_id: [
            alias.text for alias in character.called() if alias.kind is not NameKind.FIRST_PERSON
        ]
        for character in seen.cast
    }


def _can_clash(facts: Facts, one: HeldFact, other: HeldFact) -> bool:
    return one.meets(other) and root_of(facts, one) != root_of(facts, other)


def contradictions(facts: Facts, found: Iterable[Clash], known: Iterable[Finding]) -> Iterator[Finding]:
    """Tell of clashes, but for pairs that another check has told of."""
    told = {frozenset(finding.fact_ids) for finding in known}
    for clash in found:
        if frozenset((clash.one, clash.other)) not in told:
            one, other = facts[clash.one], facts[clash.other]
            yield Finding(
                code="contradiction",
                severity=Severity.WARNING,
                says=f"{one.fact_id} and {other.fact_id} of episode {other.episode_no} seem to contradict "
                f"each other ({clash.kind.value}): {clash.says}",
                advice="a guess: if both cannot be true, mend a text or let the newer supersede the older",
                episode_no=one.episode_no,
                fact_ids=(one.fact_id, other.fact_id),
                characters=tuple(sorted(one.holders)),
                is_guess=True,
            )


def quoting(view: View, seen: StoryView, facts: Facts, findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Let findings about two facts quote both, with their places."""
    shown = {
        fact_id: facts[fact_id]
        for finding in findings
        if finding.code in _QUOTING
        for fact_id in finding.fact_ids
        if fact_id in facts
    }
    quoted = _quoted(view, seen, shown)
    return tuple(
        replace(finding, quotes=tuple(quoted[one] for one in finding.fact_ids if one in quoted))
        if finding.code in _QUOTING
        else finding
        for finding in findings
    )


_QUOTING = frozenset({"contradiction", "secret-shows"})


def _quoted(view: View, seen: StoryView, shown: Facts) -> dict[str, QuotedSentence]:
    by_episode: defaultdict[int, list[HeldFact]] = defaultdict(list)
    for fact in shown.values():
        by_episode[fact.episode_no].append(fact)
    return {
        fact.fact_id: _place(fact, text)
        for no, text in episode_texts(view, seen, by_episode)
        for fact in by_episode[no]
    }


def _place(fact: HeldFact, text: str | None) -> QuotedSentence:
    """Find where a fact's sentence stands: its own words, or those it quotes of its own episode."""
    own_quote = fact.quote if fact.quote_no in (None, fact.episode_no) else None
    at = -1 if text is None else text.find(fact.text)
    if at < 0 and text is not None and own_quote:
        at = text.find(own_quote)
    paragraph = None
    if at >= 0 and text is not None:
        spans = paragraphs(text)
        paragraph = next((no for no, (start, end) in enumerate(spans, start=1) if start <= at < end), None)
    return QuotedSentence(
        fact_id=fact.fact_id,
        episode_no=fact.episode_no,
        text=fact.text,
        paragraph=paragraph,
        start=at if at >= 0 else None,
    )
