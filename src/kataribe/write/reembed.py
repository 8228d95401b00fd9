"""From one embedder to another: a generation of vectors is made beside the old, then takes its place (M-7).

The old one answers until the one transaction that switches; a reader sees either, never both.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from kataribe.domain.conversation import User, user_space
from kataribe.domain.gate import story_space
from kataribe.domain.records import Outcome, Work
from kataribe.domain.story import Story
from kataribe.errors import ConflictError, EmbedderError
from kataribe.ports import Embedder, Ledger, Reading, Writing
from kataribe.read.lineage import family
from kataribe.read.prints import fingerprints, story_of, user_of
from kataribe.write.embed import BATCH, embed_texts
from kataribe.write.refresh import refresh

ReembedProgress = Callable[[int, int], None]
"""Called with how many of the texts have their new vector, and how many there are."""

_ROUNDS = 100
"""How often texts that came in meanwhile are caught up before the writers are asked to pause."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reembedded:
    """What a change of embedder did.

    `stories` are the ids of the family that changed (none for a user), `texts` how many were
    embedded by this call, `memories` how many have a vector of the new embedder.
    """

    embedder: str
    embedder_id: str
    before: str
    is_lexical: bool
    stories: tuple[str, ...] = ()
    user: str | None = None
    texts: int = 0
    memories: int = 0


async def reembed(
    ledger: Ledger,
    home: Story | User,
    name: str,
    embedder: Embedder,
    *,
    progress: ReembedProgress | None = None,
) -> Reembedded:
    """Give a story with its family, or a user, another embedder; it can be stopped and called again.

    What was embedded before a stop is kept and not embedded again. Raises `NotFoundError`,
    `EmbedderError` when a text cannot be embedded (nothing has changed then, the old embedder
    answers on) and `ConflictError` when texts come in faster than they are embedded.
    """
    new = embedder.embedder_id
    made = 0
    for _ in range(_ROUNDS):
        missing = await asyncio.to_thread(_missing, ledger, home, new)
        await _stage(ledger, missing, embedder, progress)
        made += len(missing)
        switched = await asyncio.to_thread(_switch, ledger, home, name, new)
        if switched is not None:
            homes, memories = switched
            return Reembedded(
                embedder=name,
                embedder_id=new,
                before=home.embedder_id,
                is_lexical=embedder.is_lexical,
                stories=tuple(one.story_id for one in homes if isinstance(one, Story)),
                user=home.user_id if isinstance(home, User) else None,
                texts=made,
                memories=memories,
            )
    raise ConflictError(
        f"texts come in faster than {new} embeds them; let the writers pause and call again: "
        "what is embedded is kept"
    )


def _homes(ledger: Reading, home: Story | User) -> tuple[Story | User, ...]:
    """Give what changes together, as it stands now. Raises `NotFoundError`."""
    if isinstance(home, User):
        return (user_of(ledger, home.user_id),)
    return family(ledger, story_of(ledger, home.story_id))


def _space(home: Story | User) -> str:
    return user_space(home.user_id) if isinstance(home, User) else story_space(home.story_id)


def _unembedded(ledger: Reading, homes: Sequence[Story | User], embedder_id: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for home in homes:
        found.update(ledger.unembedded(_space(home), embedder_id))
    return found


def _missing(ledger: Ledger, home: Story | User, embedder_id: str) -> dict[str, str]:
    with ledger.reading() as reading:
        return _unembedded(reading, _homes(reading, home), embedder_id)


async def _stage(
    ledger: Ledger, missing: dict[str, str], embedder: Embedder, progress: ReembedProgress | None
) -> None:
    """Embed texts and keep their vectors, batch by batch: what is kept is not paid for again."""
    texts = [missing[hashed] for hashed in sorted(missing)]
    for at in range(0, len(texts), BATCH):
        if progress is not None:
            progress(at, len(texts))
        embedded = await embed_texts(texts[at : at + BATCH], embedder)

        def put(vectors: dict[str, bytes] = dict(embedded.vectors)) -> None:  # noqa: B006 - this batch's
            with ledger.writing() as writing:
                writing.put_embeddings(embedder.embedder_id, vectors)

        await asyncio.to_thread(put)
        if embedded.failures:
            why = embedded.failures[sorted(embedded.failures)[0]]
            raise EmbedderError(
                f"{len(embedded.failures)} texts could not be embedded by {embedder.embedder_id}: {why}; "
                "nothing is switched, and what was embedded is kept for the next call"
            )
    if progress is not None and texts:
        progress(len(texts), len(texts))


def _switch(
    ledger: Ledger, home: Story | User, name: str, embedder_id: str
) -> tuple[tuple[Story | User, ...], int] | None:
    """Let the new generation take the old one's place; None when texts came in that lack a vector."""
    with ledger.writing() as writing:
        homes = _homes(writing, home)
        if _unembedded(writing, homes, embedder_id):
            return None
        memories = sum(writing.switch_vectors(_space(one), embedder_id) for one in homes)
        _record(writing, homes, name, embedder_id)
        writing.clear_embeddings(embedder_id)
        return homes, memories


def _record(ledger: Writing, homes: Sequence[Story | User], name: str, embedder_id: str) -> None:
    """Record the embedder; what is in memory stays in memory, work under way comes too late."""
    for home in homes:
        if isinstance(home, User):
            ledger.put_user(replace(home, embedder=name, embedder_id=embedder_id))
        else:
            ledger.put_story(replace(home, embedder=name, embedder_id=embedder_id))
    stories = [home for home in homes if isinstance(home, Story)]
    for story in stories:
        _carry_over(ledger, story.story_id)
    if stories:
        refresh(ledger, stories[0].story_id)


def _carry_over(ledger: Writing, story_id: str) -> None:
    """Say of what is done, or dropped by a person, that it is so under the new embedder too."""
    states = ledger.episode_states(story_id)
    wanted = fingerprints(ledger, story_of(ledger, story_id), states)
    work = ledger.work(story_id)
    for state in states:
        done = work.get(state.episode_id)
        if (
            state.is_live
            and done is not None
            and done.fingerprint == state.wanted
            and done.outcome in (Outcome.DONE, Outcome.DROPPED)
        ):
            target = wanted[state.episode_id].memory
            kept = Work(fingerprint=target, outcome=done.outcome, error=done.error)
            ledger.put_work(story_id, state.episode_id, kept)
