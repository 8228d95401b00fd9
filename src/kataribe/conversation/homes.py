"""Users by name, and the spaces of what was said with them."""

from __future__ import annotations

from kataribe.domain.conversation.turns import User
from kataribe.domain.space import parse_space
from kataribe.errors import NotFoundError
from kataribe.ports import ConversationsView


def user_of(view: ConversationsView, user_id: str) -> User:
    """Give a user. Raises `NotFoundError`."""
    user = view.user(user_id)
    if user is None:
        raise NotFoundError(
            f"there is no user {user_id!r}; `kataribe user list` names those "
            f"there are, and `kataribe remember` or `kataribe log import` makes one"
        )
    return user


def said_space(space: str) -> str:
    """Say which space a unit is of, where it is not the user's own."""
    said = parse_space(space)
    return "" if said.story is None else f"{said.story} {said.place} "
