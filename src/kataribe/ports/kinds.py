"""Kinds of spaces: what each must answer, so that the way of a read knows none of them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypedDict

from kataribe.domain.gate import Gate, Slice, Viewer
from kataribe.domain.lineage import StoryScope
from kataribe.domain.memory import Kind, Memory
from kataribe.domain.recall.requests import ViewerKeys
from kataribe.domain.terms import Language
from kataribe.ports.ledger import View


@dataclass(frozen=True, slots=True, kw_only=True)
class Lending:
    """How the memories of a kind of space lend each other their scores, and what they age by.

    `by_turns`: neighbours, sessions and speakers count, and speakers' names are taken out of the
    question. Otherwise sentences of one text lend to each other. `by_clock`: a memory ages by
    the time since it was said, otherwise by what the viewer came to know after it; where nothing
    `ages` neither counts.
    """

    by_turns: bool
    by_clock: bool
    ages: bool = True

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


class QuoteEvidence(Protocol):
    """What the quotes and links of memories lead to, as far as the viewer may follow them."""

    @property
    def told(self) -> frozenset[str]:
        """The facts among those named by `told_from` that the gate admits."""

    def quoted(self, memory: Memory) -> str | None:
        """Give the text of the other episode a memory quotes; None when it may not be shown."""


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

    def evidence(self, view: View, memories: Collection[Memory]) -> QuoteEvidence:
        """Look up what these memories' quotes and links lead to, inside the gate."""

    def describe(self, part: Slice) -> str:
        """Say what a slice holds, for people."""

    def brief(self, part: Slice) -> str:
        """Say the same without the name of its space, which a trace names already."""


class ViewerFields(TypedDict, total=False):
    """What a viewer is made of, as far as it was said."""

    story: str | None
    at: int | None
    is_now: bool
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


Kinds = tuple[SpaceKind, ...]
"""All kinds, in the order in which a gate lists them."""
