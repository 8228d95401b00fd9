"""Verbs about stories and their casts."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from kataribe.domain.markup import plain
from kataribe.domain.story.inputs import Character, Story
from kataribe.domain.story.undo import EVERYTHING
from kataribe.domain.terms import Language
from kataribe.engine.base import Base
from kataribe.errors import InputError
from kataribe.formats.detect import told_language
from kataribe.formats.folder import read_folder, write_folder
from kataribe.ports import Transaction
from kataribe.story.desk import cast as casts
from kataribe.story.desk import stories as shelf
from kataribe.story.desk.cast import CastEdit
from kataribe.story.desk.exporting import export_folder
from kataribe.story.desk.importing import ImportReport, import_folder, try_import
from kataribe.story.desk.undo import CAST
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
    ) -> Story:
        """Create a story. Without `embedder` the language's default is taken and recorded.

        `model` is what reads its texts: `rules` (the default) or `provider:model`. Raises
        `ConflictError`, `InputError`, `MissingExtraError`.
        """
        story = self._new_story(story_id, language, title=title, embedder=embedder, model=model)
        return await self._write(lambda ledger: shelf.add_story(ledger, story))

    async def set_model(self, story_id: str, model: str) -> Story:
        """Choose what reads a story's texts: `rules`, or a model as `provider:model`.

        Episodes whose text is read by it become stale until they are synced; what the former
        one found is kept, for who goes back. Raises `NotFoundError`, `InputError`.
        """
        extractor_id = self._engines.extractor(model).extractor_id

        def run(ledger: Transaction) -> Story:
            story = replace(story_of(ledger, story_id), extractor=model, extractor_id=extractor_id)
            shelf.set_engines(ledger, story)
            return story

        return await self._write(run)

    async def rename_story(self, story_id: str, new_id: str) -> None:
        """Give a story another id. Raises `NotFoundError`, `ConflictError`."""
        await self._write(lambda ledger: shelf.rename_story(ledger, story_id, new_id))

    async def delete_story(self, story_id: str) -> None:
        """Remove a story with all in it. Raises `NotFoundError`, and `ConflictError` when it has branches."""
        await self._write(lambda ledger: shelf.delete_story(ledger, story_id))

    async def import_story(
        self,
        path: str | Path,
        *,
        story_id: str,
        language: Language | None = None,
        only: Only | None = None,
        embedder: str | None = None,
        model: str | None = None,
        encoding: str | None = None,
        dry_run: bool = False,
    ) -> ImportReport:
        """Make a story say what a folder says; a missing story is created.

        `model` is what reads its texts (left out: what did before, else `rules`). Without
        `language` it is told from the first text and recorded so. `encoding` is that of texts
        that are not UTF-8. With `dry_run` nothing is changed: the report says what would be, with a
        preview. The same folder again changes nothing. Raises `FormatError` with file and line, and
        `MissingExtraError` for a book that nothing installed reads; nothing has changed then.
        """
        if only not in (None, "facts", "text"):
            raise InputError(f"only must be facts or text, not {only!r}")
        folder = await asyncio.to_thread(
            read_folder, Path(path), facts=only != "text", encoding=encoding, book=self._engines.book
        )
        if folder.episodes and language is None and folder.language is None:
            told: Language = told_language(plain(folder.episodes[0].text).text)
        else:
            told = language or folder.language or "en"
        fresh = None
        if await self._read(lambda ledger: ledger.story(story_id)) is None:
            fresh = self._new_story(
                story_id,
                told,
                title=folder.title,
                embedder=embedder or folder.embedder,
                extra=folder.extra,
                told=language is None and folder.language is None,
                model=model,
            )
        extractor_id = None if model is None else self._engines.extractor(model).extractor_id

        def prepare(ledger: Transaction) -> None:
            if fresh is not None:
                shelf.add_story(ledger, fresh)
            elif model is not None and extractor_id is not None:
                story = story_of(ledger, story_id)
                shelf.set_engines(ledger, replace(story, extractor=model, extractor_id=extractor_id))

        def run(ledger: Transaction) -> ImportReport:
            if dry_run:
                return try_import(ledger, story_id, folder, prepare=prepare, only=only)
            prepare(ledger)
            return import_folder(ledger, story_id, folder, only=only)

        return await self._write(run)

    async def export_story(self, path: str | Path, *, story_id: str) -> None:
        """Write a story's inputs to a folder that `import_story` reads (author).

        A branch is written as it is read, its parents' episodes included.
        """
        folder = await self._read(lambda ledger: export_folder(ledger, story_id))
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
