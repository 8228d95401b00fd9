"""Checks of facts: links that lead nowhere, secrets that show elsewhere, contradictions, quotes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from kataribe.domain.story.views import Finding, Severity
from kataribe.domain.terms import Language
from kataribe.domain.text.wording import Wordings, clashes, skeleton
from kataribe.ports import View
from kataribe.story.views.held_fact import HeldFact
from kataribe.story.views.story_view import StoryView

Facts = Mapping[str, HeldFact]

_SHOWN = 60
_TEXTS_TOGETHER = 50


def links(facts: Facts) -> Iterator[Finding]:
    """Find `supersedes` and `told_from` that name nothing, the future, or each other."""
    for fact in facts.values():
        for link, named in (("supersedes", fact.supersedes), ("told_from", fact.told_from)):
            if named is not None:
                yield from _link(facts, fact, link, named)


def _link(facts: Facts, fact: HeldFact, link: str, named: str) -> Iterator[Finding]:
    other = facts.get(named)
    if other is None:
        yield _of(
            fact,
            "missing-link",
            Severity.PROBLEM,
            f"{link} names {named}, which is not in memory",
            f"name a fact that is there, or take {link} out",
        )
    elif other is fact:
        yield _of(fact, "own-link", Severity.PROBLEM, f"{link} names the fact itself", f"take {link} out")
    elif other.episode_no > fact.episode_no:
        yield _of(
            fact,
            "later-link",
            Severity.PROBLEM,
            f"{link} names {named}, which comes up only in episode {other.episode_no}",
            "the link has no effect before that; turn it round or move a fact",
            named,
        )
    elif link == "supersedes" and other.supersedes == fact.fact_id and fact.fact_id < named:
        yield _of(
            fact,
            "mutual-link",
            Severity.PROBLEM,
            f"this fact and {named} supersede each other",
            "keep the link on the newer one",
            named,
        )


def leaks(facts: Facts, language: Language) -> Iterator[Finding]:
    """Find secrets whose distinctive words stand in facts that somebody outside may know.

    A telling of it (`told_from`, also by way of others) is none, nor is anything told to the
    same holders once they have been told.
    """
    wordings = Wordings({fact_id: fact.text for fact_id, fact in facts.items()}, language)
    told = told_to(facts)
    for secret in facts.values():
        if secret.is_public:
            continue
        for other_id, words in wordings.echoes(secret.fact_id):
            other = facts[other_id]
            if is_leak(facts, secret, other, told.get(secret.fact_id, {})):
                outside = (
                    "everybody" if other.is_public else ", ".join(sorted(other.holders - secret.holders))
                )
                yield _of(
                    secret,
                    "secret-shows",
                    # Told to others later on is how stories go; at once or before is not.
                    Severity.NOTE if other.episode_no > secret.episode_no else Severity.WARNING,
                    f"known to {', '.join(sorted(secret.holders))}, but {other_id} of episode "
                    f"{other.episode_no} tells {outside} much the same ({' '.join(words[:5])})",
                    "make the other secret too, or say that it was told with told_from",
                    other_id,
                )


def is_leak(facts: Facts, secret: HeldFact, other: HeldFact, told: Mapping[str, int]) -> bool:
    """Whether somebody who does not hold the secret, and has not been told it, holds the other fact."""
    if other.holders <= secret.holders:
        return False
    if secret.fact_id in (other.supersedes, other.told_from) or other.fact_id in (
        secret.supersedes,
        secret.told_from,
    ):
        return False
    root, rooted = root_of(facts, secret), root_of(facts, other)
    if root == rooted:
        return False
    # Who has been told by then may well be told more.
    outside = other.holders - secret.holders
    return any(told.get(holder, other.episode_no + 1) > other.episode_no for holder in outside)


def root_of(facts: Facts, fact: HeldFact) -> str:
    """Give the fact that a telling began with; a circle ends where it closes."""
    passed = {fact.fact_id}
    while fact.told_from is not None and fact.told_from in facts and fact.told_from not in passed:
        fact = facts[fact.told_from]
        passed.add(fact.fact_id)
    return fact.fact_id


def told_to(facts: Facts) -> dict[str, dict[str, int]]:
    """Give by secret who has been told it by a telling, and in which episode first."""
    found: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for fact in facts.values():
        if fact.told_from is None:
            continue
        for told in {fact.told_from, root_of(facts, fact)}:
            for holder in fact.holders:
                first = found[told].get(holder, fact.episode_no)
                found[told][holder] = min(first, fact.episode_no)
    return found


def contradictions(facts: Facts, language: Language) -> Iterator[Finding]:
    """Find pairs that somebody holds both for true and that differ in one number or a negation."""
    replaced = {fact.supersedes for fact in facts.values() if fact.supersedes is not None}
    current = {
        fact_id: skeleton(fact.text, language) for fact_id, fact in facts.items() if fact_id not in replaced
    }
    for one, other, how in clashes(current):
        if facts[one].meets(facts[other]) and root_of(facts, facts[one]) != root_of(facts, facts[other]):
            yield _of(
                facts[one],
                "contradiction",
                Severity.WARNING,
                f"{one} and {other} of episode {facts[other].episode_no} are alike: {how}",
                "if both cannot be true, let the newer one supersede the older",
                other,
                is_guess=True,
            )


def quotes(view: View, seen: StoryView, facts: Facts) -> Iterator[Finding]:
    """Find quotes of other episodes that do not stand there."""
    asked: defaultdict[int, list[HeldFact]] = defaultdict(list)
    for fact in facts.values():
        if fact.quote is not None and fact.quote_no is not None:
            asked[fact.quote_no].append(fact)
    for no, text in episode_texts(view, seen, asked):
        for fact in asked[no]:
            if text is None or (fact.quote is not None and fact.quote not in text):
                there = "there is no such episode" if text is None else "does not stand there"
                yield _of(
                    fact,
                    "quote-not-there",
                    Severity.PROBLEM,
                    f"quotes episode {no}, {there}: {(fact.quote or '')[:_SHOWN]!r}",
                    "correct the quote or its episode",
                )


def episode_texts(view: View, seen: StoryView, numbers: Iterable[int]) -> Iterator[tuple[int, str | None]]:
    """Give the texts of episodes, some of them together; None for a number that is none."""
    homes = {state.no: story_id for (story_id, _), state in seen.states.items()}
    wanted = sorted(numbers)
    for at in range(0, len(wanted), _TEXTS_TOGETHER):
        batch = wanted[at : at + _TEXTS_TOGETHER]
        texts: dict[int, str] = {}
        for story_id in dict.fromkeys(homes[no] for no in batch if no in homes):
            texts |= view.live_texts(story_id, [no for no in batch if homes.get(no) == story_id])
        yield from ((no, texts.get(no)) for no in batch)


def _of(
    fact: HeldFact,
    code: str,
    severity: Severity,
    says: str,
    advice: str,
    *others: str,
    is_guess: bool = False,
) -> Finding:
    return Finding(
        code=code,
        severity=severity,
        says=says,
        advice=advice,
        episode_no=fact.episode_no,
        fact_ids=(fact.fact_id, *others),
        characters=tuple(sorted(fact.holders)),
        is_guess=is_guess,
    )
