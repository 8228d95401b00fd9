"""Checks of the cast: who knows nothing, who is named and not in it, names that nothing uses."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping

from kataribe.domain.ids import WORLD
from kataribe.domain.markup import plain
from kataribe.domain.story.cast_names import shared_names
from kataribe.domain.story.groups import is_group
from kataribe.domain.story.inputs import Character, NameKind
from kataribe.domain.story.views import Finding, Severity
from kataribe.domain.text.naming import look_alikes, name_candidates, spelled
from kataribe.ports import View
from kataribe.story.views.story_view import StoryView

_OFTEN = 3
"""A name must be seen this often before it is said: once is as often a figure of speech."""
_MOST_NAMES = 20


def ignorance(seen: StoryView, holders: Mapping[str, int]) -> Iterator[Finding]:
    """Find characters who remember nothing at the end, or nothing of their own."""
    everybody = holders.get(WORLD, 0)
    for character in seen.cast:
        if holders.get(character.character_id, 0):
            continue
        if everybody:
            yield _of(
                character,
                "nothing-of-its-own",
                Severity.NOTE,
                "remembers only what everybody knows, at the end too",
                "give it a part, or leave it so",
            )
        else:
            yield _of(
                character,
                "knows-nothing",
                Severity.WARNING,
                "remembers nothing at all, at the end either",
                "is it named in facts or annotations under another id? `kataribe cast list` shows the ids",
            )


def look_alike_ids(seen: StoryView) -> Iterator[Finding]:
    """Find ids that look alike: a secret given to one of them is not the other's."""
    for alike in look_alikes(character.character_id for character in seen.cast):
        yield Finding(
            code="look-alike-ids",
            severity=Severity.WARNING,
            says=f"these ids look alike but are not the same: {', '.join(map(spelled, alike))}",
            advice="if they are one character, write its id one way; `kataribe cast delete` drops the other",
            characters=alike,
        )


def group_ids(seen: StoryView) -> Iterator[Finding]:
    """Find characters whose id begins as groups are named, from before there were groups."""
    for character in seen.cast:
        if is_group(character.character_id):
            yield _of(
                character,
                "id-like-a-group",
                Severity.NOTE,
                "has an id that begins with @, as groups are named; no group can have that name",
                "give it another with `kataribe cast rename`",
            )


def shared(seen: StoryView) -> Iterator[Finding]:
    """Find names, and parts of names, that two characters go by: alone they recognise neither."""
    for one in shared_names(seen.cast):
        yield Finding(
            code="shared-name",
            severity=Severity.NOTE,
            says=f"{one.text} names {', '.join(one.characters)}: by itself it tells none from another",
            advice="give the one that it mostly means it as an alias, or leave it so",
            characters=one.characters,
        )


def names(view: View, seen: StoryView) -> Iterator[Finding]:
    """Find names in the texts that nobody of the cast goes by, and aliases that stand nowhere.

    Names are told by their shape; one seen fewer than three times is not said.
    """
    unused = {
        (character.character_id, alias.text): _folded(alias.text)
        for character in seen.cast
        for alias in character.aliases
        if alias.kind is not NameKind.FIRST_PERSON
    }
    candidates: Counter[str] = Counter()
    for text in _texts(view, seen):
        candidates.update(name_candidates(text, seen.story.language))
        folded = _folded(text)
        unused = {key: name for key, name in unused.items() if name not in folded}
    yield from _strangers(seen, candidates)
    yield from _unused(seen, unused)


def _texts(view: View, seen: StoryView) -> Iterator[str]:
    for (story_id, _), state in seen.states.items():
        episode = view.episode(story_id, state.episode_id)
        if episode is not None:
            yield plain(episode.text).text


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _strangers(seen: StoryView, candidates: Counter[str]) -> Iterator[Finding]:
    called = [_folded(alias.text) for character in seen.cast for alias in character.called()]
    called += [_folded(character.character_id) for character in seen.cast]
    strange = [
        (name, count)
        for name, count in sorted(candidates.items(), key=lambda one: (-one[1], one[0]))
        if count >= _OFTEN and not _is_called(_folded(name), called, seen.story.language == "en")
    ]
    if strange and _keeps_no_secrets(seen):
        listed = ", ".join(name for name, _ in strange[:_MOST_NAMES])
        yield Finding(
            code="no-cast",
            severity=Severity.WARNING,
            says=f"the story has no cast, but names people, it seems: {listed}",
            advice="add them with `kataribe cast add`; without a cast all that texts say is everybody's",
            characters=tuple(name for name, _ in strange[:_MOST_NAMES]),
        )
        return
    for name, count in strange[:_MOST_NAMES]:
        yield Finding(
            code="not-in-cast",
            severity=Severity.WARNING,
            says=f"{name} is named like a person {count} times, but is not in the cast",
            advice="add it with `kataribe cast add`, or as an alias of who it is",
            characters=(name,),
        )


def _keeps_no_secrets(seen: StoryView) -> bool:
    annotated = any(state.annotated for state in seen.states.values())
    return not annotated and not any(character.declared for character in seen.cast)


def _is_called(name: str, called: list[str], by_words: bool) -> bool:
    """Whether a name is one of the cast's, or a part or a whole of one."""
    if by_words:
        words = set(name.split())
        return any(words & set(text.replace(".", " ").split()) for text in called)
    return any(name in text or (len(text) > 1 and text in name) for text in called)


def _unused(seen: StoryView, unused: Mapping[tuple[str, str], str]) -> Iterator[Finding]:
    for character in seen.cast:
        texts = [text for (character_id, text) in unused if character_id == character.character_id]
        if texts:
            yield _of(
                character,
                "unused-name",
                Severity.NOTE,
                f"never called {', '.join(texts)} in the texts",
                "is it spelled as in the texts?",
            )


def _of(character: Character, code: str, severity: Severity, says: str, advice: str) -> Finding:
    return Finding(
        code=code,
        severity=severity,
        says=says if character.character_id in says else f"{character.character_id} {says}",
        advice=advice,
        characters=(character.character_id,),
    )
