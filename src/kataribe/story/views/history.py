"""An author's look back: every version of an episode's text and what it changed in memory."""

from __future__ import annotations

from collections.abc import Iterable

from kataribe.domain.records import Change, Delta, HistoryEntry
from kataribe.ports import View

_Held = frozenset[tuple[str, str, str]]


def history(view: View, story_id: str, episode_id: str) -> tuple[HistoryEntry, ...]:
    """Give the versions of an episode, oldest first, each with what memory gained and lost by it.

    A version that was replaced before it was synced changed nothing in memory.
    """
    deltas = view.deltas(story_id, episode_id)
    entries: list[HistoryEntry] = []
    before: _Held = frozenset()
    for version in view.versions(story_id, episode_id):
        theirs = [delta for delta in deltas if delta.version == version.version]
        held = _held(theirs) if theirs else before
        entries.append(
            HistoryEntry(
                version=version.version,
                title=version.title,
                text=version.text,
                created_at=version.created_at,
                synced=bool(theirs),
                gained=_changes(held - before),
                lost=_changes(before - held),
            )
        )
        before = held
    return tuple(entries)


def _held(deltas: Iterable[Delta]) -> _Held:
    return frozenset((d.character_id, fact_id, text) for d in deltas for fact_id, text in d.facts)


def _changes(held: _Held) -> tuple[Change, ...]:
    return tuple(Change(holder=h, fact_id=f, text=t) for h, f, t in sorted(held))
