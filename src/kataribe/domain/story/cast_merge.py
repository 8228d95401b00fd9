"""A cast file against a cast that was changed by hand since the file was last read.

Three are compared: what the file said at its last import, what it says now, and how the
character stands. What the file changed wins; what only a hand changed stays; a clash is told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from kataribe.domain.story.inputs import Alias, Character, NameKind

_Value = TypeVar("_Value")
_Key = tuple[str, int]

_DECLARED = "declared"


@dataclass(frozen=True, slots=True)
class CastClash:
    """What both a hand and the file changed, each in its own way; the file's was taken."""

    character: str
    field: str
    """`name`, `description`, `narrates`, `alias TEXT`, another field's name; `declared`: deleted by hand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CastMerge:
    """What became of a cast that a file was brought into."""

    changed: int = 0
    kept: tuple[str, ...] = ()
    """Who stands otherwise than in the file, because only a hand changed them; deleted ones too."""
    clashes: tuple[CastClash, ...] = ()


@dataclass(frozen=True, slots=True)
class MergedCharacter:
    """One of the cast after the file was brought in: None is not declared."""

    character: Character | None
    clashes: tuple[str, ...] = ()


def merge_character(last: Character | None, file: Character, now: Character | None) -> MergedCharacter:
    """Bring what a file says of somebody in; `last` is what it said before, None when that is not known."""
    if now is None:
        if last is None:
            return MergedCharacter(file)
        return MergedCharacter(None) if file == last else MergedCharacter(file, (_DECLARED,))
    return _Merging(last or Character(character_id=file.character_id), file, now).merged()


class _Merging:
    """Merges one character field by field, and notes the fields that clash."""

    def __init__(self, last: Character, file: Character, now: Character) -> None:
        self._last, self._file, self._now = last, file, now
        self._clashes: list[str] = []

    def merged(self) -> MergedCharacter:
        last, file, now = self._last, self._file, self._now
        names = self._chosen("name", _names(last), _names(file), _names(now))
        aliases = self._aliases()
        character = Character(
            character_id=file.character_id,
            aliases=_in_order((*names, *aliases), now, file),
            descriptions=self._chosen("description", last.descriptions, file.descriptions, now.descriptions),
            narrates=self._chosen("narrates", last.narrates, file.narrates, now.narrates),
            extra=self._extra(),
        )
        return MergedCharacter(character, tuple(self._clashes))

    def _chosen(self, field: str, last: _Value, file: _Value, now: _Value) -> _Value:
        if file in (last, now):
            return now
        if now != last:
            self._clashes.append(field)
        return file

    def _aliases(self) -> Sequence[Alias]:
        """Merge what is no name alias by alias; the file's order goes first when the file changed."""
        last, file, now = _others(self._last), _others(self._file), _others(self._now)
        if file in (last, now):
            return tuple(now.values())
        kept: dict[_Key, Alias] = {}
        for key in dict.fromkeys((*file, *now, *last)):
            chosen = self._chosen(f"alias {key[0]}", last.get(key), file.get(key), now.get(key))
            if chosen is not None:
                kept[key] = chosen
        return tuple(kept.values())

    def _extra(self) -> dict[str, object]:
        last, file, now = self._last.extra, self._file.extra, self._now.extra
        if file in (last, now):
            return dict(now)
        kept: dict[str, object] = {}
        for name in dict.fromkeys((*file, *now, *last)):
            chosen = self._chosen(name, last.get(name), file.get(name), now.get(name))
            if chosen is not None:
                kept[name] = chosen
        return kept


def _in_order(merged: tuple[Alias, ...], *known: Character) -> tuple[Alias, ...]:
    """Give the aliases in the order that one of these characters has them in, if it has just these."""
    for character in known:
        if sorted(map(repr, merged)) == sorted(map(repr, character.aliases)):
            return character.aliases
    return merged


def _names(character: Character) -> tuple[Alias, ...]:
    return tuple(alias for alias in character.aliases if alias.kind is NameKind.NAME)


def _others(character: Character) -> Mapping[_Key, Alias]:
    """Give what is no name by its text; the same text again is told apart by how often it was there."""
    seen: Counter[str] = Counter()
    found: dict[_Key, Alias] = {}
    for alias in character.aliases:
        if alias.kind is not NameKind.NAME:
            found[alias.text, seen[alias.text]] = alias
            seen[alias.text] += 1
    return found
