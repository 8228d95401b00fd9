"""What every verb leaves in the audit record: its name, and that it was refused, and why.

What is refused leaves here without the words of users.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any, cast

from kataribe.domain.space import Space, space_asked
from kataribe.engine.auditing import ACTING
from kataribe.errors import KataribeError

_HANDLES = ("Async", "Handle")
_QUIET = frozenset({"audit.list", "audit.verify", "keys.status"})
"""Reads of the record itself: were they noted, it would grow by being looked at."""
_WHOLE = frozenset({"admin.backup"})
"""Author reads that give out what all users said."""


def noted(verb: Callable[..., Any], *, is_author_read: bool) -> Callable[..., Any]:
    """Make a verb of a handle leave notes; an author read of what a user said is noted when it is done."""
    name = verb.__qualname__
    act = _act(name)

    @wraps(verb)
    async def run(handle: Any, *given: Any, **named: Any) -> Any:
        token = ACTING.set(act)
        try:
            found = await cast(Awaitable[Any], verb(handle, *given, **named))
        except KataribeError as error:
            of = _whose(handle, named)
            handle._engine.note_act(of, act, reason=type(error).__name__)
            handle._engine.hush(error, of)
            raise
        finally:
            ACTING.reset(token)
        if is_author_read and act not in _QUIET:
            of = _whose(handle, named)
            if act in _WHOLE or (of is not None and of.is_personal):
                _note(handle, named, act, None)
        return found

    return run


def _act(name: str) -> str:
    """Name an act after its verb: `AsyncUserHandle.put_turns` is `user.put_turns`, the root's its own."""
    handle, _, verb = name.rpartition(".")
    short = handle.removeprefix(_HANDLES[0]).removesuffix(_HANDLES[1]).lower()
    return verb if short in ("kataribe", "viewer") else f"{short}.{verb}"


def _note(handle: Any, named: dict[str, Any], act: str, reason: str | None) -> None:
    handle._engine.note_act(_whose(handle, named), act, reason=reason)


def _whose(handle: Any, named: dict[str, Any]) -> Space | None:
    """Tell whose it is what a verb was asked about: what was named, else what its handle is of."""
    bound = getattr(handle, "viewer", None)
    keys = {**(bound if isinstance(bound, dict) else {}), **named}

    def told(name: str) -> str | None:
        found = keys.get(name, getattr(handle, f"{name}_id", None))
        return found if isinstance(found, str) else None

    return space_asked(story=told("story"), user=told("user"), library=told("library"))
