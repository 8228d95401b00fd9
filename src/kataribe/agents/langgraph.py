"""LangGraph: a `BaseStore` in one user's space, a node that retrieves, and one that saves what was said.

Each is bound to its viewer when it is made. Importing this loads LangGraph, which takes seconds.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Protocol, Unpack

from langchain_core.runnables import RunnableConfig
from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)

from kataribe.agents.items import KeptItem, item_id, kept_in, matches, names, reaches
from kataribe.agents.messages import last_asked, plain
from kataribe.domain.conversation.turns import Turn
from kataribe.domain.memory import Hit, TurnHit
from kataribe.domain.recall.requests import ContextOptions, ViewerKeys
from kataribe.domain.terms import PUBLIC, Audience, Language
from kataribe.errors import NotFoundError
from kataribe.face.sync.kataribe import Kataribe

MOST_RANKED = 1000
"""How many memories a search ranks; items beyond them come last and have no score."""


class RetrievalNode(Protocol):
    """A node that looks up what is remembered."""

    def __call__(self, state: Any) -> dict[str, Any]:
        """Give what is remembered of the question in the state."""


class SavingNode(Protocol):
    """A node that stores what was said."""

    def __call__(self, state: Any, config: RunnableConfig) -> dict[str, Any]:
        """Store the messages of the state; changes nothing of it."""


class KataribeStore(BaseStore):
    """LangGraph's long-term memory, in the space of one user and held by one persona.

    An item is a turn of the user's space: what `persona` is told of, and nobody else (None: told to
    all). A namespace is a label and chooses no viewer: another user's items are out of reach whatever
    it says. `search` with a query ranks as recall does; `index=False` leaves an item out of that, and
    a list of fields is taken as the whole item. There is no time to live.
    """

    def __init__(
        self,
        memory: Kataribe,
        *,
        user: str,
        persona: str | None = None,
        language: Language = "en",
        embedder: str | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """Bind the store; `language` and `embedder` are what a missing user is made with by the first item.

        `clock` gives the moment at which something is put. Raises `InputError` for an id that is none.
        """
        self._clock = clock
        self._viewer = memory.viewer(user=user, persona=persona)
        self._user = memory.user(user)
        self._audience = PUBLIC if persona is None else Audience(members=frozenset({persona}))
        self._language: Language = language
        self._embedder = embedder

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do several operations: reads see the store as it was, then all that is put is written at once.

        Raises `ValueError` for an operation of another kind, `InputError` for an item that cannot be kept.
        """
        asked = list(ops)
        found = [self._read(op) for op in asked]
        self._write({item_id(op.namespace, op.key): op for op in asked if isinstance(op, PutOp)})
        return found

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Do what `batch` does, off the event loop."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _read(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            return self._get(op)
        if isinstance(op, SearchOp):
            return self._search(op)
        if isinstance(op, ListNamespacesOp):
            return self._namespaces(op)
        if isinstance(op, PutOp):
            return None
        raise ValueError(f"there is no operation of the kind {type(op).__name__}")

    def _get(self, op: GetOp) -> Item | None:
        name = item_id(op.namespace, op.key)
        try:
            hits = self._viewer.read_turn(name, around=0).hits
        except NotFoundError:
            return None
        found = next((one for one in _items(hits) if one.item_id == name), None)
        return None if found is None else Item(**found.fields())

    def _search(self, op: SearchOp) -> list[SearchItem]:
        kept = [one for one in self._all() if reaches(one, op.namespace_prefix) and matches(one, op.filter)]
        scores = self._scores(op.query) if op.query else {}
        ranked = sorted(
            (one for one in kept if one.item_id in scores), key=lambda one: scores[one.item_id][1]
        )
        rest = (one for one in kept if one.item_id not in scores)
        ordered = [*ranked, *rest][op.offset : op.offset + op.limit]
        return [SearchItem(**one.fields(), score=scores.get(one.item_id, (None, 0))[0]) for one in ordered]

    def _scores(self, query: str) -> dict[str, tuple[float | None, int]]:
        """Rank what is remembered: the score and the rank of each item that is searched, by its id."""
        try:
            hits = self._viewer.recall(query, top_k=MOST_RANKED, planner="none", archived=True).hits
        except NotFoundError:
            return {}
        items = {one.item_id for one in _items(hits) if one.is_searched}
        return {hit.fact_id: (hit.score, rank) for rank, hit in enumerate(hits) if hit.fact_id in items}

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        found = {one.namespace for one in self._all()}
        conditions = op.match_conditions or ()
        kept = {one for one in found if all(names(one, each.match_type, each.path) for each in conditions)}
        cut = kept if op.max_depth is None else {one[: op.max_depth] for one in kept}
        return sorted(cut)[op.offset : op.offset + op.limit]

    def _all(self) -> list[KeptItem]:
        """Give all items, as they were put first."""
        try:
            hits = self._viewer.known().hits
        except NotFoundError:
            # Nobody has put anything yet.
            return []
        return sorted(_items(hits), key=lambda one: (one.created_at, one.item_id))

    def _write(self, puts: Mapping[str, PutOp]) -> None:
        if not puts:
            return
        there = {one.item_id: one for one in self._all()}
        now = self._clock()
        turns = [
            KeptItem.made(op.namespace, op.key, op.value, op.index, now=now, before=there.get(name)).turn(
                self._audience
            )
            for name, op in puts.items()
            if op.value is not None
        ]
        gone = [name for name, op in puts.items() if op.value is None and name in there]
        self._put(turns)
        if gone:
            self._user.delete_turns(gone)

    def _put(self, turns: Sequence[Turn]) -> None:
        if turns:
            self._user.import_log(turns, language=self._language, embedder=self._embedder)
            self._user.sync()


