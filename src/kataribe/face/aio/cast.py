"""Who is in a story: its characters, and the groups that are told things together."""

from __future__ import annotations

from collections.abc import Sequence

from kataribe.domain.story.cast_merge import CastMerge
from kataribe.domain.story.groups import Group, GroupEdit
from kataribe.domain.story.inputs import Character
from kataribe.domain.story.suggestion import CastSuggestion
from kataribe.engine import Engine
from kataribe.face.marks import author_read, write
from kataribe.story.desk.cast import CastEdit


class AsyncCastHandle:
    """The characters of one story."""

    def __init__(self, engine: Engine, story_id: str) -> None:
        self._engine = engine
        self.story_id = story_id

    @property
    def groups(self) -> AsyncGroupsHandle:
        """Its groups of characters."""
        return AsyncGroupsHandle(self._engine, self.story_id)

    @author_read
    async def list(self) -> tuple[Character, ...]:
        """Give the cast: those declared, then those known only from facts or annotations."""
        return await self._engine.cast(self.story_id)

    @author_read
    async def get(self, character_id: str) -> Character:
        """Give one of the cast. Raises `NotFoundError`."""
        return await self._engine.character(self.story_id, character_id)

    @author_read
    async def suggest(self, *, at_least: int = 2) -> tuple[CastSuggestion, ...]:
        """Propose whom the texts name `at_least` so often and the cast has not; `put` accepts them.

        Told by the form of names alone. Raises `NotFoundError`, `InputError`.
        """
        return await self._engine.suggest_cast(self.story_id, at_least=at_least)

    @write
    async def add(self, character: Character) -> Character:
        """Declare a character. Raises `ConflictError`."""
        return await self._engine.add_character(self.story_id, character)

    @write
    async def put(self, cast: Sequence[Character]) -> int:
        """Add or replace characters, leave the others; returns how many changed."""
        return await self._engine.put_cast(self.story_id, cast)

    @write
    async def merge(self, cast: Sequence[Character], groups: Sequence[Group] = ()) -> CastMerge:
        """Bring in what a file (`read_cast`, `read_groups`) says, as an import does; others stay.

        What the file changed since it was last brought in wins, what only a hand changed stays,
        and what both changed is told.
        """
        return await self._engine.merge_cast(self.story_id, cast, groups)

    @write
    async def edit(self, character_id: str, edit: CastEdit) -> Character:
        """Change a declared character. Raises `NotFoundError`, `InputError`."""
        return await self._engine.edit_character(self.story_id, character_id, edit)

    @write
    async def rename(self, character_id: str, new_id: str) -> None:
        """Give a character another id everywhere. Raises `NotFoundError`, `ConflictError`."""
        await self._engine.rename_character(self.story_id, character_id, new_id)

    @write
    async def delete(self, character_id: str) -> bool:
        """Take a declaration out; True when facts or annotations still name the character."""
        return await self._engine.delete_character(self.story_id, character_id)


class AsyncGroupsHandle:
    """The groups of one story's cast: who is told things together, from when on and until when."""

    def __init__(self, engine: Engine, story_id: str) -> None:
        self._engine = engine
        self.story_id = story_id

    @author_read
    async def list(self) -> tuple[Group, ...]:
        """Give the groups, by id. Raises `NotFoundError`."""
        return await self._engine.groups(self.story_id)

    @author_read
    async def get(self, group_id: str) -> Group:
        """Give one group. Raises `NotFoundError`."""
        return await self._engine.group(self.story_id, group_id)

    @write
    async def add(self, group: Group) -> Group:
        """Add a group, which rows and marks name as `@ID`. Raises `ConflictError`, `InputError`."""
        return await self._engine.add_group(self.story_id, group)

    @write
    async def edit(self, group_id: str, edit: GroupEdit) -> Group:
        """Change who is in a group, or whether newcomers are told. Raises `NotFoundError`, `InputError`."""
        return await self._engine.edit_group(self.story_id, group_id, edit)

    @write
    async def delete(self, group_id: str) -> None:
        """Take a group out. Raises `NotFoundError`, `ConflictError` while a row or a mark names it."""
        await self._engine.delete_group(self.story_id, group_id)
