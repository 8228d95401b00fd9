"""Scenes: what lies between two scene breaks, and who of the cast is there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kataribe.adapters.rules.inner import is_inner, thinker_named
from kataribe.adapters.rules.names import Mention
from kataribe.adapters.rules.passages import QuotedPassage, overlapping
from kataribe.adapters.rules.presence import is_acting, is_called
from kataribe.adapters.rules.speakers import find_speakers
from kataribe.adapters.rules.subjects import other_subject, subject_between
from kataribe.domain.memory import Reason
from kataribe.domain.terms import NOBODY, Audience
from kataribe.domain.text.paragraphs import Span


@dataclass(frozen=True, slots=True)
class Guess:
    """Who a sentence is guessed to be known by, and why."""

    audience: Audience
    reason: Reason


NOT_RECOGNISED = Guess(NOBODY, Reason.UNRECOGNISED)


class Scene:
    """The paragraphs of one scene, and those present in it."""

    def __init__(
        self, passages: Sequence[QuotedPassage], tellers: Sequence[frozenset[str]] | None = None
    ) -> None:
        """Read the scene; `tellers` says for each paragraph who narrates it."""
        self.inner = frozenset(
            span for passage in passages for span in passage.sentences if is_inner(passage, span)
        )
        self.speakers = find_speakers(passages)
        self._passages = tuple(passages)
        self._places = {passage.start: index for index, passage in enumerate(passages)}
        there: set[str] = set()
        narrators: set[str] = set()
        for passage in passages:
            for mention in self._those_there(passage):
                # A name two characters share recognises neither by itself.
                if len(mention.ids) == 1:
                    there |= mention.ids
                    narrators |= mention.ids if mention.first_person else frozenset()
        self.present = frozenset(there)
        tell = frozenset[str]().union(*(tellers or ())) or narrators
        self._narrator = next(iter(tell)) if len(tell) == 1 else None

    def guess(self, passage: QuotedPassage, span: Span) -> Guess:
        """Guess who may remember a sentence of the scene."""
        if span in self.inner:
            thinker = self._thinker(passage, span)
            if thinker is None:
                return NOT_RECOGNISED
            return Guess(Audience(members=frozenset({thinker})), Reason.INNER)
        if not self.present:
            return NOT_RECOGNISED
        spoken = any(self._speaker(quote) is not None for quote in overlapping(passage.quotes, *span))
        return Guess(Audience(members=self.present), Reason.SPEAKER if spoken else Reason.SCENE)

    def _those_there(self, passage: QuotedPassage) -> Iterable[Mention]:
        """Mentions that put somebody into the scene."""
        for mention in passage.told:
            span = passage.sentence_at(mention.start)
            # Whoever is thought of may be far away; only the thinker is here.
            if span in self.inner and not mention.first_person:
                if thinker_named(passage, span)[0] == mention:
                    yield mention
            elif is_acting(passage, mention):
                yield mention
        for quote in passage.quotes:
            if passage.sentence_at(quote[0]) in self.inner:
                continue
            named = passage.named_in(*quote)
            yield from (mention for mention in named if is_called(passage, quote, mention))
            if quote[0] in self.speakers:
                yield self.speakers[quote[0]]

    def _who(self, mention: Mention | None) -> str | None:
        """Whom a mention names, a shared name settled by who is there."""
        if mention is None:
            return None
        named = mention.ids if len(mention.ids) == 1 else mention.ids & self.present
        return next(iter(named)) if len(named) == 1 else None

    def _speaker(self, quote: Span) -> str | None:
        return self._who(self.speakers.get(quote[0]))

    def _told_beside(self, passage: QuotedPassage, span: Span) -> Mention | None:
        """The thinker told in the paragraph after a thought: （…） / と澪は思いながら…"""
        after = self._places[passage.start] + 1
        if not (
            overlapping(passage.thoughts, *span) and span[1] == passage.end and after < len(self._passages)
        ):
            return None
        below = self._passages[after]
        first = below.sentences[0] if below.sentences else (below.start, below.start)
        return subject_between(below, *first) if first in self.inner else None

    def _thinker(self, passage: QuotedPassage, span: Span) -> str | None:
        """The thinker named, else the narrator, else the one in question, else the only one there."""
        mention, is_settled = thinker_named(passage, span)
        if is_settled:
            return self._who(mention)
        if other_subject(passage, *span) is not None:
            return None
        beside = self._told_beside(passage, span)
        if beside is not None:
            return self._who(beside)
        if self._narrator is not None:
            return self._narrator
        if mention is not None:
            return self._who(mention)
        return next(iter(self.present)) if len(self.present) == 1 else None
