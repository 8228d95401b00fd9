"""Groups: several characters under one name, each a member from one episode to another.

A row, an annotation or a mark names a group as `@ID`. Who that is, is asked anew for each
episode, so that a group is never a holder itself: a fact is held by its members.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from kataribe.domain.ids import check_id
from kataribe.domain.story.inputs import check_no
from kataribe.domain.terms import Audience, Extra
from kataribe.errors import InputError

SIGN = "@"
"""What begins the name of a group where a character's id could stand."""


class Newcomers(StrEnum):
    """Whether who joins a group later learns what it holds by then."""

    NOT = "not"
    TOLD = "told"


@dataclass(frozen=True, slots=True, kw_only=True)
class Membership:
    """A character in a group: from episode `since` (0: the start) to `until`, both inclusive.

    `until` None: to the end.
    """

    character_id: str
    since: int = 0
    until: int | None = None

    def __post_init__(self) -> None:
        check_id(self.character_id, "character id")
        if is_group(self.character_id):
            raise InputError(
                f"{self.character_id!r} cannot be a member: a group holds characters, not other groups"
            )
        if self.since != 0:
            check_no(self.since, "the episode a member joins at")
        if self.until is not None:
            check_no(self.until, "the last episode of a member")
            if self.until < self.since:
                raise InputError(
                    f"{self.character_id!r} leaves at episode {self.until} before joining at {self.since}"
                )

    def covers(self, no: int) -> bool:
        """Whether the character is a member at episode `no`."""
        return self.since <= no and (self.until is None or no <= self.until)


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Characters who are told things together. One may be a member more than once, at other times."""

    group_id: str
    members: tuple[Membership, ...] = ()
    newcomers: Newcomers = Newcomers.NOT
    extra: Extra = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_id(self.group_id, "group id")
        if is_group(self.group_id):
            raise InputError(f"a group's id is written without {SIGN}: {self.group_id.lstrip(SIGN)!r}")
        times: dict[str, int | None] = {}
        for one in sorted(self.members, key=lambda member: (member.character_id, member.since)):
            before = times.get(one.character_id, -1)
            if before is None or before >= one.since:
                raise InputError(f"{one.character_id!r} is a member twice at episode {one.since}")
            times[one.character_id] = one.until

    @property
    def ref(self) -> str:
        """How rows and marks name it."""
        return f"{SIGN}{self.group_id}"

    @property
    def characters(self) -> frozenset[str]:
        """Everybody who is a member at some time."""
        return frozenset(one.character_id for one in self.members)

    def at(self, no: int) -> frozenset[str]:
        """Give its members at an episode."""
        return frozenset(one.character_id for one in self.members if one.covers(no))

    def renamed(self, old: str, new: str) -> Group:
        """Give the group with a member under another id."""
        return replace(
            self,
            members=tuple(
                replace(one, character_id=new) if one.character_id == old else one for one in self.members
            ),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupEdit:
    """What to change of a group; None leaves a thing as it is.

    `members` take the place of all that the same characters were; `leave` ends a membership with
    an episode, `remove` makes it as if somebody had never been a member.
    """

    members: Sequence[Membership] = ()
    leave: Mapping[str, int] = field(default_factory=dict)
    remove: Collection[str] = ()
    newcomers: Newcomers | None = None

    def apply(self, group: Group) -> Group:
        """Give the group with the changes. Raises `InputError` for somebody who is no member."""
        anew = {one.character_id for one in self.members}
        for one in (*self.leave, *self.remove):
            if one not in group.characters:
                raise InputError(f"{one!r} is no member of {group.group_id!r}")
        kept = [
            self._left(one)
            for one in group.members
            if one.character_id not in anew and one.character_id not in self.remove
        ]
        members = (*(one for one in kept if one is not None), *self.members)
        newcomers = group.newcomers if self.newcomers is None else Newcomers(self.newcomers)
        return replace(group, members=members, newcomers=newcomers)

    def _left(self, one: Membership) -> Membership | None:
        last = self.leave.get(one.character_id)
        if last is None or (one.until is not None and one.until <= last):
            return one
        return None if one.since > last else replace(one, until=last)


Members = Mapping[str, frozenset[str]]
"""By how a group is named: its members at one episode."""


def is_group(member: str) -> bool:
    """Whether a member of an audience is written as a group."""
    return member.startswith(SIGN)


def resolved(audience: Audience, members: Members) -> Audience:
    """Give an audience with its groups' members in their place; empty when nobody is in it."""
    if audience.world or not any(one in members for one in audience.members):
        return audience
    return Audience(
        members=frozenset[str]().union(
            *(members[one] if one in members else frozenset({one}) for one in audience.members)
        )
    )
