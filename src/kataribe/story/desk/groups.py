"""The groups of a cast: who is in them, and who is told what they hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kataribe.domain.lineage import Parts
from kataribe.domain.story.audience import marked_ids
from kataribe.domain.story.cast_merge import CastClash
from kataribe.domain.story.groups import Group, GroupEdit
from kataribe.errors import ConflictError, InputError, NotFoundError
from kataribe.ports import Transaction, View
from kataribe.story.fingerprints import parts_of
from kataribe.story.lineage import descendants, full_cast, seen_cast, seen_groups
from kataribe.story.staleness import refresh


def groups_of(view: View, story_id: str) -> tuple[Group, ...]:
    """Give the groups a story sees, by id. Raises `NotFoundError`."""
    seen = seen_groups(view, parts_of(view, story_id))
    return tuple(seen[ref] for ref in sorted(seen))


def group_of(view: View, story_id: str, group_id: str) -> Group:
    """Give one group. Raises `NotFoundError`."""
    for group in groups_of(view, story_id):
        if group.group_id == group_id:
            return group
    raise NotFoundError(
        f"story {story_id!r} has no group {group_id!r}; `kataribe cast group list --story` shows them"
    )


def add_group(tx: Transaction, story_id: str, group: Group) -> Group:
    """Add a group. Raises `ConflictError` when there is one of this id, `InputError` for strangers."""
    if any(held.group_id == group.group_id for held in groups_of(tx, story_id)):
        raise ConflictError(f"{group.group_id!r} is a group of {story_id!r} already; use `cast group edit`")
    return _put(tx, story_id, group)


def edit_group(tx: Transaction, story_id: str, group_id: str, edit: GroupEdit) -> Group:
    """Change a group; memory follows. Raises `NotFoundError`, `InputError`.

    One that a branch sees of its parent becomes the branch's own; the parent's stays.
    """
    return _put(tx, story_id, edit.apply(group_of(tx, story_id, group_id)))


def _put(tx: Transaction, story_id: str, group: Group) -> Group:
    _check(tx, parts_of(tx, story_id), group)
    tx.put_group(story_id, group)
    refresh(tx, story_id)
    return group


def _check(view: View, parts: Parts, group: Group) -> None:
    """Refuse members who are not declared, and a name that is a character's from before there were groups."""
    declared = {character.character_id for character in seen_cast(view, parts)}
    strangers = sorted(group.characters - declared)
    if strangers:
        raise InputError(
            f"group {group.group_id!r}: {strangers[0]!r} is not declared in the cast; "
            f"add them with `kataribe cast add` first"
        )
    taken = {character.character_id for character in full_cast(view, parts)}
    for branch in descendants(view, parts[-1].story_id):
        taken |= {one.character_id for one in full_cast(view, parts_of(view, branch.story_id))}
    if group.ref in taken:
        raise ConflictError(
            f"{group.ref!r} is the id of a character, from before there were groups; choose another id "
            f"for the group, or give the character another with `kataribe cast rename`"
        )


def delete_group(tx: Transaction, story_id: str, group_id: str) -> None:
    """Take a group out. Raises `NotFoundError`, and `ConflictError` while a row or a mark names it."""
    group = group_of(tx, story_id, group_id)
    if all(own.group_id != group_id for own in tx.groups(story_id)):
        raise ConflictError(
            f"group {group_id!r} is its parent's, which the branch {story_id!r} reads; change it there"
        )
    tx.delete_group(story_id, group_id)
    check_none_named(tx, story_id, [group])
    refresh(tx, story_id)


def check_none_named(view: View, story_id: str, gone: Iterable[Group]) -> None:
    """Refuse that groups are gone which the rows or marks of an episode name, a deleted one's too.

    Raises `ConflictError`; the transaction is to be given up then.
    """
    refs = {group.ref for group in gone}
    for one in (story_id, *(branch.story_id for branch in descendants(view, story_id))):
        missing = refs - seen_groups(view, parts_of(view, one)).keys()
        for state in view.episode_states(one) if missing else ():
            named = missing & _named_in(view, one, state.episode_id)
            if named:
                raise ConflictError(
                    f"episode {state.no} of {one!r} names the group {sorted(named)[0]!r}; edit it first"
                )


def _named_in(view: View, story_id: str, episode_id: str) -> set[str]:
    episode = view.episode(story_id, episode_id)
    named = set(marked_ids(episode.text)) if episode is not None else set()
    for _, fact in view.facts(story_id, episode_id):
        named |= fact.audience.members
    for row in view.annotations(story_id, episode_id).rows:
        named |= row.audience.members
    return named


def check_no_member(view: View, story_id: str, character_id: str) -> None:
    """Refuse to take out of the cast who is in a group. Raises `ConflictError`."""
    for one in (story_id, *(branch.story_id for branch in descendants(view, story_id))):
        for group in view.groups(one):
            if character_id in group.characters:
                raise ConflictError(
                    f"{character_id!r} is in the group {group.group_id!r} of {one!r}; "
                    f"`kataribe cast group edit {group.group_id} --remove {character_id}` first"
                )


def rename_member(tx: Transaction, story_id: str, character_id: str, new_id: str) -> None:
    """Let the groups of a story name a character by another id."""
    for group in tx.groups(story_id):
        if character_id in group.characters:
            tx.put_group(story_id, group.renamed(character_id, new_id))


def merge_groups(
    tx: Transaction, story_id: str, groups: Sequence[Group]
) -> tuple[int, list[str], list[CastClash]]:
    """Bring in what a file says of these groups, and leave the others.

    What the file changed since it was last imported wins, what only a hand changed stays. Gives
    how many changed, those kept otherwise than in the file, and the clashes.
    """
    parts = parts_of(tx, story_id)
    known = {group.group_id: group for group in groups_of(tx, story_id)}
    said = {one: group for part in parts for one, group in tx.said_groups(part.story_id).items()}
    changed, kept, clashes = 0, [], []
    for file in groups:
        last, now = said.get(file.group_id), known.get(file.group_id)
        if file in (last, now):
            kept += [file.ref] if file != now else []
            continue
        if last is not None and now != last:
            clashes.append(CastClash(file.ref, "members" if now is not None else "declared"))
        _check(tx, parts, file)
        tx.put_group(story_id, file)
        changed += 1
    tx.put_said_groups(story_id, [file for file in groups if said.get(file.group_id) != file])
    if changed:
        refresh(tx, story_id)
    return changed, kept, clashes
