"""Kinds of spaces: what each must answer, so that the way of a read knows none of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Protocol, TypedDict, runtime_checkable

from kataribe.domain.around import StorySentence
from kataribe.domain.conversation.buffer import BufferPolicy
from kataribe.domain.filters import Filter
from kataribe.domain.gate import Gate, Slice, Viewer
from kataribe.domain.lineage import StoryScope
from kataribe.domain.memory import Kind, Memory
from kataribe.domain.recall.at_hand import AtHand
from kataribe.domain.recall.requests import ViewerKeys
from kataribe.domain.terms import Language
from kataribe.domain.text.without import without
from kataribe.ports.ledger import Transaction, View


@dataclass(frozen=True, slots=True, kw_only=True)
class Lending:
    """How the memories of a kind of space lend each other their scores, and what they age by.

    `by_turns`: neighbours, sessions and speakers count, and speakers' names are taken out of the
    question. Otherwise sentences of one text lend to each other. `by_clock`: a memory ages by
    the time since it was said, otherwise by what the viewer came to know after it; where nothing
    `ages` neither counts. Where memories are given `once`, of the copies that several holders have of
    one fact the first alone counts.
    """

    by_turns: bool
    by_clock: bool
    ages: bool = True
    once: bool = False

    @property
    def kind(self) -> Kind:
        """What sort the memories are."""
        if self.by_turns:
            return Kind.TURN
        return Kind.FACT if self.ages else Kind.PASSAGE


@dataclass(frozen=True, slots=True)
class BuiltWith:
    """By what the texts of a space are remembered.

    `embedder` is its name among the engine's and `embedder_id` what it was called exactly when the
    vectors were made; `model` reads the texts.
    """

    embedder: str
    embedder_id: str
    model: str


@dataclass(frozen=True, slots=True)
class Reached:
    """Under which name a viewer's uses are kept in a space, and how far it has come there."""

    space: str
    viewer: str
    upto: int


@dataclass(frozen=True, slots=True)
class AroundRequest:
    """That what stands around sentences is wanted, as far as a caller's filter lets it pass."""

    where: Filter | None = None


class QuoteEvidence(Protocol):
    """What the quotes and links of memories lead to, as far as the viewer may follow them."""

    @property
    def told(self) -> frozenset[str]:
        """The facts among those named by `told_from` that the gate admits."""

    def quoted(self, memory: Memory) -> str | None:
        """Give the text of the other episode a memory quotes; None when it may not be shown."""

    def around(self, memory: Memory) -> tuple[StorySentence, ...]:
        """Give a sentence of a text among those beside it that may be shown; nothing of any other memory."""


Told = tuple[str, str]
"""The space and the id of a fact or turn."""


@dataclass(frozen=True, slots=True)
class Fading:
    """What of a home is given to nobody, what is not recalled, and what counts for less.

    `gone` and `unsearched` say why; what is gone is unsearched too. `factors` are what scores are
    multiplied by, 0 to 1; what is in none of them is multiplied by what is `usual`. `archived` is
    what of the unsearched is found where that is asked for, and its factors. `cut` are the places, in
    characters, of what is no longer so in a text of which the rest is.
    """

    gone: Mapping[Told, str] = field(default_factory=dict)
    unsearched: Mapping[Told, str] = field(default_factory=dict)
    factors: Mapping[Told, float] = field(default_factory=dict)
    usual: float = 1.0
    archived: Mapping[Told, float] = field(default_factory=dict)
    cut: Mapping[Told, tuple[tuple[int, int], ...]] = field(default_factory=dict)

    def with_archived(self) -> Fading:
        """Give the same where what is archived is searched too."""
        left = {told: why for told, why in self.unsearched.items() if told not in self.archived}
        return replace(self, unsearched=left, factors={**self.factors, **self.archived})

    @property
    def changes_scores(self) -> bool:
        """Whether anything of it counts for more or less than it was found to."""
        return self.usual != 1 or any(factor != 1 for factor in self.factors.values())

    def left(self, memories: Iterable[Memory]) -> tuple[Memory, ...]:
        """Leave out what nobody is given any more."""
        if not self.gone and not self.cut:
            return tuple(memories)
        return tuple(self.shown(one) for one in memories if (one.space, one.fact_id) not in self.gone)

    def shown(self, memory: Memory) -> Memory:
        """Give a memory without what of its text is no longer so."""
        places = self.cut.get((memory.space, memory.fact_id))
        return memory if places is None else replace(memory, text=without(memory.text, places))


