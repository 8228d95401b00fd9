"""Verbs about stories and their casts."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from kataribe.domain.evidence import AudienceMode, audience_mode
from kataribe.domain.markup import plain
from kataribe.domain.story.cast_merge import CastMerge
from kataribe.domain.story.folder import StoryFolder
from kataribe.domain.story.groups import Group, GroupEdit
from kataribe.domain.story.inputs import Character, Story
from kataribe.domain.story.undo import EVERYTHING
from kataribe.domain.terms import Language
from kataribe.engine.base import Base
from kataribe.errors import InputError
from kataribe.formats.detect import told_language
from kataribe.formats.folder import read_folder, write_folder
from kataribe.ports import Transaction, View
from kataribe.story.desk import cast as casts
from kataribe.story.desk import groups as desk_groups
from kataribe.story.desk import stories as shelf
from kataribe.story.desk.cast import CastEdit
from kataribe.story.desk.exporting import export_folder
from kataribe.story.desk.guessed import guessed_rows
from kataribe.story.desk.importing import ImportReport, import_folder, try_import
from kataribe.story.desk.undo import CAST, SETTINGS
from kataribe.story.fingerprints import parts_of, story_of
from kataribe.story.lineage import full_cast

Only = Literal["facts", "text"]


class StoryVerbs(Base):
    """Creating, importing and exporting stories, and saying who is in them."""

    async def add_story(
        self,
        story_id: str,
        *,
        language: Language,
        title: str | None = None,
        embedder: str | None = None,
        model: str | None = None,
        audience: AudienceMode | str | None = None,
    ) -> Story:
        """Create a story. Without `embedder` the language's default is taken and recorded.

        `model` is what reads its texts: `rules` (the default) or `provider:model`. `audience` is how
        sure a guess must be: `strict`, `evident` (the default) or `wide`. Raises `ConflictError`,
        `InputError`, `MissingExtraError`.
        """
        story = self._new_story(
            story_id, language, title=title, embedder=embedder, model=model, audience=audience
        )
        return await self._write(lambda ledger: shelf.add_story(ledger, story))

    async def set_model(self, story_id: str, model: str) -> Story:
        """Choose what reads a story's texts: `rules`, or a model as `provider:model`.

        Episodes whose text is read by it become stale until they are synced; what the former
        one found is kept, for who goes back. Raises `NotFoundError`, `InputError`.
        """
        extractor_id = self._services.extractor(model).extractor_id

        def run(ledger: Transaction) -> Story:
            story = replace(story_of(ledger, story_id), extractor=model, extractor_id=extractor_id)
            shelf.set_engines(ledger, story)
            return story

        return await self._write(run)

    async def set_audience(self, story_id: str, mode: AudienceMode | str) -> Story:
        """Say how sure a guess must be to be somebody's memory: `strict`, `evident` or `wide`.

        What was found in the texts stays; memory is derived from it anew when it is synced. The
        story's branches and parents go along. Raises `NotFoundError`, `InputError`.
        """
        chosen = audience_mode(mode)

        def run(ledger: Transaction) -> Story:
            with self._recorded(ledger, story_id, SETTINGS) as step:
                step.summary = f"chose the audience mode {chosen}"
                return shelf.set_audience(ledger, story_id, chosen)

        return await self._write(run)

    async def rename_story(self, story_id: str, new_id: str) -> None:
        """Give a story another id. Raises `NotFoundError`, `ConflictError`."""
        await self._write(lambda ledger: shelf.rename_story(ledger, story_id, new_id))

    async def delete_story(self, story_id: str) -> None:
        """Remove a story with all in it. Raises `NotFoundError`, and `ConflictError` when it has branches."""
        await self._delete(lambda ledger: shelf.delete_story(ledger, story_id))

    async def import_story(
        self,
        path: str | Path,
        *,
        story_id: str,
        language: Language | None = None,
        only: Only | None = None,
        embedder: str | None = None,
        model: str | None = None,
        audience: AudienceMode | str | None = None,
        encoding: str | None = None,
        dry_run: bool = False,
    ) -> ImportReport:
        """Make a story say what a folder says; a missing story is created.

        `model` is what reads its texts (left out: what did before, else `rules`). `audience` goes
        before what the folder says of it. Without
        `language` it is told from the first text and recorded so. `encoding` is that of texts
        that are not UTF-8. With `dry_run` nothing is changed: the report says what would be, with a
        preview. The same folder again changes nothing. Raises `FormatError` with file and line, and
        `MissingExtraError` for a book that nothing installed reads; nothing has changed then.
        """
        if only not in (None, "facts", "text"):
            raise InputError(f"only must be facts or text, not {only!r}")
        chosen = None if audience is None else audience_mode(audience)
        folder = await asyncio.to_thread(
            read_folder, Path(path), facts=only != "text", encoding=encoding, book=self._services.book
        )
        chosen = chosen or folder.audience
        fresh = None
        if await self._read(lambda view: view.story(story_id)) is None:
            fresh = self._story_of_folder(
                story_id, folder, language=language, embedder=embedder, model=model, audience=chosen
            )
        extractor_id = None if model is None else self._services.extractor(model).extractor_id

        def prepare(tx: Transaction) -> None:
            if fresh is not None:
                shelf.add_story(tx, fresh)
            elif model is not None and extractor_id is not None:
                story = story_of(tx, story_id)
                shelf.set_engines(tx, replace(story, extractor=model, extractor_id=extractor_id))
            if chosen is not None and story_of(tx, story_id).audience is not chosen:
                shelf.set_audience(tx, story_id, chosen)

        def run(tx: Transaction) -> ImportReport:
            if dry_run:
                return try_import(tx, story_id, folder, prepare=prepare, only=only)
            prepare(tx)
            return import_folder(tx, story_id, folder, only=only)

        return await self._write(run)

    def _story_of_folder(
        self,
        story_id: str,
        folder: StoryFolder,
        *,
        language: Language | None,
        embedder: str | None,
        model: str | None,
        audience: AudienceMode | None,
    ) -> Story:
        """Make a story of what a folder says of it as a whole, and of what was asked for instead."""
        stated = language or folder.language
        if stated is None and folder.episodes:
            told = told_language(plain(folder.episodes[0].text).text)
        else:
            told = stated or "en"
        return self._new_story(
            story_id,
            told,
            title=folder.title,
            embedder=embedder or folder.embedder,
            extra=folder.extra,
            told=stated is None,
            model=model,
            audience=audience,
        )

    async def export_story(self, path: str | Path, *, story_id: str, guessed: bool = False) -> None:
        """Write a story's inputs to a folder that `import_story` reads (author).

        A branch is written as it is read, its parents' episodes included. `guessed` adds to
        `visibility.jsonl` who holds what by guess, a row a paragraph, to be edited.
        """

        def run(view: View) -> StoryFolder:
            folder = export_folder(view, story_id)
            if not guessed:
                return folder
            rows = (*(folder.visibility or ()), *guessed_rows(view, story_id))
            return replace(folder, visibility=rows or None)

        folder = await self._read(run)
        await asyncio.to_thread(write_folder, Path(path), folder)

    async def cast(self, story_id: str) -> tuple[Character, ...]:
        """Give the cast: those declared, then those known only from facts or annotations (author)."""
        return await self._read(lambda ledger: full_cast(ledger, parts_of(ledger, story_id)))

    async def character(self, story_id: str, character_id: str) -> Character:
        """Give one of the cast (author). Raises `NotFoundError`."""
        return await self._read(lambda ledger: casts.character_of(ledger, story_id, character_id))

    async def add_character(self, story_id: str, character: Character) -> Character:
        """Declare a character. Raises `ConflictError`."""

        def run(ledger: Transaction) -> Character:
            with self._recorded(ledger, story_id, CAST) as step:
                step.summary = f"declared {character.character_id}"
                return casts.add_character(ledger, story_id, character)

        return await self._write(run)

    async def put_cast(self, story_id: str, cast: Sequence[Character]) -> int:
        """Add or replace characters, leave the others; returns how many changed."""

        def run(ledger: Transaction) -> int:
            with self._recorded(ledger, story_id, CAST) as step:
                step.summary = "imported a cast"
                return casts.put_cast(ledger, story_id, cast)

        return await self._write(run)

    async def merge_cast(
        self, story_id: str, cast: Sequence[Character], groups: Sequence[Group] = ()
    ) -> CastMerge:
        """Bring in what a file says of characters and groups, beside what was changed by hand."""

        def run(ledger: Transaction) -> CastMerge:
            with self._recorded(ledger, story_id, CAST) as step:
                step.summary = "imported a cast"
                merged = casts.merge_cast(ledger, story_id, cast)
                changed, kept, clashes = desk_groups.merge_groups(ledger, story_id, groups)
                return CastMerge(
                    changed=merged.changed + changed,
                    kept=(*merged.kept, *kept),
                    clashes=(*merged.clashes, *clashes),
                )

        return await self._write(run)

    async def groups(self, story_id: str) -> tuple[Group, ...]:
        """Give the groups of the cast, by id (author). Raises `NotFoundError`."""
        return await self._read(lambda ledger: desk_groups.groups_of(ledger, story_id))

    async def group(self, story_id: str, group_id: str) -> Group:
        """Give one group (author). Raises `NotFoundError`."""
        return await self._read(lambda ledger: desk_groups.group_of(ledger, story_id, group_id))

    async def add_group(self, story_id: str, group: Group) -> Group:
        """Add a group. Raises `ConflictError`, `InputError` for members who are not declared."""

        def run(ledger: Transaction) -> Group:
            with self._recorded(ledger, story_id, CAST) as step:
                step.summary = f"added the group {group.group_id}"
                return desk_groups.add_group(ledger, story_id, group)

        return await self._write(run)

    async def edit_group(self, story_id: str, group_id: str, edit: GroupEdit) -> Group:
        """Change a group. Raises `NotFoundError`, `InputError`."""

        def run(ledger: Transaction) -> Group:
            with self._recorded(ledger, story_id, CAST) as step:
                step.summary = f"edited the group {group_id}"
                return desk_groups.edit_group(ledger, story_id, group_id, edit)

        return await self._write(run)

    async def delete_group(self, story_id: str, group_id: str) -> None:
        """Take a group out. Raises `NotFoundError`, `ConflictError` while something names it."""

        def run(ledger: Transaction) -> None:
            with self._recorded(ledger, story_id, CAST) as step:
                step.summary = f"deleted the group {group_id}"
                desk_groups.delete_group(ledger, story_id, group_id)

        await self._write(run)

    async def edit_character(self, story_id: str, character_id: str, edit: CastEdit) -> Character:
        """Change a declared character. Raises `NotFoundError`, `InputError`."""

        def run(ledger: Transaction) -> Character:
            with self._recorded(ledger, story_id, CAST) as step:
                step.summary = f"edited {character_id} in the cast"
                return casts.edit_character(ledger, story_id, character_id, edit)

        return await self._write(run)

    async def rename_character(self, story_id: str, character_id: str, new_id: str) -> None:
        """Give a character another id everywhere. Raises `NotFoundError`, `ConflictError`."""

        def run(ledger: Transaction) -> None:
            with self._recorded(ledger, story_id, EVERYTHING) as step:
                step.summary = f"renamed {character_id} to {new_id}"
                casts.rename_character(ledger, story_id, character_id, new_id)

        await self._write(run)

    async def delete_character(self, story_id: str, character_id: str) -> bool:
        """Take a declaration out; True when facts or annotations still name the character."""

        def run(ledger: Transaction) -> bool:
            with self._recorded(ledger, story_id, CAST) as step:
                step.summary = f"took {character_id} out of the cast"
                return casts.delete_character(ledger, story_id, character_id)

        return await self._write(run)
