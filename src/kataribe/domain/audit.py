"""The audit record: events in chains, each event bound to all before it.

There is a chain for each space, in which users are called by a pseudonym, and one for the whole
store, in which the length and the head of every other chain are anchored each time it grows.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from kataribe.domain.space import Space, parse_space

STORE_CHAIN = "store"
"""The chain of the store as a whole."""
ANCHOR, ERASE = "anchor", "erase"
"""What its events do to other chains: say how far one has grown, and that one was erased."""
FIRST = "0" * 64
"""What stands before the first event of a chain."""
_EVENT_ID = 16

Detail = Mapping[str, object]


class AuditScope(StrEnum):
    """Of what a record is kept."""

    OFF = "off"
    USERS = "users"
    """Of the spaces of users and of talk, and of the store as a whole."""
    ALL = "all"
    """Of stories and libraries too."""


class ActOutcome(StrEnum):
    """What came of it."""

    DONE = "done"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """Something that is to be noted: what was done, when (ISO 8601), and how it ended.

    `reason` names the error of what was refused. `detail` holds numbers and names of ours, never
    words of anybody.
    """

    at: str
    act: str
    outcome: ActOutcome = ActOutcome.DONE
    reason: str | None = None
    detail: Detail = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditNote:
    """An act that waits to be written: `of` is the space it was done in (None: the store as a whole)."""

    of: Space | None
    act: Act


@dataclass(frozen=True, slots=True)
class Head:
    """How many events a chain has, and the hash of the last."""

    length: int = 0
    head: str = FIRST


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEvent:
    """One event in a chain: its number there from 1 on, and a hash of it and of all before it.

    It is as it stands in the store: `outcome` is one of `ActOutcome`, and `told` the JSON of its
    detail, unless somebody changed them.
    """

    chain: str
    n: int
    at: str
    act: str
    outcome: str
    reason: str | None
    told: str
    hash: str

    @property
    def detail(self) -> dict[str, Any]:
        """What else is said of it; empty where that was changed into what cannot be read."""
        try:
            found = json.loads(self.told)
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}

    @property
    def event_id(self) -> str:
        """What no other event has."""
        return self.hash[:_EVENT_ID]

    @property
    def key(self) -> str:
        """Its name where events are kept one by one (S2-33)."""
        return f"{self.act}/{self.chain}/{self.at}/{self.event_id}"

    def line(self) -> dict[str, object]:
        """Give all of it by name, as it is told outside."""
        return {
            "key": self.key,
            "chain": self.chain,
            "n": self.n,
            "at": self.at,
            "act": self.act,
            "outcome": self.outcome,
            "reason": self.reason,
            "detail": self.detail,
            "hash": self.hash,
        }

    @property
    def after(self) -> Head:
        """The chain with this as its last."""
        return Head(self.n, self.hash)

    def follows(self, before: Head) -> bool:
        """Whether this is what came after that, unchanged."""
        return self.n == before.length + 1 and self.hash == _hash(self, before.head)


def follow(chain: str, before: Head, acts: Iterable[Act]) -> Iterator[AuditEvent]:
    """Make events of what was done, behind the last of a chain."""
    for act in acts:
        event = AuditEvent(
            chain=chain,
            n=before.length + 1,
            at=act.at,
            act=act.act,
            outcome=act.outcome.value,
            reason=act.reason,
            told=_written(dict(act.detail)),
            hash="",
        )
        event = replace(event, hash=_hash(event, before.head))
        before = event.after
        yield event


def _hash(event: AuditEvent, before: str) -> str:
    told = (event.chain, event.n, event.at, event.act, event.outcome, event.reason, event.told, before)
    return hashlib.sha256(_written(told).encode()).hexdigest()


def _written(value: object) -> str:
    """Write JSON, the same way each time."""
    return json.dumps(value, separators=(",", ":"), sort_keys=True)


def anchors(heads: Mapping[str, Head], added: Mapping[str, int] | None = None) -> dict[str, list[object]]:
    """Write down the lengths and heads of chains, and how many events were added, for the store's chain."""
    grown = {} if added is None else added
    return {
        chain: [one.length, one.head, *([grown[chain]] if chain in grown else ())]
        for chain, one in sorted(heads.items())
    }


def heads_in(detail: Mapping[str, object]) -> dict[str, tuple[Head, int]]:
    """Read what `anchors` wrote; what cannot be read of it says nothing."""
    given = detail.get("chains")
    pairs = given.items() if isinstance(given, dict) else ()
    return {
        chain: (Head(told[0], told[1]), told[2] if len(told) > 2 else 0)
        for chain, told in pairs
        if isinstance(told, list) and len(told) in (2, 3)
    }


def is_chain_under(chain: str, pseudonym: str) -> bool:
    """Whether a chain is that of a space of the user who is called so."""
    return chain != STORE_CHAIN and parse_space(chain).is_under(pseudonym)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditCheck:
    """What came of looking a record over; `erased` are chains of users who were erased as a whole."""

    chains: int = 0
    events: int = 0
    erased: int = 0
    problems: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing was removed, changed, reordered or cut off."""
        return not self.problems
