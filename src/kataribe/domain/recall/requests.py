"""What a caller may say about a read: who asks, and how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal, TypedDict

from kataribe.domain.conversation.buffer import BufferPolicy
from kataribe.domain.recall.log_search import LogSearchPolicy
from kataribe.domain.recall.planning import SearchPlan

At = int | Literal["now"]
"""An episode's number, or `now`: the number after the last live episode, as the store stands."""


NOW: Literal["now"] = "now"
"""What `at` is for a viewer that stands after the last episode."""


class ViewerKeys(TypedDict, total=False):
    """Who asks: a persona at an episode of a story, or one that talks with a user, or both together.

    A story's viewer needs `story`, `persona` and `at` (1 or more: what happened before
    that episode is remembered; `"now"`: all that has happened, and the answer's viewer says the
    number). A user's needs `user`; `persona` (None: nobody's secrets) and
    `as_of` (None: now) may be left out. A reader's is `story` with `reader=True` and `read`, the number
    of the last episode read (0: none), and nothing else: it knows what is told up to there.
    """

    story: str | None
    at: At | None
    user: str | None
    persona: str | None
    as_of: datetime | None
    reader: bool
    read: int | None


class KnownOptions(TypedDict, total=False):
    """What `known` takes beside a viewer: a filter AND-ed with the gate."""

    where: Mapping[str, object] | None


class SearchOptions(TypedDict, total=False):
    """What `search_log` takes beside a viewer and the keywords.

    `policy` says how many turns are given and how long (`SEARCH_TOOL` when left out). `seed`
    decides what is drawn by lot (0).
    """

    policy: LogSearchPolicy | None
    seed: int


class AroundOptions(TypedDict, total=False):
    """What `read_turn` takes beside a viewer and the turn's id.

    `around` is how many turns before and after it are given (2).
    """

    around: int


class BufferOptions(TypedDict, total=False):
    """What `buffer` takes beside a viewer.

    `session` is whose last messages are wanted (else that of the last one). `counter` counts
    tokens (`estimate`), `policy` sets the limits.
    """

    session: str | None
    counter: str
    policy: BufferPolicy | None


class MemoriesOptions(TypedDict, total=False):
    """What `memories` takes beside a viewer: of one `tier` (`mid`, `long`), in one `state`."""

    tier: str | None
    state: str | None


class AssociateOptions(TypedDict, total=False):
    """What `associate` takes beside a viewer and the text: `hops` 1 to 3 (3), `top_k` 1 to 100 (10)."""

    hops: int
    top_k: int


class RecallOptions(KnownOptions, total=False):
    """What `recall` takes beside a viewer and the question.

    `top_k` is 1 to 1000 (10). `explain` adds how it came about. `intent` is one of
    `kataribe.Intent` and spares asking for it. `planner` is `rules` (when left out), `none`, or a model
    as `provider:model`. `reranker` is None (none is used), `cross-encoder`, or a model.
    `min_similarity` is a cosine, -1 to 1: hits less like the question are left out. `min_relevance`
    is 0 to 1: hits less likely to answer it are, and those whose relevance nobody can tell. `recent`
    are the messages said before, oldest first: what is in them is not searched for again.
    `plan` is a plan made before: nobody is asked for one. `archived` searches also what was not used
    for so long that it is archived (False).
    """

    top_k: int
    explain: bool
    intent: str | None
    planner: str | None
    reranker: str | None
    min_similarity: float | None
    min_relevance: float | None
    recent: Sequence[str]
    plan: SearchPlan | None
    archived: bool


class ContextOptions(RecallOptions, total=False):
    """What `context` takes beside a viewer and the question.

    That is all that `recall` takes, and how it is put together.
    `budget` is in tokens (6000) as `counter` counts them: `estimate`, or `tokenizer:PATH` of
    the target model's tokenizer.json. `top_k` is 12 here, and memories less like the question
    than the shipped minimum of their embedder are left out unless `min_similarity` says
    otherwise. `judge` is None, or a model as `provider:model` that leaves out what is of no
    use. `order` puts the chosen by `score`, or by `time`. `parts` names the parts wanted, in
    order (`persona style viewer long mid memories short recent question`), `budgets` limits single ones.
    `session` is whose last messages are at hand, with a user (else that of the last one).
    `speaks_as` is the name to speak under (else the viewer's id), `persona_text` and `style`
    (honorific, tone) are the caller's words and taken as they are.
    """

    budget: int
    counter: str
    judge: str | None
    order: str
    parts: Sequence[str] | None
    budgets: Mapping[str, int] | None
    session: str | None
    speaks_as: str | None
    persona_text: str | None
    style: str | None


class AnswerOptions(ContextOptions, total=False):
    """What `answer` takes beside a viewer and the question: all that `context` takes, and who answers.

    `model` is a model as `provider:model`; without one the evidence is given instead.
    """

    model: str | None


class KnownKeys(ViewerKeys, KnownOptions, total=False):
    """A viewer, and what `known` takes."""


class SearchKeys(ViewerKeys, SearchOptions, total=False):
    """A viewer, and what `search_log` takes."""


class AroundKeys(ViewerKeys, AroundOptions, total=False):
    """A viewer, and what `read_turn` takes."""


class BufferKeys(ViewerKeys, BufferOptions, total=False):
    """A viewer, and what `buffer` takes."""


class MemoriesKeys(ViewerKeys, MemoriesOptions, total=False):
    """A viewer, and what `memories` takes."""


class AssociateKeys(ViewerKeys, AssociateOptions, total=False):
    """A viewer, and what `associate` takes."""


class RecallKeys(ViewerKeys, RecallOptions, total=False):
    """A viewer, and what `recall` takes."""


class ContextKeys(ViewerKeys, ContextOptions, total=False):
    """A viewer, and what `context` takes."""


class AnswerKeys(ViewerKeys, AnswerOptions, total=False):
    """A viewer, and what `answer` takes."""
