"""What a proofreader is asked about: what rules guess, and sentences that share names and words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from kataribe.domain.story.proof import PairVerdict, SentencePair
from kataribe.domain.story.views import Finding, Severity
from kataribe.domain.terms import Language
from kataribe.domain.text.wording import WordingPolicy, Wordings
from kataribe.story.views.fact_checks import root_of
from kataribe.story.views.held_fact import HeldFact

Facts = Mapping[str, HeldFact]

MOST_ASKED = 400
"""Pairs that a proofreader is asked about beside what rules guess: each of them may cost money."""
_LOOSE = WordingPolicy(rare=8, least=2, share=0.3)
_EACH = 3
_WANTED = {"contradiction": PairVerdict.CONTRADICTS, "secret-shows": PairVerdict.TELLS}


@dataclass(frozen=True, slots=True)
class PairAsked:
    """A pair of facts to ask about; `guess` is what was found of it by rule."""

    one: str
    other: str
    guess: Finding | None = None


def to_ask(facts: Facts, language: Language, guesses: Sequence[Finding]) -> tuple[PairAsked, ...]:
    """Name the pairs to ask about: guesses first, then facts that share rare words, the most alike first.

    Of the latter both are held by somebody, and none is replaced by or told from the other.
    """
    found = {
        frozenset(guess.fact_ids): PairAsked(guess.fact_ids[0], guess.fact_ids[1], guess)
        for guess in guesses
        if guess.code in _WANTED
    }
    more: list[tuple[int, str, str]] = []
    for one, other, shared in _alike(facts, language):
        if frozenset((one, other)) not in found:
            more.append((-shared, one, other))
    asked = [*found.values()]
    asked += [PairAsked(one, other) for _, one, other in sorted(more)[:MOST_ASKED]]
    return tuple(asked)


def _alike(facts: Facts, language: Language) -> Iterator[tuple[str, str, int]]:
    replaced = {fact.supersedes for fact in facts.values()}
    current = {key: fact for key, fact in facts.items() if key not in replaced}
    wordings = Wordings({key: fact.text for key, fact in current.items()}, language, _LOOSE)
    order = {key: place for place, key in enumerate(current)}
    seen: set[tuple[str, str]] = set()
    for key, fact in current.items():
        echoes = sorted(wordings.echoes(key), key=lambda one: (-len(one[1]), one[0]))
        for other, words in echoes[:_EACH]:
            first, second = sorted((key, other), key=order.__getitem__)
            if (first, second) in seen or not fact.meets(current[other]):
                continue
            seen.add((first, second))
            if root_of(facts, fact) != root_of(facts, current[other]):
                yield first, second, len(words)


def pairs_of(facts: Facts, asked: Sequence[PairAsked]) -> tuple[SentencePair, ...]:
    """Give the sentences of each pair."""
    return tuple(
        SentencePair(
            facts[one.one].text, facts[one.one].episode_no, facts[one.other].text, facts[one.other].episode_no
        )
        for one in asked
    )


def proved(
    facts: Facts, asked: Sequence[PairAsked], verdicts: Sequence[PairVerdict], proofreader_id: str
) -> tuple[frozenset[tuple[str, ...]], tuple[Finding, ...]]:
    """Give the facts of the guesses that the proofreader does not share, and what it finds itself."""
    refused = frozenset(
        one.guess.fact_ids
        for one, verdict in zip(asked, verdicts, strict=True)
        if one.guess is not None and verdict is not _WANTED[one.guess.code]
    )
    found = tuple(
        _finding(facts[one.one], facts[one.other], proofreader_id)
        for one, verdict in zip(asked, verdicts, strict=True)
        if one.guess is None and verdict is PairVerdict.CONTRADICTS
    )
    return refused, found


def _finding(one: HeldFact, other: HeldFact, proofreader_id: str) -> Finding:
    return Finding(
        code="contradiction",
        severity=Severity.WARNING,
        says=f"{one.fact_id} and {other.fact_id} of episode {other.episode_no} contradict each other, "
        f"says {proofreader_id}",
        advice="a guess: if both cannot be true, mend a text or let the newer one supersede the older",
        episode_no=one.episode_no,
        fact_ids=(one.fact_id, other.fact_id),
        characters=tuple(sorted(one.holders)),
        is_guess=True,
    )
