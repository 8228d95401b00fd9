"""The way of an exact search in past logs: gate first, then the rules of `domain.logsearch`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from kataribe.domain.context import CUT
from kataribe.domain.conversation import User
from kataribe.domain.filters import Filter
from kataribe.domain.filters import parse as parse_filter
from kataribe.domain.gate import UserViewer
from kataribe.domain.logsearch import LogHit, LogSearch, LogSearchPolicy, distinctive, search
from kataribe.domain.memory import Backend, Hit, Memory, Recollection
from kataribe.domain.tokens import tokens
from kataribe.errors import NotFoundError
from kataribe.ports import Reading
from kataribe.read.gate import open_gate
from kataribe.read.guard import Links, admit, evidence, show
from kataribe.read.path import known
from kataribe.read.values import Opened

_ALL = 1 << 40
"""More candidates than a gate holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A turn in which keywords stand, as a viewer is shown it; `hit.text` is a part of it when `is_cut`."""

    hit: Hit
    keywords: tuple[str, ...]
    is_cut: bool = False


def search_log(
    ledger: Reading, viewer: UserViewer, keywords: Sequence[str], policy: LogSearchPolicy, *, seed: int
) -> LogSearch:
    """Find turns by exact words among those the viewer may remember; none is legal (P9).

    Raises `NotFoundError`, and `InputError` for too many keywords.
    """
    opened = open_gate(ledger, viewer)
    kept, ignored = _distinctive(opened, keywords)
    turns = admit(opened.gate, ledger.admitted(opened.gate)) if kept else ()
    return _search(opened, viewer, turns, kept, ignored, policy, seed=seed)


def look_up(
    ledger: Reading,
    viewer: UserViewer,
    keywords: Sequence[str],
    policy: LogSearchPolicy,
    *,
    seed: int,
    where: Filter | None = None,
    without: Callable[[str], bool] = lambda _: False,
) -> tuple[LogSearch, tuple[Standing, ...]]:
    """Search past logs by way of the keyword index, and give each hit as a memory too, in the same order.

    Only turns that hold a whole word of a keyword are read, so that it takes no longer where more
    was said. Turns outside the filter `where`, and those whose text is `without`, are not
    searched. Raises what `search_log` raises.
    """
    opened = open_gate(ledger, viewer)
    kept, ignored = _distinctive(opened, keywords)
    terms = sorted({term for word in kept for term in tokens(word, opened.home.language)})
    wordy = ledger.keywords.matching(terms, gate=opened.gate, top_k=_ALL, where=where) if terms else ()
    turns = admit(opened.gate, ledger.admitted(opened.gate, keys={one.key for one in wordy})) if wordy else ()
    searched = [turn for turn in turns if not without(turn.text)]
    found = _search(opened, viewer, searched, kept, ignored, policy, seed=seed)
    hits = found.hits
    chosen = {(hit.turn_id, hit.character_id) for hit in hits}
    of = {(turn.fact_id, turn.holder): turn for turn in searched if (turn.fact_id, turn.holder) in chosen}
    proof = evidence(ledger, opened, of.values())
    shown = ((hit, show(of[hit.turn_id, hit.character_id], Links({}), proof)) for hit in hits)
    return found, tuple(
        Standing(hit=replace(one, text=_marked(hit, one.text)), keywords=hit.keywords, is_cut=hit.is_cut)
        for hit, one in shown
    )


def _distinctive(
    opened: Opened, keywords: Sequence[str]
) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    assert isinstance(opened.home, User)
    return distinctive(keywords, opened.home.language)


def _search(
    opened: Opened,
    viewer: UserViewer,
    turns: Sequence[Memory],
    kept: tuple[str, ...],
    ignored: tuple[tuple[str, str], ...],
    policy: LogSearchPolicy,
    *,
    seed: int,
) -> LogSearch:
    hits, matched = search(turns, kept, policy, seed=seed)
    return LogSearch(
        viewer=viewer,
        keywords=kept,
        ignored=ignored,
        hits=hits,
        matched=matched,
        pending_turns=opened.pending_turns,
    )


def _marked(hit: LogHit, whole: str) -> str:
    """Give a hit's text with a mark on either side where more is available (S4-77)."""
    before = "" if whole.startswith(hit.text) else f"{CUT.strip()} "
    return f"{before}{hit.text}{'' if whole.endswith(hit.text) else CUT}"


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
