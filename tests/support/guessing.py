"""An extractor that guesses by names alone and says how sure it is, so that guesses can be foretold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kataribe.domain.evidence import EvidenceKind, Holding
from kataribe.domain.memory import NO_USAGE, Draft, Extraction, Reason, Usage
from kataribe.domain.story.audience import decide
from kataribe.domain.story.inputs import Character
from kataribe.domain.terms import NOBODY, PUBLIC, Audience
from kataribe.domain.text.paragraphs import is_scene_break
from kataribe.engine import Services
from kataribe.ports import Source
from support.stores import services

SURE, LIKELY, FAINT = 0.97, 0.8, 0.5
"""How sure a speaker is, who comes first in a sentence, and whoever else is named in it."""


class GuessingExtractor:
    """Makes a fact of every paragraph. Who is named in it holds it, and so do its narrators.

    `reads` counts the texts it was given.
    """

    extractor_id = "guessing-1"

    def __init__(self) -> None:
        self.reads = 0

    def estimate(self, source: Source) -> Usage:
        return NO_USAGE

    async def extract(self, source: Source) -> Extraction:
        self.reads += 1
        return Extraction(drafts=tuple(_drafts(source)))


def guessing(extractor: GuessingExtractor | None = None) -> Services:
    """Give engines that read every text by guessing."""
    made = extractor or GuessingExtractor()
    return replace(services(), extractor=lambda _: made)


def _drafts(source: Source) -> Iterator[Draft]:
    texts = [source.text[start:end] for start, end in source.paragraphs]
    verdicts = decide(texts, source.annotations)
    for (start, end), verdict in zip(source.paragraphs, verdicts, strict=True):
        begin = start + verdict.skip
        words = source.text[begin:end].strip()
        if not any(char.isalnum() for char in words) or is_scene_break(words):
            continue
        at = source.text.index(words, begin)
        plain = Draft(text=words, start=at, end=at + len(words), audience=NOBODY, reason=Reason.UNRECOGNISED)
        if source.is_open and not source.cast:
            yield replace(plain, audience=PUBLIC, reason=Reason.NO_CAST)
        elif verdict.audience is not None:
            yield replace(plain, audience=verdict.audience, reason=Reason.ANNOTATION)
        else:
            yield _guessed(plain, source.cast)


def _guessed(plain: Draft, cast: tuple[Character, ...]) -> Draft:
    found = {held.holder: held for one in cast for held in _named(plain.text, one)}
    tellings = [(one.character_id, told) for one in cast for told in one.narrates]
    if any(told.told_to for _, told in tellings):
        found = {}
    for teller, told in tellings:
        for holder in (teller, *told.told_to):
            found[holder] = Holding(holder, EvidenceKind.NARRATED, 0.99)
    holdings = tuple(found[holder] for holder in sorted(found))
    if not holdings:
        return plain
    return replace(plain, audience=Audience(members=frozenset(found)), reason=Reason.SCENE, holdings=holdings)


def _named(text: str, character: Character) -> Iterator[Holding]:
    for alias in character.called():
        at = text.find(alias.text)
        if at < 0:
            continue
        if any(word in text[at:] for word in (f"{alias.text} said", f"{alias.text}は言った")):
            yield Holding(character.character_id, EvidenceKind.SPOKE, SURE)
        elif at == 0:
            yield Holding(character.character_id, EvidenceKind.ACTED, LIKELY)
        else:
            yield Holding(character.character_id, EvidenceKind.PRESENT, FAINT)
        return
