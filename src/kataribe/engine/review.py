"""Verbs for a person's eye: what is to be looked at, decisions on it, and taking steps back."""

from __future__ import annotations

from collections.abc import Sequence

from kataribe.domain.story.inputs import Story
from kataribe.domain.story.review import Decision, NarratorItem, ReviewItem, SceneItem
from kataribe.domain.story.undo import STEPS_KEPT, Scope, Step, brief
from kataribe.domain.terms import Audience
from kataribe.engine.base import Base
from kataribe.errors import EmbedderError, MissingExtraError
from kataribe.ports import Transaction, View
from kataribe.story.desk.review import decide, decision_scope, review_items
from kataribe.story.desk.scenes import decide_scene, review_narrators, review_scenes
from kataribe.story.desk.undo import undo_last
from kataribe.story.extract_task import catch_up
from kataribe.story.fingerprints import story_of
from kataribe.story.gather import gather
from kataribe.work.embed import embed_texts
from kataribe.work.path import missing_vectors


class ReviewVerbs(Base):
    """Reviewing, deciding and undoing."""

    async def review(self, story_id: str, *, every_guess: bool = False) -> tuple[ReviewItem, ...]:
        """Give what waits for a person's eye, in story order (author).

        That is what nobody holds yet, what a model offered in vain, and guesses made after a
        change of the text. `every_guess` adds every audience that was guessed.
        """
        return await self._read(lambda view: review_items(view, story_id, every_guess=every_guess))

    async def decide(self, story_id: str, fact_id: str, decision: Decision) -> Step | None:
        """Decide on a fact; give the step that `undo` takes back, None when nothing changed.

        Raises `NotFoundError`, `InputError` when the decision does not fit, `ConflictError` when
        the episode is to be synced first.
        """

        def run(tx: Transaction) -> tuple[Step | None, tuple[str, ...]]:
            latest = tx.steps(story_id, last=1)
            with self._recorded(tx, story_id, decision_scope(tx, story_id, fact_id)) as step:
                touched, text = decide(tx, story_id, fact_id, decision)
                step.summary = f"{decision.verb.done} fact {fact_id}: {brief(text)}"
            for episode_id in touched:
                catch_up(tx, story_id, episode_id, self._at_hand(tx, story_id))
            now = tx.steps(story_id, last=1)
            return (now[0] if now and now != latest else None), touched

        step, touched = await self._write(run)
        await self._follow(story_id, touched)
        return step

    async def review_scenes(self, story_id: str) -> tuple[SceneItem, ...]:
        """Give the scenes in which something is held by nobody yet, in story order (author)."""
        return await self._read(lambda view: review_scenes(view, story_id))

    async def review_narrators(self, story_id: str) -> tuple[NarratorItem, ...]:
        """Give what a first person tells whom neither cast nor mark names, in story order (author)."""
        return await self._read(lambda view: review_narrators(view, story_id))

    async def decide_scene(self, story_id: str, item: SceneItem, audience: Audience) -> Step | None:
        """Say who was there in a scene; give the step that `undo` takes back, None when nothing changed.

        It is an annotation of the paragraphs in which something waited: their episode is to be
        synced. Raises `InputError`, and `ConflictError` when they do not stand there any more.
        """

        def run(ledger: Transaction) -> Step | None:
            story_of(ledger, story_id)
            latest = ledger.steps(story_id, last=1)
            with self._recorded(ledger, story_id, Scope(episodes=frozenset({item.episode_id}))) as step:
                decide_scene(ledger, story_id, item, audience)
                who = "everybody" if audience.world else ", ".join(audience.holders())
                step.summary = f"said who was in scene {item.scene} of episode {item.episode_no}: {who}"
            now = ledger.steps(story_id, last=1)
            return now[0] if now and now != latest else None

        return await self._write(run)

    async def undo(self, story_id: str, *, number: int | None = None) -> Step:
        """Take the last step back and give it; memory follows at once where no text must be read.

        Steps are changes to facts, review decisions, casts and episodes; imports are none. An
        episode the step made is deleted and can be restored. With `number` no other step than
        that is taken back. Raises `NotFoundError` when there is nothing to undo, `ConflictError`
        when what the step left has been changed since.
        """

        def run(tx: Transaction) -> tuple[Step, tuple[tuple[str, str], ...]]:
            step, touched = undo_last(tx, story_id, self._services.clock, number=number)
            for owner, episode_id in touched:
                catch_up(tx, owner, episode_id, self._at_hand(tx, owner))
            return step, touched

        step, touched = await self._write(run)
        for owner, episode_id in touched:
            await self._follow(owner, (episode_id,))
        return step

    async def undo_list(self, story_id: str, *, last: int = STEPS_KEPT) -> tuple[Step, ...]:
        """Give the last steps that `undo` can take back, newest first (author)."""

        def run(view: View) -> tuple[Step, ...]:
            story_of(view, story_id)
            return view.steps(story_id, last=last)

        return await self._read(run)

    async def _follow(self, story_id: str, episode_ids: Sequence[str]) -> None:
        """Embed texts that came back and have no vector any more; what must be read waits for a sync."""
        for episode_id in episode_ids:
            story, texts = await self._read(
                lambda view, it=episode_id: _unembedded(view, story_id, it)  # type: ignore[misc]
            )
            if texts:
                try:
                    embedder = self._services.embedder(story.embedder)
                    if embedder.embedder_id != story.embedder_id:
                        return
                    made = await embed_texts(texts, embedder)
                except (EmbedderError, MissingExtraError):
                    # The inputs are as they should be; memory is pending, and `sync` will say why.
                    return
                await self._write(
                    lambda tx, it=episode_id, made=made: catch_up(  # type: ignore[misc]
                        tx, story_id, it, made
                    )
                )


def _unembedded(view: View, story_id: str, episode_id: str) -> tuple[Story, list[str]]:
    story = story_of(view, story_id)
    state = view.episode_state(story_id, episode_id)
    jobs = gather(view, story_id, (episode_id,)) if state is not None and state.is_live else ()
    if any(job.source is not None for job in jobs):
        return story, []
    missing = (missing_vectors(view, job.derived()) for job in jobs)
    return story, list({hashed: text for texts in missing for hashed, text in texts.items()}.values())
