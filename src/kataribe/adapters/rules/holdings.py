"""What speaks for each holder of a sentence, and how sure it is."""

from __future__ import annotations

from collections.abc import Sequence

from kataribe.adapters.rules.confidence import (
    ADDRESSEE,
    FIRST_PERSON,
    ONLY_APPEARS,
    SOMEWHERE,
    TELLER,
    THINKER,
    THINKER_UNNAMED,
    TOLD_TO,
)
from kataribe.adapters.rules.deeds import told_in_present
from kataribe.adapters.rules.letters import letters
from kataribe.adapters.rules.passages import QuotedPassage, overlapping
from kataribe.adapters.rules.scenes import Guess, Scene
from kataribe.adapters.rules.signs import signs_of
from kataribe.adapters.rules.timeline import PresenceLine
from kataribe.adapters.tellers import StoryTeller
from kataribe.domain.evidence import EvidenceKind, Holding
from kataribe.domain.memory import Reason
from kataribe.domain.story.inputs import Character
from kataribe.domain.terms import Audience
from kataribe.domain.text.paragraphs import Span

_ENOUGH = 0.5
"""The confidence from which on somebody holds a sentence whom the scene as a whole does not find."""


class StagedScene:
    """A scene with everybody's evidence for each of its sentences."""

    def __init__(
        self, passages: Sequence[QuotedPassage], tellers: Sequence[StoryTeller], cast: Sequence[Character]
    ) -> None:
        self._scene = Scene(passages, [teller.who for teller in tellers])
        in_present = told_in_present(passages)
        signs = [
            signs_of(passage, self._scene.inner, self._scene.speakers, in_present=in_present)
            for passage in passages
        ]
        self._letters = letters(passages, cast)
        for index in self._letters:
            # Whoever is named in a letter is not where it is read.
            signs[index].clear()
        self._signs = signs
        self._tellers = tellers
        told = [teller.who | teller.told_to for teller in tellers]
        self._timeline = PresenceLine(passages, signs, told)

    def guess(self, index: int, passage: QuotedPassage, span: Span) -> tuple[Guess, tuple[Holding, ...]]:
        """Guess who holds a sentence of the paragraph `index` of the scene, and what speaks for each."""
        guess = self._scene.guess(passage, span)
        found: dict[str, Holding] = {}
        if span in self._scene.inner:
            self._think(found, guess, index, passage, span)
        else:
            self._see(found, guess, index, span)
        if index in self._letters:
            self._tell(found, self._letters[index])
        self._tell(found, self._tellers[index])
        if not found:
            return guess, ()
        reason = guess.reason
        if reason is Reason.UNRECOGNISED:
            reason = Reason.INNER if span in self._scene.inner else Reason.SCENE
        holdings = tuple(found[who] for who in sorted(found))
        return Guess(Audience(members=frozenset(found)), reason), holdings

    def _think(
        self, found: dict[str, Holding], guess: Guess, index: int, passage: QuotedPassage, span: Span
    ) -> None:
        """Take in the thinker of a thought, and nobody else who is there."""
        named = passage.named_in(*span)
        own = {mention.ids for mention in named if mention.first_person and len(mention.ids) == 1}
        if overlapping(passage.thoughts, *span) and len(own) == 1:
            # Nobody else says I in a thought.
            (thinker,) = next(iter(own))
            found[thinker] = Holding(thinker, EvidenceKind.INNER, THINKER)
            return
        for who in guess.audience.members:
            found[who] = Holding(who, EvidenceKind.INNER, THINKER)
        view = self._timeline.point_of_view
        spoken_of = any(view in mention.ids and not mention.first_person for mention in named)
        if not found and view is not None and not spoken_of and not self._tellers[index].who:
            found[view] = Holding(view, EvidenceKind.INNER, THINKER_UNNAMED)

    def _see(self, found: dict[str, Holding], guess: Guess, index: int, span: Span) -> None:
        """Take in who is there, or may be."""
        is_told = bool(self._tellers[index].told_to)
        guesses = self._timeline.guesses[index]
        for who in sorted(guess.audience.members | set(guesses)):
            confidence = guesses[who].confidence if who in guesses else SOMEWHERE
            if is_told:
                confidence = min(confidence, ONLY_APPEARS)
            if who in guess.audience.members or confidence >= _ENOUGH:
                found[who] = Holding(who, self._evidence(who, index, span), confidence)

    def _evidence(self, who: str, index: int, span: Span) -> EvidenceKind:
        signs = self._signs[index].get(who)
        sign = signs.by_sentence.get(span[0]) if signs is not None else None
        return EvidenceKind.PRESENT if sign is None else sign.evidence

    def _tell(self, found: dict[str, Holding], teller: StoryTeller) -> None:
        """Take in who tells it and to whom, unless something stronger speaks for them."""
        told_to = TOLD_TO if teller.is_named else ADDRESSEE
        told = {**dict.fromkeys(teller.told_to, told_to)}
        told |= dict.fromkeys(teller.who, TELLER if teller.is_named else FIRST_PERSON)
        for who, sure in told.items():
            if who not in found or found[who].confidence <= sure:
                found[who] = Holding(who, EvidenceKind.NARRATED, sure)
