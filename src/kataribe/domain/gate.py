"""The gate: which memories a viewer may be given, as a value made before any search.

A `Viewer` becomes a `Gate`, a tuple of `Slice(space, holder, upto)`. Rows of one (space,
holder) lie together sorted by position, so a slice is a prefix: the future is not filtered
out, it is not read. `DENY_ALL` is a value of its own (U-3): it admits nothing and asks no
store anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from kataribe.domain.ids import WORLD, check_id, check_text
from kataribe.domain.space import MemoryAddress
from kataribe.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewer:
    """Who asks: a persona in a story, with a user, or both; nothing here is guessed (S0-21).

    - In a story (`story`), `persona` is the character who remembers and `at` the episode it is
      in, 1 or more: what happened up to `at - 1` may be remembered (S0-23).
    - With a user (`user`), `persona` remembers what was said to it and what was told to all;
      None remembers only the latter. `as_of` has a zone: what was said by then is remembered.
    - With both, what was said under the story at or before its episode `at` is remembered too.

    - A reader (`is_reader`) is nobody of the story: it knows what the episodes before `at` tell,
      whoever holds it, and nothing that was said with anybody.

    `is_now`: the viewer stands after the last episode. Its number is looked up in the view that
    answers; until then `at` is 1, where nothing of the story is known.
    """

    story: str | None = None
    at: int | None = None
    user: str | None = None
    persona: str | None = None
    as_of: datetime | None = None
    is_now: bool = False
    is_reader: bool = False

    @property
    def whose(self) -> str | None:
        """The user whose words it may be given; None: nobody's."""
        return self.user

    def __post_init__(self) -> None:
        if self.story is None and self.user is None:
            raise InputError("a viewer is of a story, of a user, or of both; name one")
        self._check_story()
        self._check_user()

    def _check_story(self) -> None:
        if self.story is None:
            if self.is_reader:
                raise InputError("is_reader is for a viewer of a story; name the story too")
            if self.at is not None:
                raise InputError("at is an episode of a story; name the story too")
            if self.is_now:
                raise InputError("is_now is for a viewer of a story; name the story too")
            return
        check_id(self.story, "story id")
        # Who is asked for need not exist, nor be an id at all: such a one is outside the cast.
        if self.is_reader:
            self._check_reader()
        elif not isinstance(self.persona, str) or not self.persona:
            raise InputError(f"a viewer's character must be an id, not {self.persona!r}")
        else:
            check_text(self.persona, "character id")
        if isinstance(self.at, bool) or not isinstance(self.at, int) or self.at < 1:
            raise InputError(f"at must be a whole number from 1 on, or 'now', not {self.at!r}")
        if self.is_now and self.at != 1:
            raise InputError(
                f"a viewer that is now names no episode: with is_now at must be 1, not {self.at}"
            )

    def _check_reader(self) -> None:
        if self.persona is not None or self.user is not None or self.is_now:
            raise InputError("a reader is nobody's persona and talks with no user; name story and at alone")

    def _check_user(self) -> None:
        if self.user is None:
            if self.as_of is not None:
                raise InputError("as_of is a moment of what was said with a user; name the user too")
            return
        check_id(self.user, "user id")
        if self.persona is not None and self.story is None:
            check_id(self.persona, "persona id")
        if self.as_of is None:
            raise InputError("a viewer of a user needs as_of, the moment up to which it remembers")
        if self.as_of.tzinfo is None:
            raise InputError(f"as_of needs a zone: {self.as_of.isoformat()} has none")

    @property
    def character(self) -> str:
        """The character who remembers in a story; empty without one."""
        return self.persona or ""

    @property
    def cutoff(self) -> int:
        """The last episode number whose events may be remembered; 0 at episode 1 and without a story."""
        return 0 if self.at is None else self.at - 1

    @property
    def moment(self) -> int:
        """`as_of` as a position, milliseconds since 1970, UTC; 0 without a user."""
        return 0 if self.as_of is None else position_of(self.as_of)


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def position_of(moment: datetime) -> int:
    """Give a moment with a zone as milliseconds since 1970, UTC."""
    since = moment - EPOCH
    return (since.days * 86_400 + since.seconds) * 1000 + since.microseconds // 1000


