"""Dates and episodes as English names them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date, timedelta

from kataribe.domain.recall.when.calendar import Days, day, month, month_of, week, year
from kataribe.domain.recall.when.rules import (
    DateRule,
    EpisodeRule,
    in_month,
    of_feast,
    of_season,
    on_day,
)

_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_MONTH = (
    r"(?P<month>Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
    r"|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\b\.?"
)
_DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_NUMBERS = (
    "zero",
    *("one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
_WORDS = {word: at for at, word in enumerate(_NUMBERS)} | {"a": 1, "an": 1, "couple": 2, "few": 3}
_COUNT = (
    r"(?P<count>\d{1,4}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|(?:a )?(?:few|couple)(?: of)?)"
)
_SEASON = r"(?P<season>spring|summer|autumn|fall|winter)"
_FEAST = (
    r"(?P<feast>new year[’']?s eve|new year[’']?s day|new year[’']?s?|christmas eve|christmas(?: day)?"
    r"|xmas|halloween|valentine[’']?s(?: day)?)"
)
_YEAR = r"(?P<year>(?:1[89]|20)\d\d)"


def count_of(word: str) -> int:
    """Read a number in digits or words."""
    if word.isdigit():
        return int(word)
    return max((_WORDS.get(part, 0) for part in word.casefold().split()), default=0)


def _month(match: re.Match[str]) -> int:
    return _MONTHS.index(match["month"][:3].casefold()) + 1


def _season(match: re.Match[str]) -> str:
    name = match["season"].casefold()
    return "autumn" if name == "fall" else name


def _feast(match: re.Match[str]) -> str:
    name = match["feast"].casefold().replace("’", "'").replace("years", "year's")
    for known in ("new year's eve", "new year's day", "christmas eve", "halloween", "valentine"):
        if name.startswith(known):
            return known
    return "christmas" if name.startswith(("christmas", "xmas")) else "new year"


def _year(match: re.Match[str]) -> int | None:
    found = match.groupdict().get("year")
    return None if found is None else int(found)


def _last(match: re.Match[str], today: date) -> int | None:
    """Give the year meant by `last` and `this` before a month, season or feast; None: the last there was."""
    which = (match.groupdict().get("which") or "").casefold()
    return {"last": None, "this": today.year, "the last": None}.get(which)


def _ago(match: re.Match[str], today: date) -> Iterable[Days]:
    many, unit = count_of(match["count"]), match["unit"].casefold()
    is_vague = "few" in match["count"] or "couple" in match["count"]
    if many > 4000:
        return ()
    if unit == "day":
        return (day(today - timedelta(days=many + is_vague), 1 + 2 * is_vague),)
    if unit == "week":
        return (week(today, many),)
    if unit == "month":
        return (month_of(today, many),)
    return (year(max(today.year - many, 1000)),)


def _relative(match: re.Match[str], today: date) -> Iterable[Days]:
    unit = match["unit"].casefold()
    back = match["which"].casefold() != "this"
    if unit == "week":
        return (week(today, int(back)),)
    if unit == "weekend":
        first, _ = week(today, int(back))
        return (day(first + timedelta(days=5), 2),)
    if unit == "month":
        return (month_of(today, int(back)),)
    return (year(today.year - back),)


def _weekday(match: re.Match[str], today: date) -> Iterable[Days]:
    back = (today.weekday() - _DAYS.index(match["weekday"].casefold())) % 7 or 7
    return (day(today - timedelta(days=back)),)


def _numeric(match: re.Match[str], today: date) -> Iterable[Days]:
    return on_day(today, int(match["m"]), int(match["d"]), int(match["y"]))


def _compiled(pattern: str, *, exact: bool = False) -> re.Pattern[str]:
    return re.compile(pattern, 0 if exact else re.IGNORECASE)


DATES_EN: tuple[DateRule, ...] = (
    DateRule(_compiled(r"\b(?P<y>\d{4})[-/](?P<m>\d{1,2})[-/](?P<d>\d{1,2})\b"), _numeric),
    DateRule(
        _compiled(rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {_MONTH}(?:,? {_YEAR})?\b", exact=True),
        lambda m, today: on_day(today, _month(m), int(m["day"]), _year(m)),
    ),
    DateRule(
        _compiled(rf"\b{_MONTH} (?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? {_YEAR})?", exact=True),
        lambda m, today: on_day(today, _month(m), int(m["day"]), _year(m)),
    ),
    DateRule(
        _compiled(rf"\b{_MONTH}(?: of|,)? {_YEAR}\b", exact=True),
        lambda m, _: (month(int(m["year"]), _month(m)),),
    ),
    DateRule(
        _compiled(rf"\b{_SEASON}(?: of|,)? {_YEAR}\b"),
        lambda m, today: of_season(today, _season(m), int(m["year"])),
    ),
    DateRule(
        _compiled(rf"\b{_FEAST}(?: of|,| in)? {_YEAR}\b"),
        lambda m, today: of_feast(today, _feast(m), int(m["year"])),
    ),
    DateRule(_compiled(rf"\b{_COUNT} (?P<unit>day|week|month|year)s? (?:ago|before now|back)\b"), _ago),
    DateRule(_compiled(r"\bthe day before yesterday\b"), lambda _, today: (day(today - timedelta(days=2)),)),
    DateRule(_compiled(r"\b(?:yesterday|last night)\b"), lambda _, today: (day(today - timedelta(days=1)),)),
    DateRule(
        _compiled(r"\b(?:today|tonight|this (?:morning|afternoon|evening))\b"), lambda _, today: (day(today),)
    ),
    DateRule(
        _compiled(rf"\b(?P<which>this|last|the last|the previous|previous) {_FEAST}\b"),
        lambda m, today: of_feast(today, _feast(m), _last(m, today)),
    ),
    DateRule(
        _compiled(rf"\b(?P<which>this|last|the last) {_SEASON}\b"),
        lambda m, today: of_season(today, _season(m), _last(m, today)),
    ),
    DateRule(
        _compiled(
            r"\b(?P<which>this|last|the last|the previous|previous) (?P<unit>weekend|week|month|year)\b"
        ),
        _relative,
    ),
    DateRule(
        _compiled(rf"\b(?:last|this past|on|this) (?P<weekday>{'|'.join(_DAYS)})\b"),
        _weekday,
    ),
    DateRule(
        _compiled(rf"\b(?:[Ii]n|[Ll]ast|[Tt]his|[Dd]uring|[Ss]ince|[Oo]f) {_MONTH}(?! \d)", exact=True),
        lambda m, today: in_month(today, _month(m)),
    ),
    DateRule(
        _compiled(rf"\b(?:on|at|over|for|during) {_FEAST}\b"), lambda m, today: of_feast(today, _feast(m))
    ),
    DateRule(_compiled(rf"\b(?:in|during|of) {_YEAR}\b"), lambda m, _: (year(int(m["year"])),)),
)

_PLACE = r"(?:episode|chapter|ep\.?|ch\.?|part)"

EPISODES_EN: tuple[EpisodeRule, ...] = (
    EpisodeRule(
        _compiled(rf"\b{_COUNT} {_PLACE}s? (?:ago|back|before|earlier)\b"),
        lambda m, at: (at - count_of(m["count"]), at - count_of(m["count"])),
    ),
    EpisodeRule(
        _compiled(rf"\b{_PLACE}s? (?P<first>\d{{1,5}}) ?(?:to|-|–|through|and) ?(?P<last>\d{{1,5}})\b"),
        lambda m, _: (int(m["first"]), int(m["last"])),
    ),
    EpisodeRule(_compiled(rf"\b{_PLACE} (?P<no>\d{{1,5}})\b"), lambda m, _: (int(m["no"]), int(m["no"]))),
    EpisodeRule(
        _compiled(rf"\b(?:last|previous) (?P<many>few|couple of|{'|'.join(_WORDS)}|\d{{1,3}}) {_PLACE}s\b"),
        lambda m, at: (max(1, at - count_of(m["many"])), at - 1),
    ),
    EpisodeRule(_compiled(rf"\b(?:last|previous) {_PLACE}\b"), lambda _, at: (at - 1, at - 1)),
    EpisodeRule(_compiled(rf"\b(?:the )?(?:first|opening) {_PLACE}\b"), lambda *_: (1, 1)),
)
