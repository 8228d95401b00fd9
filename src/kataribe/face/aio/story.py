"""One story: its episodes, facts, cast, branches and views."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kataribe.domain.evidence import AudienceMode
from kataribe.domain.records import Verification
from kataribe.domain.story.checkpoint import Checkpoint
from kataribe.domain.story.inputs import Story
from kataribe.domain.story.undo import STEPS_KEPT, Step
from kataribe.domain.terms import Language
from kataribe.engine import Engine, Only
from kataribe.face.aio.cards import AsyncCardsHandle
from kataribe.face.aio.cast import AsyncCastHandle
from kataribe.face.aio.episodes import AsyncEpisodesHandle, AsyncFactsHandle
from kataribe.face.aio.views import AsyncBranchesHandle, AsyncViewsHandle
from kataribe.face.marks import author_read, write
from kataribe.face.spaces import space_named, spaces_named
from kataribe.formats.given import AnnotationGiven, FactGiven
from kataribe.story.desk.importing import ImportReport
from kataribe.work.path import Progress
from kataribe.work.task import SyncReport


class AsyncStoryHandle:
    """One story of the store; there may be none of this id yet.

    All reads here are the author's: they see across viewers.
    """

    def __init__(self, engine: Engine, story_id: str) -> None:
        self._engine = engine
        self.story_id = story_id

    @property
    def episodes(self) -> AsyncEpisodesHandle:
        """Its episodes."""
        return AsyncEpisodesHandle(self._engine, self.story_id)

    @property
    def facts(self) -> AsyncFactsHandle:
        """What happens in it, and who knows it."""
        return AsyncFactsHandle(self._engine, self.story_id)

    @property
    def cast(self) -> AsyncCastHandle:
        """Its characters."""
        return AsyncCastHandle(self._engine, self.story_id)

    @property
    def branches(self) -> AsyncBranchesHandle:
        """The stories that go on from one of its episodes."""
        return AsyncBranchesHandle(self._engine, self.story_id)

    @property
    def views(self) -> AsyncViewsHandle:
        """What its writer looks at: who knows what, and why."""
        return AsyncViewsHandle(self._engine, self.story_id)

    @property
    def cards(self) -> AsyncCardsHandle:
        """Character cards and lorebooks of role-play programs."""
        return AsyncCardsHandle(self._engine, self.story_id)

    @property
    def checkpoints(self) -> AsyncCheckpointsHandle:
        """Its save slots."""
        return AsyncCheckpointsHandle(self._engine, self.story_id)

    @write
    async def create(
        self,
        *,
        language: Language,
        title: str | None = None,
        embedder: str | None = None,
        model: str | None = None,
        audience: AudienceMode | str | None = None,
    ) -> Story:
        """Create the story. Without `embedder` the language's default is taken and recorded.

        `model` is what reads its texts: `rules` (the default) or `provider:model`. `audience` is how
        sure a guess must be: `strict`, `evident` (the default) or `wide`. Raises `ConflictError`,
        `InputError`, `MissingExtraError`.
        """
        return await self._engine.add_story(
            self.story_id, language=language, title=title, embedder=embedder, model=model, audience=audience
        )

    @author_read
    async def info(self) -> Story:
        """Give what was chosen for the story. Raises `NotFoundError`."""
        return await self._engine.story(self.story_id)

    @write
    async def rename(self, new_id: str) -> None:
        """Give the story another id. Raises `NotFoundError`, `ConflictError`."""
        await self._engine.rename_story(self.story_id, new_id)

    @write
    async def delete(self) -> None:
        """Remove the story with all in it. Raises `NotFoundError`, `ConflictError` when it has branches."""
        await self._engine.delete_story(self.story_id)

    @write
    async def set_model(self, model: str) -> Story:
        """Choose what reads the story's texts: `rules`, or a model as `provider:model`."""
        return await self._engine.set_model(self.story_id, model)

    @write
    async def set_audience(self, mode: AudienceMode | str) -> Story:
        """Say how sure a guess must be to be somebody's memory: `strict`, `evident` or `wide`.

        No text is read again; memory follows when it is synced. The story's branches and parents
        go along. Raises `NotFoundError`, `InputError`.
        """
        return await self._engine.set_audience(self.story_id, mode)

    @write
    async def import_folder(
        self,
        path: str | Path,
        *,
        language: Language | None = None,
        only: Only | None = None,
        embedder: str | None = None,
        model: str | None = None,
        audience: AudienceMode | str | None = None,
        encoding: str | None = None,
        dry_run: bool = False,
    ) -> ImportReport:
        """Make the story say what a folder or a manuscript says; a missing story is created.

        `encoding` is that of texts that are not UTF-8, as `shift_jis`. With `dry_run` nothing is
        changed, and the report has a `preview`.
        """
        return await self._engine.import_story(
            path,
            story_id=self.story_id,
            language=language,
            only=only,
            embedder=embedder,
            model=model,
            audience=audience,
            encoding=encoding,
            dry_run=dry_run,
        )

    @author_read
    async def export(self, path: str | Path, *, guessed: bool = False) -> None:
        """Write the story's inputs to a folder that `import_folder` reads.

        `guessed` adds to `visibility.jsonl` who holds what by guess, to be edited: a row a paragraph, which
        names all who hold some sentence of it.
        """
        await self._engine.export_story(path, story_id=self.story_id, guessed=guessed)

    @write
    async def tell(
        self,
        text: str,
        *,
        facts: Sequence[FactGiven] | None = None,
        annotations: Sequence[AnnotationGiven] | None = None,
        episode_id: str | None = None,
        title: str | None = None,
    ) -> int:
        """Append an episode and give its number; with an `episode_id` the same call again is harmless.

        The number is the one after the highest ever used. Its facts are in memory when this
        returns; a text alone waits for `sync`. Raises `ConflictError`, `InputError`, `NotFoundError`.
        """
        return await self._engine.tell(
            self.story_id, text, facts=facts, annotations=annotations, episode_id=episode_id, title=title
        )

    @write
    async def sync(
        self,
        *,
        workers: int = 1,
        retry: bool = False,
        within: float | None = None,
        progress: Progress | None = None,
    ) -> SyncReport:
        """Bring the story's memory up to its inputs; see `Kataribe.sync`."""
        return await self._engine.sync(
            spaces_named(story=self.story_id),
            workers=workers,
            retry=retry,
            within=within,
            progress=progress,
        )

    @author_read
    async def verify(self) -> Verification:
        """Compare memory with what its inputs make of it, and ask whether the file is sound."""
        return await self._engine.verify(space_named(story=self.story_id))

    @write
    async def checkpoint(self, name: str, *, replace: bool = False) -> Checkpoint:
        """Keep the story's inputs as they stand under a name. Raises `ConflictError` when it is taken."""
        return await self._engine.checkpoint(self.story_id, name, replace=replace)

    @write
    async def rewind(self, name: str) -> Checkpoint:
        """Make the story's inputs exactly those of a checkpoint. Raises `NotFoundError`, `ConflictError`."""
        return await self._engine.rewind(self.story_id, name)

    @write
    async def undo(self, *, number: int | None = None) -> Step:
        """Take the last step back and give it. Raises `NotFoundError`, `ConflictError`."""
        return await self._engine.undo(self.story_id, number=number)

    @author_read
    async def steps(self, *, last: int = STEPS_KEPT) -> tuple[Step, ...]:
        """Give the last steps that `undo` can take back, newest first."""
        return await self._engine.undo_list(self.story_id, last=last)


class AsyncCheckpointsHandle:
    """The checkpoints of one story: its inputs as they stood, kept under names."""

    def __init__(self, engine: Engine, story_id: str) -> None:
        self._engine = engine
        self.story_id = story_id

    @author_read
    async def list(self) -> tuple[Checkpoint, ...]:
        """Give the checkpoints, by name. Raises `NotFoundError`."""
        return await self._engine.checkpoints(self.story_id)

    @write
    async def delete(self, name: str) -> None:
        """Forget a checkpoint; the story stays as it is. Raises `NotFoundError`."""
        await self._engine.delete_checkpoint(self.story_id, name)
