"""Names in a cast that two characters go by."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from kataribe.domain.story.inputs import EVERYONE_ALWAYS, Character, NameKind


@dataclass(frozen=True, slots=True)
class SharedName:
    """A name, or a part of names, that by itself tells no one of these characters from another."""

    text: str
    characters: tuple[str, ...]


def shared_names(cast: Iterable[Character]) -> tuple[SharedName, ...]:
    """Give what two or more characters are called, by text; words for oneself are nobody's name.

    What an author says in public that one is called is not also another's by shortening.
    """
    owners: defaultdict[str, set[str]] = defaultdict(set)
    claimed: set[str] = set()
    shortened: list[tuple[str, str]] = []
    for character in cast:
        for alias in character.called():
            if alias.kind is not NameKind.FIRST_PERSON:
                text = _folded(alias.text)
                owners[text].add(character.character_id)
                claimed |= {text} if alias.address == EVERYONE_ALWAYS else set()
        shortened += [(_folded(one.part.text), character.character_id) for one in character.implied()]
    for text, owner in shortened:
        if text not in claimed:
            owners[text].add(owner)
    return tuple(SharedName(text, tuple(sorted(ids))) for text, ids in sorted(owners.items()) if len(ids) > 1)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).strip()
