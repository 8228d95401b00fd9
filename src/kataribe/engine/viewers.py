"""Who asks: a caller's words become a viewer, or are refused."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Literal

from kataribe.domain.gate import Viewer
from kataribe.domain.memory import Recollection
from kataribe.domain.recall.log_search import LogSearch
from kataribe.domain.recall.requests import ViewerKeys
from kataribe.domain.records import Trace
from kataribe.errors import InputError

NOW: Literal["now"] = "now"
"""What `at` is for a viewer that stands after the last episode."""


def viewer_of(keys: ViewerKeys, *, now: datetime) -> Viewer:
    """Make a viewer of a story, of a user, or of both.

    Raises `InputError` when it is neither, or when something is missing: nothing about a viewer
    is guessed (S0-21). Only `as_of` may be left out: it is `now` then.
    """
    story, at = keys.get("story"), keys.get("at")
    user, persona, as_of = keys.get("user"), keys.get("persona"), keys.get("as_of")
    if user is None and as_of is not None:
        raise InputError("as_of is for what was said with a user; name the user too")
    if user is None or story is not None or at is not None:
        given = {"story": story, "persona": persona, "at": at}
        missing = ", ".join(name for name, value in given.items() if value is None)
        if missing:
            raise InputError(f"a viewer of a story needs story, persona and at; {missing} is missing")
    return Viewer(
        story=story,
        at=1 if at == NOW else at,
        is_now=at == NOW,
        user=user,
        persona=persona,
        as_of=None if user is None else as_of or now,
    )


def trace_of(found: Recollection, *, verb: str, where: Mapping[str, object] | None, at: str) -> Trace:
    """Note a search: who asked behind which slices, and which ids came back (S0-31)."""
    return _trace(
        found.viewer,
        verb=verb,
        where=where,
        slices=found.slices,
        ids=tuple(hit.id for hit in found.hits),
        at=at,
    )


def trace_of_search(found: LogSearch, *, at: str) -> Trace:
    """Note a search for words in past logs, as `trace_of` does: the words themselves are not kept."""
    ids = tuple(hit.turn_id for hit in found.hits)
    return _trace(found.viewer, verb="search_log", where=None, slices=found.slices, ids=ids, at=at)


def _trace(
    viewer: Viewer,
    *,
    verb: str,
    where: Mapping[str, object] | None,
    slices: tuple[str, ...],
    ids: tuple[str, ...],
    at: str,
) -> Trace:
    return Trace(
        at=at,
        story=viewer.story or "",
        character=viewer.persona or "",
        episode_no=viewer.at or 0,
        user=viewer.user,
        as_of=None if viewer.as_of is None else viewer.as_of.isoformat(),
        verb=verb,
        filter=where,
        slices=slices,
        ids=ids,
    )
