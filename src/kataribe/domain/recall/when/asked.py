"""From the words of a question to the spans of time, or the episodes, that it asks about."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, time

from kataribe.domain.ids import normalise
from kataribe.domain.recall.when.calendar import Days
from kataribe.domain.recall.when.english import DATES_EN, EPISODES_EN
from kataribe.domain.recall.when.japanese import DATES_JA, EPISODES_JA
from kataribe.domain.recall.when.rules import DateRule, EpisodeRule

_JAPANESE = re.compile("[ぁ-ヿ一-鿿]")
_MOST = 400
"""Signs of a question that are looked at."""

Span = tuple[int, int]
"""Milliseconds since 1970 in UTC, from the first on, up to but without the second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedWhen:
    """What a question asks about, in its own words and as ranges.

    Of a conversation it is `spans` of time; of a story the episodes `first` to `last`, both
    inclusive. Either is empty where the question says nothing of it.
    """

    words: str
    spans: tuple[Span, ...] = ()
    days: tuple[Days, ...] = ()
    episodes: tuple[int, int] | None = None

    def holds(self, moment: int) -> bool:
        """Whether a moment, in milliseconds since 1970, lies in one of the spans."""
        return any(first <= moment < end for first, end in self.spans)

    @property
    def said(self) -> str:
        """The range for people: days, or episode numbers."""
        if self.episodes is not None:
            first, last = self.episodes
            return f"episode {first}" if first == last else f"episodes {first} to {last}"
        return " and ".join(_said(one) for one in self.days)


def asked_when(question: str, *, now: datetime | None = None, at: int | None = None) -> AskedWhen | None:
    """Find the first episodes, else the first time, that a question asks about; None when it names none.

    `now` is the moment asked at, with its zone: what is relative goes back from it, and days begin
    where its zone has midnight. `at` is the episode stood at. What lies wholly ahead of either is
    not asked about. Where a year is left out, the last one that has come is meant.
    """
    text = normalise(question)[:_MOST]
    is_japanese = _JAPANESE.search(text) is not None
    found = None if at is None else _episodes(text, EPISODES_JA if is_japanese else EPISODES_EN, at)
    if found is not None or now is None:
        return found
    return _dates(text, DATES_JA if is_japanese else DATES_EN, now)


def _episodes(text: str, rules: Iterable[EpisodeRule], at: int) -> AskedWhen | None:
    for rule in rules:
        for match in rule.pattern.finditer(text):
            numbers = rule.read(match, at)
            if numbers is not None and 1 <= numbers[0] <= numbers[1] < at:
                return AskedWhen(words=match.group().strip(), episodes=numbers)
    return None


def _dates(text: str, rules: Iterable[DateRule], now: datetime) -> AskedWhen | None:
    today = now.date()
    for rule in rules:
        for match in rule.pattern.finditer(text):
            days = tuple(one for one in rule.read(match, today) if one[0] <= today)
            if days:
                spans = tuple((_instant(first, now), _instant(end, now)) for first, end in days)
                return AskedWhen(words=match.group().strip(), spans=spans, days=days)
    return None


def _instant(day: date, now: datetime) -> int:
    from_midnight = datetime.combine(day, time(), tzinfo=now.tzinfo)
    return int(from_midnight.timestamp() * 1000)


def _said(days: Days) -> str:
    first, end = days
    last = first.fromordinal(end.toordinal() - 1)
    return first.isoformat() if first == last else f"{first.isoformat()} to {last.isoformat()}"


__all__ = ["AskedWhen", "Span", "asked_when"]
