"""The edge where personal data go out and come in: questions are asked in tokens, answers given in words.

Whoever talks is given what was said as it was said; a model is given tokens.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, TypeVar, Unpack, cast

from kataribe.domain.conversation.turns import Turn
from kataribe.domain.filters import NAMING_FIELDS
from kataribe.domain.gate import Gate, Viewer
from kataribe.domain.keys import SecretKey
from kataribe.domain.memory import Recollection, TurnHit
from kataribe.domain.privacy.sealed import SaidWords, SealedTurn, TokenWriter, tokens_in, with_words
from kataribe.domain.recall.requests import ViewerKeys
from kataribe.domain.space import parse_space
from kataribe.domain.terms import Language
from kataribe.engine.base import Base
from kataribe.engine.kinds import KINDS
from kataribe.engine.protection import Protection
from kataribe.engine.viewers import viewer_of
from kataribe.ports import View
from kataribe.read.gate import open_gate
from kataribe.story.now import settled

T = TypeVar("T")

_HARMLESS_KEPT = 4096
"""Texts without personal data that are remembered, so that none is looked through twice in a row."""


@dataclass(frozen=True, slots=True)
class PersonalShare:
    """What somebody may be given of a space: all of it, or what these hold up to a position each."""

    space: str
    uptos: Mapping[str, int] | None = None

    @property
    def upto(self) -> int | None:
        """The last position of it; None: there is none."""
        return None if self.uptos is None else max(self.uptos.values())

    def holds(self, turn: Turn) -> bool:
        """Whether a turn is in it; what the system says is given to nobody who talks."""
        if self.uptos is None:
            return True
        return not turn.is_system and any(
            turn.at <= self.uptos.get(holder, -1) for holder in turn.audience.holders()
        )


class PersonalVerbs(Base):
    """What verbs stand on that read what users say."""

    async def _as_kept(self, whose: str | None, given: T) -> T:
        """Write tokens for personal data in a text, or in the texts of a list or a JSON object."""
        if self._protection is None or whose is None or not given:
            return given
        protection = self._protection
        language = await self._language(whose)
        if language is None or self._is_harmless(given, language):
            return given

        def write(view: View) -> T:
            writer = protection.writer(view, whose)
            return given if writer is None else cast(T, _shaped(given, writer))

        return await self._read(write)

    async def _where_as_kept(
        self, whose: str | None, where: Mapping[str, object] | None
    ) -> Mapping[str, object] | None:
        """Write tokens in what a filter compares texts with."""
        if not isinstance(where, Mapping):
            return where
        open_part = {name: one for name, one in where.items() if name not in NAMING_FIELDS}
        return {**where, **await self._as_kept(whose, open_part)}

    async def _language(self, whose: str) -> Language | None:
        """Give the language of a user as it was last looked up."""
        if whose not in self._languages:
            there = await self._look(lambda view: view.user(whose))
            if there is None:
                return None
            self._languages[whose] = there.language
        return self._languages[whose]

    def _is_harmless(self, given: object, language: Language) -> bool:
        return all(self._has_none(text, language) for text in _texts(given))

    def _has_none(self, text: str, language: Language) -> bool:
        key = (language, text)
        if key in self._harmless_texts:
            return True
        probe = TokenWriter(language, lambda: bytes(32))
        probe.text(text)
        if probe.values:
            return False
        if len(self._harmless_texts) >= _HARMLESS_KEPT:
            self._harmless_texts.clear()
        self._harmless_texts[key] = None
        return True

    async def with_words(self, text: str, **asked: Unpack[ViewerKeys]) -> str:
        """Write the words back in place of tokens in a text, as far as a viewer may be given them.

        It is for the reply of a model that was told a context: tokens stand in that. Without the user's
        key, and for what the viewer was never told, tokens stay. Raises `NotFoundError`, `InputError`.
        """
        return await self._given_back(text, viewer_of(asked, now=self._services.clock.now()))

    async def _given_back(self, found: T, viewer: Viewer) -> T:
        """Give a viewer the words in place of tokens, as far as the user's key is at hand."""
        protection, whose = self._protection, viewer.whose
        if protection is None or whose is None or not _has_tokens(found):
            return found

        def restore(view: View) -> T:
            shares = _shares(open_gate(KINDS, view, settled(view, viewer)).gate)
            return _restored(protection, view, whose, shares, found)

        return await self._read(restore)

    async def _given_back_of(self, found: T, whose: str) -> T:
        """Give whoever sees all of a user the words in place of tokens."""
        protection = self._protection
        if protection is None or not _has_tokens(found):
            return found

        def restore(view: View) -> T:
            shares = [PersonalShare(state.space) for state in view.spaces(user=whose)]
            return _restored(protection, view, whose, shares, found)

        return await self._read(restore)


def _shares(gate: Gate) -> list[PersonalShare]:
    by_space: dict[str, dict[str, int]] = {}
    for part in gate.slices:
        if parse_space(part.space).whose is not None:
            uptos = by_space.setdefault(part.space, {})
            uptos[part.holder] = max(part.upto, uptos.get(part.holder, -1))
    return [PersonalShare(space, uptos) for space, uptos in by_space.items()]


def _restored(protection: Protection, view: View, whose: str, shares: Sequence[PersonalShare], found: T) -> T:
    key = protection.key(view, whose)
    if key is None:
        return found
    return cast(T, _Restoring(protection, view, key, shares).of(found))


