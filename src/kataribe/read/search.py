"""The way of an exact search in past logs: gate first, then the rules of `domain.logsearch`."""

from __future__ import annotations

from collections.abc import Sequence

from kataribe.domain.conversation import User
from kataribe.domain.gate import UserViewer
from kataribe.domain.logsearch import LogSearch, LogSearchPolicy, distinctive, search
from kataribe.ports import Reading
from kataribe.read.gate import open_gate
from kataribe.read.guard import admit


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
