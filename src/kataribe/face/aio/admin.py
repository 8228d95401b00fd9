"""The store as a whole: what is in it, what is still to be done, and what is done to all of it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from kataribe.domain.backups import WrittenBackup
from kataribe.domain.conversation.turns import User
from kataribe.domain.feeding import FeedLag
from kataribe.domain.hooks import HookLag, HookRun
from kataribe.domain.memory import Refusal
from kataribe.domain.recall.calibration import KEEP, Calibration, Labelled
from kataribe.domain.records import Branch, Reembedded, Trace
from kataribe.domain.story.inputs import Story
from kataribe.domain.work import WorkItem
from kataribe.engine import Engine
from kataribe.engine.embedding import Embeddings
from kataribe.engine.generations import ReembedProgress
from kataribe.errors import InputError
from kataribe.face.aio.access import AsyncAccessHandle
from kataribe.face.aio.audit import AsyncAuditHandle, AsyncKeysHandle
from kataribe.face.marks import author_read, upkeep, write
from kataribe.face.spaces import piece_named, space_named, the_space
from kataribe.story.desk.estimate import Estimate
from kataribe.work.path import Progress
from kataribe.work.task import SyncReport


class AsyncAdminHandle:
    """What an operator of the store does. All reads here see across viewers."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @property
    def index(self) -> AsyncIndexHandle:
        """The index outside the store, where there is one."""
        return AsyncIndexHandle(self._engine)

    @property
    def hooks(self) -> AsyncHooksHandle:
        """The webhook, where there is one."""
        return AsyncHooksHandle(self._engine)

    @property
    def audit(self) -> AsyncAuditHandle:
        """The record of what was done."""
        return AsyncAuditHandle(self._engine)

    @property
    def keys(self) -> AsyncKeysHandle:
        """The key store of the users."""
        return AsyncKeysHandle(self._engine)

    @property
    def backups(self) -> AsyncBackupsHandle:
        """The backups that were written of it."""
        return AsyncBackupsHandle(self._engine)

    @property
    def access(self) -> AsyncAccessHandle:
        """Who may connect to a server of this store."""
        return AsyncAccessHandle(self._engine)

    @author_read
    async def stories(self) -> tuple[Story, ...]:
        """Give all stories, by id."""
        return await self._engine.stories()

    @author_read
    async def users(self) -> tuple[User, ...]:
        """Give all users, by id."""
        return await self._engine.users()

    @author_read
    async def branches(self) -> tuple[Branch, ...]:
        """Give all branches of all stories."""
        return await self._engine.branches()

    @author_read
    async def work(
        self, *, story: str | None = None, user: str | None = None, library: str | None = None
    ) -> tuple[WorkItem, ...]:
        """Give what is not in memory and why, of a story, a user, a library, or of all.

        Raises `NotFoundError`.
        """
        return await self._engine.work(space_named(story=story, user=user, library=library))

    @write
    async def retry(
        self,
        *,
        story: str | None = None,
        episode_no: int | None = None,
        user: str | None = None,
        unit: str | None = None,
        library: str | None = None,
    ) -> int:
        """Make what failed due at once; returns how many pieces of work. Raises `NotFoundError`.

        `unit` names turns of a user, or a document of a library.
        """
        if episode_no is not None and story is None:
            raise InputError("a number needs the story it belongs to; name that too")
        if unit is not None and user is None and library is None:
            raise InputError("a unit needs the user or the library it belongs to; name that too")
        piece = piece_named(story=story, episode_no=episode_no, user=user, unit=unit, library=library)
        if piece is not None:
            return await self._engine.retry_piece(*piece)
        return await self._engine.retry_work(space_named(story=story, user=user, library=library))

    @write
    async def drop(
        self,
        *,
        story: str | None = None,
        episode_no: int | None = None,
        user: str | None = None,
        unit: str | None = None,
        library: str | None = None,
    ) -> None:
        """Leave an episode, a unit of turns, or a document out of memory until its inputs change.

        Raises `ConflictError`, `NotFoundError`, `InputError`.
        """
        piece = piece_named(story=story, episode_no=episode_no, user=user, unit=unit, library=library)
        if piece is None:
            raise InputError("name a story with an episode's number, or a user or a library with a unit")
        await self._engine.drop_work(*piece)

    @write
    async def accept_empty(self, story: str, *, episode_no: int) -> None:
        """Take a model's empty answer that was refused. Raises `ConflictError`, `NotFoundError`."""
        await self._engine.accept_empty(story, episode_no=episode_no)

    @author_read
    async def estimate(self, *, story: str | None = None) -> tuple[Estimate, ...]:
        """Guess what a sync would ask of models, by story, without asking or writing."""
        return await self._engine.estimate(space_named(story=story))

    @author_read
    async def refusals(self, story: str) -> tuple[tuple[str, Refusal], ...]:
        """Give what models offered for the texts as they stand and was not taken, by episode id."""
        return await self._engine.refusals(story)

    @write
    async def rebuild(
        self, *, story: str | None = None, extract_again: bool = False, progress: Progress | None = None
    ) -> SyncReport:
        """Make memories and vectors of a story, or of all, again from the inputs, with equal ids (M-1)."""
        return await self._engine.rebuild(
            space_named(story=story), extract_again=extract_again, progress=progress
        )

    @write
    async def reembed(
        self,
        *,
        embedder: str,
        story: str | None = None,
        user: str | None = None,
        library: str | None = None,
        progress: ReembedProgress | None = None,
    ) -> Reembedded:
        """Give a story with its family, a user, or a library another embedder.

        The old answers until the switch.
        """
        problem = "name either a story or a user, or a library, whose embedder is to change"
        of = the_space(problem, story=story, user=user, library=library)
        return await self._engine.reembed(of, embedder=embedder, progress=progress)

    @author_read
    async def calibrate(
        self,
        questions: Sequence[Labelled],
        *,
        story: str | None = None,
        user: str | None = None,
        keep: float = KEEP,
        weights: bool = False,
    ) -> Calibration:
        """Measure minimum similarities, and the keywords' share, on labelled questions."""
        problem = "calibrate a story or a user: give story_id or user, and not both"
        of = the_space(problem, story=story, user=user)
        return await self._engine.calibrate(questions, of, keep=keep, weights=weights)

    @author_read
    async def traces(
        self,
        *,
        story: str | None = None,
        user: str | None = None,
        library: str | None = None,
        last: int = 50,
    ) -> tuple[Trace, ...]:
        """Give the last searches of a story, a user or a library.

        Each says who asked, behind which slices, and what came back. Raises `NotFoundError`, and
        `InputError` unless one of them is named.
        """
        problem = "name the story or the user, or the library, whose searches are wanted, and one alone"
        of = the_space(problem, story=story, user=user, library=library)
        return await self._engine.traces(of, last=last)

    @author_read
    async def backup(self, path: str | Path, *, with_vectors: bool = False) -> None:
        """Write a consistent copy to a new file, in which every row of a user's spaces is sealed.

        `kataribe.restore` makes a store of it, and `sync` the vectors that it lacks. With `with_vectors` it
        holds them. Raises `ConflictError` when the file exists, and for `with_vectors` where there are
        users; `KeyStoreError` where a user's key cannot be had.
        """
        await self._engine.backup(path, with_vectors=with_vectors)

    @upkeep
    async def flush(self) -> None:
        """Write the traces that wait; when the store is busy they wait on, the oldest dropped first."""
        await self._engine.flush()


