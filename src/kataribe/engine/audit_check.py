"""Looking an audit record over: each chain by itself, then all of them against the store's chain."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from kataribe.domain.audit import ANCHOR, ERASE, STORE_CHAIN, AuditCheck, AuditEvent, Head, heads_in
from kataribe.ports import View

_TOGETHER = 5000
"""Events that are read at once."""


@dataclass(slots=True)
class _Anchored:
    """What the store's chain says of the others: how far each had grown last, and which were erased."""

    grown: dict[str, Head] = field(default_factory=dict)
    erased: dict[str, Head] = field(default_factory=dict)


def look_over(view: View) -> AuditCheck:
    """Tell what of the record was removed, changed, reordered or cut off."""
    heads, there = view.audit_heads(), set(view.audit_chains())
    problems: list[str] = []
    told, events = _Anchored(), 0
    chains = sorted(there | heads.keys(), key=lambda chain: (chain != STORE_CHAIN, chain))
    for chain in chains:
        reached = _walk(view, chain, problems, told)
        events += reached.length
        problems += _against(chain, reached, heads.get(chain))
        if chain != STORE_CHAIN:
            problems += _against_store(chain, reached, told)
    for chain in sorted(told.grown.keys() - told.erased.keys() - set(chains)):
        problems.append(
            f"{chain}: all {told.grown[chain].length} events were removed, and no erasure says so"
        )
    return AuditCheck(chains=len(chains), events=events, erased=len(told.erased), problems=tuple(problems))


def heads_missing(view: View) -> dict[str, Head]:
    """Give how far chains had grown that are not there, though no erasure says so."""
    told = _Anchored()
    for event in _events(view, STORE_CHAIN):
        _take_down(event, told, [])
    there = set(view.audit_chains())
    return {
        chain: head for chain, head in told.grown.items() if chain not in there and chain not in told.erased
    }


def _walk(view: View, chain: str, problems: list[str], told: _Anchored) -> Head:
    """Follow a chain to its end, and note what does not follow; what the store's says is taken down."""
    reached = Head()
    for event in _events(view, chain):
        if event.n != reached.length + 1:
            problems.append(f"{chain}: {_missing(reached.length + 1, event.n - 1)} before event {event.n}")
        elif not event.follows(reached):
            problems.append(f"{chain}: event {event.n} is not what was written there, or not in its place")
        if chain == STORE_CHAIN:
            _take_down(event, told, problems)
        reached = event.after
    return reached


def _events(view: View, chain: str) -> Iterator[AuditEvent]:
    after: int | None = -1
    while after is not None:
        found = view.audit_events(chain, after=after, limit=_TOGETHER)
        yield from found
        after = found[-1].n if len(found) == _TOGETHER else None


def _missing(first: int, last: int) -> str:
    if last < first:
        return "an event stands twice or out of order"
    return f"event {first} is gone" if first == last else f"events {first} to {last} are gone"


def _take_down(event: AuditEvent, told: _Anchored, problems: list[str]) -> None:
    if event.act not in (ANCHOR, ERASE):
        return
    for chain, (head, _) in heads_in(event.detail).items():
        before = told.grown.get(chain, Head())
        if event.act == ANCHOR:
            told.grown[chain] = head
            continue
        told.erased[chain] = head
        if head != before:
            problems.append(f"{chain}: erased with {head.length} events, but it had {before.length}")


def _against(chain: str, reached: Head, noted: Head | None) -> list[str]:
    """Compare where a chain ends with where the ledger notes that it ends."""
    if noted == reached:
        return []
    if noted is None:
        return [f"{chain}: the note of its length is gone"]
    if noted.length > reached.length:
        return [f"{chain}: {_missing(reached.length + 1, noted.length)} at its end"]
    return [f"{chain}: the note of its length was changed, or events were added to its end"]


def _against_store(chain: str, reached: Head, told: _Anchored) -> list[str]:
    """Compare where a chain ends with what the store's chain says last of it."""
    if chain in told.erased:
        return [f"{chain}: it was erased, and has events"]
    anchored = told.grown.get(chain)
    if anchored == reached:
        return []
    if anchored is None:
        return [f"{chain}: the store's chain says nothing of it"]
    if anchored.length > reached.length:
        return [f"{chain}: it had {anchored.length} events when it was anchored last, now {reached.length}"]
    return [f"{chain}: its end is not the one that was anchored last, event {anchored.length}"]
