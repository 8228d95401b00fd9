"""The store as a program holds it: viewer reads, and the handles of what is in it."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Self, Unpack

from kataribe.domain.gate import Viewer
from kataribe.domain.knowledge.documents import Library
from kataribe.domain.memory import Recollection
from kataribe.domain.recall.context import Answer, Context
from kataribe.domain.recall.requests import (
    AnswerKeys,
    ContextKeys,
    KnownKeys,
    RecallKeys,
    RecallOptions,
    ViewerKeys,
)
from kataribe.domain.records import ChangeLog, Verification
from kataribe.engine import Engine
from kataribe.engine.recall_many import Questions
from kataribe.face.aio.admin import AsyncAdminHandle
from kataribe.face.aio.library import AsyncLibraryHandle
from kataribe.face.aio.story import AsyncStoryHandle
from kataribe.face.aio.user import AsyncUserHandle
from kataribe.face.aio.viewer import AsyncViewerHandle
from kataribe.face.marks import author_read, upkeep, viewer_read, write
from kataribe.face.spaces import space_named, spaces_named
from kataribe.work.path import Progress
from kataribe.work.task import SyncReport


class AsyncKataribe:
    """A memory engine on one store, for programs with an event loop; `Kataribe` is the same without.

    Use it as an asynchronous context manager, or await `close`.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @upkeep
    async def close(self) -> None:
        """Write what waits and let go of the store; closing twice is closing."""
        await self._engine.close()

    @upkeep
    def story(self, story_id: str) -> AsyncStoryHandle:
        """Give the handle of a story, whether or not there is one of this id."""
        return AsyncStoryHandle(self._engine, story_id)

    @upkeep
    def user(self, user_id: str) -> AsyncUserHandle:
        """Give the handle of a user, whether or not there is one of this id."""
        return AsyncUserHandle(self._engine, user_id)

    @upkeep
    def library(self, library_id: str) -> AsyncLibraryHandle:
        """Give the handle of a library, whether or not there is one of this id."""
        return AsyncLibraryHandle(self._engine, library_id)

    @author_read
    async def libraries(self) -> tuple[Library, ...]:
        """Give all libraries, by id."""
        return await self._engine.libraries()

    @property
    def admin(self) -> AsyncAdminHandle:
        """The store as a whole."""
        return AsyncAdminHandle(self._engine)

    @upkeep
    def viewer(self, **viewer: Unpack[ViewerKeys]) -> AsyncViewerHandle:
        """Bind a viewer once, for all reads that it has. Raises `InputError` when something is missing."""
        self._engine.check_viewer(viewer)
        return AsyncViewerHandle(self._engine, viewer)

    @viewer_read
    async def recall(self, question: str, **asked: Unpack[RecallKeys]) -> Recollection:
        """Give what a viewer remembers that answers the question, best first.

        A viewer is `persona` at episode `at` of a `story`, `persona` of a `user`, or both together.
        """
        return await self._engine.recall(question, **asked)

    @viewer_read
    async def recall_many(
        self,
        question: Questions,
        viewers: Sequence[ViewerKeys | Viewer] | None = None,
        **asked: Unpack[RecallOptions],
    ) -> tuple[Recollection, ...]:
        """Give what each of these viewers remembers that answers the question, read in one view.

        `question` is one for all `viewers`, or a list of (question, viewer) without `viewers`.
        Each answer equals that of `recall` for this viewer with the same options.
        """
        return await self._engine.recall_many(question, viewers, **asked)

    @viewer_read
    async def known(self, **asked: Unpack[KnownKeys]) -> Recollection:
        """Give everything a viewer may know, in story order or as it was said."""
        return await self._engine.known(**asked)

    @viewer_read
    async def context(self, question: str, **asked: Unpack[ContextKeys]) -> Context:
        """Put together what a model should be told to answer as a viewer, within a budget of tokens."""
        return await self._engine.context(question, **asked)

    @viewer_read
    async def answer(self, question: str, **asked: Unpack[AnswerKeys]) -> Answer:
        """Answer as a viewer out of what it remembers; without `model` that itself, labelled evidence."""
        return await self._engine.answer(question, **asked)

    @write
    async def sync(
        self,
        *,
        story: str | None = None,
        user: str | None = None,
        library: str | None = None,
        workers: int = 1,
        retry: bool = False,
        within: float | None = None,
        progress: Progress | None = None,
    ) -> SyncReport:
        """Bring memory up to its inputs: of everything, of one story, of what was said with one user,
        or of one library.

        It can be stopped and called again at any moment, and several may run at once: each
        piece of work is done by one of their `workers`. What fails is tried again after a
        while. It returns when nothing is left to do, here or at others' hands, but what failed
        too often; or when `within` seconds are over, with the rest counted as `left`. `retry`
        tries dead letters again. Raises `InputError`.
        """
        return await self._engine.sync(
            spaces_named(story=story, user=user, library=library),
            workers=workers,
            retry=retry,
            within=within,
            progress=progress,
        )

    @author_read
    async def changes(self, since: int = 0, *, story: str | None = None) -> ChangeLog:
        """Tell of which units memory has changed since a cursor, in all spaces or a story's.

        `cursor` of the answer is what to ask from next. Raises `NotFoundError`.
        """
        return await self._engine.changes(since, space_named(story=story))

    @author_read
    async def verify(self) -> Verification:
        """Compare memory with what its inputs make of it, and ask whether the file is sound."""
        return await self._engine.verify()
