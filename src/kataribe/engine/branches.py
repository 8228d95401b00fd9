"""Verbs about branches (IF stories)."""

from __future__ import annotations

from kataribe.domain.records import Branch
from kataribe.domain.story.inputs import Story
from kataribe.engine.base import Base
from kataribe.errors import ConflictError
from kataribe.ports import Transaction, View
from kataribe.story.desk import branching as forks
from kataribe.story.extract_task import catch_up
from kataribe.story.fingerprints import story_of
from kataribe.story.gather import vector_spaces
from kataribe.story.lineage import descendants
from kataribe.story.views.branches import branch_of
from kataribe.story.views.branches import branches as branches_among


class BranchVerbs(Base):
    """Forking stories, and letting a branch stand by itself."""

    async def add_branch(self, story_id: str, *, of: str, after: int, title: str | None = None) -> Story:
        """Create a branch that reads the story `of` up to and including its episode `after`.

        It is a story like any other from then on, with episodes of its own numbered after
        the fork. `Story.parent` is the story that owns the fork episode. Raises
        `NotFoundError`, `ConflictError`, `InputError`.
        """
        return await self._write(lambda tx: forks.add_branch(tx, story_id, of=of, after=after, title=title))

    async def branches(self, of: str | None = None) -> tuple[Branch, ...]:
        """Give all branches, or those of one story and theirs (author). Raises `NotFoundError`."""

        def run(view: View) -> tuple[Branch, ...]:
            if of is None:
                return branches_among(view, view.stories())
            story_of(view, of)
            return branches_among(view, descendants(view, of))

        return await self._read(run)

    async def branch(self, story_id: str) -> Branch:
        """Give one branch (author). Raises `NotFoundError`, `ConflictError` for a story that is none."""
        found = await self._read(lambda view: branch_of(view, story_of(view, story_id)))
        if found is None:
            raise ConflictError(f"story {story_id!r} is no branch; `kataribe story branch list` shows them")
        return found

    async def detach_branch(self, story_id: str) -> None:
        """Give a branch copies of all it reads, and no parent any more.

        What it remembers stays; later edits of the former parent no longer show. Where the
        branch's cast makes an inherited text to be read anew, memory follows by `sync`.
        Raises `NotFoundError`, `ConflictError`.
        """

        def run(tx: Transaction) -> None:
            beside = vector_spaces(tx, story_of(tx, story_id))
            for episode_id in forks.detach_branch(tx, story_id):
                catch_up(tx, story_id, episode_id, self._at_hand(tx, story_id), beside=beside)

        await self._write(run)
