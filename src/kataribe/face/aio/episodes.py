"""What happens in a story: its episodes, and its facts."""

from __future__ import annotations

from collections.abc import Sequence

from kataribe.domain.memory import Memory
from kataribe.domain.records import EpisodeState, HistoryEntry
from kataribe.domain.story.inputs import Episode, Fact
from kataribe.domain.story.review import Decision, NarratorItem, ReviewItem, SceneItem
from kataribe.domain.story.undo import Step
from kataribe.domain.terms import DEFAULT_IMPORTANCE, PUBLIC, Audience
from kataribe.engine import Engine
from kataribe.face.marks import author_read, write
from kataribe.formats.given import AnnotationGiven, EpisodeGiven, FactGiven
from kataribe.story.desk.episodes import PutResult
from kataribe.story.desk.facts import FactEdit
from kataribe.work.path import Progress


class AsyncEpisodesHandle:
    """The episodes of one story."""

    def __init__(self, engine: Engine, story_id: str) -> None:
        self._engine = engine
        self.story_id = story_id

    @write
    async def put(
        self,
        no: int,
        text: str,
        *,
        episode_id: str | None = None,
        title: str | None = None,
        facts: Sequence[FactGiven] | None = None,
        annotations: Sequence[AnnotationGiven] | None = None,
        expected: str | None = None,
    ) -> PutResult:
        """Add the episode numbered `no` or give it a new text, with its facts; durable when this returns.

        `facts` and `annotations` say what rows of `facts.jsonl` and `visibility.jsonl` can say, as
        dicts or as `FactRow` and `VisibilityRow`. Left out they stay as they are; `[]` removes them.
        `expected` is what `episode_tag` gave for the episode that was read, `*` for any, or empty for
        none: where another stands there now, `StaleError` is raised. Raises `InputError`,
        `ConflictError`; nothing is changed then.
        """
        return await self._engine.put_episode(
            self.story_id,
            no=no,
            text=text,
            episode_id=episode_id,
            title=title,
            facts=facts,
            annotations=annotations,
            expected=expected,
        )

    @write
    async def put_many(
        self, episodes: Sequence[EpisodeGiven], *, progress: Progress | None = None
    ) -> tuple[PutResult, ...]:
        """Put many episodes with their facts and annotations; after an interruption the same call goes on."""
        return await self._engine.put_episodes(self.story_id, episodes, progress=progress)

    @write
    async def insert(
        self, no: int, text: str, *, episode_id: str | None = None, title: str | None = None
    ) -> PutResult:
        """Put a new episode at `no`; what was there and later moves up by one."""
        return await self._engine.insert_episode(
            self.story_id, no=no, text=text, episode_id=episode_id, title=title
        )

    @write
    async def delete(self, no: int) -> str:
        """Delete an episode with its memories; its number stays a gap. Returns its id."""
        return await self._engine.delete_episode(self.story_id, no=no)

    @write
    async def restore(self, no: int) -> str:
        """Bring back the episode last deleted from this number. Raises `ConflictError` when it is taken."""
        return await self._engine.restore_episode(self.story_id, no=no)

    @write
    async def renumber(self, no: int, *, to: int) -> str:
        """Move an episode to a free number. Raises `ConflictError` when it is taken."""
        return await self._engine.renumber_episode(self.story_id, no=no, to=to)

    @author_read
    async def list(self) -> tuple[EpisodeState, ...]:
        """Give all episodes without texts, deleted ones too."""
        return await self._engine.episodes(self.story_id)

    @author_read
    async def get(self, no: int) -> Episode:
        """Give a live episode with its text. Raises `NotFoundError`."""
        return await self._engine.episode(self.story_id, no=no)

    @author_read
    async def history(self, no: int) -> tuple[HistoryEntry, ...]:
        """Give every version of an episode with what it changed in memory."""
        return await self._engine.history(self.story_id, no=no)


class AsyncFactsHandle:
    """The facts of one story: made by hand, supplied, or read from its texts."""

    def __init__(self, engine: Engine, story_id: str) -> None:
        self._engine = engine
        self.story_id = story_id

    @write
    async def add(
        self,
        text: str,
        *,
        episode_no: int,
        audience: Audience = PUBLIC,
        quote: str | None = None,
        importance: int = DEFAULT_IMPORTANCE,
        told_from: str | None = None,
        supersedes: str | None = None,
        arousal: float | None = None,
        widen: bool = False,
    ) -> str:
        """Add a fact by hand; returns its id. Raises `ConflictError`, `InputError`, `NotFoundError`.

        One is refused that leaves somebody out to whom the text says the same; with `widen` those
        who are to know it are added to those who do. `arousal` is how stirring it is, 0 to 1; None
        when nobody says.
        """
        return await self._engine.add_fact(
            self.story_id,
            episode_no=episode_no,
            text=text,
            audience=audience,
            quote=quote,
            importance=importance,
            told_from=told_from,
            supersedes=supersedes,
            arousal=arousal,
            widen=widen,
        )

    @write
    async def add_many(self, facts: Sequence[FactGiven], *, widen: bool = False) -> tuple[str, ...]:
        """Add many facts by hand, all or none; returns their ids in order."""
        return await self._engine.add_facts(self.story_id, facts, widen=widen)

    @write
    async def edit(self, fact_id: str, edit: FactEdit) -> Fact:
        """Change a fact; one that was extracted becomes hand-made under the same id."""
        return await self._engine.edit_fact(self.story_id, fact_id, edit)

    @write
    async def pin(self, fact_id: str, *, pinned: bool = True) -> None:
        """Pin a fact, so that it ranks before its equals, or unpin it."""
        await self._engine.pin_fact(self.story_id, fact_id, pinned=pinned)

    @write
    async def delete(self, fact_id: str) -> None:
        """Remove a fact; one that was extracted stays out when its text is read again."""
        await self._engine.delete_fact(self.story_id, fact_id)

    @author_read
    async def list(self, *, episode_no: int | None = None) -> tuple[Memory, ...]:
        """Give every memory of the story or of an episode in story order, hidden ones too."""
        return await self._engine.facts(self.story_id, episode_no=episode_no)

    @author_read
    async def review(self, *, every_guess: bool = False) -> tuple[ReviewItem, ...]:
        """Give what waits for a person's eye: held by nobody yet, or guessed and flagged."""
        return await self._engine.review(self.story_id, every_guess=every_guess)

    @author_read
    async def scenes(self) -> tuple[SceneItem, ...]:
        """Give the scenes in which something is held by nobody yet, with whom was found in each.

        At most three of an episode; what is not in memory as it stands is not looked at.
        """
        return await self._engine.review_scenes(self.story_id)

    @author_read
    async def narrators(self) -> tuple[NarratorItem, ...]:
        """Give the episodes that a first person tells whom neither cast nor mark names.

        `cast.edit` with `narrates` says who that is; a mark in the text does where parts of one
        episode have narrators of their own.
        """
        return await self._engine.review_narrators(self.story_id)

    @write
    async def decide_scene(self, item: SceneItem, audience: Audience) -> Step | None:
        """Say who was there in a scene; gives the step that `undo` takes back, None when nothing changed.

        It annotates the paragraphs in which something waited; memory follows when it is synced. Raises
        `InputError`, and `ConflictError` when they do not stand there any more.
        """
        return await self._engine.decide_scene(self.story_id, item, audience)

    @write
    async def decide(self, fact_id: str, decision: Decision) -> Step | None:
        """Decide on a fact; gives the step that `undo` takes back, None when nothing changed."""
        return await self._engine.decide(self.story_id, fact_id, decision)
