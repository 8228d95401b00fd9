"""Kinship: who is whose, who has nobody, how many children, and what a parent was."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kataribe.domain.story.contradictions.kin_english import kin_english
from kataribe.domain.story.contradictions.kin_japanese import kin_japanese
from kataribe.domain.story.contradictions.kin_patterns import Having, KinPatterns
from kataribe.domain.story.contradictions.patterns import got
from kataribe.domain.story.contradictions.told import Clash, ClashKind, ToldLine, ToldStory

Claim = tuple[str, str, ToldLine, str]
"""A key, a value, the line, and how it is said; values of one key exclude each other."""


def clashes(told: ToldStory) -> Iterator[Clash]:
    """Find relations that exclude each other."""
    first: dict[str, tuple[str, ToldLine, str]] = {}
    done: set[str] = set()
    for key, value, line, said in _claims(told):
        held, before, was = first.setdefault(key, (value, line, said))
        if key in done or held == value or before.key == line.key:
            continue
        # Who marries or has a child was single before: only having nobody comes first for good.
        if key[0] in _FADES and (value == "none" or told.leaps_between(before, line)):
            continue
        done.add(key)
        yield Clash(before.key, line.key, ClashKind.KIN, f"{was} here, {said} there")


_FADES = "mc"
"""Keys of marriage and of children: these come with time."""

_MARRIES = re.compile(
    "結婚し|嫁い|娶|養子|義理|義[兄弟姉妹父母]|再婚|婚約|married|wed\\b|adopt|step|foster|in-law|engaged"
)


def _claims(told: ToldStory) -> Iterator[Claim]:
    kin = kin_japanese(told.name) if told.language == "ja" else kin_english(told.name)
    for line in told.naming:
        for having in kin.having:
            if not line.is_unreal or having.key[0] in kin.even_unreal:
                yield from _having(told, line, having)
        if not line.is_unreal:
            yield from _relations(told, line, kin)
            yield from _counts(told, line, kin)
            yield from _jobs(told, line, kin)


def _having(told: ToldStory, line: ToldLine, one: Having) -> Iterator[Claim]:
    if (match := one.nobody.search(line.told)) is not None:
        yield f"{one.key} {_who(told, match)}", "none", line, one.says[0]
    elif (match := one.somebody.search(line.told)) is not None and not _MARRIES.search(line.told):
        yield f"{one.key} {_who(told, match)}", "some", line, one.says[1]


def _relations(told: ToldStory, line: ToldLine, kin: KinPatterns) -> Iterator[Claim]:
    for pattern in kin.related:
        match = pattern.search(line.told)
        if match is None or got(match, "a") == got(match, "b"):
            continue
        relation = kin.relation(got(match, "r"))
        if relation is not None:
            both = f"r {_who(told, match)}\0{told.names[got(match, 'b')]}"
            yield both, relation, line, got(match, "r")


def _counts(told: ToldStory, line: ToldLine, kin: KinPatterns) -> Iterator[Claim]:
    match = next((found for one in kin.counts if (found := one.search(line.told)) is not None), None)
    if match is not None:
        number, sort = got(match, "n"), got(match, "c")
        said = kin.counted.format(n=number, c=sort)
        yield f"c {_who(told, match)} {sort}", str(kin.number(number)), line, said


def _jobs(told: ToldStory, line: ToldLine, kin: KinPatterns) -> Iterator[Claim]:
    if (match := kin.job.search(line.told)) is not None:
        yield f"j {_who(told, match)} {got(match, 'r')}", got(match, "job"), line, got(match, "job")


def _who(told: ToldStory, match: re.Match[str]) -> str:
    return told.names[got(match, "a")]
