"""Hits of one sort, for tests that know which they asked for."""

from __future__ import annotations

from collections.abc import Iterable

from kataribe.domain.memory import FactHit, Hit, TurnHit


def fact_hits(hits: Iterable[Hit]) -> list[FactHit]:
    """Give hits that are all facts; fail on any other."""
    found = list(hits)
    told = [hit for hit in found if isinstance(hit, FactHit)]
    assert len(told) == len(found)
    return told


def turn_hits(hits: Iterable[Hit]) -> list[TurnHit]:
    """Give hits that are all turns; fail on any other."""
    found = list(hits)
    said = [hit for hit in found if isinstance(hit, TurnHit)]
    assert len(said) == len(found)
    return said
