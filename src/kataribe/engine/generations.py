"""From one embedder to another: a generation of vectors is made beside the old, then takes its place (M-7).

The old one answers until the one transaction that switches; a reader sees either, never both.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from kataribe.domain.knowledge.documents import passage_terms
from kataribe.domain.memory import Kind
from kataribe.domain.records import Reembedded
from kataribe.domain.text.tokens import tokens
from kataribe.errors import ConflictError, EmbedderError, retold
from kataribe.ports import Embedder, Ledger, View
from kataribe.work.embed import BATCH, embed_texts
from kataribe.work.owner import MovedKeys, Owner
from kataribe.work.task import WordsIn, words_of

ReembedProgress = Callable[[int, int], None]
"""Called with how many of the texts have their new vector, and how many there are."""

_Missing = dict[str, dict[str, str]]
"""Texts that have no vector yet: by space, then by text hash."""
_ROUNDS = 100
"""How often texts that came in meanwhile are caught up before the writers are asked to pause."""


async def reembed(
    ledger: Ledger,
    owner: Owner,
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
        missing = await asyncio.to_thread(_missing, ledger, owner, new)
        made += await _stage(ledger, missing, embedder, progress)
        switched = await asyncio.to_thread(_switch, ledger, owner, name, embedder)
        if switched is not None:
            moved, memories = switched
            return Reembedded(
                embedder=name,
                embedder_id=new,
                before=owner.embedder_id,
                is_lexical=embedder.is_lexical,
                **moved,
                texts=made,
                memories=memories,
            )
    raise ConflictError(
        f"texts come in faster than {new} embeds them; let the writers pause and call again: "
        "what is embedded is kept"
    )


def _spaces(view: View, owners: Sequence[Owner]) -> tuple[str, ...]:
    """Name the spaces of what changes together."""
    return tuple(space for owner in owners for space in owner.spaces(view))


def _missing(ledger: Ledger, owner: Owner, embedder_id: str) -> _Missing:
    """Give by space the texts, by hash, that have no vector of this embedder yet."""
    with ledger.reading() as view:
        return _unembedded(view, _spaces(view, owner.family(view)), embedder_id)


def _unembedded(view: View, spaces: Sequence[str], embedder_id: str) -> _Missing:
    found: _Missing = {}
    for space in spaces:
        missing = view.unembedded(space, embedder_id)
        if missing:
            found[space] = {hashed: _text_of(view, space, fact_id) for hashed, fact_id in missing.items()}
    return found


def _text_of(view: View, space: str, fact_id: str) -> str:
    """Give what is embedded of a fact, a turn or a passage."""
    turn = view.turn(space, fact_id)
    if turn is not None:
        return turn.words
    return next(memory.words for memory in view.memories(space, fact_id=fact_id) if not memory.in_review)


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
        texts = [wanted[hashed] for hashed in hashes[at : at + BATCH]]
        embedded = await embed_texts(texts, embedder, told=retold)
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


def _switch(ledger: Ledger, owner: Owner, name: str, embedder: Embedder) -> tuple[MovedKeys, int] | None:
    """Let the new generation take the old one's place; None when texts came in that lack a vector."""
    embedder_id, words = embedder.embedder_id, words_of(embedder)
    with ledger.writing() as tx:
        spaces = _spaces(tx, owner.family(tx))
        if _unembedded(tx, spaces, embedder_id):
            return None
        memories = sum(tx.switch_vectors(space, embedder_id, _terms(tx, space, words)) for space in spaces)
        moved = owner.record_embedder(tx, name, embedder_id)
        for space in spaces:
            tx.clear_staged(space, embedder_id)
        return moved, memories


def _terms(view: View, space: str, words: WordsIn) -> dict[int, tuple[str, ...]]:
    """Give what each memory of a space is found by: its embedder may know other words than the last."""
    state = view.space(space)
    assert state is not None
    turns = {turn.turn_id: turn for turn in view.turns(space)}
    found: dict[int, tuple[str, ...]] = {}
    for memory in view.memories(space):
        if memory.kind is Kind.PASSAGE:
            found[memory.key] = tuple(passage_terms(memory, state.language))
            continue
        turn = turns.get(memory.fact_id) if memory.kind is Kind.TURN else None
        text = memory.text if turn is None else turn.words
        told = text if turn is None else turn.told(state.language)
        found[memory.key] = (*tokens(told, state.language), *words(text))
    return found
