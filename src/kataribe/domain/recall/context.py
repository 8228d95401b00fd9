"""Contexts: what a model is handed of memory, part by part, within a budget of tokens (M-6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from kataribe.domain.gate import Viewer
from kataribe.domain.memory import NO_USAGE, Backend, Mark, Usage
from kataribe.domain.recall.planning import SearchPlan
from kataribe.errors import InputError

DEFAULT_BUDGET = 6000
"""Tokens of a whole context (design part 6)."""
DEFAULT_TOP_K = 12
"""Memories looked for (S2-37)."""
ESTIMATE = "estimate"
"""The token counter that needs nothing."""
CUT = " […]"
"""Stands where a text was cut."""

Count = Callable[[str], int]
"""Counts the tokens of a text."""


class Component(StrEnum):
    """The parts of a context, in the order they stand in unless told otherwise."""

    PERSONA = "persona"
    """What the caller says of who speaks."""
    STYLE = "style"
    """How it speaks: honorific, tone (S2-48), as the caller says."""
    VIEWER = "viewer"
    """Who remembers, and as of when."""
    LONG = "long"
    """What is kept for long of what was said with a user (the long term)."""
    MID = "mid"
    """What came of the conversations of the last weeks (the mid term)."""
    MEMORIES = "memories"
    """What was recalled."""
    SHORT = "short"
    """What was just said and is at hand (the buffer)."""
    RECENT = "recent"
    """The messages said before, as the caller hands them in."""
    QUESTION = "question"
    """What is asked."""


class ContextOrder(StrEnum):
    """How the chosen memories stand: pinned ones first, then by one of these."""

    SCORE = "score"
    TIME = "time"


class DropReason(StrEnum):
    """DropReason something is not in a context."""

    BUDGET = "budget"
    """No room was left for it."""
    BELOW_MINIMUM = "below_minimum"
    """It is less like the question than what may be used (S2-23)."""
    RECENT = "recent"
    """The recent messages hold it already."""
    DUPLICATE = "duplicate"
    """Another one in the context says the same, or what was said stands there itself."""
    JUDGE = "judge"
    """The model that was asked left it out (S2-29)."""
    SENSITIVE = "sensitive"
    """It holds what was told to all and not to this persona, such as a card number (S2-13)."""
    LEFT_OUT = "left_out"
    """The caller wanted no part of this sort."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextPolicy:
    """The shares of a budget, where the caller names none.

    The question may take `question` of the budget; the style `style` and the persona
    `persona` of what is left; of the rest the recent messages are sure of `recent` of the
    whole budget as far as they need it, and the memories have what remains. What they leave
    goes to the recent messages. `max_budget` is the largest that is taken.
    With a user what was just said takes at most `short` of the whole budget, what is kept for long
    `long` and what came of the last weeks `mid`, each as far as it needs it.
    `contained` is the length in characters from which a memory that stands inside a recent
    message counts as said there.
    """

    question: float = 0.5
    style: float = 0.5
    persona: float = 0.75
    recent: float = 0.25
    short: float = 0.25
    mid: float = 0.1
    long: float = 0.15
    max_budget: int = 2_000_000
    contained: int = 12


