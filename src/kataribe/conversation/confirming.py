"""Confirming: a token is given out for one act on a user, and spent in the transaction of that act."""

from __future__ import annotations

from kataribe.conversation.homes import user_of
from kataribe.domain.privacy.requests import PrivacyAction, PrivacyRequest, permitting
from kataribe.domain.space import user_space
from kataribe.errors import NotPermittedError
from kataribe.ports import Transaction, View


def keep_request(tx: Transaction, user_id: str, request: PrivacyRequest, *, now: int) -> None:
    """Keep what a token permits; those whose time has passed go. Raises `NotFoundError`."""
    user_of(tx, user_id)
    space = user_space(user_id)
    tx.drop_privacy_requests(space, [one.digest for one in tx.privacy_requests(space) if one.is_over(now)])
    tx.put_privacy_request(space, request)


def spend_request(tx: Transaction, user_id: str, action: PrivacyAction, token: str | None, now: int) -> None:
    """Spend a token, in the transaction of what it permits: undone, it is not spent.

    `now` is a position. Raises `NotFoundError` for a user that is not there, and
    `NotPermittedError` without a token, or for one that is wrong, spent, over, or another's.
    """
    found = check_request(tx, user_id, action, token, now)
    tx.drop_privacy_requests(user_space(user_id), [found.digest])


def check_request(
    view: View, user_id: str, action: PrivacyAction, token: str | None, now: int
) -> PrivacyRequest:
    """Give the request that a token permits an act by, without spending it; raises as `spend_request`."""
    user_of(view, user_id)
    if token is None:
        raise NotPermittedError(f"it needs a token; {_asked(user_id, action)}")
    space = user_space(user_id)
    found = permitting(view.privacy_requests(space), user_id, action, token, at=now)
    if found is None:
        raise NotPermittedError(
            f"this token does not permit it: it is wrong, was used, is older than 15 minutes, or was given "
            f"out for something else (nothing was done); {_asked(user_id, action)}"
        )
    return found


def _asked(user_id: str, action: PrivacyAction) -> str:
    return f"`kataribe privacy request --user {user_id} --action {action}` gives one"
