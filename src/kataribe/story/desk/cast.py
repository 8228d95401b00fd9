"""The cast: declared characters and the names they go by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from kataribe.domain.ids import check_id
from kataribe.domain.lineage import Parts
from kataribe.domain.records import EpisodeState
from kataribe.domain.story.audience import marked_ids, with_mark_renamed
from kataribe.domain.story.cast_merge import CastClash, CastMerge, merge_character
from kataribe.domain.story.groups import is_group
from kataribe.domain.story.inputs import Address, Alias, Character, Description, Episode, NameKind, Narration
from kataribe.errors import ConflictError, InputError, NotFoundError
from kataribe.ports import Transaction, View
from kataribe.story.desk.groups import check_no_member, rename_member
from kataribe.story.fingerprints import parts_of
from kataribe.story.lineage import full_cast, seen_cast, seen_mentions
from kataribe.story.staleness import note_inputs, refresh


@dataclass(frozen=True, slots=True, kw_only=True)
class CastEdit:
    """What to change of a character; None leaves a thing as it is."""

    name: str | None = None
    description: str | None = None
    add_aliases: Sequence[Alias] = ()
    remove_aliases: Sequence[str] = ()
    narrates: Sequence[Narration] | None = None
    """All that it tells from now on; an empty list: nothing."""


def character_of(view: View, story_id: str, character_id: str) -> Character:
    """Give a character of the cast, declared or not, or raise `NotFoundError`."""
    for character in full_cast(view, parts_of(view, story_id)):
        if character.character_id == character_id:
            return character
    raise NotFoundError(
        f"story {story_id!r} has no character {character_id!r}; `kataribe cast list --story` shows the cast"
    )


def add_character(tx: Transaction, story_id: str, character: Character) -> Character:
    """Declare a character; one known only from facts is made to stay."""
    cast = seen_cast(tx, parts_of(tx, story_id))
    if any(known.character_id == character.character_id for known in cast):
        raise ConflictError(f"{character.character_id!r} is in the cast already; use `cast edit`")
    check_new_id(tx, story_id, character.character_id)
    tx.put_character(story_id, character)
    refresh(tx, story_id)
    return character


def check_new_id(view: View, story_id: str, character_id: str) -> None:
    """Refuse an id that begins as groups are named, but for who was called so before there were groups."""
    if not is_group(character_id):
        return
    if all(one.character_id != character_id for one in full_cast(view, parts_of(view, story_id))):
        raise InputError(f"{character_id!r} names a group: the id of a character must not begin with @")


def put_cast(tx: Transaction, story_id: str, cast: Iterable[Character]) -> int:
    """Add or replace these characters, leave the others; return how many changed.

    In a branch, what differs from the parent's becomes the branch's own.
    """
    cast_seen = seen_cast(tx, parts_of(tx, story_id))
    known = {character.character_id: character for character in cast_seen}
    changed = [character for character in cast if known.get(character.character_id) != character]
    for character in changed:
        check_new_id(tx, story_id, character.character_id)
        tx.put_character(story_id, character)
    if changed:
        refresh(tx, story_id)
    return len(changed)


def merge_cast(tx: Transaction, story_id: str, cast: Sequence[Character]) -> CastMerge:
    """Bring in what a file says of these characters, and leave the others.

    What the file changed since it was last imported wins, and what only a hand changed stays.
    """
    parts = parts_of(tx, story_id)
    known = {character.character_id: character for character in seen_cast(tx, parts)}
    said = {who: one for part in parts for who, one in tx.said_cast(part.story_id).items()}
    changed, kept, clashes = 0, [], []
    for file in cast:
        now = known.get(file.character_id)
        merged = merge_character(said.get(file.character_id), file, now)
        clashes += [CastClash(file.character_id, field) for field in merged.clashes]
        if merged.character != file:
            kept.append(file.character_id)
        if merged.character is not None and merged.character != now:
            check_new_id(tx, story_id, file.character_id)
            tx.put_character(story_id, merged.character)
            changed += 1
    tx.put_said_cast(story_id, [file for file in cast if said.get(file.character_id) != file])
    if changed:
        refresh(tx, story_id)
    return CastMerge(changed=changed, kept=tuple(kept), clashes=tuple(clashes))


def edit_character(tx: Transaction, story_id: str, character_id: str, edit: CastEdit) -> Character:
    """Change a declared character; raise `NotFoundError` for one that is not declared.

    One that a branch sees of its parent is copied into the branch first; the parent's stays.
    """
    cast = seen_cast(tx, parts_of(tx, story_id))
    declared = {character.character_id: character for character in cast}
    if character_id not in declared:
        raise NotFoundError(
            f"story {story_id!r} declares no character {character_id!r}; add it with `cast add`"
        )
    edited = _edited(declared[character_id], edit)
    tx.put_character(story_id, edited)
    refresh(tx, story_id)
    return edited


def _edited(character: Character, edit: CastEdit) -> Character:
    aliases = list(character.aliases)
    for text in edit.remove_aliases:
        if not any(alias.text == text for alias in aliases):
            raise InputError(f"{character.character_id!r} has no alias {text!r}")
        aliases = [alias for alias in aliases if alias.text != text]
    if edit.name is not None:
        named = Alias(text=edit.name, kind=NameKind.NAME)
        aliases = [named, *(alias for alias in aliases if alias.kind is not NameKind.NAME)]
    aliases += [alias for alias in edit.add_aliases if alias not in aliases]
    descriptions = character.descriptions
    if edit.description is not None:
        descriptions = (Description(text=edit.description, address=Address()),)
    told = character.narrates if edit.narrates is None else tuple(edit.narrates)
    return replace(character, aliases=tuple(aliases), descriptions=descriptions, narrates=told)


def rename_character(tx: Transaction, story_id: str, character_id: str, new_id: str) -> None:
    """Give a character another id in the cast and in every fact and annotation.

    The branches that see the character follow. Marks in deleted texts, which nobody can edit,
    follow as new versions of them. Raises `ConflictError` in a branch for one that is its
    parent's, and for one whom a mark in a living text names.
    """
    character_of(tx, story_id, character_id)
    check_id(new_id, "character id")
    check_new_id(tx, story_id, new_id)
    _check_not_inherited(tx, story_id, character_id)
    concerned = (story_id, *_seeing(tx, story_id, character_id))
    for one in concerned:
        if any(known.character_id == new_id for known in full_cast(tx, parts_of(tx, one))):
            raise ConflictError(f"{new_id!r} is in the cast of {one!r} already; choose another id")
        for state in tx.episode_states(one):
            _check_rename(tx, one, state, character_id, new_id)
    for one in concerned:
        _rename_in_deleted_texts(tx, one, character_id, new_id)
        tx.rename_character(one, character_id, new_id)
        rename_member(tx, one, character_id, new_id)
        for state in tx.episode_states(one):
            note_inputs(tx, one, state.episode_id)
    refresh(tx, story_id)


def _seeing(view: View, story_id: str, character_id: str) -> Iterator[str]:
    """Give the branches, and theirs, that see this character of the story."""
    for branch in view.branches(story_id):
        if _is_inherited(view, parts_of(view, branch.story_id), character_id):
            yield branch.story_id
            yield from _seeing(view, branch.story_id, character_id)


def _is_inherited(view: View, parts: Parts, character_id: str) -> bool:
    """Whether a branch sees the character of its parents, whatever it says of it itself."""
    above = parts[:-1]
    return bool(above) and any(known.character_id == character_id for known in full_cast(view, above))


def _check_not_inherited(view: View, story_id: str, character_id: str) -> None:
    parts = parts_of(view, story_id)
    if not _is_inherited(view, parts, character_id):
        return
    owners = (
        part.story_id
        for at, part in enumerate(parts)
        if any(known.character_id == character_id for known in full_cast(view, parts[: at + 1]))
    )
    owner = next(owners)
    raise ConflictError(
        f"{character_id!r} is in the cast of {owner!r}, which the branch {story_id!r} reads; "
        f"change it there (--story {owner})"
    )


def _check_rename(view: View, story_id: str, state: EpisodeState, character_id: str, new_id: str) -> None:
    """Refuse to merge two characters through a deleted episode, or to leave a mark behind."""
    episode = view.episode(story_id, state.episode_id)
    marked = frozenset() if episode is None else marked_ids(episode.text)
    if state.is_live and character_id in marked:
        raise ConflictError(
            f"a mark in the text of episode {state.no} of {story_id!r} names {character_id!r}; "
            f"edit the text first"
        )
    told = [fact.audience for _, fact in view.facts(story_id, state.episode_id)]
    told += [row.audience for row in view.annotations(story_id, state.episode_id).rows]
    if new_id in marked or any(new_id in audience.members for audience in told):
        raise ConflictError(
            f"the rows or marks of the deleted episode {state.no} of {story_id!r} name {new_id!r} already; "
            f"choose another id"
        )


def _rename_in_deleted_texts(tx: Transaction, story_id: str, character_id: str, new_id: str) -> None:
    """Let the marks of deleted texts follow: as they stand they would name a stranger when they come back."""
    for state in tx.episode_states(story_id):
        episode = None if state.is_live else tx.episode(story_id, state.episode_id)
        if episode is None or character_id not in marked_ids(episode.text):
            continue
        try:
            renamed = _with_mark_renamed(episode, character_id, new_id)
        except InputError as error:
            raise ConflictError(f"deleted episode {state.no} of {story_id!r}: {error}") from error
        tx.put_episode(story_id, renamed, order_key=state.order_key)


def _with_mark_renamed(episode: Episode, character_id: str, new_id: str) -> Episode:
    cuts = episode.paragraph_ids
    return replace(
        episode,
        text=with_mark_renamed(episode.text, character_id, new_id),
        version=episode.version + 1,
        paragraph_ids=None
        if cuts is None
        else tuple((name, with_mark_renamed(cut, character_id, new_id)) for name, cut in cuts),
    )


def delete_character(tx: Transaction, story_id: str, character_id: str) -> bool:
    """Take a declaration out; True when facts or annotations still name the character."""
    parts = parts_of(tx, story_id)
    _check_not_inherited(tx, story_id, character_id)
    if all(known.character_id != character_id for known in tx.characters(story_id)):
        raise NotFoundError(f"story {story_id!r} declares no character {character_id!r}")
    check_no_member(tx, story_id, character_id)
    tx.delete_character(story_id, character_id)
    refresh(tx, story_id)
    return character_id in seen_mentions(tx, parts)
