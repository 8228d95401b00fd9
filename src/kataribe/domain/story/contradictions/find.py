"""All rules over one story."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from kataribe.domain.story.contradictions import ages, bodies, dates, deaths, kin, places, things
from kataribe.domain.story.contradictions.told import Clash, Statement, tell
from kataribe.domain.terms import Language


def find_clashes(
    statements: Sequence[Statement], language: Language, names: Mapping[str, Collection[str]]
) -> tuple[Clash, ...]:
    """Find pairs of sentences that contradict each other, it seems; each is a guess.

    `statements` stand in story order; `names` gives what each of the cast is called. The time
    grows with the number of sentences.
    """
    told = tell(statements, language, names)
    found: dict[tuple[str, str], Clash] = {}
    for rule in (ages, dates, deaths, bodies, things, kin, places):
        for clash in rule.clashes(told):
            found.setdefault((clash.one, clash.other), clash)
    return tuple(found.values())