class AsyncBackupsHandle:
    """The backups that were written of the store."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @author_read
    async def list(self) -> tuple[WrittenBackup, ...]:
        """Give them, oldest first, those too that were written before users' rows were sealed.

        Of these the audit record knows the moment alone, not the file.
        """
        return await self._engine.backups()

    @write
    async def forget(self, paths: Collection[str]) -> None:
        """Take backups off the list that are no more."""
        await self._engine.forget_backups(paths)


class AsyncIndexHandle:
    """The index outside the store (`KATARIBE_INDEX`)."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @write
    async def feed(self, *, again: bool = False, progress: Progress | None = None) -> int:
        """Bring the index up to the change log; returns how many units it was fed.

        Raises `InputError` when there is none, `VectorIndexError` when it cannot be reached.
        """
        return await self._engine.feed_index(again=again, progress=progress)

    @author_read
    async def embed(
        self, texts: Sequence[str], *, embedder: str | None = None, here: bool = False
    ) -> Embeddings:
        """Embed texts as the store does: by the embedder of this name, else by the one that is set.

        Where none is set it is that of the language of the texts. `here` refuses one that asks another
        machine. Raises `InputError`, `EmbedderError`, `MissingExtraError`, `NotPermittedError`.
        """
        return await self._engine.embed(texts, embedder, here=here)

    @author_read
    async def lag(self) -> FeedLag | None:
        """Tell what the index lacks; None when there is none."""
        return await self._engine.index_lag()


class AsyncHooksHandle:
    """The webhook (`KATARIBE_WEBHOOK`): somebody outside who is told what becomes of memory."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @write
    async def deliver(self, *, thorough: bool = True) -> HookRun:
        """Tell the receiver what it lacks, as far as it takes it; nothing while it is to be left alone.

        Not `thorough`: what the change log names, without deleted spaces and what nights keep.
        Raises `InputError` when there is no webhook.
        """
        return await self._engine.deliver_hook(thorough=thorough)

    @author_read
    async def lag(self) -> HookLag | None:
        """Tell what the receiver lacks, and why; None when there is none."""
        return await self._engine.hook_lag()
