"""What a caller names becomes a space, once: the verbs behind the face know none but spaces."""

from __future__ import annotations

from kataribe.domain.space import Space, SpaceType
from kataribe.errors import InputError


def spaces_named(*, story: str | None = None, user: str | None = None) -> tuple[Space, ...]:
    """Give the space of a story and that of a user, of those that are named."""
    stories = () if story is None else (Space(type=SpaceType.STORY, story=story),)
    return stories if user is None else (*stories, Space(type=SpaceType.USER, user=user))


def space_named(*, story: str | None = None, user: str | None = None) -> Space | None:
    """Give the space of a story, else that of a user; None where neither is named."""
    return next(iter(spaces_named(story=story, user=user)), None)


def the_space(problem: str, *, story: str | None, user: str | None) -> Space:
    """Give the space of the one that is named. Raises `InputError` with `problem` unless it is one."""
    named = spaces_named(story=story, user=user)
    if len(named) != 1:
        raise InputError(problem)
    return named[0]


def piece_named(
    *, story: str | None, episode_no: int | None, user: str | None, unit: str | None
) -> tuple[Space, int | str] | None:
    """Give the one piece of work that is named, an episode of a story or a unit of a user; None: neither."""
    if story is not None and episode_no is not None:
        return Space(type=SpaceType.STORY, story=story), episode_no
    if user is not None and unit is not None:
        return Space(type=SpaceType.USER, user=user), unit
    return None
