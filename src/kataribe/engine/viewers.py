"""Who asks: a caller's words become a viewer, or are refused."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from kataribe.domain.filters import NAMING_FIELDS
from kataribe.domain.gate import Viewer
from kataribe.domain.memory import Recollection
from kataribe.domain.recall.log_search import LogSearch
from kataribe.domain.recall.requests import ViewerKeys
from kataribe.domain.records import Trace
from kataribe.engine.kinds import KINDS
from kataribe.ports.kinds import ViewerFields


def viewer_of(keys: ViewerKeys, *, now: datetime) -> Viewer:
    """Make a viewer of a story, of a user, or of both.

    Raises `InputError` when it is neither, or when something is missing: nothing about a viewer
    is guessed (S0-21). Only `as_of` may be left out: it is `now` then.
    """
    given: ViewerFields = {"persona": keys.get("persona")}
    # What is wrong with a user's part is told before what is missing of a story's.
    for kind in reversed(KINDS):
        given |= kind.fields(keys, now=now)
    return Viewer(**given)


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
        filter=where if viewer.whose is None else _without_words(where),
        slices=slices,
        ids=ids,
    )


def _without_words(where: object, field: str = "") -> Any:
    """Give a filter as it may be noted of a user: its shape, and only such texts as name something."""
    if isinstance(where, Mapping):
        return {
            name: _without_words(one, field if name.startswith("$") else name) for name, one in where.items()
        }
    if isinstance(where, list | tuple):
        return [_without_words(one, field) for one in where]
    return "…" if isinstance(where, str) and field not in NAMING_FIELDS else where
