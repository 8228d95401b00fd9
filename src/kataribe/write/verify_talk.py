"""Comparing what is remembered of a user's turns with what it should be, made anew and not stored."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from kataribe.domain.conversation import Turn, User, is_system, turn_memories
from kataribe.domain.ids import text_hash
from kataribe.domain.memory import Memory
from kataribe.domain.records import MemoryState, Verification
from kataribe.domain.tokens import term_hash, tokens
from kataribe.ports import Embedder, Ledger, Reading
from kataribe.read.prints import user_of
from kataribe.write.embed import embed_texts
from kataribe.write.verify import is_near


@dataclass(frozen=True, slots=True)
class _Page:
    page: str
    turns: tuple[Turn, ...]
    stored: tuple[Memory, ...]
    derived: Mapping[str, MemoryState]
    lags: bool

    def wanted(self, user: User) -> dict[str, tuple[Turn, Memory]]:
        """Give what should be remembered, and the turn it is of, by memory id."""
        made = ((turn, one) for turn in self.turns for one in turn_memories(user, turn))
        return {memory.memory_id: (turn, memory) for turn, memory in made}


async def verify_user(ledger: Ledger, user_id: str, embedder: Embedder) -> Verification:
    """Derive, embed and cut into terms every turn again, and compare. Raises `NotFoundError`."""

    def begin() -> tuple[User, tuple[str, ...]]:
        with ledger.reading() as reading:
            return user_of(reading, user_id), _pages(reading, user_id)

    user, pages = await asyncio.to_thread(begin)
    problems: list[str] = []
    if user.embedder_id != embedder.embedder_id:
        problems.append(
            f"user {user_id}: embedded by {user.embedder_id}, "
            f"installed is {embedder.embedder_id}; run `kataribe rebuild --user {user_id}`"
        )
    turns = memories = pending = 0
    for name in pages:
        page = await asyncio.to_thread(_gather, ledger, user_id, name)
        turns += len(page.turns)
        memories += len(page.stored)
        pending += sum(not is_system(turn.speaker) for turn in page.turns) if page.lags else 0
        where = f"user {user_id} page {name}"
        found = (
            list(_odd(user, page))
            if page.lags
            else [*_compare(user, page), *await _worn(user, page, embedder)]
        )
        problems += [f"{where}: {problem}" for problem in found]
    return Verification(
        stories=0,
        episodes=0,
        memories=memories,
        pending=0,
        problems=tuple(problems),
        users=1,
        turns=turns,
        pending_turns=pending,
    )


def _pages(ledger: Reading, user_id: str) -> tuple[str, ...]:
    said = {turn.page for turn in ledger.turns(user_id)}
    return tuple(sorted({*said, *ledger.remembered_pages(user_id), *ledger.lagging_pages(user_id)}))


def _gather(ledger: Ledger, user_id: str, page: str) -> _Page:
    with ledger.reading() as reading:
        return _Page(
            page,
            reading.turns(user_id, page=page),
            reading.turn_memories(user_id, page=page),
            reading.turn_states(user_id, page),
            page in reading.lagging_pages(user_id),
        )


def _odd(user: User, page: _Page) -> Iterator[str]:
    """A page that lags may lack memories; what it holds must be of its turns all the same."""
    wanted = page.wanted(user)
    for memory in page.stored:
        if memory.memory_id not in wanted:
            yield f"memory {memory.memory_id} {_odd_words(user, memory, 'is of no turn')}"


def _odd_words(user: User, memory: Memory, otherwise: str = "should not be there") -> str:
    """Say what is wrong with a memory that no turn makes; older releases remembered the system's too."""
    if memory.said is not None and is_system(memory.said.speaker):
        return f"is of no person but of the system; run `kataribe rebuild --user {user.user_id}`"
    return otherwise


def _compare(user: User, page: _Page) -> Iterator[str]:
    should = {memory_id: memory for memory_id, (_, memory) in page.wanted(user).items()}
    have = {memory.memory_id: replace(memory, key=0) for memory in page.stored}
    for gone in sorted(should.keys() - have.keys()):
        yield f"memory {gone} is missing"
    for extra in sorted(have.keys() - should.keys()):
        yield f"memory {extra} {_odd_words(user, have[extra])}"
    for shared in sorted(should.keys() & have.keys()):
        if should[shared] != have[shared]:
            yield f"memory {shared} is not what its turn makes of it"


async def _worn(user: User, page: _Page, embedder: Embedder) -> list[str]:
    """Compare terms and vectors with what the turns give now."""
    wanted = page.wanted(user)
    held = [(wanted[memory.memory_id][0], memory) for memory in page.stored if memory.memory_id in wanted]
    anew = await embed_texts(sorted({turn.words for turn, _ in held}), embedder)
    problems: list[str] = []
    for turn, memory in held:
        state = page.derived[memory.memory_id]
        if not state.live:
            problems.append(f"memory {memory.memory_id} is hidden and should not be")
        if state.terms != terms_of(turn, user):
            problems.append(f"memory {memory.memory_id} has other keywords than its turn")
        vector = anew.vectors.get(text_hash(turn.words))
        if state.vector is None or state.embedder_id != embedder.embedder_id:
            problems.append(f"memory {memory.memory_id} has no vector of {embedder.embedder_id}")
        elif vector is not None and not is_near(state.vector, vector):
            problems.append(f"memory {memory.memory_id} has another vector than its turn")
    return problems


def terms_of(turn: Turn, user: User) -> tuple[int, ...]:
    """Give the hashes of the terms a turn is found by, in order, repeats kept."""
    return tuple(sorted(term_hash(term) for term in tokens(turn.told(user.language), user.language)))
