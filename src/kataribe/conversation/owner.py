"""Users as owners of spaces: what is made of what was said with them, and what is waited for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from kataribe.conversation.asks_task import AsksTask
from kataribe.conversation.associations_task import AssociationsTask
from kataribe.conversation.homes import user_of
from kataribe.conversation.page_task import TurnsTask
from kataribe.conversation.running_lives import RunningLives
from kataribe.conversation.store import set_embedder, spaces_of
from kataribe.conversation.tiers_task import TiersTask
from kataribe.conversation.verify import verify_user
from kataribe.domain.conversation.turns import User
from kataribe.domain.recall.calibration import Labelled
from kataribe.domain.recall.requests import RecallKeys
from kataribe.domain.records import SETTLED, Verification, Work
from kataribe.domain.space import Space, SpaceType, parse_space
from kataribe.domain.terms import RULES
from kataribe.domain.work import WorkItem, WorkKind, work_item
from kataribe.errors import NotFoundError
from kataribe.ports import Transaction, View
from kataribe.work.owner import Makers, MovedKeys, WorkPiece
from kataribe.work.path import WorkTools


class UserOwners:
    """All users."""

    def owners(self, view: View, of: Space | None) -> tuple[UserOwner, ...]:
        """Give all users, or the one of a space. Raises `NotFoundError`."""
        if of is None:
            return tuple(UserOwner(user) for user in view.users())
        return () if of.user is None else (UserOwner(user_of(view, of.user)),)


@dataclass(frozen=True, slots=True)
class UserOwner:
    """A user: a space of its own and those of talk with it, made by remembering turns."""

    user: User

    @property
    def space(self) -> Space:
        """The space of what was said outside every story."""
        return Space(type=SpaceType.USER, user=self.user.user_id)

    @property
    def name(self) -> str:
        """The user's id."""
        return self.user.user_id

    @property
    def embedder(self) -> str:
        """The name of the user's embedder."""
        return self.user.embedder

    @property
    def embedder_id(self) -> str:
        """What embedded what was said."""
        return self.user.embedder_id

    @property
    def work(self) -> WorkKind:
        """Turns are remembered."""
        return WorkKind.TURNS

    @property
    def works(self) -> tuple[WorkKind, ...]:
        """What is made of what is remembered: tiers, questions to a model, and associations."""
        return (self.work, WorkKind.TIERS, WorkKind.ASKS, WorkKind.ASSOCIATIONS)

    @property
    def asks_model(self) -> bool:
        """Whether a model sums up what was said; turns are remembered as they were said."""
        return self.user.model_id != RULES

    def spaces(self, view: View) -> tuple[str, ...]:
        """Name the user's own space and those of talk with it. Raises `NotFoundError`."""
        return spaces_of(view, self.user.user_id)

    def called(self, space: str) -> str:
        """Give the space's name."""
        return space

    def tasks(
        self,
        makers: Makers,
        *,
        again: bool = False,  # noqa: ARG002 - nothing is read of what was read before
    ) -> tuple[TurnsTask | TiersTask | AsksTask | AssociationsTask, ...]:
        """Give what remembers turns, what replays tiers, who asks models, and what reads what turns name."""
        embedder = makers.embedder(self.user.embedder)
        turns, tiers = (
            TurnsTask(embedder),
            TiersTask(self.user.user_id, embedder, makers.clock, makers.kept(RunningLives)),
        )
        associations = AssociationsTask(embedder)
        if not self.asks_model:
            return turns, tiers, associations
        asks = AsksTask(partial(makers.summarizer, self.user.model), embedder)
        # What was answered is an input of what is kept.
        return turns, tiers, asks, tiers, associations

    def items(self, view: View, space: str, now: float) -> list[WorkItem]:
        """Give the units of turns that are not in memory, by name, and the tiers that could not be made."""
        said = parse_space(space)
        lagging = [
            (kind, unit, work)
            for kind in self.works
            for unit, work in sorted(view.work(space, kind).items())
            if work.lags and (kind is self.work or work.error is not None)
        ]
        return [
            work_item(work, space=space, kind=kind, unit=unit, user=said.user, story_id=said.story, now=now)
            for kind, unit, work in lagging
        ]

    def piece(self, view: View, named: int | str) -> WorkPiece:
        """Find a unit of turns by its name, or else what is made of turns. Raises `NotFoundError`."""
        unit = str(named)
        spaces = self.spaces(view)
        for kind in self.works:
            for space in spaces:
                if unit in view.work(space, kind, unit):
                    return WorkPiece(space, unit, f"unit {unit}", kind)
        raise NotFoundError(f"there is no unit {unit!r}; `kataribe work list` shows them")

    async def verify(self, tools: WorkTools, makers: Makers) -> Verification:
        """Compare what is remembered of the user with what was said."""
        task = TurnsTask(makers.embedder(self.user.embedder))
        return await verify_user(tools, task, self.user.user_id)

    def family(self, view: View) -> tuple[UserOwner, ...]:
        """Give the user alone: users share nothing. Raises `NotFoundError`."""
        return (UserOwner(user_of(view, self.user.user_id)),)

    def record_embedder(self, tx: Transaction, name: str, embedder_id: str) -> MovedKeys:
        """Record the user's embedder; what is done, or dropped by a person, is so under it too."""
        before = {space: tx.work(space, self.work) for space in self.spaces(tx)}
        now = user_of(tx, self.user.user_id)
        set_embedder(tx, replace(now, embedder=name, embedder_id=embedder_id), forget=False)
        for space, work in before.items():
            wanted = tx.work(space, self.work)
            for unit, done in work.items():
                if done.fingerprint == done.wanted and done.outcome in SETTLED:
                    kept = Work(fingerprint=wanted[unit].wanted, outcome=done.outcome, error=done.error)
                    tx.put_work(space, self.work, unit, kept)
        return {"user": now.user_id}

    def asks(self, one: Labelled) -> RecallKeys:
        """Say which persona asks a labelled question of the user."""
        return {"user": self.user.user_id, "persona": one.persona}
