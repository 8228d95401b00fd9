"""The synchronous face: one line per verb over one long-lived loop thread."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Coroutine, Sequence
from pathlib import Path
from threading import Thread
from types import TracebackType
from typing import Any, Self, TypeVar, Unpack

from kataribe.conversation.import_log import LogImport
from kataribe.domain.conversation.turns import StoredTurns, TalkProgress, TalkReport, Turn, User, UserState
from kataribe.domain.gate import Viewer
from kataribe.domain.memory import Memory, Recollection, Refusal
from kataribe.domain.recall.calibration import KEEP, Calibration, Labelled
from kataribe.domain.recall.context import Answer, Context
from kataribe.domain.recall.log_search import LogSearch
from kataribe.domain.recall.requests import (
    AnswerKeys,
    AroundKeys,
    ContextKeys,
    KnownKeys,
    RecallKeys,
    SearchKeys,
    ViewerKeys,
)
from kataribe.domain.records import Branch, ChangeLog, EpisodeState, HistoryEntry, Trace, Verification
from kataribe.domain.story.inputs import Character, Episode, Fact, Story
from kataribe.domain.story.review import Decision, ReviewItem
from kataribe.domain.story.undo import STEPS_KEPT, Step
from kataribe.domain.story.views import Difference, Inspection, Matrix, StoryDifference, Timeline, Why
from kataribe.domain.terms import DEFAULT_IMPORTANCE, PUBLIC, Audience, Language
from kataribe.domain.work import WorkItem
from kataribe.engine import AsyncKataribe, Only
from kataribe.engine.generations import Reembedded, ReembedProgress
from kataribe.errors import StoreError
from kataribe.formats.given import AnnotationGiven, EpisodeGiven, FactGiven
from kataribe.story.desk.cast import CastEdit
from kataribe.story.desk.episodes import PutResult
from kataribe.story.desk.estimate import Estimate
from kataribe.story.desk.facts import FactEdit
from kataribe.story.desk.importing import ImportReport
from kataribe.tools import ReadTool, RecallTool, SearchTool
from kataribe.work.path import Progress
from kataribe.work.task import SyncReport

T = TypeVar("T")


class Kataribe:
    """A memory engine on one store; each verb is that of `AsyncKataribe`, waited for.

    Use it as a context manager, or call `close`. It may be used from several threads.
    """

    def __init__(self, engine: AsyncKataribe, loop: asyncio.AbstractEventLoop, thread: Thread) -> None:
        self._engine = engine
        self._loop = loop
        self._thread = thread
        self._closed = False

    @classmethod
    def start(cls, make: Callable[[], Awaitable[AsyncKataribe]]) -> Self:
        """Make the engine on a loop thread of its own."""
        loop = asyncio.new_event_loop()
        thread = Thread(target=loop.run_forever, name="kataribe", daemon=True)
        thread.start()

        async def made() -> AsyncKataribe:
            return await make()

        try:
            engine = asyncio.run_coroutine_threadsafe(made(), loop).result()
        except BaseException:
            _stop(loop, thread)
            raise
        return cls(engine, loop, thread)

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        if self._closed:
            work.close()
            raise StoreError("the store is closed; open it again")
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            # Ctrl-C in the caller's thread must stop the work in ours.
            future.cancel()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Write what waits and let go of the store; closing twice is closing."""
        if self._closed:
            return
        try:
            self._run(self._engine.close())
        finally:
            self._closed = True
            _stop(self._loop, self._thread)

    def recall_tool(self, **viewer: Unpack[ViewerKeys]) -> RecallTool:
        """Make a tool for an agent that recalls as this viewer, and as no one else. Raises `InputError`."""
        self._run(self._engine.check_viewer(viewer))
        return RecallTool(viewer, lambda query, top_k: self.recall(query, top_k=top_k, **viewer))

    def search_tool(self, **viewer: Unpack[ViewerKeys]) -> SearchTool:
        """Make a tool for an agent that searches past logs for exact words, as this viewer alone."""
        self._run(self._engine.check_viewer(viewer))
        return SearchTool(viewer, lambda keywords: self.search_log(keywords, **viewer))

    def read_tool(self, **viewer: Unpack[ViewerKeys]) -> ReadTool:
        """Make a tool for an agent that reads on around a turn, as this viewer alone."""
        self._run(self._engine.check_viewer(viewer))
        return ReadTool(viewer, lambda turn, around: self.read_turn(turn, around=around, **viewer))

    def add_story(
        self,
        story_id: str,
        *,
        language: Language,
        title: str | None = None,
        embedder: str | None = None,
        model: str | None = None,
    ) -> Story:
        """Create a story. Without `embedder` the language's default is taken and recorded."""
        return self._run(
            self._engine.add_story(story_id, language=language, title=title, embedder=embedder, model=model)
        )

    def set_model(self, story_id: str, model: str) -> Story:
        """Choose what reads a story's texts: `rules`, or a model as `provider:model`."""
        return self._run(self._engine.set_model(story_id, model))

    def stories(self) -> tuple[Story, ...]:
        """Give all stories, by id (author)."""
        return self._run(self._engine.stories())

    def story(self, story_id: str) -> Story:
        """Give one story (author). Raises `NotFoundError`."""
        return self._run(self._engine.story(story_id))

    def rename_story(self, story_id: str, new_id: str) -> None:
        """Give a story another id. Raises `NotFoundError`, `ConflictError`."""
        return self._run(self._engine.rename_story(story_id, new_id))

    def delete_story(self, story_id: str) -> None:
        """Remove a story with all in it. Raises `NotFoundError`, and `ConflictError` when it has branches."""
        return self._run(self._engine.delete_story(story_id))

    def add_branch(self, story_id: str, *, of: str, after: int, title: str | None = None) -> Story:
        """Create a branch that reads the story `of` up to and including its episode `after`."""
        return self._run(self._engine.add_branch(story_id, of=of, after=after, title=title))

    def branches(self, of: str | None = None) -> tuple[Branch, ...]:
        """Give all branches, or those of one story and theirs (author). Raises `NotFoundError`."""
        return self._run(self._engine.branches(of))

    def branch(self, story_id: str) -> Branch:
        """Give one branch (author). Raises `NotFoundError`, `ConflictError` for a story that is none."""
        return self._run(self._engine.branch(story_id))

    def detach_branch(self, story_id: str) -> None:
        """Give a branch copies of all it reads, and no parent any more."""
        return self._run(self._engine.detach_branch(story_id))

    def import_story(
        self,
        path: str | Path,
        *,
        story_id: str,
        language: Language | None = None,
        only: Only | None = None,
        embedder: str | None = None,
        model: str | None = None,
    ) -> ImportReport:
        """Make a story say what a folder says; a missing story is created."""
        return self._run(
            self._engine.import_story(
                path, story_id=story_id, language=language, only=only, embedder=embedder, model=model
            )
        )

    def export_story(self, path: str | Path, *, story_id: str) -> None:
        """Write a story's inputs to a folder that `import_story` reads (author)."""
        return self._run(self._engine.export_story(path, story_id=story_id))

    def cast(self, story_id: str) -> tuple[Character, ...]:
        """Give the cast: those declared, then those known only from facts or annotations (author)."""
        return self._run(self._engine.cast(story_id))

    def character(self, story_id: str, character_id: str) -> Character:
        """Give one of the cast (author). Raises `NotFoundError`."""
        return self._run(self._engine.character(story_id, character_id))

    def add_character(self, story_id: str, character: Character) -> Character:
        """Declare a character. Raises `ConflictError`."""
        return self._run(self._engine.add_character(story_id, character))

    def put_cast(self, story_id: str, cast: Sequence[Character]) -> int:
        """Add or replace characters, leave the others; returns how many changed."""
        return self._run(self._engine.put_cast(story_id, cast))

    def edit_character(self, story_id: str, character_id: str, edit: CastEdit) -> Character:
        """Change a declared character. Raises `NotFoundError`, `InputError`."""
        return self._run(self._engine.edit_character(story_id, character_id, edit))

    def rename_character(self, story_id: str, character_id: str, new_id: str) -> None:
        """Give a character another id everywhere. Raises `NotFoundError`, `ConflictError`."""
        return self._run(self._engine.rename_character(story_id, character_id, new_id))

    def delete_character(self, story_id: str, character_id: str) -> bool:
        """Take a declaration out; True when facts or annotations still name the character."""
        return self._run(self._engine.delete_character(story_id, character_id))

    def put_episode(
        self,
        story_id: str,
        *,
        no: int,
        text: str,
        episode_id: str | None = None,
        title: str | None = None,
        facts: Sequence[FactGiven] | None = None,
        annotations: Sequence[AnnotationGiven] | None = None,
    ) -> PutResult:
        """Add the episode numbered `no` or give it a new text, with its facts; durable when this returns."""
        return self._run(
            self._engine.put_episode(
                story_id,
                no=no,
                text=text,
                episode_id=episode_id,
                title=title,
                facts=facts,
                annotations=annotations,
            )
        )

    def insert_episode(
        self, story_id: str, *, no: int, text: str, episode_id: str | None = None, title: str | None = None
    ) -> PutResult:
        """Put a new episode at `no`; what was there and later moves up by one."""
        return self._run(
            self._engine.insert_episode(story_id, no=no, text=text, episode_id=episode_id, title=title)
        )

    def delete_episode(self, story_id: str, *, no: int) -> str:
        """Delete an episode with its memories; its number stays a gap. Returns its id."""
        return self._run(self._engine.delete_episode(story_id, no=no))

    def restore_episode(self, story_id: str, *, no: int) -> str:
        """Bring back the episode last deleted from this number. Raises `ConflictError` when it is taken."""
        return self._run(self._engine.restore_episode(story_id, no=no))

    def renumber_episode(self, story_id: str, *, no: int, to: int) -> str:
        """Move an episode to a free number. Raises `ConflictError` when it is taken."""
        return self._run(self._engine.renumber_episode(story_id, no=no, to=to))

    def episodes(self, story_id: str) -> tuple[EpisodeState, ...]:
        """Give all episodes without texts, deleted ones too (author)."""
        return self._run(self._engine.episodes(story_id))

    def episode(self, story_id: str, *, no: int) -> Episode:
        """Give a live episode with its text (author). Raises `NotFoundError`."""
        return self._run(self._engine.episode(story_id, no=no))

    def history(self, story_id: str, *, no: int) -> tuple[HistoryEntry, ...]:
        """Give every version of an episode with what it changed in memory (author)."""
        return self._run(self._engine.history(story_id, no=no))

    def add_fact(
        self,
        story_id: str,
        *,
        episode_no: int,
        text: str,
        audience: Audience = PUBLIC,
        quote: str | None = None,
        importance: int = DEFAULT_IMPORTANCE,
        told_from: str | None = None,
        supersedes: str | None = None,
        arousal: float | None = None,
        widen: bool = False,
    ) -> str:
        """Add a fact by hand; returns its id. Raises `ConflictError`, `InputError`, `NotFoundError`.

        One is refused that leaves somebody out to whom the text says the same.
        `arousal` is how stirring it is, 0 to 1; None when nobody says.
        """
        return self._run(
            self._engine.add_fact(
                story_id,
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
        )

    def edit_fact(self, story_id: str, fact_id: str, edit: FactEdit) -> Fact:
        """Change a fact; one that was extracted becomes hand-made under the same id."""
        return self._run(self._engine.edit_fact(story_id, fact_id, edit))

    def pin_fact(self, story_id: str, fact_id: str, *, pinned: bool = True) -> None:
        """Pin a fact, so that it ranks before its equals, or unpin it."""
        return self._run(self._engine.pin_fact(story_id, fact_id, pinned=pinned))

    def delete_fact(self, story_id: str, fact_id: str) -> None:
        """Remove a fact; one that was extracted stays out when its text is read again."""
        return self._run(self._engine.delete_fact(story_id, fact_id))

    def facts(self, story_id: str, *, episode_no: int | None = None) -> tuple[Memory, ...]:
        """Give every memory of a story or an episode in story order, hidden ones too (author)."""
        return self._run(self._engine.facts(story_id, episode_no=episode_no))

    def review(self, story_id: str, *, every_guess: bool = False) -> tuple[ReviewItem, ...]:
        """Give what waits for a person's eye: held by nobody yet, or guessed and flagged (author)."""
        return self._run(self._engine.review(story_id, every_guess=every_guess))

    def decide(self, story_id: str, fact_id: str, decision: Decision) -> Step | None:
        """Decide on a fact; gives the step that `undo` takes back, None when nothing changed."""
        return self._run(self._engine.decide(story_id, fact_id, decision))

    def undo(self, story_id: str, *, number: int | None = None) -> Step:
        """Take the last step back and give it. Raises `NotFoundError`, `ConflictError`."""
        return self._run(self._engine.undo(story_id, number=number))

    def undo_list(self, story_id: str, *, last: int = STEPS_KEPT) -> tuple[Step, ...]:
        """Give the last steps that `undo` can take back, newest first (author)."""
        return self._run(self._engine.undo_list(story_id, last=last))

    def sync(
        self,
        story_id: str | None = None,
        *,
        user: str | None = None,
        workers: int = 1,
        retry: bool = False,
        within: float | None = None,
        progress: Progress | None = None,
    ) -> SyncReport:
        """Bring memory up to its inputs: of one story, of what was said with one user, or of everything."""
        return self._run(
            self._engine.sync(
                story_id, user=user, workers=workers, retry=retry, within=within, progress=progress
            )
        )

    def work(self, story_id: str | None = None, *, user: str | None = None) -> tuple[WorkItem, ...]:
        """Give what is not in memory and why, of a story, of a user, or of all (author).

        Raises `NotFoundError`.
        """
        return self._run(self._engine.work(story_id, user=user))

    def retry_work(
        self,
        story_id: str | None = None,
        *,
        episode_no: int | None = None,
        user: str | None = None,
        unit: str | None = None,
    ) -> int:
        """Make what failed due at once; returns how many pieces of work. Raises `NotFoundError`."""
        return self._run(self._engine.retry_work(story_id, episode_no=episode_no, user=user, unit=unit))

    def accept_empty(self, story_id: str, *, episode_no: int) -> None:
        """Take a model's empty answer that was refused. Raises `ConflictError`, `NotFoundError`."""
        return self._run(self._engine.accept_empty(story_id, episode_no=episode_no))

    def drop_work(
        self,
        story_id: str | None = None,
        *,
        episode_no: int | None = None,
        user: str | None = None,
        unit: str | None = None,
    ) -> None:
        """Leave an episode, or a unit of turns, out of memory until its inputs change.

        Raises `ConflictError`, `NotFoundError`, `InputError`.
        """
        return self._run(self._engine.drop_work(story_id, episode_no=episode_no, user=user, unit=unit))

    def estimate(self, story_id: str | None = None) -> tuple[Estimate, ...]:
        """Guess what a sync would ask of models, by story, without asking or writing (author)."""
        return self._run(self._engine.estimate(story_id))

    def refusals(self, story_id: str) -> tuple[tuple[str, Refusal], ...]:
        """Give what models offered for the texts as they stand and was not taken, by episode id (author)."""
        return self._run(self._engine.refusals(story_id))

    def rebuild(
        self,
        story_id: str | None = None,
        *,
        extract_again: bool = False,
        progress: Progress | None = None,
    ) -> SyncReport:
        """Make all memories and vectors again from the inputs, with equal ids (M-1)."""
        return self._run(self._engine.rebuild(story_id, extract_again=extract_again, progress=progress))

    def reembed(
        self,
        *,
        embedder: str,
        story_id: str | None = None,
        user: str | None = None,
        progress: ReembedProgress | None = None,
    ) -> Reembedded:
        """Give a story with its family, or a user, another embedder; the old answers until the switch."""
        return self._run(
            self._engine.reembed(embedder=embedder, story_id=story_id, user=user, progress=progress)
        )

    def verify(self, story_id: str | None = None) -> Verification:
        """Compare memory with what its inputs make of it, and ask whether the file is sound (author)."""
        return self._run(self._engine.verify(story_id))

    def backup(self, path: str | Path) -> None:
        """Write a consistent copy without vectors to a new file; `sync` on it makes them again (author)."""
        return self._run(self._engine.backup(path))

    def recall(self, question: str, **asked: Unpack[RecallKeys]) -> Recollection:
        """Give what a viewer remembers that answers the question, best first.

        A viewer is `character` at episode `at` of a story, `persona` of a user, or both together.
        """
        return self._run(self._engine.recall(question, **asked))

    def known(self, **asked: Unpack[KnownKeys]) -> Recollection:
        """Give everything a viewer may know, in story order or as it was said."""
        return self._run(self._engine.known(**asked))

    def search_log(self, keywords: Sequence[str], **asked: Unpack[SearchKeys]) -> LogSearch:
        """Find turns in which one of 0 to 3 distinctive keywords stands exactly, newest first."""
        return self._run(self._engine.search_log(keywords, **asked))

    def context(self, question: str, **asked: Unpack[ContextKeys]) -> Context:
        """Put together what a model should be told to answer as a viewer, within a budget of tokens."""
        return self._run(self._engine.context(question, **asked))

    def answer(self, question: str, **asked: Unpack[AnswerKeys]) -> Answer:
        """Answer as a viewer out of what it remembers; without `model` that itself, labelled evidence."""
        return self._run(self._engine.answer(question, **asked))

    def report_use(self, ids: Sequence[str], **asked: Unpack[ViewerKeys]) -> int:
        """Say which memories a viewer used; they come a little sooner to it from now on."""
        return self._run(self._engine.report_use(ids, **asked))

    def read_turn(self, turn_id: str, **asked: Unpack[AroundKeys]) -> Recollection:
        """Give a turn in full with those said before and after it in its session. Raises `NotFoundError`."""
        return self._run(self._engine.read_turn(turn_id, **asked))

    def add_user(self, user_id: str, *, language: Language, embedder: str | None = None) -> User:
        """Make a user's space. Raises `ConflictError`."""
        return self._run(self._engine.add_user(user_id, language=language, embedder=embedder))

    def users(self) -> tuple[User, ...]:
        """Give all users, by id (author)."""
        return self._run(self._engine.users())

    def user(self, user_id: str) -> User:
        """Give one user (author). Raises `NotFoundError`."""
        return self._run(self._engine.user(user_id))

    def user_state(self, user_id: str) -> UserState:
        """Tell how a user's space stands (author). Raises `NotFoundError`."""
        return self._run(self._engine.user_state(user_id))

    def delete_user(self, user_id: str) -> None:
        """Remove a user with all that was said and is remembered. Raises `NotFoundError`."""
        return self._run(self._engine.delete_user(user_id))

    def put_turns(
        self, user_id: str, turns: Sequence[Turn], *, story_id: str | None = None, at: int | None = None
    ) -> StoredTurns:
        """Store turns, durable when this returns; tells how many changed and which are ahead of the clock.

        With `story_id` and `at` they are talk held at that episode of the story.
        """
        return self._run(self._engine.put_turns(user_id, turns, story_id=story_id, at=at))

    def import_log(
        self,
        user_id: str,
        turns: Sequence[Turn],
        *,
        language: Language | None = None,
        guess: Language | None = None,
        embedder: str | None = None,
        story_id: str | None = None,
        at: int | None = None,
    ) -> LogImport:
        """Store the turns of a log, for a user that is made when it is missing; tells what is new.

        `language` (else `guess`) and `embedder` are what the user is made with. Raises
        `ConflictError`, `NotFoundError`, `InputError`; nothing is stored then.
        """
        return self._run(
            self._engine.import_log(
                user_id,
                turns,
                language=language,
                guess=guess,
                embedder=embedder,
                story_id=story_id,
                at=at,
            )
        )

    def delete_turns(
        self,
        user_id: str,
        turn_ids: Collection[str],
        *,
        story_id: str | None = None,
        at: int | None = None,
    ) -> int:
        """Remove turns, and what is remembered of them at once; returns how many there were.

        Without `story_id` and `at` those said outside every story.
        """
        return self._run(self._engine.delete_turns(user_id, turn_ids, story_id=story_id, at=at))

    def turns(
        self,
        user_id: str,
        *,
        session: str | None = None,
        story_id: str | None = None,
        at: int | None = None,
    ) -> tuple[Turn, ...]:
        """Give what was said, in order (author): outside every story, or at an episode of one.

        Raises `NotFoundError`, `InputError`.
        """
        return self._run(self._engine.turns(user_id, session=session, story_id=story_id, at=at))

    def sync_user(
        self,
        user_id: str | None = None,
        *,
        retry: bool = False,
        waits: bool = True,
        progress: TalkProgress | None = None,
    ) -> TalkReport:
        """Bring what is remembered up to what was said, of one user or of all.

        What fails is tried again after a while, unless `waits` is False; `retry` tries dead letters again.
        """
        return self._run(self._engine.sync_user(user_id, retry=retry, waits=waits, progress=progress))

    def rebuild_user(self, user_id: str | None = None, *, progress: TalkProgress | None = None) -> TalkReport:
        """Make what is remembered again from what was said, of one user or of all, with equal ids."""
        return self._run(self._engine.rebuild_user(user_id, progress=progress))

    def verify_user(self, user_id: str) -> Verification:
        """Compare what is remembered of a user with what was said (author). Raises `NotFoundError`."""
        return self._run(self._engine.verify_user(user_id))

    def user_traces(self, user_id: str, *, last: int = 50) -> tuple[Trace, ...]:
        """Give the last searches in a user's space (author). Raises `NotFoundError`."""
        return self._run(self._engine.user_traces(user_id, last=last))

    def calibrate(
        self,
        questions: Sequence[Labelled],
        *,
        story_id: str | None = None,
        user: str | None = None,
        keep: float = KEEP,
        weights: bool = False,
    ) -> Calibration:
        """Measure minimum similarities, and the keywords' share, on labelled questions (author)."""
        return self._run(
            self._engine.calibrate(questions, story_id=story_id, user=user, keep=keep, weights=weights)
        )

    def matrix(
        self,
        story_id: str,
        *,
        characters: Collection[str] | None = None,
        first: int | None = None,
        last: int | None = None,
        lines: bool = True,
    ) -> Matrix:
        """Give what each character gains in each episode from `first` to `last` (author)."""
        return self._run(
            self._engine.matrix(story_id, characters=characters, first=first, last=last, lines=lines)
        )

    def diff(self, left: Viewer, right: Viewer) -> Difference:
        """Give what one viewer of a story knows that another does not, both ways (author)."""
        return self._run(self._engine.diff(left, right))

    def diff_stories(
        self, story_id: str, other_id: str, *, before: int | None = None, character: str | None = None
    ) -> StoryDifference:
        """Give where two stories differ, canon and branch say: episodes, and facts by holder (author)."""
        return self._run(self._engine.diff_stories(story_id, other_id, before=before, character=character))

    def why(
        self, viewer: Viewer, *, fact_id: str | None = None, text: str | None = None, top_k: int = 3
    ) -> tuple[Why, ...]:
        """Tell why a viewer does or does not know a fact, or the `top_k` that match `text` best (author)."""
        return self._run(self._engine.why(viewer, fact_id=fact_id, text=text, top_k=top_k))

    def timeline(self, story_id: str, *, fact_id: str | None = None, text: str | None = None) -> Timeline:
        """Tell who learns a fact when, and through which telling; `text` picks the best match (author)."""
        return self._run(self._engine.timeline(story_id, fact_id=fact_id, text=text))

    def check(self, story_id: str) -> Inspection:
        """Look a story over for what a writer would want to mend (author). Raises `NotFoundError`."""
        return self._run(self._engine.check(story_id))

    def traces(self, story_id: str, *, last: int = 50) -> tuple[Trace, ...]:
        """Give the last searches: who asked behind which slices, and which ids came back (author)."""
        return self._run(self._engine.traces(story_id, last=last))

    def flush(self) -> None:
        """Write the traces that wait; when the store is busy they wait on, the oldest dropped first."""
        return self._run(self._engine.flush())

    def put_episodes(
        self, story_id: str, episodes: Sequence[EpisodeGiven], *, progress: Progress | None = None
    ) -> tuple[PutResult, ...]:
        """Put many episodes with their facts and annotations; after an interruption the same call goes on."""
        return self._run(self._engine.put_episodes(story_id, episodes, progress=progress))

    def tell(
        self,
        story_id: str,
        text: str,
        *,
        facts: Sequence[FactGiven] | None = None,
        annotations: Sequence[AnnotationGiven] | None = None,
        episode_id: str | None = None,
        title: str | None = None,
    ) -> int:
        """Append an episode and give its number; with an `episode_id` the same call again is harmless."""
        return self._run(
            self._engine.tell(
                story_id, text, facts=facts, annotations=annotations, episode_id=episode_id, title=title
            )
        )

    def add_facts(self, story_id: str, facts: Sequence[FactGiven], *, widen: bool = False) -> tuple[str, ...]:
        """Add many facts by hand, all or none; returns their ids in order."""
        return self._run(self._engine.add_facts(story_id, facts, widen=widen))

    def changes(self, since: int = 0, *, story_id: str | None = None) -> ChangeLog:
        """Tell of which units memory has changed since a cursor, in all spaces or a story's (author)."""
        return self._run(self._engine.changes(since, story_id=story_id))


def _stop(loop: asyncio.AbstractEventLoop, thread: Thread) -> None:
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.run_until_complete(loop.shutdown_default_executor())
    loop.close()
