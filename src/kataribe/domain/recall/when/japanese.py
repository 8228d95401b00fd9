"""Dates and episodes as Japanese names them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date, timedelta

from kataribe.domain.recall.when.calendar import Days, day, month_of, week, year
from kataribe.domain.recall.when.rules import (
    DateRule,
    EpisodeRule,
    in_month,
    of_feast,
    of_season,
    on_day,
)

_DIGITS = {sign: value for value, sign in enumerate("〇一二三四五六七八九")}
_NUMBER = "(?:[0-9]{1,4}|[〇一二三四五六七八九十百千]{1,7})"
_YEARS = {"去年": 1, "昨年": 1, "一昨年": 2, "おととし": 2, "今年": 0, "さ来年": -2, "来年": -1}
_AT_YEAR = "(?:(?P<rel>一昨年|おととし|去年|昨年|今年)|(?P<year>(?:1[89]|20)[0-9]{2})年)"
_SEASONS = {"春": "spring", "夏": "summer", "秋": "autumn", "冬": "winter"}
_FEASTS = {
    "大晦日": "new year's eve",
    "おおみそか": "new year's eve",
    "元日": "new year's day",
    "元旦": "new year's day",
    "お正月": "new year",
    "正月": "new year",
    "クリスマスイブ": "christmas eve",
    "クリスマス": "christmas",
    "ハロウィン": "halloween",
    "バレンタイン": "valentine",
    "ゴールデンウィーク": "golden week",
    "お盆": "obon",
}
_FEAST = f"(?P<feast>{'|'.join(_FEASTS)})"
_SEASON = "(?P<season>[春夏秋冬])(?:休み)?(?![一-鿿])"
_MONTH = f"(?P<month>{_NUMBER})月"
_DAY = f"(?P<day>{_NUMBER})日"


def count_of(written: str) -> int:
    """Read a number in digits or kanji."""
    if written.isdigit() and written.isascii():
        return int(written)
    total = digit = 0
    for sign in written:
        if sign in _DIGITS:
            digit = digit * 10 + _DIGITS[sign]
        else:
            total += max(digit, 1) * {"十": 10, "百": 100, "千": 1000}[sign]
            digit = 0
    return total + digit


def _year(match: re.Match[str], today: date) -> int | None:
    groups = match.groupdict()
    if groups.get("rel"):
        return today.year - _YEARS[groups["rel"]]
    return int(groups["year"]) if groups.get("year") else None


def _month(match: re.Match[str]) -> int:
    found = count_of(match["month"])
    return found if 1 <= found <= 12 else 0


def _on_day(match: re.Match[str], today: date) -> Iterable[Days]:
    month_ = _month(match)
    return on_day(today, month_, count_of(match["day"]), _year(match, today)) if month_ else ()


def _in_month(match: re.Match[str], today: date) -> Iterable[Days]:
    month_ = _month(match)
    return in_month(today, month_, _year(match, today)) if month_ else ()


def _in_year(match: re.Match[str], today: date) -> Iterable[Days]:
    found = _year(match, today)
    return () if found is None else (year(found),)


def _ago(match: re.Match[str], today: date) -> Iterable[Days]:
    many, unit = count_of(match["count"]), match["unit"]
    if not 0 < many <= 4000:
        return ()
    if unit == "日":
        return (day(today - timedelta(days=many)),)
    if unit == "年":
        return (year(max(today.year - many, 1000)),)
    return (week(today, many),) if unit.startswith("週") else (month_of(today, many),)


_BACK: dict[str, tuple[str, int]] = {
    "先々週": ("week", 2),
    "先週": ("week", 1),
    "今週": ("week", 0),
    "先々月": ("month", 2),
    "先月": ("month", 1),
    "今月": ("month", 0),
    "一昨日": ("day", 2),
    "おととい": ("day", 2),
    "昨日": ("day", 1),
    "きのう": ("day", 1),
    "昨夜": ("day", 1),
    "昨晩": ("day", 1),
    "ゆうべ": ("day", 1),
    "今日": ("day", 0),
    "きょう": ("day", 0),
    "今朝": ("day", 0),
    "今夜": ("day", 0),
}
_WEEKDAYS = "月火水木金土日"


def _relative(match: re.Match[str], today: date) -> Iterable[Days]:
    unit, back = _BACK[match["when"]]
    if unit == "day":
        return (day(today - timedelta(days=back)),)
    return (week(today, back),) if unit == "week" else (month_of(today, back),)


def _weekday(match: re.Match[str], today: date) -> Iterable[Days]:
    at = _WEEKDAYS.index(match["weekday"])
    before = match["when"]
    if before in ("先週", "今週", "先々週"):
        first, _ = week(today, _BACK[before][1])
        return (day(first + timedelta(days=at)),)
    return (day(today - timedelta(days=(today.weekday() - at) % 7 or 7)),)


def _weekend(match: re.Match[str], today: date) -> Iterable[Days]:
    first, _ = week(today, 0 if match["when"] == "今週" else 1)
    return (day(first + timedelta(days=5), 2),)


def _month_before(match: re.Match[str], today: date) -> Iterable[Days]:
    first, end = month_of(today, _BACK[match["when"]][1])
    found = day(first + timedelta(days=count_of(match["day"]) - 1))
    return (found,) if found[0] < end else ()


DATES_JA: tuple[DateRule, ...] = (
    DateRule(
        re.compile(r"(?P<y>[0-9]{4})[-/.](?P<m>[0-9]{1,2})[-/.](?P<d>[0-9]{1,2})"),
        lambda m, today: on_day(today, int(m["m"]), int(m["d"]), int(m["y"])),
    ),
    DateRule(re.compile(f"(?:{_AT_YEAR}の?)?{_MONTH}の?{_DAY}"), _on_day),
    DateRule(
        re.compile(f"{_AT_YEAR}の?{_FEAST}"),
        lambda m, today: of_feast(today, _FEASTS[m["feast"]], _year(m, today)),
    ),
    DateRule(
        re.compile(f"{_AT_YEAR}の?{_SEASON}"), lambda m, t: of_season(t, _SEASONS[m["season"]], _year(m, t))
    ),
    DateRule(re.compile(f"{_AT_YEAR}の?{_MONTH}"), _in_month),
    DateRule(re.compile(f"(?P<when>先月|今月|先々月)の?{_DAY}"), _month_before),
    DateRule(
        re.compile(
            f"(?P<count>{_NUMBER})(?P<unit>日|年|週間?|[かヶケカ箇]月)(?:ほど|くらい|ぐらい)?(?:前|まえ)"
        ),
        _ago,
    ),
    DateRule(
        re.compile(f"(?P<when>先々週|先週|今週|この前|この間|前)の(?P<weekday>[{_WEEKDAYS}])曜日?"), _weekday
    ),
    DateRule(re.compile("(?P<when>先週|今週|この前|この間)の?(?:週末|土日)"), _weekend),
    DateRule(re.compile(f"(?P<when>{'|'.join(_BACK)})"), _relative),
    DateRule(
        re.compile(f"(?:この前|この間|前回?|先日)の?{_FEAST}"),
        lambda m, today: of_feast(today, _FEASTS[m["feast"]]),
    ),
    DateRule(
        re.compile(f"(?<![一-鿿]){_FEAST}(?:に|は|の[日朝夜]|も)"),
        lambda m, today: of_feast(today, _FEASTS[m["feast"]]),
    ),
    DateRule(
        re.compile(f"(?:この前の?|この間の?|この){_SEASON}"), lambda m, t: of_season(t, _SEASONS[m["season"]])
    ),
    DateRule(re.compile(f"(?<![0-9一-鿿]){_MONTH}(?:に|の|は|ごろ|頃)"), _in_month),
    DateRule(re.compile(_AT_YEAR), _in_year),
)

_PLACE = "(?:話|章|回|部|幕)"

EPISODES_JA: tuple[EpisodeRule, ...] = (
    EpisodeRule(
        re.compile(f"(?P<count>{_NUMBER}){_PLACE}(?:ほど|くらい)?(?:前|まえ)"),
        lambda m, at: (at - count_of(m["count"]), at - count_of(m["count"])),
    ),
    EpisodeRule(
        re.compile(f"第?(?P<first>{_NUMBER}){_PLACE}?(?:から|[-~〜～])第?(?P<last>{_NUMBER}){_PLACE}"),
        lambda m, _: (count_of(m["first"]), count_of(m["last"])),
    ),
    EpisodeRule(
        re.compile(
            f"第(?P<no>{_NUMBER}){_PLACE}|(?<![0-9一-鿿])(?P<bare>{_NUMBER})(?:話|章)(?:で|の|に|は|では)"
        ),
        lambda m, _: (count_of(m["no"] or m["bare"]), count_of(m["no"] or m["bare"])),
    ),
    EpisodeRule(
        re.compile("前回|前話|前の(?:話|章|回)|前章|ひとつ前の(?:話|章|回)"), lambda _, at: (at - 1, at - 1)
    ),
    EpisodeRule(re.compile("(?:最初|はじめ|初め)の(?:話|章|回)|初回"), lambda *_: (1, 1)),
)