class _Restoring:
    """Writes words back: a turn's from what is sealed of it, others from the first turn that has them."""

    def __init__(
        self, protection: Protection, view: View, key: SecretKey, shares: Sequence[PersonalShare]
    ) -> None:
        self._protection = protection
        self._view = view
        self._key = key
        self._shares = shares
        self._by_id: dict[str, list[tuple[SealedTurn, SaidWords]]] = {}
        self._values: dict[str, str] = {}

    def of(self, found: object) -> object:
        self._read_turns(set(_ids(found)))
        left: dict[str, None] = {}
        walked(found, lambda text, named: self._noted(text, named, left))
        self._read_values(left)
        return walked(found, lambda text, named: with_words(self._of_turn(text, named), self._values))

    def _noted(self, text: str, named: str, left: dict[str, None]) -> str:
        left.update(dict.fromkeys(tokens_in(self._of_turn(text, named))))
        return text

    def _rows(self, turn_ids: Collection[str] | None) -> Iterator[tuple[SealedTurn, str]]:
        for share in self._shares:
            for row in self._view.sealed_turns(share.space, turn_ids=turn_ids, upto=share.upto):
                if share.holds(row.turn):
                    yield row, share.space

    def _read_turns(self, turn_ids: Collection[str]) -> None:
        for row, space in self._rows(turn_ids) if turn_ids else ():
            said = self._protection.opened(self._key, space, row)
            if said is not None:
                self._by_id.setdefault(row.turn.turn_id, []).append((row, said))

    def _read_values(self, wanted: Collection[str]) -> None:
        for row, space in self._rows(None) if wanted else ():
            turn = row.turn
            stands = " ".join((turn.text, turn.caption or "", turn.speaker, *_texts(turn.extra)))
            if any(token in stands for token in wanted if token not in self._values):
                said = self._protection.opened(self._key, space, row)
                for token, words in () if said is None else said.values.items():
                    if token in wanted:
                        self._values.setdefault(token, words)

    def _of_turn(self, text: str, named: str) -> str:
        for row, said in self._by_id.get(named, ()):
            whole = {row.turn.text: said.text, row.turn.speaker: said.speaker}
            if row.turn.caption is not None and said.caption is not None:
                whole[row.turn.caption] = said.caption
                whole[row.turn.words] = f"{said.text} [{said.caption}]"
            if text in whole:
                return whole[text]
        for _, said in self._by_id.get(named, ()):
            text = with_words(text, said.values)
        return text


def walked(found: object, change: Any, named: str = "") -> object:
    """Change every text with a token in a value, told by the id of the turn it is of; the rest stays."""
    if isinstance(found, str):
        return change(found, named) if tokens_in(found) else found
    if isinstance(found, tuple | list):
        made = [walked(one, change, named) for one in found]
        return found if all(a is b for a, b in zip(made, found, strict=True)) else type(found)(made)
    if isinstance(found, Mapping):
        changed = {walked(name, change, named): walked(one, change, named) for name, one in found.items()}
        return found if changed == found else changed
    if not is_dataclass(found) or isinstance(found, type):
        return found
    named = _id_of(found) or named
    parts = {one.name: getattr(found, one.name) for one in fields(found) if one.init}
    changed = {name: other for name, one in parts.items() if (other := walked(one, change, named)) is not one}
    return replace(found, **cast(dict[str, Any], changed)) if changed else found


def _shaped(given: object, writer: TokenWriter) -> object:
    if isinstance(given, tuple):
        return tuple(_shaped(one, writer) for one in given)
    return writer.value(given)


def _texts(given: object) -> Iterator[str]:
    """Give the texts of a JSON value."""
    if isinstance(given, str):
        yield given
    elif isinstance(given, Mapping):
        for one in given.values():
            yield from _texts(one)
    elif isinstance(given, list | tuple):
        for one in given:
            yield from _texts(one)


def _has_tokens(found: object) -> bool:
    if isinstance(found, Recollection) and found.explanation is None:
        return any("<" in hit.text or (isinstance(hit, TurnHit) and _is_marked(hit)) for hit in found.hits)
    return any(tokens_in(text) for text in _all_texts(found))


def _is_marked(hit: TurnHit) -> bool:
    return "<" in hit.speaker or (hit.caption is not None and "<" in hit.caption)


def _all_texts(found: object) -> Iterator[str]:
    if is_dataclass(found) and not isinstance(found, type):
        for one in fields(found):
            yield from _all_texts(getattr(found, one.name))
    elif isinstance(found, Mapping):
        for name, one in found.items():
            yield from _all_texts(name)
            yield from _all_texts(one)
    elif isinstance(found, list | tuple):
        for one in found:
            yield from _all_texts(one)
    elif isinstance(found, str):
        yield found


def _id_of(found: object) -> str:
    named = getattr(found, "turn_id", None) or getattr(found, "fact_id", None)
    return named if isinstance(named, str) else ""


def _ids(found: object) -> Iterator[str]:
    """Give the ids of turns of which tokens are shown."""
    if isinstance(found, Mapping):
        found = list(found.values())
    if isinstance(found, list | tuple):
        for one in found:
            yield from _ids(one)
    elif is_dataclass(found) and not isinstance(found, type):
        if _id_of(found):
            yield _id_of(found)
        for one in fields(found):
            yield from _ids(getattr(found, one.name))
