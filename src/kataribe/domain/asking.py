"""What a caller may say about a read: who asks, and how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TypedDict

from kataribe.domain.logsearch import LogSearchPolicy


class ViewerKeys(TypedDict, total=False):
    """Who asks: a character at an episode of a story, or a persona in a user's space.

    A story's viewer needs `story_id`, `character` and `at` (1 or more: what happened before
    that episode is remembered). A user's needs `user`; `persona` (None: nobody's secrets) and
    `as_of` (None: now) may be left out.
    """

    story_id: str | None
    character: str | None
    at: int | None
    user: str | None
    persona: str | None
    as_of: datetime | None


class KnownKeys(ViewerKeys, total=False):
    """What `known` takes: a viewer, and a filter AND-ed with the gate."""

    where: Mapping[str, object] | None


class SearchKeys(ViewerKeys, total=False):
    """What `search_log` takes beside the keywords.

    `policy` says how many turns are given and how long (`SEARCH_TOOL` when left out). `seed`
    decides what is drawn by lot (0).
    """

    policy: LogSearchPolicy | None
    seed: int


class RecallKeys(KnownKeys, total=False):
    """What `recall` takes beside the question.

    `top_k` is 1 to 1000 (10). `explain` adds how it came about. `intent` is one of
    `kataribe.Intent` and spares asking for it. `planner` is `rules` (when left out), `none`, or a model
    as `provider:model`. `reranker` is None (none is used), `cross-encoder`, or a model.
    `min_similarity` is a cosine, -1 to 1: hits less like the question are left out. `recent`
    are the messages said before, oldest first: what is in them is not searched for again. `seed`
    decides whatever is drawn by lot.
    """

    top_k: int
    explain: bool
    intent: str | None
    planner: str | None
    reranker: str | None
    min_similarity: float | None
    recent: Sequence[str]
    seed: int
