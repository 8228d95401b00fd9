"""The way of an exact search in past logs: gate first, then the rules of `domain.logsearch`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from kataribe.domain.filters import Filter
from kataribe.domain.filters import parse as parse_filter
from kataribe.domain.gate import Gate, Viewer, joined
from kataribe.domain.memory import Memory, Recollection, TurnHit
from kataribe.domain.recall.context import CUT
from kataribe.domain.recall.log_search import (
    LogHit,
    LogSearch,
    LogSearchPolicy,
    Standing,
    distinctive,
    search,
)
from kataribe.domain.terms import Language
from kataribe.domain.text.tokens import sought
from kataribe.errors import InputError, NotFoundError
from kataribe.ports import View
from kataribe.ports.kinds import Home, Kinds, QuoteEvidence
from kataribe.read.gate import open_gate
from kataribe.read.guard import Links, admit, show
from kataribe.read.path import known
from kataribe.read.values import Opened

_ALL = 1 << 40
"""More candidates than a gate holds."""


def with_user(viewer: Viewer, problem: str) -> Viewer:
    """Give a viewer of what was said. Raises `InputError` with `problem` for one without a user."""
    if viewer.user is None:
        raise InputError(problem)
    return viewer


def search_log(
    kinds: Kinds, view: View, viewer: Viewer, keywords: Sequence[str], policy: LogSearchPolicy, *, seed: int
) -> LogSearch:
    """Find turns by exact words among those the viewer may remember; none is legal (P9).

    Raises `NotFoundError`, and `InputError` for too many keywords.
    """
    opened = open_gate(kinds, view, viewer)
    gate = _said(opened)
    kept, ignored = distinctive(keywords, _language(opened))
    turns = _standing(view, opened, admit(gate, view.admitted(gate))) if kept else ()
    return _search(opened, turns, kept, ignored, policy, seed=seed)


def look_up(
    kinds: Kinds,
    view: View,
    viewer: Viewer,
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
    opened = open_gate(kinds, view, viewer)
    gate, language = _said(opened), _language(opened)
    kept, ignored = distinctive(keywords, language)
    terms = sorted({term for word in kept for term in sought(word, language)})
    wordy = view.keywords.matching(terms, gate=gate, top_k=_ALL, where=where) if terms else ()
    turns = (
        _standing(view, opened, admit(gate, view.admitted(gate, keys={one.key for one in wordy})))
        if wordy
        else ()
    )
    searched = {_address(turn): turn for turn in turns if not without(turn.text)}
    found = _search(opened, tuple(searched.values()), kept, ignored, policy, seed=seed)
    told = [(hit, searched[hit.space, hit.turn_id, hit.character_id]) for hit in found.hits]
    proofs = _proofs(view, opened, [turn for _, turn in told])
    shown = ((hit, show(turn, Links({}), proofs[turn.space])) for hit, turn in told)
    return found, tuple(
        Standing(hit=replace(one, text=_marked(hit, one.text)), keywords=hit.keywords, is_cut=hit.is_cut)
        for hit, one in shown
    )


def _homes(opened: Opened) -> list[Home]:
    """Give the homes of what was said; the viewer has a user, so there is one."""
    return [home for home in opened.homes if home.lending.by_turns]


def _said(opened: Opened) -> Gate:
    return joined(home.gate for home in _homes(opened))


def _standing(view: View, opened: Opened, turns: Sequence[Memory]) -> tuple[Memory, ...]:
    """Leave out what was forgotten, or is not to be remembered."""
    fadings = {part.space: home.fading(view) for home in _homes(opened) for part in home.gate.slices}
    return tuple(left for turn in turns for left in fadings[turn.space].left((turn,)))


def _language(opened: Opened) -> Language:
    return _homes(opened)[0].language


def _address(turn: Memory) -> tuple[str, str, str]:
    return (turn.space, turn.fact_id, turn.holder)


def _proofs(view: View, opened: Opened, turns: Sequence[Memory]) -> dict[str, QuoteEvidence]:
    """Look up by space what turns lead to."""
    made: dict[str, QuoteEvidence] = {}
    for home in _homes(opened):
        spaces = {one.space for one in home.gate.slices}
        proof = home.evidence(view, [turn for turn in turns if turn.space in spaces])
        made |= dict.fromkeys(spaces, proof)
    return made


def _search(
    opened: Opened,
    turns: Sequence[Memory],
    kept: tuple[str, ...],
    ignored: tuple[tuple[str, str], ...],
    policy: LogSearchPolicy,
    *,
    seed: int,
) -> LogSearch:
    hits, matched = search(turns, kept, policy, seed=seed)
    return LogSearch(
        viewer=opened.viewer,
        keywords=kept,
        ignored=ignored,
        hits=hits,
        matched=matched,
        pending_turns=opened.pending_turns,
        in_cast=opened.in_cast,
        slices=opened.slices,
    )


def _marked(hit: LogHit, whole: str) -> str:
    """Give a hit's text with a mark on either side where more is available (S4-77)."""
    before = "" if whole.startswith(hit.text) else f"{CUT.strip()} "
    return f"{before}{hit.text}{'' if whole.endswith(hit.text) else CUT}"


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
    session = found[0].session if isinstance(found[0], TurnHit) else None
    told = known(kinds, view, viewer, parse_filter({"session": session}))
    hits = [hit for hit in told.hits if hit.space == space]
    at = next(place for place, hit in enumerate(hits) if hit.fact_id == turn_id)
    return replace(told, hits=tuple(hits[max(0, at - count) : at + count + 1]))
