"""Who asks: a caller's words become a viewer, or are refused."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from kataribe.domain.asking import ViewerKeys
from kataribe.domain.gate import AnyViewer, UserViewer, Viewer
from kataribe.domain.ids import WORLD
from kataribe.domain.logsearch import LogSearch
from kataribe.domain.memory import Recollection
from kataribe.domain.records import Trace
from kataribe.errors import InputError


def viewer_of(keys: ViewerKeys, *, now: datetime) -> AnyViewer:
    """Make a viewer of a story or of a user's space.

    Raises `InputError` when it is neither or both: nothing about a viewer is guessed (S0-21).
    Only `as_of` may be left out: it is `now` then.
    """
    story_id, character, at = keys.get("story_id"), keys.get("character"), keys.get("at")
    user, persona, as_of = keys.get("user"), keys.get("persona"), keys.get("as_of")
    told = {"story_id": story_id, "character": character, "at": at}
    if user is None:
        if persona is not None or as_of is not None:
            raise InputError("persona and as_of are for what was said with a user; name the user too")
        if story_id is None or character is None or at is None:
            missing = ", ".join(name for name, value in told.items() if value is None)
            raise InputError(f"a viewer of a story needs story_id, character and at; {missing} is missing")
        return Viewer(story=story_id, character=character, at=at)
    if named := [name for name, value in told.items() if value is not None]:
        raise InputError(f"a viewer is of a story or of a user, not both; leave {named[0]} or user out")
    return UserViewer(user=user, persona=persona, as_of=as_of or now)


def trace_of(found: Recollection, *, verb: str, where: Mapping[str, object] | None, at: str) -> Trace:
    """Note a search: who asked behind which slices, and which ids came back (S0-31)."""
    viewer, ids = found.viewer, tuple(hit.id for hit in found.hits)
    if isinstance(viewer, UserViewer):
        return _of_user(viewer, verb=verb, where=where, ids=ids, at=at)
    holders = [WORLD, viewer.character] if found.in_cast else [WORLD]
    return Trace(
        at=at,
        story=viewer.story,
        character=viewer.character,
        episode_no=viewer.at,
        verb=verb,
        filter=where,
        slices=tuple(f"{holder} up to {viewer.cutoff}" for holder in holders if viewer.cutoff >= 1),
        ids=ids,
    )


def trace_of_search(found: LogSearch, *, at: str) -> Trace:
    """Note a search for words in past logs, as `trace_of` does: the words themselves are not kept."""
    ids = tuple(hit.turn_id for hit in found.hits)
    return _of_user(found.viewer, verb="search_log", where=None, ids=ids, at=at)


def _of_user(
    viewer: UserViewer, *, verb: str, where: Mapping[str, object] | None, ids: tuple[str, ...], at: str
) -> Trace:
    moment, who = viewer.as_of.isoformat(), viewer.persona or ""
    holders = [WORLD, who] if who else [WORLD]
    return Trace(
        at=at,
        user=viewer.user,
        character=who,
        as_of=moment,
        verb=verb,
        filter=where,
        slices=tuple(f"{holder} as of {moment}" for holder in holders),
        ids=ids,
    )
