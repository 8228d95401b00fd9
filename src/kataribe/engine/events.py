"""Verbs about what happens: episodes with their facts, many facts at once, and what has changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from kataribe.domain.records import ChangeLog
from kataribe.domain.space import Space
from kataribe.domain.story.folder import OWN, FactRow, NewEpisode
from kataribe.domain.story.inputs import check_no
from kataribe.domain.story.undo import Scope, brief
from kataribe.engine.base import Base
from kataribe.engine.kinds import owner_of
from kataribe.errors import InputError
from kataribe.formats.given import (
    AnnotationGiven,
    EpisodeGiven,
    FactGiven,
    episodes_given,
    facts_given,
    new_episode,
)
from kataribe.ports import Remote, Transaction, View
from kataribe.story.desk.adding import add_facts, episodes_named
from kataribe.story.desk.episodes import PutResult
from kataribe.story.desk.putting import check_expected, put_with_rows, tell
from kataribe.story.desk.undo import Recording, put_scope
from kataribe.story.extract_task import catch_up, catch_up_all
from kataribe.story.fingerprints import story_of
from kataribe.work.path import Progress
from kataribe.work.task import Embedded

PUT_TOGETHER = 64
"""Episodes of `put_episodes` to a transaction: what a kill can lose is put again."""


class EventVerbs(Base):
    """Putting and telling episodes with their facts, adding facts, and asking what has changed."""

    async def put_episode(
        self,
        story_id: str,
        *,
        no: int,
        text: str,
        episode_id: str | None = None,
        title: str | None = None,
        facts: Sequence[FactGiven] | None = None,
        annotations: Sequence[AnnotationGiven] | None = None,
        expected: str | None = None,
    ) -> PutResult:
        """Add the episode numbered `no` or give it a new text; durable when this returns.

        `facts` and `annotations` say what rows of `facts.jsonl` and `visibility.jsonl` say, by the
        same rules; a row need not name its episode. Left out they stay as they are, an empty list
        removes them (hand-made facts stay). An episode with facts is not extracted: it is in memory
        when this returns, unless its embedder is asked over a network. Otherwise what memory
        holds of the old text is invisible from this instant, and `sync` brings the new one.
        `expected` is the tag that the episode must have, `*` for any, or empty: there must be none.
        Raises `ConflictError`, `StaleError`, `InputError`, and `FormatError` that names the row.
        """
        given = new_episode(
            no=check_no(no),
            text=text,
            episode_id=episode_id,
            title=title,
            facts=facts,
            annotations=annotations,
        )
        vectors = await self._vectors_here(story_id, given.texts)

        def run(tx: Transaction) -> PutResult:
            if expected is not None:
                check_expected(tx, story_id, no, expected)
            (done,) = put_with_rows(tx, story_id, [given], self._recording(tx, story_id))
            return _brought_up(tx, story_id, done, vectors)

        return await self._write(run)

    async def put_episodes(
        self, story_id: str, episodes: Sequence[EpisodeGiven], *, progress: Progress | None = None
    ) -> tuple[PutResult, ...]:
        """Put many episodes with their facts and annotations, each as `put_episode` does.

        They are mappings with the names that `put_episode` takes, or `EpisodeInput` values. 64 of
        them are durable at a time: after an interruption the same call goes on, and what is
        unchanged is not written again. `progress` is called with the story's id, how many are durable
        and how many there are. Memory follows with `sync`. Raises `InputError` and `FormatError`
        before anything is written, `ConflictError` with what came before it stored.
        """
        given = episodes_given(episodes)
        done: list[PutResult] = []
        for at in range(0, len(given), PUT_TOGETHER):
            done += await self._write(self._putting(story_id, given[at : at + PUT_TOGETHER]))
            if progress is not None:
                progress(story_id, len(done), len(given))
        return tuple(done)

    def _putting(
        self, story_id: str, given: Sequence[NewEpisode]
    ) -> Callable[[Transaction], list[PutResult]]:
        return lambda tx: put_with_rows(tx, story_id, given, self._recording(tx, story_id))

    async def tell(
        self,
        story_id: str,
        text: str,
        *,
        facts: Sequence[FactGiven] | None = None,
        annotations: Sequence[AnnotationGiven] | None = None,
        episode_id: str | None = None,
        title: str | None = None,
    ) -> int:
        """Append an episode and give its number: one after the highest, deleted ones counted too.

        In a branch it is after the fork too. Calls at the same time get different numbers. With an
        `episode_id` the same call again is harmless: it gives the same number when the content is
        the same, and raises `ConflictError` when it is not. Facts are in memory when this returns,
        unless the story's embedder is asked over a network; text alone waits for `sync`.
        Raises `NotFoundError`, `ConflictError`, `InputError`, and `FormatError` that names the row.
        """
        given = new_episode(
            no=OWN, text=text, episode_id=episode_id, title=title, facts=facts, annotations=annotations
        )
        vectors = await self._vectors_here(story_id, given.texts)

        def run(tx: Transaction) -> int:
            done = tell(tx, story_id, given, self._recording(tx, story_id))
            return _brought_up(tx, story_id, done, vectors).no

        return await self._write(run)

    async def add_facts(
        self, story_id: str, facts: Sequence[FactGiven], *, widen: bool = False
    ) -> tuple[str, ...]:
        """Add many facts by hand, all or none; returns their ids in order.

        They say what rows of `facts.jsonl` say, and each names its episode. One is refused when
        the episode has such a fact, or when the text says the same to somebody whom it leaves out;
        with `widen` the fact that is there comes to be known by those of the row too, and stays as it
        is otherwise. Raises `ConflictError`, `NotFoundError`, `UnconfirmedError` when who gains
        a fact would be shown a quote that says more, and `FormatError` that names the row.
        """
        rows = facts_given(facts)
        for row in rows:
            if row.episode_no == OWN:
                raise InputError(f"{row.file}:{row.line}: the field 'episode_no' is missing")
        return await self._add_facts(story_id, rows, widen=widen)

    async def _add_facts(
        self, story_id: str, rows: Sequence[FactRow], *, widen: bool = False
    ) -> tuple[str, ...]:
        vectors = await self._vectors(story_id, list(dict.fromkeys(row.text for row in rows)))

        def run(tx: Transaction) -> tuple[str, ...]:
            story_of(tx, story_id)
            home = Scope(episodes=episodes_named(tx, story_id, rows))
            with self._recorded(tx, story_id, home) as step:
                done = add_facts(tx, story_id, rows, widen=widen)
                step.summary = _added(done.fact_ids, rows)
            catch_up_all(tx, story_id, done.episode_ids, vectors)
            return done.fact_ids

        return await self._write(run)

    async def changes(self, since: int = 0, of: Space | None = None) -> ChangeLog:
        """Tell of which units memory has changed since a cursor, in all spaces or a story's (author).

        The first time ask from 0, then from the `cursor` that was given. A unit that has changed
        often is there once; one that was hidden or removed is there too. Raises `NotFoundError`,
        `InputError` for a cursor that this store has not given yet.
        """
        if isinstance(since, bool) or not isinstance(since, int) or since < 0:
            raise InputError(f"since must be 0 or a cursor of this store, not {since!r}")

        def run(view: View) -> ChangeLog:
            if of is not None:
                owner_of(view, of)
            found = view.changes(since, story=None if of is None else of.story)
            if since > found.cursor:
                raise InputError(
                    f"this store is at {found.cursor} and has not given the cursor {since}; ask from 0"
                )
            return found

        return await self._read(run)

    def _recording(
        self, tx: Transaction, story_id: str
    ) -> Callable[[NewEpisode], AbstractContextManager[Recording]]:
        return lambda given: self._recorded(tx, story_id, put_scope(tx, story_id, given.row.no))

    async def _vectors_here(self, story_id: str, texts: Sequence[str]) -> Embedded | None:
        """Embed where that needs nobody else: a text is durable before anybody is asked (P5)."""
        if not texts:
            return None
        story = await self.story(story_id)
        embedder = self._services.embedder(story.embedder)
        if isinstance(embedder, Remote) and embedder.is_remote:
            return None
        return await self._vectors(story_id, texts)


def _brought_up(tx: Transaction, story_id: str, done: PutResult, vectors: Embedded | None) -> PutResult:
    if vectors is not None and done.change != "unchanged":
        catch_up(tx, story_id, done.episode_id, vectors)
    return done


def _added(fact_ids: Sequence[str], rows: Sequence[FactRow]) -> str:
    if len(rows) == 1:
        return f"added fact {fact_ids[0]}: {brief(rows[0].text)}"
    return f"added {len(rows):,} facts"
