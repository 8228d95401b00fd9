"""Libraries as owners of spaces: what is made of their documents, and what is waited for."""

from __future__ import annotations

from dataclasses import dataclass, replace

from kataribe.domain.knowledge.documents import Library
from kataribe.domain.recall.calibration import Labelled
from kataribe.domain.recall.requests import RecallKeys
from kataribe.domain.records import SETTLED, Verification, Work
from kataribe.domain.space import Space, SpaceType, library_space
from kataribe.domain.work import WorkItem, WorkKind, work_item
from kataribe.errors import InputError, NotFoundError
from kataribe.knowledge.homes import library_of
from kataribe.knowledge.passages_task import PassagesTask
from kataribe.knowledge.store import want_all
from kataribe.knowledge.verify import verify_library
from kataribe.ports import Transaction, View
from kataribe.work.owner import Makers, MovedKeys, WorkPiece
from kataribe.work.path import WorkTools


class LibraryOwners:
    """All libraries."""

    def owners(self, view: View, of: Space | None) -> tuple[LibraryOwner, ...]:
        """Give all libraries, or the one of a space. Raises `NotFoundError`."""
        if of is None:
            return tuple(LibraryOwner(library) for library in view.libraries())
        return () if of.library is None else (LibraryOwner(library_of(view, of.library)),)


@dataclass(frozen=True, slots=True)
class LibraryOwner:
    """A library: one space, made by cutting its documents."""

    library: Library

    @property
    def space(self) -> Space:
        """The space of its documents."""
        return Space(type=SpaceType.LIBRARY, library=self.library.library_id)

    @property
    def name(self) -> str:
        """The library's id."""
        return self.library.library_id

    @property
    def embedder(self) -> str:
        """The name of the library's embedder."""
        return self.library.embedder

    @property
    def embedder_id(self) -> str:
        """What embedded its documents."""
        return self.library.embedder_id

    @property
    def work(self) -> WorkKind:
        """Documents are cut into passages."""
        return WorkKind.PASSAGES

    @property
    def works(self) -> tuple[WorkKind, ...]:
        """Nothing else is made."""
        return (self.work,)

    @property
    def asks_model(self) -> bool:
        """Never: passages are what documents say."""
        return False

    def spaces(self, view: View) -> tuple[str, ...]:
        """Name its space. Raises `NotFoundError`."""
        return (library_space(library_of(view, self.library.library_id).library_id),)

    def called(self, space: str) -> str:
        """Give the space's name."""
        return space

    def tasks(self, makers: Makers, *, again: bool = False) -> tuple[PassagesTask]:  # noqa: ARG002
        """Give the task that remembers documents."""
        return (PassagesTask(makers.embedder(self.library.embedder)),)

    def items(self, view: View, space: str, now: float) -> list[WorkItem]:
        """Give the documents that are not found, by name."""
        return [
            work_item(work, space=space, kind=self.work, unit=unit, library=self.name, now=now)
            for unit, work in sorted(view.work(space, self.work).items())
            if work.lags
        ]

    def piece(self, view: View, named: int | str) -> WorkPiece:
        """Find a document by its name. Raises `NotFoundError`."""
        (space,) = self.spaces(view)
        unit = str(named)
        if not view.work(space, self.work, unit):
            raise NotFoundError(f"there is no document {unit!r}; `kataribe work list` shows what waits")
        return WorkPiece(space, unit, f"document {unit}", self.work)

    async def verify(self, tools: WorkTools, makers: Makers) -> Verification:
        """Compare what is found in the library with what its documents say."""
        (task,) = self.tasks(makers)
        return await verify_library(tools, task, self.library.library_id)

    def family(self, view: View) -> tuple[LibraryOwner, ...]:
        """Give the library alone. Raises `NotFoundError`."""
        return (LibraryOwner(library_of(view, self.library.library_id)),)

    def record_embedder(self, tx: Transaction, name: str, embedder_id: str) -> MovedKeys:
        """Record the library's embedder; what is done, or dropped by a person, is so under it too."""
        (space,) = self.spaces(tx)
        before = tx.work(space, self.work)
        now = library_of(tx, self.library.library_id)
        tx.put_library(replace(now, embedder=name, embedder_id=embedder_id))
        want_all(tx, now.library_id)
        wanted = tx.work(space, self.work)
        for unit, done in before.items():
            if done.fingerprint == done.wanted and done.outcome in SETTLED:
                kept = Work(fingerprint=wanted[unit].wanted, outcome=done.outcome, error=done.error)
                tx.put_work(space, self.work, unit, kept)
        return {"library": now.library_id}

    def asks(self, one: Labelled) -> RecallKeys:  # noqa: ARG002 - whatever is asked
        """Refuse: labelled questions name who asks, and a library is asked by nobody."""
        raise InputError("questions are measured on a story or a user; a library has no viewers")