NOTHING_FADED = Fading()


class Home(Protocol):
    """What a viewer may be given of one kind of space, and what is needed to rank and show it.

    `names` are the other names of everybody the viewer knows by more than one, normalised.
    `voices` are the speakers the gate admits, with the first position each speaks at.
    `reached` says where uses are kept: written under the last, read under all.
    """

    @property
    def title(self) -> str:
        """What to call it in a message: `story 's'`."""

    @property
    def gate(self) -> Gate:
        """What of it may be read."""

    @property
    def width(self) -> int:
        """How many parts of the order of a gate it takes."""

    @property
    def language(self) -> Language:
        """The language it is remembered in."""

    @property
    def built_with(self) -> BuiltWith:
        """By what it is remembered."""

    @property
    def lending(self) -> Lending:
        """How its memories are ranked."""

    @property
    def scope(self) -> StoryScope | None:
        """What talk under its story must know of it; None: it is no story."""

    @property
    def names(self) -> tuple[tuple[str, ...], ...]:
        """Other names, one tuple for each who has any."""

    @property
    def voices(self) -> dict[str, int]:
        """Who speaks in it."""

    @property
    def pending_episodes(self) -> tuple[int, ...]:
        """Numbers within the cutoff that are not in the viewer's memory yet."""

    @property
    def pending_turns(self) -> int:
        """How many turns up to the viewer's moment are not."""

    @property
    def reached(self) -> tuple[Reached, ...]:
        """Where uses are kept."""

    def fading(self, view: View) -> Fading:
        """Say what of it is forgotten or fades, as far as the gate shows."""

    def evidence(
        self, view: View, memories: Collection[Memory], *, around: AroundRequest | None = None
    ) -> QuoteEvidence:
        """Look up what these memories' quotes and links lead to, inside the gate.

        What stands around sentences is looked up where that is asked.
        """

    def describe(self, part: Slice, *, briefly: bool = False) -> str:
        """Say what a slice holds, for people; `briefly` leaves out its space, which a trace names already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AtHandRequest:
    """Whose last messages are wanted (None: those of the last session), and how many of them."""

    session: str | None
    count: Callable[[str], int]
    policy: BufferPolicy


@runtime_checkable
class TalkHome(Protocol):
    """A home of what was said: some of it is at hand whatever is asked."""

    def at_hand(self, view: View, asked: AtHandRequest) -> AtHand:
        """Give what was just said and what is kept of the rest, inside the gate."""


@runtime_checkable
class Associative(Protocol):
    """A home in which some memories bring others to mind."""

    def in_mind(self, view: View, text: str, fading: Fading) -> Mapping[int, float]:
        """Give the memories that a text brings to mind: how much, by key. What has but its words is not."""


class ViewerFields(TypedDict, total=False):
    """What a viewer is made of, as far as it was said."""

    story: str | None
    at: int | None
    is_now: bool
    is_reader: bool
    user: str | None
    persona: str | None
    as_of: datetime | None


class SpaceKind(Protocol):
    """One kind of space. Reads, work and erasure reach it through this and nothing else."""

    @property
    def name(self) -> str:
        """What it is called."""

    def fields(self, keys: ViewerKeys, *, now: datetime) -> ViewerFields:
        """Give what a caller's words say of this kind; empty when they ask for none of it.

        Raises `InputError` when something is missing: nothing about a viewer is guessed (S0-21).
        """

    def open(self, view: View, viewer: Viewer, *, scope: StoryScope | None, part: int) -> Home | None:
        """Give what a viewer may be given of it; None when the viewer does not ask for any.

        `scope` is that of the viewer's story, if it has one; slices are numbered from `part` on.
        Raises `NotFoundError` for an unknown story or user.
        """

    def erase(self, tx: Transaction, user_id: str) -> Mapping[str, int]:
        """Remove all that spaces of this kind hold of a user; counts by table what there was."""

    def left(self, view: View, user_id: str) -> Mapping[str, int]:
        """Count anew by table what is there of a user in spaces of this kind, whether or not there is one."""


Kinds = tuple[SpaceKind, ...]
"""All kinds, in the order in which a gate lists them."""
