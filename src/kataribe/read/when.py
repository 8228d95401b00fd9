"""Which memories are from the time or the episodes that a question names."""

from __future__ import annotations

import re

from kataribe.domain.filters import During, Every, Filter, Order, Range
from kataribe.domain.gate import Viewer
from kataribe.domain.recall.when import AskedWhen, asked_when
from kataribe.ports.kinds import Home

_NOTHING = Every(())


def when_asked(question: str, viewer: Viewer) -> AskedWhen | None:
    """Find what a viewer's question asks about: episodes before its own, or a time up to its moment."""
    return asked_when(question, now=viewer.as_of, at=viewer.at)


_THEN = re.compile(
    r"\b(?:at first|first|originally|initially|used to|before|back then|previously|formerly|once|earlier"
    r"|in the past|in those days|changed?|old)\b"
    "|最初|はじめ|初めて|以前|昔|むかし|前は|前に|もともと|元々|当時|かつて|あの頃|その頃|変わ",
    re.IGNORECASE,
)


def is_of_then(question: str) -> bool:
    """Tell whether a question asks how things were or how they came to be: the older is not outdated then."""
    return _THEN.search(question) is not None


def within(home: Home, asked: AskedWhen | None) -> Filter | None:
    """Give the filter for what of a home is asked about; None where the question does not narrow it."""
    if asked is None:
        return None
    if home.lending.by_clock:
        return During(asked.spans, _NOTHING) if asked.spans else None
    if asked.episodes is None:
        return None
    first, last = asked.episodes
    bounds = (Range("episode_no", Order.GTE, first), Range("episode_no", Order.LTE, last))
    return Every(bounds)


def both(one: Filter | None, other: Filter) -> Filter:
    """Join two filters by AND."""
    return other if one is None else Every((one, other))
