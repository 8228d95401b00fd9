"""Owners of spaces: a story, a user or a library; what each answers, so that no verb knows which it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypedDict, TypeVar

from kataribe.domain.recall.calibration import Labelled
from kataribe.domain.recall.requests import RecallKeys
from kataribe.domain.records import Verification
from kataribe.domain.space import Space
from kataribe.domain.work import WorkItem, WorkKind
from kataribe.ports import Clock, Embedder, Extractor, Summarizer, Transaction, View
from kataribe.work.path import WorkTools
from kataribe.work.task import Task

T = TypeVar("T")


class Makers(Protocol):
    """Who is asked for the models an owner's work needs, by name."""

    @property
    def embedder(self) -> Callable[[str], Embedder]:
        """Gives an embedder. Raises `MissingExtraError`, `InputError`."""

    @property
    def extractor(self) -> Callable[[str], Extractor]:
        """Gives who reads texts. Raises `InputError`."""

    def kept(self, kind: Callable[[], T]) -> T:
        """Give what tasks keep of this kind from one sync of an open store to the next; made when missing."""

    @property
    def summarizer(self) -> Callable[[str], Summarizer]:
        """Gives who sums up what was said. Raises `InputError`."""

    @property
    def clock(self) -> Clock:
        """What time it is."""


@dataclass(frozen=True, slots=True)
class WorkPiece:
    """One piece of work as a person names it: where it is, and what to call it in a message."""

    space: str
    unit: str
    title: str
    kind: WorkKind


class MovedKeys(TypedDict, total=False):
    """Whom a change of embedder has changed."""

    stories: tuple[str, ...]
    user: str
    library: str


class Owner(Protocol):
    """A story, a user or a library as work sees it: its spaces, and what is made in them."""

    @property
    def space(self) -> Space:
        """Its own space."""

    @property
    def name(self) -> str:
        """Its id."""

    @property
    def embedder(self) -> str:
        """The name of its embedder among those there are."""

    @property
    def embedder_id(self) -> str:
        """What that was called exactly when its vectors were made."""

    @property
    def works(self) -> tuple[WorkKind, ...]:
        """All kinds of work whose failures are listed, that which makes its memory first."""

    @property
    def asks_model(self) -> bool:
        """Whether a language model is asked for what is made."""

    def spaces(self, view: View) -> tuple[str, ...]:
        """Name the spaces it has, its own first. Raises `NotFoundError` when it is gone."""

    def called(self, space: str) -> str:
        """Give what progress calls one of its spaces."""

    def tasks(self, makers: Makers, *, again: bool = False) -> tuple[Task[Any], ...]:
        """Give the task that makes its memory, and then those that make something further of it.

        `again` leaves kept answers of models aside.
        """

    def items(self, view: View, space: str, now: float) -> list[WorkItem]:
        """Give what is not in memory of one of its spaces."""

    def piece(self, view: View, named: int | str) -> WorkPiece:
        """Find a piece of work by an episode's number or a unit's name. Raises `NotFoundError`."""

    async def verify(self, tools: WorkTools, makers: Makers) -> Verification:
        """Compare its memory with what its inputs make of it."""

    def family(self, view: View) -> tuple[Owner, ...]:
        """Give what shares its embedder, itself with it, as it stands now. Raises `NotFoundError`."""

    def record_embedder(self, tx: Transaction, name: str, embedder_id: str) -> MovedKeys:
        """Record another embedder for its family, which is named; what is in memory stays in memory."""

    def asks(self, one: Labelled) -> RecallKeys:
        """Say as which viewer a labelled question is asked."""


class OwnerKind(Protocol):
    """One kind of owner."""

    def owners(self, view: View, of: Space | None) -> tuple[Owner, ...]:
        """Give all of the kind, by id, or the one of a space; none when the space is another kind's.

        Raises `NotFoundError` when there is none of this id.
        """
