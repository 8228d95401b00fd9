"""Stories as owners of spaces: what is made of their episodes, and what is waited for."""

from __future__ import annotations

from dataclasses import dataclass, replace

from kataribe.domain.recall.calibration import Labelled
from kataribe.domain.recall.requests import RecallKeys
from kataribe.domain.records import SETTLED, Verification, Work
from kataribe.domain.space import Space, SpaceType, episode_of, holder_of, story_space
from kataribe.domain.story.inputs import Story
from kataribe.domain.work import WorkItem, WorkKind, work_item
from kataribe.errors import NotFoundError
from kataribe.ports import Transaction, View
from kataribe.story.desk.episodes import live_state
from kataribe.story.extract_task import ExtractTask
from kataribe.story.fingerprints import fingerprints, story_of
from kataribe.story.lineage import family
from kataribe.story.staleness import refresh
from kataribe.story.verify import verify_story
from kataribe.work.owner import Makers, MovedKeys, WorkPiece
from kataribe.work.path import WorkTools


class StoryOwners:
    """All stories."""

    def owners(self, view: View, of: Space | None) -> tuple[StoryOwner, ...]:
        """Give all stories, or the one of a space. Raises `NotFoundError`."""
        if of is not None and of.type is not SpaceType.STORY:
            return ()
        return tuple(StoryOwner(story) for story in stories_of(view, of))


def stories_of(view: View, of: Space | None) -> tuple[Story, ...]:
    """Give the story of a space, or all by id. Raises `NotFoundError`."""
    return view.stories() if of is None else (story_of(view, of.story or ""),)


def families_of(view: View, of: Space | None) -> tuple[Story, ...]:
    """Give the story of a space with its branches and parents, or all stories. Raises `NotFoundError`."""
    return view.stories() if of is None else family(view, story_of(view, of.story or ""))


@dataclass(frozen=True, slots=True)
class StoryOwner:
    """A story: one space, made by reading its episodes."""

    story: Story

    @property
    def space(self) -> Space:
        """The space of its facts."""
        return Space(type=SpaceType.STORY, story=self.story.story_id)

    @property
    def name(self) -> str:
        """The story's id."""
        return self.story.story_id

    @property
    def embedder(self) -> str:
        """The name of the story's embedder."""
        return self.story.embedder

    @property
    def embedder_id(self) -> str:
        """What embedded the story."""
        return self.story.embedder_id

    @property
    def work(self) -> WorkKind:
        """Episodes are extracted."""
        return WorkKind.EXTRACT

    @property
    def works(self) -> tuple[WorkKind, ...]:
        """Nothing else is made."""
        return (self.work,)

    @property
    def asks_model(self) -> bool:
        """Whether a language model reads the story's texts."""
        return self.story.asks_model

    def spaces(self, view: View) -> tuple[str, ...]:  # noqa: ARG002 - a story has one
        """Name the story's space."""
        return (self.space.name,)

    def called(self, space: str) -> str:  # noqa: ARG002 - a story has one
        """Give the story's id."""
        return self.story.story_id

    def tasks(self, makers: Makers, *, again: bool = False) -> tuple[ExtractTask]:
        """Give the task that reads the story's episodes."""
        task = ExtractTask(
            extractor=makers.extractor(self.story.extractor),
            embedder=makers.embedder(self.story.embedder),
            again=again,
        )
        return (task,)

    def items(self, view: View, space: str, now: float) -> list[WorkItem]:
        """Give the live episodes, and shares of them, that are not in memory, by number."""
        lagging = {unit: work for unit, work in view.work(space, self.work).items() if work.lags}
        of_episode: dict[str, list[str]] = {}
        for unit in sorted(lagging):
            of_episode.setdefault(episode_of(unit), []).append(unit)
        return [
            work_item(
                lagging[unit],
                space=space,
                kind=self.work,
                unit=unit,
                story_id=state.story_id,
                episode_id=state.episode_id,
                episode_no=state.no,
                now=now,
            )
            for state in view.episode_states(self.story.story_id)
            if state.is_live
            for unit in of_episode.get(state.episode_id, ())
        ]

    def piece(self, view: View, named: int | str) -> WorkPiece:
        """Find a live episode by its number. Raises `NotFoundError`, `ConflictError`."""
        if isinstance(named, str):
            raise NotFoundError(f"there is no unit {named!r}; `kataribe work list` shows them")
        state = live_state(view, self.story.story_id, named)
        return WorkPiece(self.space.name, state.episode_id, f"episode {named}", self.work)

    async def verify(self, tools: WorkTools, makers: Makers) -> Verification:
        """Compare the story's memory with what its inputs make of it."""
        (task,) = self.tasks(makers)
        return await verify_story(tools, task, self.story.story_id)

    def family(self, view: View) -> tuple[StoryOwner, ...]:
        """Give the story with its branches and parents. Raises `NotFoundError`."""
        return tuple(StoryOwner(one) for one in family(view, story_of(view, self.story.story_id)))

    def record_embedder(self, tx: Transaction, name: str, embedder_id: str) -> MovedKeys:
        """Record the family's embedder; what is in memory stays there, work under way comes too late."""
        theirs = self.family(tx)
        for one in theirs:
            tx.put_story(replace(one.story, embedder=name, embedder_id=embedder_id))
        for one in theirs:
            _carry_over(tx, one.story.story_id)
        refresh(tx, theirs[0].story.story_id)
        return {"stories": tuple(one.story.story_id for one in theirs)}

    def asks(self, one: Labelled) -> RecallKeys:
        """Say which character, at which episode, asks a labelled question."""
        return {"story": self.story.story_id, "persona": one.character, "at": one.at}


def _carry_over(tx: Transaction, story_id: str) -> None:
    """Say of what is done, or dropped by a person, that it is so under the new embedder too."""
    states = tx.episode_states(story_id)
    wanted = fingerprints(tx, story_of(tx, story_id), states)
    for unit, done in tx.work(story_space(story_id), WorkKind.EXTRACT).items():
        whole, holder = wanted.get(episode_of(unit)), holder_of(unit)
        own = whole if whole is None or holder is None else whole.shares.get(holder)
        if own is not None and done.wanted and done.fingerprint == done.wanted and done.outcome in SETTLED:
            kept = Work(fingerprint=own.memory, outcome=done.outcome, error=done.error)
            tx.put_work(story_space(story_id), WorkKind.EXTRACT, unit, kept)
