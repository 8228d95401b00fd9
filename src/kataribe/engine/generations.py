"""From one embedder to another: a generation of vectors is made beside the old, then takes its place (M-7).

The old one answers until the one transaction that switches; a reader sees either, never both.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

from kataribe.conversation.homes import user_of
from kataribe.conversation.store import set_embedder, spaces_of
from kataribe.domain.conversation.turns import User
from kataribe.domain.records import Outcome, Reembedded, Work
from kataribe.domain.space import episode_of, holder_of, story_space
from kataribe.domain.story.inputs import Story
from kataribe.domain.work import WorkKind
from kataribe.errors import ConflictError, EmbedderError
from kataribe.ports import Embedder, Ledger, Transaction, View
from kataribe.story.fingerprints import fingerprints, story_of
from kataribe.story.lineage import family
from kataribe.story.staleness import refresh
from kataribe.work.embed import BATCH, embed_texts

ReembedProgress = Callable[[int, int], None]
"""Called with how many of the texts have their new vector, and how many there are."""

_Missing = dict[str, dict[str, str]]
"""Texts that have no vector yet: by space, then by text hash."""
_ROUNDS = 100
"""How often texts that came in meanwhile are caught up before the writers are asked to pause."""


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
        made += await _stage(ledger, missing, embedder, progress)
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


def _homes(ledger: View, home: Story | User) -> tuple[Story | User, ...]:
    """Give what changes together, as it stands now. Raises `NotFoundError`."""
    if isinstance(home, User):
        return (user_of(ledger, home.user_id),)
    return family(ledger, story_of(ledger, home.story_id))


def _spaces(view: View, homes: Sequence[Story | User]) -> tuple[str, ...]:
    """Name the spaces of what changes together."""
    return tuple(
        space
        for home in homes
        for space in (
            spaces_of(view, home.user_id) if isinstance(home, User) else (story_space(home.story_id),)
        )
    )


def _missing(ledger: Ledger, home: Story | User, embedder_id: str) -> _Missing:
    """Give by space the texts, by hash, that have no vector of this embedder yet."""
    with ledger.reading() as view:
        return _unembedded(view, _spaces(view, _homes(view, home)), embedder_id)


def _unembedded(view: View, spaces: Sequence[str], embedder_id: str) -> _Missing:
    found: _Missing = {}
    for space in spaces:
        missing = view.unembedded(space, embedder_id)
        if missing:
            found[space] = {hashed: _text_of(view, space, fact_id) for hashed, fact_id in missing.items()}
    return found


def _text_of(view: View, space: str, fact_id: str) -> str:
    """Give what is embedded of a fact or a turn."""
    turn = view.turn(space, fact_id)
    if turn is not None:
        return turn.words
    return next(memory.text for memory in view.memories(space, fact_id=fact_id) if not memory.in_review)


async def _stage(
    ledger: Ledger, missing: _Missing, embedder: Embedder, progress: ReembedProgress | None
) -> int:
    """Embed texts and keep their vectors, batch by batch: what is kept is not paid for again.

    Returns how many texts were embedded; one that several of the spaces hold is embedded once.
    """
    wanted = {hashed: text for texts in missing.values() for hashed, text in texts.items()}
    hashes = sorted(wanted)
    for at in range(0, len(hashes), BATCH):
        if progress is not None:
            progress(at, len(hashes))
        embedded = await embed_texts([wanted[hashed] for hashed in hashes[at : at + BATCH]], embedder)
        await asyncio.to_thread(_put, ledger, missing, embedder.embedder_id, dict(embedded.vectors))
        if embedded.failures:
            why = embedded.failures[sorted(embedded.failures)[0]]
            raise EmbedderError(
                f"{len(embedded.failures)} texts could not be embedded by {embedder.embedder_id}: {why}; "
                "nothing is switched, and what was embedded is kept for the next call"
            )
    if progress is not None and hashes:
        progress(len(hashes), len(hashes))
    return len(hashes)


def _put(ledger: Ledger, missing: _Missing, embedder_id: str, vectors: dict[str, bytes]) -> None:
    with ledger.writing() as tx:
        for space, texts in missing.items():
            theirs = {hashed: vectors[hashed] for hashed in texts if hashed in vectors}
            # A space that was deleted meanwhile has no use for them.
            if theirs and tx.space(space) is not None:
                tx.stage_vectors(space, embedder_id, theirs)


def _switch(
    ledger: Ledger, home: Story | User, name: str, embedder_id: str
) -> tuple[tuple[Story | User, ...], int] | None:
    """Let the new generation take the old one's place; None when texts came in that lack a vector."""
    with ledger.writing() as tx:
        homes = _homes(tx, home)
        spaces = _spaces(tx, homes)
        if _unembedded(tx, spaces, embedder_id):
            return None
        memories = sum(tx.switch_vectors(space, embedder_id) for space in spaces)
        _record(tx, homes, name, embedder_id)
        for space in spaces:
            tx.clear_staged(space, embedder_id)
        return homes, memories


def _record(ledger: Transaction, homes: Sequence[Story | User], name: str, embedder_id: str) -> None:
    """Record the embedder; what is in memory stays in memory, work under way comes too late."""
    stories = [home for home in homes if isinstance(home, Story)]
    for home in homes:
        if isinstance(home, User):
            _record_user(ledger, replace(home, embedder=name, embedder_id=embedder_id))
        else:
            ledger.put_story(replace(home, embedder=name, embedder_id=embedder_id))
    for story in stories:
        _carry_over(ledger, story.story_id)
    if stories:
        refresh(ledger, stories[0].story_id)


def _record_user(tx: Transaction, user: User) -> None:
    before = {space: tx.work(space, WorkKind.TURNS) for space in spaces_of(tx, user.user_id)}
    set_embedder(tx, user, forget=False)
    for space, work in before.items():
        wanted = tx.work(space, WorkKind.TURNS)
        for unit, done in work.items():
            if done.fingerprint == done.wanted and done.outcome in _SETTLED:
                kept = Work(fingerprint=wanted[unit].wanted, outcome=done.outcome, error=done.error)
                tx.put_work(space, WorkKind.TURNS, unit, kept)


_SETTLED = (Outcome.DONE, Outcome.DROPPED)
"""What needs nobody any more, whoever embeds."""


def _carry_over(ledger: Transaction, story_id: str) -> None:
    """Say of what is done, or dropped by a person, that it is so under the new embedder too."""
    states = ledger.episode_states(story_id)
    wanted = fingerprints(ledger, story_of(ledger, story_id), states)
    for unit, done in ledger.work(story_space(story_id), WorkKind.EXTRACT).items():
        whole, holder = wanted.get(episode_of(unit)), holder_of(unit)
        own = whole if whole is None or holder is None else whole.shares.get(holder)
        if own is not None and done.wanted and done.fingerprint == done.wanted and done.outcome in _SETTLED:
            kept = Work(fingerprint=own.memory, outcome=done.outcome, error=done.error)
            ledger.put_work(story_space(story_id), WorkKind.EXTRACT, unit, kept)