LAST_VERSION = 2**62
"""Beyond the version of any document."""

Place = tuple[int, int]
"""Where a memory stands among those of a gate: (part, position), see `Slice.part`."""


@dataclass(frozen=True, slots=True)
class Slice:
    """The memories of one holder in one space at positions up to and including `upto`.

    `part` orders what a gate admits before positions do: the parts a story is told in come
    first (a branch's own memories after all that it reads of its parent), then talk under the
    story, then what was said with the user.
    """

    space: str
    holder: str
    upto: int
    part: int = 0


@dataclass(frozen=True, slots=True)
class Gate:
    """What may be read: the union of its slices."""

    slices: tuple[Slice, ...]

    def admits(self, address: MemoryAddress) -> bool:
        """Whether a memory that lives there may be read."""
        return any(
            part.space == address.space and part.holder == address.holder and address.position <= part.upto
            for part in self.slices
        )

    @property
    def is_closed(self) -> bool:
        """Whether it admits nothing at all."""
        return not self.slices


DENY_ALL = Gate(())


def joined(gates: Iterable[Gate]) -> Gate:
    """Give the gate that admits what any of these admits."""
    slices = tuple(part for gate in gates for part in gate.slices)
    return Gate(slices) if slices else DENY_ALL


def story_gate(viewer: Viewer, *, uptos: Sequence[tuple[str, int | None]], in_cast: bool) -> Gate:
    """Give what a viewer may remember of a story's episodes; what a reader may, `reader_gate` says.

    `uptos` are the parts the story is told in, the root first: each one's space and the
    position of the last episode read of it that is numbered `viewer.cutoff` or lower, None
    when there is none. Someone outside the cast gets the world's slices only: an unknown id
    never widens anything.
    """
    if viewer.cutoff < 1:
        return DENY_ALL
    holders = (WORLD, viewer.character) if in_cast else (WORLD,)
    slices = tuple(
        Slice(space, holder, upto, part)
        for part, (space, upto) in enumerate(uptos)
        if upto is not None
        for holder in holders
    )
    return Gate(slices) if slices else DENY_ALL


def reader_gate(read: Sequence[tuple[str, int | None, Sequence[str]]]) -> Gate:
    """Give what a reader knows: what every holder does, part by part up to the last episode read.

    `read` are the parts the story is told in, the root first: each one's space, the position of the
    last episode read of it (None: none is), and who holds anything by then.
    """
    slices = tuple(
        Slice(space, holder, upto, part)
        for part, (space, upto, holders) in enumerate(read)
        if upto is not None
        for holder in sorted(holders)
    )
    return Gate(slices) if slices else DENY_ALL


def talk_gate(viewer: Viewer, *, spaces: Sequence[str], in_cast: bool, part: int) -> Gate:
    """Give what a viewer may remember of talk under a story, held in these spaces.

    `spaces` are those of episodes numbered up to `viewer.at`. Nothing of it is the world's:
    who is not in the cast was told nothing.
    """
    if not in_cast or not spaces:
        return DENY_ALL
    return Gate(tuple(Slice(space, viewer.character, viewer.moment, part) for space in spaces))


def library_gate(space: str, *, part: int) -> Gate:
    """Give what a search in a library may find: all that its documents say, in their last versions."""
    return Gate((Slice(space, WORLD, LAST_VERSION, part),))


def user_gate(viewer: Viewer, *, space: str, part: int) -> Gate:
    """Give what a viewer may remember of what was said with a user outside every story."""
    holders = (WORLD,) if viewer.persona is None else (WORLD, viewer.persona)
    return Gate(tuple(Slice(space, holder, viewer.moment, part) for holder in holders))
