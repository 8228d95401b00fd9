"""What a caller names becomes a space, once: the verbs behind the face know none but spaces."""

from __future__ import annotations

from kataribe.domain.space import Space, SpaceType
from kataribe.errors import InputError


def spaces_named(
    *, story: str | None = None, user: str | None = None, library: str | None = None
) -> tuple[Space, ...]:
    """Give the spaces of a story, of a user and of a library, of those that are named."""
    named = (
        None if story is None else Space(type=SpaceType.STORY, story=story),
        None if user is None else Space(type=SpaceType.USER, user=user),
        None if library is None else Space(type=SpaceType.LIBRARY, library=library),
    )
    return tuple(one for one in named if one is not None)


def space_named(
    *, story: str | None = None, user: str | None = None, library: str | None = None
) -> Space | None:
    """Give the space of a story, else of a user, else of a library; None where none is named."""
    return next(iter(spaces_named(story=story, user=user, library=library)), None)


def the_space(problem: str, *, story: str | None, user: str | None, library: str | None = None) -> Space:
    """Give the space of the one that is named. Raises `InputError` with `problem` unless it is one."""
    named = spaces_named(story=story, user=user, library=library)
    if len(named) != 1:
        raise InputError(problem)
    return named[0]


def piece_named(
    *,
    story: str | None,
    episode_no: int | None,
    user: str | None,
    unit: str | None,
    library: str | None = None,
) -> tuple[Space, int | str] | None:
    """Give the one piece of work that is named; None: none is.

    It is an episode of a story, a unit of a user, or a document of a library.
    """
    if story is not None and episode_no is not None:
        return Space(type=SpaceType.STORY, story=story), episode_no
    if user is not None and unit is not None:
        return Space(type=SpaceType.USER, user=user), unit
    if library is not None and unit is not None:
        return Space(type=SpaceType.LIBRARY, library=library), unit
    return None
