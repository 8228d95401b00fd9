"""One story: its episodes, facts, cast, branches and views."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from kataribe.domain.evidence import AudienceMode
from kataribe.domain.gate import Viewer
from kataribe.domain.memory import Memory
from kataribe.domain.recall.calibration import Labelled
from kataribe.domain.records import Branch, EpisodeState, HistoryEntry, Verification
from kataribe.domain.story.cast_merge import CastMerge
from kataribe.domain.story.checkpoint import Checkpoint
from kataribe.domain.story.groups import Group, GroupEdit
from kataribe.domain.story.inputs import Character, Episode, Fact, Story
from kataribe.domain.story.overviews import Impact, KnowledgeSummary
from kataribe.domain.story.review import Decision, NarratorItem, ReviewItem, SceneItem
from kataribe.domain.story.suggestion import CastSuggestion
from kataribe.domain.story.undo import STEPS_KEPT, Step
from kataribe.domain.story.views import Difference, Inspection, Matrix, StoryDifference, Timeline, Why
from kataribe.domain.terms import DEFAULT_IMPORTANCE, PUBLIC, Audience, Language
from kataribe.engine import Engine, Only
from kataribe.errors import InputError
from kataribe.face.aio.cards import AsyncCardsHandle
from kataribe.face.marks import author_read, write
from kataribe.face.spaces import space_named, spaces_named
from kataribe.formats.given import AnnotationGiven, EpisodeGiven, FactGiven
from kataribe.story.desk.cast import CastEdit
from kataribe.story.desk.episodes import PutResult
from kataribe.story.desk.facts import FactEdit
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
    ) -> PutResult:
        """Add the episode numbered `no` or give it a new text, with its facts; durable when this returns.

        `facts` and `annotations` say what rows of `facts.jsonl` and `visibility.jsonl` can say, as
        dicts or as `FactRow` and `VisibilityRow`. Left out they stay as they are; `[]` removes them.
        Raises `InputError`, `ConflictError`; nothing is changed then.
        """
        return await self._engine.put_episode(
            self.story_id,
            no=no,
            text=text,
            episode_id=episode_id,
            title=title,
            facts=facts,
            annotations=annotations,
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
