"""What a writer looks at: who knows what and why, and stories that branch off."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from kataribe.domain.gate import Viewer
from kataribe.domain.recall.calibration import Labelled
from kataribe.domain.records import Branch
from kataribe.domain.story.inputs import Story
from kataribe.domain.story.overviews import Impact, KnowledgeSummary
from kataribe.domain.story.views import Difference, Inspection, Matrix, StoryDifference, Timeline, Why
from kataribe.engine import Engine
from kataribe.errors import InputError
from kataribe.face.marks import author_read, write


class AsyncBranchesHandle:
    """The branches of one story, and the story as a branch of another."""

    def __init__(self, engine: Engine, story_id: str) -> None:
        self._engine = engine
        self.story_id = story_id

    @write
    async def add(self, branch_id: str, *, after: int, title: str | None = None) -> Story:
        """Create a branch that reads this story up to and including its episode `after`."""
        return await self._engine.add_branch(branch_id, of=self.story_id, after=after, title=title)

    @author_read
    async def list(self) -> tuple[Branch, ...]:
        """Give the branches of this story, and theirs. Raises `NotFoundError`."""
        return await self._engine.branches(self.story_id)

    @author_read
    async def origin(self) -> Branch:
        """Tell of what, and after which episode, this story is a branch.

        Raises `NotFoundError`, and `ConflictError` for a story that is none.
        """
        return await self._engine.branch(self.story_id)

    @write
    async def detach(self) -> None:
        """Give this branch copies of all it reads, and no parent any more."""
        await self._engine.detach_branch(self.story_id)


class AsyncViewsHandle:
    """What a writer looks at in one story: who knows what, when and why."""

    def __init__(self, engine: Engine, story_id: str) -> None:
        self._engine = engine
        self.story_id = story_id

    @author_read
    async def matrix(
        self,
        *,
        characters: Collection[str] | None = None,
        first: int | None = None,
        last: int | None = None,
        lines: bool = True,
    ) -> Matrix:
        """Give what each character gains in each episode from `first` to `last`."""
        return await self._engine.matrix(
            self.story_id, characters=characters, first=first, last=last, lines=lines
        )

    @author_read
    async def diff(self, left: Viewer, right: Viewer) -> Difference:
        """Give what one viewer of the story knows that another does not, both ways.

        Raises `InputError` for a viewer of another story.
        """
        self._check(left)
        self._check(right)
        return await self._engine.diff(left, right)

    @author_read
    async def compare(
        self, other_id: str, *, before: int | None = None, character: str | None = None
    ) -> StoryDifference:
        """Give where this story and another differ, canon and branch say: episodes, and facts by holder."""
        return await self._engine.diff_stories(self.story_id, other_id, before=before, character=character)

    @author_read
    async def why(
        self, viewer: Viewer, *, fact_id: str | None = None, text: str | None = None, top_k: int = 3
    ) -> tuple[Why, ...]:
        """Tell why a viewer does or does not know a fact or a turn, or the `top_k` that match `text` best.

        Raises `InputError` for a viewer of another story, `NotFoundError`.
        """
        self._check(viewer)
        return await self._engine.why(viewer, fact_id=fact_id, text=text, top_k=top_k)

    @author_read
    async def timeline(self, *, fact_id: str | None = None, text: str | None = None) -> Timeline:
        """Tell who learns a fact when, and through which telling; `text` picks the best match."""
        return await self._engine.timeline(self.story_id, fact_id=fact_id, text=text)

    @author_read
    async def summary(self, *, before: int | None = None) -> KnowledgeSummary:
        """Give by subject who knows what of all that is told before an episode (None: of everything)."""
        return await self._engine.summary(self.story_id, before=before)

    @author_read
    async def impact(self, *, no: int, text: str, gold: Sequence[Labelled] = ()) -> Impact:
        """Tell which facts, holders and probes a new text of an episode would move; nothing is stored.

        A model that reads the story's texts is asked. `gold` comes from `kataribe.read_gold`.
        Raises `InputError`, and what reading and embedding the text raise.
        """
        return await self._engine.impact(self.story_id, no=no, text=text, gold=gold)

    @author_read
    async def check(self, *, model: str | None = None) -> Inspection:
        """Look the story over for what a writer would want to mend; `model` reads what rules guess.

        Raises `NotFoundError`, and with a model `InputError`, `MissingExtraError`, `ModelError`.
        """
        return await self._engine.check(self.story_id, model=model)

    def _check(self, viewer: Viewer) -> None:
        if viewer.story != self.story_id:
            raise InputError(f"the viewer is of {viewer.story!r}, and this is {self.story_id!r}")
