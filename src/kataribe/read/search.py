"""The way of an exact search in past logs: gate first, then the rules of `domain.logsearch`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kataribe.domain.conversation import User
from kataribe.domain.filters import parse as parse_filter
from kataribe.domain.gate import UserViewer
from kataribe.domain.logsearch import LogSearch, LogSearchPolicy, distinctive, search
from kataribe.domain.memory import Backend, Recollection
from kataribe.errors import NotFoundError
from kataribe.ports import Reading
from kataribe.read.gate import open_gate
from kataribe.read.guard import admit
from kataribe.read.path import known


def search_log(
    ledger: Reading, viewer: UserViewer, keywords: Sequence[str], policy: LogSearchPolicy, *, seed: int
) -> LogSearch:
    """Find turns by exact words among those the viewer may remember; none is legal (P9).

    Raises `NotFoundError`, and `InputError` for too many keywords.
    """
    opened = open_gate(ledger, viewer)
    assert isinstance(opened.home, User)
    kept, ignored = distinctive(keywords, opened.home.language)
    turns = admit(opened.gate, ledger.admitted(opened.gate)) if kept else ()
    hits, matched = search(turns, kept, policy, seed=seed)
    return LogSearch(
        viewer=viewer,
        keywords=kept,
        ignored=ignored,
        hits=hits,
        matched=matched,
        pending_turns=opened.pending_turns,
    )


def around(
    ledger: Reading, viewer: UserViewer, turn_id: str, backend: Backend, *, count: int
) -> Recollection:
    """Give a turn in full with those said before and after it in its session, as far as they are known.

    Raises `NotFoundError` when the viewer knows no such turn, without telling whether there is one.
    """
    found = known(ledger, viewer, backend, parse_filter({"fact_id": turn_id})).hits
    if not found:
        raise NotFoundError(
            f"no turn {turn_id!r} is remembered here; give an id as recall and a search give it"
        )
    told = known(ledger, viewer, backend, parse_filter({"session": found[0].session}))
    at = next(place for place, hit in enumerate(told.hits) if hit.fact_id == turn_id)
    return replace(told, hits=told.hits[max(0, at - count) : at + count + 1])
