"""The way of a turn: stored as it was said, then remembered page by page."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from kataribe.domain.conversation import Turn, User, turn_memories
from kataribe.domain.ids import text_hash
from kataribe.domain.memory import Memory
from kataribe.domain.tokens import tokens
from kataribe.errors import NotFoundError
from kataribe.ports import Embedder, Ledger, Reading, Writing
from kataribe.write.embed import embed_texts

TalkProgress = Callable[[int, int], None]
"""Called with how many of the lagging pages are done, and how many there are."""

_TRIES = 3
"""How often a page is made again at once when turns come in meanwhile; the next call goes on."""


@dataclass(slots=True)
class TalkReport:
    """What was stored and remembered: turns new or changed, pages done, texts embedded, and what failed."""

    turns: int = 0
    pages: int = 0
    embedded: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    """By page: why its turns could not be embedded; they are stored, and tried again by the next call."""
    outdated: int = 0
    """Pages that changed while they were worked on; they are due as they stand now."""


@dataclass(frozen=True, slots=True)
class _Page:
    page: str
    turns: tuple[Turn, ...]
    memories: tuple[Memory, ...]

    @property
    def texts(self) -> dict[str, str]:
        """What is embedded, by hash."""
        remembered = {memory.fact_id for memory in self.memories}
        return {text_hash(turn.words): turn.words for turn in self.turns if turn.turn_id in remembered}


async def remember(
    ledger: Ledger,
    user: User,
    embedder: Embedder,
    report: TalkReport,
    *,
    anew: bool = False,
    progress: TalkProgress | None = None,
) -> None:
    """Bring what is remembered of a user's turns up to them; it can be stopped and called again.

    `anew` embeds every text of the lagging pages, also those that have a vector already.

    Raises `NotFoundError` when the user is deleted meanwhile.
    """
    pages = await asyncio.to_thread(_lagging, ledger, user.user_id)
    for done, page in enumerate(pages):
        if progress is not None:
            progress(done, len(pages))
        for _ in range(_TRIES):
            if await _bring_up(ledger, user, embedder, page, report, anew=anew):
                break
            report.outdated += 1
    if progress is not None and pages:
        progress(len(pages), len(pages))


def _lagging(ledger: Ledger, user_id: str) -> tuple[str, ...]:
    with ledger.reading() as reading:
        return reading.lagging_pages(user_id)


async def _bring_up(
    ledger: Ledger, user: User, embedder: Embedder, page: str, report: TalkReport, *, anew: bool
) -> bool:
    """Make a page's memory; False when its turns changed meanwhile."""

    def read() -> tuple[_Page, dict[str, str]]:
        with ledger.reading() as reading:
            given = _gather(reading, user, page)
            return given, given.texts if anew else _missing(reading, user, given)

    given, missing = await asyncio.to_thread(read)
    embedded = await embed_texts(list(missing.values()), embedder)
    if embedded.failures:
        report.failed[page] = embedded.failures[sorted(embedded.failures)[0]]
        return True

    def write() -> bool:
        with ledger.writing() as writing:
            return _commit(writing, user, given, embedded.vectors)

    if not await asyncio.to_thread(write):
        return False
    report.pages += 1
    report.embedded += len(embedded.vectors)
    return True


def _gather(ledger: Reading, user: User, page: str) -> _Page:
    turns = ledger.turns(user.user_id, page=page)
    return _Page(page, turns, tuple(one for turn in turns for one in turn_memories(user, turn)))


def _missing(ledger: Reading, user: User, given: _Page) -> dict[str, str]:
    known = ledger.known_vectors(user.embedder_id, given.texts)
    return {hashed: text for hashed, text in given.texts.items() if hashed not in known}


def _commit(ledger: Writing, user: User, given: _Page, vectors: Mapping[str, bytes]) -> bool:
    current = ledger.user(user.user_id)
    if current is None:
        raise NotFoundError(f"there is no user {user.user_id!r} any more")
    if current.embedder_id != user.embedder_id or _gather(ledger, current, given.page) != given:
        return False
    have = {**ledger.known_vectors(user.embedder_id, given.texts), **vectors}
    if any(hashed not in have for hashed in given.texts):
        return False
    ledger.replace_page(
        user.user_id,
        given.page,
        given.memories,
        terms={turn.turn_id: tokens(turn.told(user.language), user.language) for turn in given.turns},
        vectors=have,
        embedder_id=user.embedder_id,
    )
    return True


def rebuild(ledger: Writing, user: User) -> int:
    """Mark all of a user's pages to be made again by what `user` names; returns how many.

    What another embedder made is forgotten at once: its vectors cannot be compared with new
    ones. Raises `NotFoundError`.
    """
    before = ledger.user(user.user_id)
    if before is None:
        raise NotFoundError(f"there is no user {user.user_id!r} any more")
    ledger.sweep()
    if before != user:
        ledger.put_user(user)
    return ledger.lag_pages(user.user_id, forget=before.embedder_id != user.embedder_id)


def store(ledger: Writing, user_id: str, turns: Sequence[Turn]) -> int:
    """Store turns as they were said; returns how many are new or changed. Raises `NotFoundError`."""
    if ledger.user(user_id) is None:
        raise NotFoundError(f"there is no user {user_id!r}; add it first")
    return ledger.put_turns(user_id, turns)