def _items(hits: Iterable[Hit]) -> list[KeptItem]:
    found = (kept_in(hit) for hit in hits if isinstance(hit, TurnHit))
    return [one for one in found if one is not None]


def retrieval_node(memory: Kataribe, viewer: ViewerKeys, **asked: Unpack[ContextOptions]) -> RetrievalNode:
    """Make a node that looks up what a viewer remembers of the question in the state.

    The question is `state["question"]`, else the last message of the user in `state["messages"]`. It
    gives `context`, the text for a model, `memories`, and who remembers, as of when: `story_id`,
    `character_id`, `current_episode_no`, `user_id`. Whatever the state says of these is not heeded.
    `asked` is what `context` takes. Raises `InputError` when these words make no viewer, and, as a
    node, when the state asks nothing.
    """
    handle = memory.viewer(**viewer)

    def retrieve(state: Any) -> dict[str, Any]:
        made = handle.context(last_asked(state), **asked)
        return {
            "context": made.text,
            "memories": [
                {"text": one.text, "where": one.where, "fact_id": one.fact_id} for one in made.items
            ],
            "story_id": made.viewer.story,
            "character_id": made.viewer.persona,
            "current_episode_no": made.viewer.at,
            "user_id": made.viewer.user,
        }

    return retrieve


def saving_node(
    memory: Kataribe,
    *,
    user: str,
    persona: str | None = None,
    story: str | None = None,
    at: int | None = None,
    language: Language | None = None,
) -> SavingNode:
    """Make a node that stores the messages of the state as turns; those stored before are not stored again.

    The session is the thread of the graph's configuration. What the system, tools and calls of tools
    say is left out, and without a `persona` what the assistant says. They are held by `persona` (None:
    told to all), with `story` and `at` as talk at that episode.
    """
    handle = memory.user(user)

    def save(state: Any, config: RunnableConfig) -> dict[str, Any]:
        thread = config.get("configurable", {}).get("thread_id")
        messages = plain(state.get("messages", ()))
        if messages:
            handle.remember(
                messages,
                persona=persona,
                session=None if thread is None else str(thread),
                story=story,
                at=at,
                language=language,
            )
        return {}

    return save
