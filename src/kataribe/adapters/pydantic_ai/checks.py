"""What a model offers against what the text, the author and the cast say: facts, or reasons why not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kataribe.adapters.pydantic_ai.parts import Piece
from kataribe.adapters.pydantic_ai.quotes import Found, find
from kataribe.domain.ids import WORLD, check_text
from kataribe.domain.memory import Draft, Reason
from kataribe.domain.terms import PUBLIC, Audience, Language
from kataribe.errors import InputError
from kataribe.ports import Source

MAX_TEXT = 600
"""Characters of one fact: more is a retelling."""

_WORD = re.compile(r"[^\W_]")
_JAPANESE = re.compile("[\u3041-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f々〆]")
_LETTER = re.compile(r"[^\W\d_]")
_TELLING = re.compile("[\u3400-\u9fff々]{2,}|[\u30a1-\u30ff]{2,}|[^\\W\\d_\u3041-\u9fff][\\w'’-]{3,}")
"""Words that tell where a fact is from: written with kanji or katakana, or of four letters and more."""

_WRONG_LANGUAGE: dict[Language, str] = {
    "ja": "the text is not in Japanese; write it in the story's language",
    "en": "the text is not in English; write it in the story's language",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Offered:
    """A fact as a model gives it."""

    text: str
    quote: str
    importance: int
    known_by: tuple[str, ...]


class DraftChecker:
    """One episode's text, cast and annotations, to hold what a model offers against."""

    def __init__(self, source: Source, given: Sequence[Piece], *, is_open: bool) -> None:
        self._source = source
        self._given = given
        self._is_open = is_open
        self._cast = {character.character_id for character in source.cast}
        self._names = " ".join(
            [alias.text for one in source.cast for alias in one.called()]
            + [each.text for one in source.cast for each in one.descriptions]
        ).casefold()

    def draft(self, offered: Offered, within: Sequence[Piece]) -> Draft:
        """Make a fact of what is offered for a part of the text; raise `InputError` with the reason."""
        text = offered.text.strip()
        self._check_text(text)
        if offered.importance not in range(1, 6):
            raise InputError(f"importance must be a whole number from 1 to 5, not {offered.importance}")
        start, end, piece = self._place(offered.quote.strip(), within)
        audience, reason, flagged = self._audience(offered.known_by, piece)
        self._check_secrets(text, audience)
        return Draft(
            text=text,
            start=start,
            end=end,
            audience=audience,
            reason=reason,
            flagged=flagged,
            importance=offered.importance,
        )

    def words(self, draft: Draft) -> str:
        """Give the words of the text that a fact quotes."""
        return self._source.text[draft.start : draft.end]

    def _check_text(self, text: str) -> None:
        if not _WORD.search(text):
            raise InputError("the text is empty")
        if len(text) > MAX_TEXT:
            raise InputError(f"the text is longer than {MAX_TEXT} characters; make it one sentence")
        check_text(text, "the text")
        if not _is_in(text, self._source.language):
            raise InputError(_WRONG_LANGUAGE[self._source.language])

    def _place(self, quote: str, within: Sequence[Piece]) -> Found:
        if not _WORD.search(quote):
            raise InputError("the quote is empty")
        found = find(self._source.text, quote, within)
        if not found:
            raise InputError("the quote does not stand in any one paragraph; copy it exactly")
        first = found[0][2]
        if any((other.verdict, other.teller) != (first.verdict, first.teller) for _, _, other in found):
            raise InputError("the quote stands in paragraphs that different people know; quote more of it")
        if len(found) > 1 and self._source.text[found[0][0] : found[0][1]] != quote:
            raise InputError("the quote stands in more than one place, and in none exactly; quote more of it")
        return found[0]

    def _audience(self, known_by: Sequence[str], piece: Piece) -> tuple[Audience, Reason, bool]:
        """Who may remember it: the author's word goes before the model's."""
        verdict = piece.verdict
        if self._is_open:
            return PUBLIC, Reason.NO_CAST, False
        if verdict.audience is not None and not verdict.changed:
            return verdict.audience, Reason.ANNOTATION, False
        told = _as_told(self._told(known_by), piece)
        if not verdict.changed:
            return told, Reason.MODEL, False
        if verdict.audience is not None:
            return verdict.audience, Reason.CHANGED, True
        return Audience(members=piece.teller.who) if told.world else told, Reason.CHANGED, True

    def _told(self, known_by: Sequence[str]) -> Audience:
        members = frozenset(one.strip() for one in known_by)
        if not members:
            raise InputError('known_by is empty; name who knows it, or ["world"] if it is open knowledge')
        if members == {WORLD}:
            return PUBLIC
        if WORLD in members:
            raise InputError('known_by names "world" and others; it is either ["world"] or those who know it')
        strangers = sorted(members - self._cast)
        if strangers:
            raise InputError(f"known_by names {', '.join(strangers)}, not in the cast; use ids of the cast")
        return Audience(members=members)

    def _check_secrets(self, text: str, audience: Audience) -> None:
        """Refuse a fact with words that stand only where its holders may not know of it."""
        closed = self._texts([piece for piece in self._given if _is_closed(piece, audience)])
        if not closed:
            return
        known = self._texts([piece for piece in self._given if not _is_closed(piece, audience)]) + self._names
        for word in _TELLING.findall(text.casefold()):
            if word in closed and word not in known:
                raise InputError(
                    f"{word!r} stands only in paragraphs that others know by the author's word; leave it out"
                )

    def _texts(self, chosen: Sequence[Piece]) -> str:
        return "\n".join(self._source.text[piece.start : piece.end] for piece in chosen).casefold()


def _as_told(audience: Audience, piece: Piece) -> Audience:
    """Add who tells it. A letter, a diary or a testimony is theirs and whose it is told to alone."""
    if piece.telling:
        return Audience(members=piece.telling)
    return audience if audience.world else Audience(members=audience.members | piece.teller.who)


def _is_closed(piece: Piece, audience: Audience) -> bool:
    """Whether the author said that some of the audience may not know of the piece."""
    said = piece.verdict.audience
    if said is None and piece.telling:
        said = Audience(members=piece.telling)
    if said is None or said.world:
        return False
    return audience.world or not audience.members <= said.members


def _is_in(text: str, language: Language) -> bool:
    japanese = len(_JAPANESE.findall(text))
    if language == "ja":
        return japanese > 0
    return japanese * 2 <= len(_LETTER.findall(text))