DEFAULT_CONTEXT = ContextPolicy()


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextItem:
    """A memory in a context.

    `handle` (`m1`, `m2` ... by rank) names it to the model; `id` and `fact_id` are the
    memory's, to report its use with. `text` is as it stands in the context, before escapes;
    `is_cut` when it did not fit whole; `marks` are those of the hit. `reason` says why it is there.
    `sources` are the ids of the turns that what is kept of conversations rests on.
    """

    handle: str
    id: str
    fact_id: str
    where: str
    text: str
    tokens: int
    reason: str
    score: float | None = None
    quote: str | None = None
    is_cut: bool = False
    marks: tuple[Mark, ...] = ()
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextPart:
    """One part of a context as it stands there, and why; an empty text is not written."""

    name: Component
    text: str
    tokens: int
    budget: int
    reason: str
    items: tuple[ContextItem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """What is not in the context: a memory (its ids and handle) or a recent message (its text's start)."""

    part: Component
    why: DropReason
    detail: str
    handle: str | None = None
    id: str | None = None
    fact_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What a model is handed: `text`, at most `budget` tokens as `counter` counts them.

    `hits` is how many memories were recalled or found by keywords: the items of `parts` and the
    memories of `dropped` are these. `notes` say what did not go as asked. `plan` is that of the search
    (None: there was none); `usage` is what planner and judge cost, as far as they say so.
    """

    viewer: Viewer
    in_cast: bool
    question: str
    text: str
    tokens: int
    budget: int
    counter: str
    parts: tuple[ContextPart, ...]
    dropped: tuple[Dropped, ...]
    hits: int
    notes: tuple[str, ...]
    backend: Backend
    judge: str | None = None
    plan: SearchPlan | None = None
    usage: Usage = NO_USAGE

    @property
    def items(self) -> tuple[ContextItem, ...]:
        """What was recalled and is in it, in the order it stands."""
        return tuple(item for part in self.parts if part.name is Component.MEMORIES for item in part.items)

    @property
    def kept(self) -> tuple[ContextItem, ...]:
        """What is kept of conversations and is in it, in the order it stands."""
        return tuple(
            item for part in self.parts if part.name is not Component.MEMORIES for item in part.items
        )

    @property
    def has_memories(self) -> bool:
        """Whether anything is in it that was remembered or is at hand."""
        told = (Component.LONG, Component.MID, Component.SHORT)
        return bool(self.items) or any(part.text for part in self.parts if part.name in told)

    def part(self, name: Component | str) -> ContextPart | None:
        """Give a part, None when there is none of this sort."""
        return next((part for part in self.parts if part.name == name), None)


class AnswerKind(StrEnum):
    """What an answer is."""

    ANSWER = "answer"
    """A model said it, out of the context."""
    EVIDENCE = "evidence"
    """No model was named: what is remembered, in order, and no answer."""
    NOTHING = "nothing"
    """Nothing is remembered; no model was asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What `answer` gives: the text, what it is, the memories it used, and the context behind it.

    `backend` is the model's id, `none` when no model was asked. `used` are items of the
    context; of evidence they are all that it shows, none of them counted as used.
    """

    kind: AnswerKind
    text: str
    used: tuple[ContextItem, ...]
    backend: str
    context: Context
    notes: tuple[str, ...] = ()
    usage: Usage = NO_USAGE


# -- packing -----------------------------------------------------------------------------------


def clip(text: str, room: int, cost: Count) -> str | None:
    """Give the longest beginning of `text`, with a mark, whose `cost` is at most `room`.

    The whole text when that fits; None when not even a character does. `cost` need only be
    about monotonic: what is given is checked.
    """
    if cost(text) <= room:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if cost(text[:middle].rstrip() + CUT) <= room:
            low = middle
        else:
            high = middle - 1
    kept = text[:low].rstrip()
    return kept + CUT if kept and cost(kept + CUT) <= room else None


def choose(costs: Sequence[int], room: int) -> tuple[int, ...]:
    """Give the places of those to keep, best first: each is taken that still fits when it is its turn."""
    kept: list[int] = []
    for place, cost in enumerate(costs):
        if cost <= room:
            kept.append(place)
            room -= cost
    return tuple(kept)


def newest(costs: Sequence[int], room: int) -> int:
    """Give the place from which on messages fit, without a gap; `len(costs)` when none does."""
    first = len(costs)
    while first > 0 and costs[first - 1] <= room:
        first -= 1
        room -= costs[first]
    return first


def check_budget(budget: object, policy: ContextPolicy = DEFAULT_CONTEXT) -> int:
    """Give the budget back when it is one. Raises `InputError`."""
    if isinstance(budget, bool) or not isinstance(budget, int) or not 1 <= budget <= policy.max_budget:
        raise InputError(
            f"budget must be a whole number of tokens from 1 to {policy.max_budget}, not {budget!r}"
        )
    return budget


def check_parts(names: Sequence[str] | None) -> tuple[Component, ...]:
    """Read which parts are wanted and in which order. Raises `InputError`; the question is never left out."""
    if names is None:
        return tuple(Component)
    if isinstance(names, str):
        raise InputError(f"parts must be a list of names, not the text {names!r}")
    parts = tuple(_component(name) for name in names)
    if len(set(parts)) < len(parts):
        raise InputError(f"parts names one twice: {', '.join(parts)}")
    if Component.QUESTION not in parts:
        raise InputError("parts must hold the question; a context without it answers nothing")
    return parts


def check_budgets(budgets: Mapping[str, int] | None) -> Mapping[Component, int]:
    """Read the budgets of single parts, in tokens (0: nothing of it). Raises `InputError`."""
    read: dict[Component, int] = {}
    for name, tokens in (budgets or {}).items():
        if isinstance(tokens, bool) or not isinstance(tokens, int) or tokens < 0:
            raise InputError(
                f"the budget of {name} must be a whole number of tokens, 0 or more, not {tokens!r}"
            )
        read[_component(name)] = tokens
    return read


def check_order(name: str) -> ContextOrder:
    """Read how memories are to stand. Raises `InputError`."""
    try:
        return ContextOrder(name)
    except ValueError:
        raise InputError(f"order must be {' or '.join(ContextOrder)}, not {name!r}") from None


def _component(name: str) -> Component:
    try:
        return Component(name)
    except ValueError:
        raise InputError(f"there is no part {name!r}; the parts are {', '.join(Component)}") from None
