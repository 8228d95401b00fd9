"""The verbs of the face, asynchronous; each one opens a transaction and calls a path."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal, TypeVar

import numpy as np

from kataribe.domain.filters import Filter
from kataribe.domain.filters import parse as parse_filter
from kataribe.domain.gate import Viewer
from kataribe.domain.memory import Backend, Memory, Recollection
from kataribe.domain.records import EpisodeState, HistoryEntry, Trace, Verification
from kataribe.domain.story import (
    DEFAULT_IMPORTANCE,
    PUBLIC,
    Audience,
    Character,
    Episode,
    Extra,
    Fact,
    FactOrigin,
    Language,
    Story,
)
from kataribe.errors import EmbedderError, EmbedderMismatchError, InputError, StoreError
from kataribe.formats.detect import told_language
from kataribe.formats.folder import read_folder, write_folder
from kataribe.ports import Clock, Embedder, Extractor, Ledger, Reading, Writing
from kataribe.read.history import history as history_of
from kataribe.read.path import Question
from kataribe.read.path import known as known_to
from kataribe.read.path import recall as recall_for
from kataribe.write import cast as casts
from kataribe.write import episodes as texts
from kataribe.write import facts as factbook
from kataribe.write import stories as shelf
from kataribe.write.cast import CastEdit
from kataribe.write.commit import catch_up
from kataribe.write.embed import embed_texts
from kataribe.write.episodes import PutResult
from kataribe.write.exporting import export_folder
from kataribe.write.facts import FactEdit
from kataribe.write.importing import ImportReport, import_folder
from kataribe.write.path import Progress, SyncReport, Tools, sync_story
from kataribe.write.refresh import full_cast, story_of
from kataribe.write.verify import verify_story

T = TypeVar("T")
Only = Literal["facts", "text"]

_TRACES_KEPT = 1024
_TRACES_TOGETHER = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Engines:
    """What does the work that is not ours: found by name, made on first use.

    `embedder` raises `MissingExtraError` for one that is not installed and `InputError` for
    an unknown name; `default_embedder` names the one a language gets.
    """

    embedder: Callable[[str], Embedder]
    default_embedder: Callable[[Language], str]
    extractor: Extractor
    clock: Clock


class AsyncKataribe:
    """A memory engine on one store. Every verb is a coroutine; `Kataribe` is the same without.

    Verbs that take a `character` and `at` are viewer reads: they give what that character may
    remember at that episode and nothing else. All other reads are the author's.
    """

    def __init__(self, ledger: Ledger, engines: Engines) -> None:
        self._ledger = ledger
        self._engines = engines
        self._stories: dict[str, Story] = {}
        self._traces: deque[Trace] = deque(maxlen=_TRACES_KEPT)
        self._flushing: asyncio.Task[None] | None = None

    # -- stories ---------------------------------------------------------------------------

    async def add_story(
        self,
        story_id: str,
        *,
        language: Language,
        title: str | None = None,
        embedder: str | None = None,
    ) -> Story:
        """Create a story. Without `embedder` the language's default is taken and recorded.

        Raises `ConflictError`, `InputError`, `MissingExtraError`.
        """
        story = self._new_story(story_id, language, title=title, embedder=embedder)
        return await self._write(lambda ledger: shelf.add_story(ledger, story))

    def _new_story(
        self,
        story_id: str,
        language: Language,
        *,
        title: str | None,
        embedder: str | None,
        extra: Extra | None = None,
        told: bool = False,
    ) -> Story:
        name = embedder or self._engines.default_embedder(language)
        return Story(
            story_id=story_id,
            title=title,
            language=language,
            language_told=told,
            embedder=name,
            embedder_id=self._engines.embedder(name).embedder_id,
            extractor_id=self._engines.extractor.extractor_id,
            extra=extra or {},
        )

    async def stories(self) -> tuple[Story, ...]:
        """Give all stories, by id (author)."""
        return await self._read(lambda ledger: ledger.stories())

    async def story(self, story_id: str) -> Story:
        """Give one story (author). Raises `NotFoundError`."""
        return await self._read(lambda ledger: story_of(ledger, story_id))

    async def rename_story(self, story_id: str, new_id: str) -> None:
        """Give a story another id. Raises `NotFoundError`, `ConflictError`."""
        await self._write(lambda ledger: shelf.rename_story(ledger, story_id, new_id))

    async def delete_story(self, story_id: str) -> None:
        """Remove a story with everything in it. Raises `NotFoundError`."""
        await self._write(lambda ledger: shelf.delete_story(ledger, story_id))

    async def import_story(
        self,
        path: str | Path,
        *,
        story_id: str,
        language: Language | None = None,
        only: Only | None = None,
        embedder: str | None = None,
    ) -> ImportReport:
        """Make a story say what a folder says; a missing story is created.

        Without `language` it is told from the first text and recorded so. The same folder
        again changes nothing. Raises `FormatError` with file and line; nothing has changed then.
        """
        if only not in (None, "facts", "text"):
            raise InputError(f"only must be facts or text, not {only!r}")
        folder = await asyncio.to_thread(read_folder, Path(path), facts=only != "text")
        if folder.episodes and language is None and folder.language is None:
            told: Language = told_language(folder.episodes[0].text)
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
            )

        def run(ledger: Writing) -> ImportReport:
            if fresh is not None:
                shelf.add_story(ledger, fresh)
            return import_folder(ledger, story_id, folder, only=only)

        return await self._write(run)

    async def export_story(self, path: str | Path, *, story_id: str) -> None:
        """Write a story's inputs to a folder that `import_story` reads (author)."""
        folder = await self._read(lambda ledger: export_folder(ledger, story_id))
        await asyncio.to_thread(write_folder, Path(path), folder)

    # -- cast ------------------------------------------------------------------------------

    async def cast(self, story_id: str) -> tuple[Character, ...]:
        """Give the cast: those declared, then those known only from facts or annotations (author)."""
        return await self._read(lambda ledger: (story_of(ledger, story_id), full_cast(ledger, story_id))[1])

    async def character(self, story_id: str, character_id: str) -> Character:
        """Give one of the cast (author). Raises `NotFoundError`."""
        return await self._read(lambda ledger: casts.character_of(ledger, story_id, character_id))

    async def add_character(self, story_id: str, character: Character) -> Character:
        """Declare a character. Raises `ConflictError`."""
        return await self._write(lambda ledger: casts.add_character(ledger, story_id, character))

    async def put_cast(self, story_id: str, cast: Sequence[Character]) -> int:
        """Add or replace characters, leave the others; returns how many changed."""
        return await self._write(lambda ledger: casts.put_cast(ledger, story_id, cast))

    async def edit_character(self, story_id: str, character_id: str, edit: CastEdit) -> Character:
        """Change a declared character. Raises `NotFoundError`, `InputError`."""
        return await self._write(lambda ledger: casts.edit_character(ledger, story_id, character_id, edit))

    async def rename_character(self, story_id: str, character_id: str, new_id: str) -> None:
        """Give a character another id everywhere. Raises `NotFoundError`, `ConflictError`."""
        await self._write(lambda ledger: casts.rename_character(ledger, story_id, character_id, new_id))

    async def delete_character(self, story_id: str, character_id: str) -> bool:
        """Take a declaration out; True when facts or annotations still name the character."""
        return await self._write(lambda ledger: casts.delete_character(ledger, story_id, character_id))

    # -- episodes --------------------------------------------------------------------------

    async def put_episode(
        self,
        story_id: str,
        *,
        no: int,
        text: str,
        episode_id: str | None = None,
        title: str | None = None,
    ) -> PutResult:
        """Add the episode numbered `no` or give it a new text; durable when this returns.

        What memory holds of the old text is invisible from this instant; `sync` brings the
        new one. Raises `ConflictError`, `InputError`.
        """
        return await self._write(
            lambda ledger: texts.put_episode(
                ledger, story_id, no=no, text=text, episode_id=episode_id, title=title
            )
        )

    async def insert_episode(
        self,
        story_id: str,
        *,
        no: int,
        text: str,
        episode_id: str | None = None,
        title: str | None = None,
    ) -> PutResult:
        """Put a new episode at `no`; what was there and later moves up by one."""
        return await self._write(
            lambda ledger: texts.insert_episode(
                ledger, story_id, no=no, text=text, episode_id=episode_id, title=title
            )
        )

    async def delete_episode(self, story_id: str, *, no: int) -> str:
        """Delete an episode with its memories; its number stays a gap. Returns its id."""
        clock = self._engines.clock
        return await self._write(lambda ledger: texts.delete_episode(ledger, story_id, no, clock))

    async def restore_episode(self, story_id: str, *, no: int) -> str:
        """Bring back the episode last deleted from this number. Raises `ConflictError` when it is taken."""
        return await self._write(lambda ledger: texts.restore_episode(ledger, story_id, no))

    async def renumber_episode(self, story_id: str, *, no: int, to: int) -> str:
        """Move an episode to a free number. Raises `ConflictError` when it is taken."""
        return await self._write(lambda ledger: texts.renumber_episode(ledger, story_id, no=no, to=to))

    async def episodes(self, story_id: str) -> tuple[EpisodeState, ...]:
        """Give all episodes without texts, deleted ones too (author)."""
        return await self._read(
            lambda ledger: (story_of(ledger, story_id), ledger.episode_states(story_id))[1]
        )

    async def episode(self, story_id: str, *, no: int) -> Episode:
        """Give a live episode with its text (author). Raises `NotFoundError`."""

        def run(ledger: Reading) -> Episode:
            found = ledger.episode(story_id, texts.live_state(ledger, story_id, no).episode_id)
            assert found is not None
            return found

        return await self._read(run)

    async def history(self, story_id: str, *, no: int) -> tuple[HistoryEntry, ...]:
        """Give every version of an episode with what it changed in memory (author)."""
        return await self._read(
            lambda ledger: history_of(ledger, story_id, texts.live_state(ledger, story_id, no).episode_id)
        )

    # -- facts -----------------------------------------------------------------------------

    async def add_fact(
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
    ) -> str:
        """Add a fact by hand; returns its id. Raises `ConflictError`, `InputError`, `NotFoundError`."""
        vectors = await self._vectors(story_id, [text])

        def run(ledger: Writing) -> str:
            fact = Fact(
                fact_id=factbook.made_id(ledger, story_id, episode_no, text),
                text=text,
                audience=audience,
                origin=FactOrigin.HAND,
                quote=quote,
                importance=importance,
                told_from=told_from,
                supersedes=supersedes,
            )
            episode_id, fact_id = factbook.add_fact(ledger, story_id, episode_no=episode_no, fact=fact)
            catch_up(ledger, story_id, episode_id, vectors)
            return fact_id

        return await self._write(run)

    async def edit_fact(self, story_id: str, fact_id: str, edit: FactEdit) -> Fact:
        """Change a fact; one that was extracted becomes hand-made under the same id."""
        wording = {edit.text} if edit.text else await self._read(partial(_texts_of, story_id, fact_id))
        vectors = await self._vectors(story_id, sorted(wording))

        def run(ledger: Writing) -> Fact:
            touched, fact = factbook.edit_fact(ledger, story_id, fact_id, edit)
            for episode_id in touched:
                catch_up(ledger, story_id, episode_id, vectors)
            return fact

        return await self._write(run)

    async def pin_fact(self, story_id: str, fact_id: str, *, pinned: bool = True) -> None:
        """Pin a fact, so that it ranks before its equals, or unpin it."""
        await self._write(
            lambda ledger: catch_up(
                ledger, story_id, factbook.pin_fact(ledger, story_id, fact_id, pinned=pinned), {}
            )
        )

    async def delete_fact(self, story_id: str, fact_id: str) -> None:
        """Remove a fact; one that was extracted stays out when its text is read again."""
        await self._write(
            lambda ledger: catch_up(ledger, story_id, factbook.delete_fact(ledger, story_id, fact_id), {})
        )

    async def facts(self, story_id: str, *, episode_no: int | None = None) -> tuple[Memory, ...]:
        """Give every memory of a story or an episode in story order, hidden ones too (author)."""

        def run(ledger: Reading) -> tuple[Memory, ...]:
            story_of(ledger, story_id)
            if episode_no is None:
                return ledger.memories(story_id)
            return ledger.memories(
                story_id, episode_id=texts.live_state(ledger, story_id, episode_no).episode_id
            )

        return await self._read(run)

    async def review(self, story_id: str) -> tuple[Memory, ...]:
        """Give what waits for a person's eye: held by nobody yet, or guessed and flagged (author)."""
        return tuple(fact for fact in await self.facts(story_id) if fact.in_review or fact.flagged)

    # -- memory ----------------------------------------------------------------------------

    async def sync(
        self, story_id: str | None = None, *, retry: bool = False, progress: Progress | None = None
    ) -> SyncReport:
        """Bring memory up to the texts, of one story or of all.

        It can be stopped and called again at any moment. `retry` tries dead letters again.
        """
        report = SyncReport()
        for story in await self._chosen(story_id):
            tools = self._tools(story)
            if story.embedder_id != tools.embedder.embedder_id:
                raise EmbedderMismatchError(
                    f"story {story.story_id!r} was embedded by {story.embedder_id}, "
                    f"installed is {tools.embedder.embedder_id}; run `kataribe rebuild`"
                )
            await sync_story(tools, story.story_id, report, retry=retry, progress=progress)
        return report

    async def rebuild(self, story_id: str | None = None, *, progress: Progress | None = None) -> SyncReport:
        """Make all memories and vectors again from the inputs, with equal ids (M-1).

        It also moves a story to the embedder and extractor that are installed now.
        """
        report = SyncReport()
        for story in await self._chosen(story_id):
            await self._write(lambda ledger: ledger.sweep())
            await self._write(partial(shelf.set_engines, story=self._current(story)))
            await sync_story(self._tools(story), story.story_id, report, anew=True, progress=progress)
        return report

    async def verify(self, story_id: str | None = None) -> Verification:
        """Compare memory with what its inputs make of it, and ask whether the file is sound (author)."""
        problems = list(await asyncio.to_thread(self._ledger.problems))
        chosen = await self._chosen(story_id)
        each = [await verify_story(self._tools(story), story.story_id) for story in chosen]
        return Verification(
            stories=len(each),
            episodes=sum(one.episodes for one in each),
            memories=sum(one.memories for one in each),
            pending=sum(one.pending for one in each),
            problems=tuple(problems + [problem for one in each for problem in one.problems]),
        )

    async def backup(self, path: str | Path) -> None:
        """Write a consistent copy without vectors to a new file; `sync` on it makes them again (author)."""
        await asyncio.to_thread(self._ledger.backup, Path(path))

    # -- viewer reads ----------------------------------------------------------------------

    async def recall(
        self,
        question: str,
        *,
        story_id: str,
        character: str,
        at: int,
        top_k: int = 10,
        where: Mapping[str, object] | None = None,
        explain: bool = False,
    ) -> Recollection:
        """Give what `character` remembers at episode `at` that answers the question, best first.

        Nothing from episode `at` on and no secret of others is read. `where` is a filter
        AND-ed with the gate. Raises `NotFoundError`, `InputError`, `FilterError`.
        """
        viewer = Viewer(story=story_id, character=character, at=at)
        if not question.strip():
            raise InputError("the question must not be empty")
        if isinstance(top_k, bool) or not 1 <= top_k <= 1000:
            raise InputError(f"top_k must be from 1 to 1000, not {top_k!r}")
        parsed = None if where is None else parse_filter(where)
        try:
            found = await self._recall(viewer, question, top_k, parsed, explain)
        except EmbedderMismatchError:
            # The story may have been made anew by another process since we looked.
            self._stories.pop(story_id, None)
            found = await self._recall(viewer, question, top_k, parsed, explain)
        self._trace("recall", found, where)
        return found

    async def _recall(
        self, viewer: Viewer, question: str, top_k: int, where: Filter | None, explain: bool
    ) -> Recollection:
        story = self._stories.get(viewer.story) or await self.story(viewer.story)
        self._stories[viewer.story] = story
        embedder = self._engines.embedder(story.embedder)
        vector = np.zeros(embedder.dimensions, dtype=np.float32)
        if viewer.cutoff >= 1:
            vector = await embedder.embed_query(question)
        asked = Question(
            text=question,
            vector=vector,
            embedder_id=embedder.embedder_id,
            top_k=top_k,
            where=where,
            explain=explain,
        )
        return await self._read(lambda ledger: recall_for(ledger, viewer, asked, self._backend(story)))

    async def known(
        self,
        *,
        story_id: str,
        character: str,
        at: int,
        where: Mapping[str, object] | None = None,
    ) -> Recollection:
        """Give everything `character` may know at episode `at`, in story order.

        Facts that a newer one supersedes are there, marked `superseded_by`.
        """
        viewer = Viewer(story=story_id, character=character, at=at)
        parsed = None if where is None else parse_filter(where)
        story = await self.story(story_id)
        found = await self._read(lambda ledger: known_to(ledger, viewer, self._backend(story), parsed))
        self._trace("known", found, where)
        return found

    # -- traces ----------------------------------------------------------------------------

    async def traces(self, story_id: str, *, last: int = 50) -> tuple[Trace, ...]:
        """Give the last searches: who asked behind which slices, and which ids came back (author)."""
        await self.flush()
        return await self._read(
            lambda ledger: (story_of(ledger, story_id), ledger.traces(story_id, last=last))[1]
        )

    def _trace(self, verb: str, found: Recollection, where: Mapping[str, object] | None) -> None:
        viewer = found.viewer
        holders = ["world", viewer.character] if found.in_cast else ["world"]
        self._traces.append(
            Trace(
                at=self._engines.clock.now().isoformat(),
                story=viewer.story,
                character=viewer.character,
                episode_no=viewer.at,
                verb=verb,
                filter=where,
                slices=tuple(f"{holder} up to {viewer.cutoff}" for holder in holders if viewer.cutoff >= 1),
                ids=tuple(hit.id for hit in found.hits),
            )
        )
        if len(self._traces) >= _TRACES_TOGETHER and (self._flushing is None or self._flushing.done()):
            self._flushing = asyncio.create_task(self.flush())

    async def flush(self) -> None:
        """Write the traces that wait; when the store is busy they wait on, the oldest dropped first."""
        waiting = list(self._traces)
        if not waiting:
            return
        self._traces.clear()
        try:
            await asyncio.to_thread(self._put_traces, waiting)
        except StoreError:
            self._traces.extendleft(reversed(waiting[-(_TRACES_KEPT - len(self._traces)) :]))

    def _put_traces(self, waiting: list[Trace]) -> None:
        with self._ledger.writing(patience=0.2) as ledger:
            ledger.put_traces(waiting)

    async def close(self) -> None:
        """Write what waits and let go of the store; closing twice is closing."""
        if self._flushing is not None:
            await self._flushing
        await self.flush()
        await asyncio.to_thread(self._ledger.close)

    async def adopt_extractor(self) -> None:
        """Make what an older extractor found stale, so that it is not shown until it is synced."""
        current = self._engines.extractor.extractor_id
        for story in await self.stories():
            if story.extractor_id != current:
                await self._write(partial(shelf.set_engines, story=replace(story, extractor_id=current)))

    # -- inside ----------------------------------------------------------------------------

    async def _read(self, ask: Callable[[Reading], T]) -> T:
        def run() -> T:
            with self._ledger.reading() as ledger:
                return ask(ledger)

        return await asyncio.to_thread(run)

    async def _write(self, act: Callable[[Writing], T]) -> T:
        def run() -> T:
            with self._ledger.writing() as ledger:
                return act(ledger)

        found = await asyncio.to_thread(run)
        self._stories.clear()
        return found

    async def _chosen(self, story_id: str | None) -> tuple[Story, ...]:
        return await self.stories() if story_id is None else (await self.story(story_id),)

    def _current(self, story: Story) -> Story:
        made = self._new_story(story.story_id, story.language, title=story.title, embedder=story.embedder)
        return replace(story, embedder_id=made.embedder_id, extractor_id=made.extractor_id)

    def _tools(self, story: Story) -> Tools:
        embedder = self._engines.embedder(story.embedder)
        return Tools(ledger=self._ledger, extractor=self._engines.extractor, embedder=embedder)

    def _backend(self, story: Story) -> Backend:
        return Backend(embedder=story.embedder_id, model=story.extractor_id)

    async def _vectors(self, story_id: str, given: Sequence[str]) -> Mapping[str, bytes]:
        story = await self.story(story_id)
        embedded = await embed_texts(given, self._engines.embedder(story.embedder))
        if embedded.failures:
            raise EmbedderError(next(iter(embedded.failures.values())))
        return embedded.vectors


def _texts_of(story_id: str, fact_id: str, ledger: Reading) -> set[str]:
    """Give the words of a fact, which has no vector yet when it waits in review."""
    held = ledger.fact(story_id, fact_id)
    copies = ledger.memories(story_id, fact_id=fact_id)
    return {copy.text for copy in copies} | ({held[1].text} if held else set())
