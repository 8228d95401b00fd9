"""Verbs about episodes and facts."""

from __future__ import annotations

from functools import partial

from kataribe.domain.memory import Memory
from kataribe.domain.records import EpisodeState, HistoryEntry
from kataribe.domain.space import story_space
from kataribe.domain.story.folder import FactRow
from kataribe.domain.story.inputs import Episode, Fact
from kataribe.domain.story.undo import brief
from kataribe.domain.terms import DEFAULT_IMPORTANCE, PUBLIC, Audience
from kataribe.engine.events import EventVerbs
from kataribe.ports import Transaction, View
from kataribe.story.desk import episodes as texts
from kataribe.story.desk import facts as factbook
from kataribe.story.desk.episodes import PutResult
from kataribe.story.desk.facts import FactEdit
from kataribe.story.desk.undo import PLACES, fact_scope
from kataribe.story.extract_task import catch_up
from kataribe.story.fingerprints import parts_of
from kataribe.story.lineage import seen_memories, seen_states
from kataribe.story.views.history import history as history_of


class EpisodeVerbs(EventVerbs):
    """Putting, moving and deleting episodes, and making facts by hand."""

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

        def run(tx: Transaction) -> PutResult:
            with self._recorded(tx, story_id, PLACES) as step:
                step.summary = f"inserted episode {no}"
                return texts.insert_episode(
                    tx, story_id, no=no, text=text, episode_id=episode_id, title=title
                )

        return await self._write(run)

    async def delete_episode(self, story_id: str, *, no: int) -> str:
        """Delete an episode with its memories; its number stays a gap. Returns its id."""

        def run(tx: Transaction) -> str:
            with self._recorded(tx, story_id, PLACES) as step:
                step.summary = f"deleted episode {no}"
                return texts.delete_episode(tx, story_id, no, self._services.clock)

        return await self._write(run)

    async def restore_episode(self, story_id: str, *, no: int) -> str:
        """Bring back the episode last deleted from this number. Raises `ConflictError` when it is taken."""

        def run(tx: Transaction) -> str:
            with self._recorded(tx, story_id, PLACES) as step:
                step.summary = f"restored episode {no}"
                return texts.restore_episode(tx, story_id, no)

        return await self._write(run)

    async def renumber_episode(self, story_id: str, *, no: int, to: int) -> str:
        """Move an episode to a free number. Raises `ConflictError` when it is taken."""

        def run(tx: Transaction) -> str:
            with self._recorded(tx, story_id, PLACES) as step:
                step.summary = f"renumbered episode {no} to {to}"
                return texts.renumber_episode(tx, story_id, no=no, to=to)

        return await self._write(run)

    async def episodes(self, story_id: str) -> tuple[EpisodeState, ...]:
        """Give all episodes without texts, deleted ones too (author).

        Of a branch also those it reads of its parents: `EpisodeState.story_id` tells whose they are.
        """
        return await self._read(lambda view: seen_states(view, parts_of(view, story_id)))

    async def episode(self, story_id: str, *, no: int) -> Episode:
        """Give a live episode with its text (author). Raises `NotFoundError`."""

        def run(view: View) -> Episode:
            state = texts.read_state(view, parts_of(view, story_id), no)
            found = view.episode(state.story_id, state.episode_id)
            assert found is not None
            return found

        return await self._read(run)

    async def history(self, story_id: str, *, no: int) -> tuple[HistoryEntry, ...]:
        """Give every version of an episode with what it changed in memory (author)."""

        def run(view: View) -> tuple[HistoryEntry, ...]:
            state = texts.read_state(view, parts_of(view, story_id), no)
            return history_of(view, state.story_id, state.episode_id)

        return await self._read(run)

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
        arousal: float | None = None,
        widen: bool = False,
    ) -> str:
        """Add a fact by hand; returns its id. Raises `ConflictError`, `InputError`, `NotFoundError`.

        One is refused that leaves somebody out to whom the text says the same, or that is there
        already; with `widen` that one comes to be known by the `audience` too instead.
        `arousal` is how stirring it is, 0 to 1; None when nobody says.
        """
        row = FactRow(
            file="",
            episode_no=episode_no,
            text=text,
            audience=audience,
            quote=quote,
            importance=importance,
            told_from=told_from,
            supersedes=supersedes,
            arousal=arousal,
        )
        return (await self._add_facts(story_id, (row,), widen=widen))[0]

    async def edit_fact(self, story_id: str, fact_id: str, edit: FactEdit) -> Fact:
        """Change a fact; one that was extracted becomes hand-made under the same id."""
        wording = {edit.text} if edit.text else await self._read(partial(_texts_of, story_id, fact_id))
        vectors = await self._vectors(story_id, sorted(wording))

        def run(tx: Transaction) -> Fact:
            homes = fact_scope(tx, story_id, fact_id, to_no=edit.episode_no)
            with self._recorded(tx, story_id, homes) as step:
                touched, fact = factbook.edit_fact(tx, story_id, fact_id, edit)
                step.summary = f"edited fact {fact_id}: {brief(fact.text)}"
            for episode_id in touched:
                catch_up(tx, story_id, episode_id, vectors)
            return fact

        return await self._write(run)

    async def pin_fact(self, story_id: str, fact_id: str, *, pinned: bool = True) -> None:
        """Pin a fact, so that it ranks before its equals, or unpin it."""

        def run(tx: Transaction) -> None:
            with self._recorded(tx, story_id, fact_scope(tx, story_id, fact_id)) as step:
                step.summary = f"{'pinned' if pinned else 'unpinned'} fact {fact_id}"
                episode_id = factbook.pin_fact(tx, story_id, fact_id, pinned=pinned)
            catch_up(tx, story_id, episode_id, self._at_hand(tx, story_id))

        await self._write(run)

    async def delete_fact(self, story_id: str, fact_id: str) -> None:
        """Remove a fact; one that was extracted stays out when its text is read again."""

        def run(tx: Transaction) -> None:
            with self._recorded(tx, story_id, fact_scope(tx, story_id, fact_id)) as step:
                step.summary = f"deleted fact {fact_id}: {brief(factbook.words_of(tx, story_id, fact_id))}"
                episode_id = factbook.delete_fact(tx, story_id, fact_id)
            catch_up(tx, story_id, episode_id, self._at_hand(tx, story_id))

        await self._write(run)

    async def facts(self, story_id: str, *, episode_no: int | None = None) -> tuple[Memory, ...]:
        """Give every memory of a story or an episode in story order, hidden ones too (author).

        Of a branch also those it reads of its parents: `Memory.space` tells whose they are.
        """

        def run(view: View) -> tuple[Memory, ...]:
            parts = parts_of(view, story_id)
            if episode_no is None:
                return seen_memories(view, parts)
            state = texts.read_state(view, parts, episode_no)
            return view.memories(story_space(state.story_id), unit=state.episode_id)

        return await self._read(run)


def _texts_of(story_id: str, fact_id: str, view: View) -> set[str]:
    """Give the words of a fact, which has no vector yet when it waits in review."""
    held = view.fact(story_id, fact_id)
    copies = view.memories(story_space(story_id), fact_id=fact_id)
    return {copy.text for copy in copies} | ({held[1].text} if held else set())
