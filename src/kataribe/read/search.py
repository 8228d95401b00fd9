"""The way of an exact search in past logs: gate first, then the rules of `domain.logsearch`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kataribe.domain.filters import parse as parse_filter
from kataribe.domain.gate import Viewer, joined
from kataribe.domain.logsearch import LogSearch, LogSearchPolicy, distinctive, search
from kataribe.domain.memory import Recollection
from kataribe.errors import NotFoundError
from kataribe.ports import View
from kataribe.ports.kinds import Kinds
from kataribe.read.gate import open_gate
from kataribe.read.guard import admit
from kataribe.read.path import known


def search_log(
    kinds: Kinds, view: View, viewer: Viewer, keywords: Sequence[str], policy: LogSearchPolicy, *, seed: int
) -> LogSearch:
    """Find turns by exact words among those the viewer may remember; none is legal (P9).

    Raises `NotFoundError`, and `InputError` for too many keywords.
    """
    opened = open_gate(kinds, view, viewer)
    said = [home for home in opened.homes if home.lending.by_turns]
    kept, ignored = distinctive(keywords, said[0].language)
    gate = joined(home.gate for home in said)
    turns = admit(gate, view.admitted(gate)) if kept else ()
    hits, matched = search(turns, kept, policy, seed=seed)
    return LogSearch(
        viewer=viewer,
        keywords=kept,
        ignored=ignored,
        hits=hits,
        matched=matched,
        pending_turns=opened.pending_turns,
        in_cast=opened.in_cast,
        slices=opened.slices,
    )


def around(kinds: Kinds, view: View, viewer: Viewer, turn_id: str, *, count: int) -> Recollection:
    """Give a turn in full with those said before and after it in its session, as far as they are known.

    Raises `NotFoundError` when the viewer knows no such turn, without telling whether there is one.
    """
    found = known(kinds, view, viewer, parse_filter({"fact_id": turn_id})).hits
    if not found:
        raise NotFoundError(
            f"no turn {turn_id!r} is remembered here; give an id as recall and a search give it"
        )
    space = found[0].space
    told = known(kinds, view, viewer, parse_filter({"session": found[0].session}))
    hits = [hit for hit in told.hits if hit.space == space]
    at = next(place for place, hit in enumerate(hits) if hit.fact_id == turn_id)
    return replace(told, hits=tuple(hits[max(0, at - count) : at + count + 1]))
