"""Whom a story's texts name and its cast has not."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from kataribe.domain.ids import check_id
from kataribe.domain.story.inputs import Alias, Character, NameKind
from kataribe.domain.terms import Language
from kataribe.domain.text.named import Named, who_is_named
from kataribe.domain.text.paragraphs import is_heading, is_scene_break, paragraphs, sentences
from kataribe.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class CastSuggestion:
    """Somebody to take into the cast: as they would stand there, and where the texts name them first."""

    character: Character
    count: int
    episode_no: int
    scene: int
    """The number of the scene in its episode, from 1 on."""
    quote: str
    """The first sentence that names them."""


def suggest(
    texts: Mapping[int, str], language: Language, cast: Iterable[Character] = (), *, at_least: int = 2
) -> tuple[CastSuggestion, ...]:
    """Propose whom these texts, by episode number, name `at_least` so often; the cast is left out."""
    numbers = sorted(texts)
    called, ids = _called(cast)
    found: list[CastSuggestion] = []
    for one in who_is_named([texts[no] for no in numbers], language, at_least=at_least):
        if any(_folded(text) in called for text in (one.name, *one.shortened)):
            continue
        character = _character(one, ids)
        if character is not None:
            ids.add(character.character_id)
            place, at = one.first
            scene, quote = _place(texts[numbers[place]], at, language)
            found.append(
                CastSuggestion(
                    character=character,
                    count=one.count,
                    episode_no=numbers[place],
                    scene=scene,
                    quote=quote,
                )
            )
    return tuple(found)


def _called(cast: Iterable[Character]) -> tuple[frozenset[str], set[str]]:
    """Give what the cast is called, parts of names too, and its ids."""
    texts: set[str] = set()
    ids: set[str] = set()
    for character in cast:
        ids.add(character.character_id)
        texts |= {character.character_id, *(alias.text for alias in character.called())}
        texts |= {one.part.text for one in character.implied()}
    return frozenset(map(_folded, texts)), ids


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).strip().casefold()


def _character(named: Named, taken: set[str]) -> Character | None:
    """Give the character as it would be declared; None where its id is somebody else's."""
    character_id = named.name.removeprefix("the ")
    try:
        check_id(character_id)
    except InputError:
        return None
    if character_id in taken:
        return None
    aliases = [Alias(text=named.name, kind=NameKind.NAME)]
    implied = {
        one.part.text for one in Character(character_id=character_id, aliases=tuple(aliases)).implied()
    }
    aliases += [Alias(text=text) for text in named.shortened if text not in implied]
    return Character(character_id=character_id, aliases=tuple(aliases))


def _place(text: str, at: int, language: Language) -> tuple[int, str]:
    """Give the number of the scene and the sentence a place of a text lies in."""
    scene, quote = 1, ""
    has_begun = False
    for start, end in paragraphs(text):
        if is_scene_break(text[start:end]) or is_heading(text[start:end]):
            scene += has_begun
            has_begun = False
            continue
        has_begun = True
        if start <= at < end:
            quote = next(_around(text, sentences(text, start, end, language), at), text[start:end])
        if at < end:
            break
    return scene, quote


def _around(text: str, spans: Sequence[tuple[int, int]], at: int) -> Iterator[str]:
    return (text[start:end] for start, end in spans if start <= at < end)
