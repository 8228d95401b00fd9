"""Dates that are said to be somebody's birth date."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from kataribe.domain.privacy.kinds import PageSpan, PersonalKind
from kataribe.domain.privacy.page import TextPage

_N = "[0-9十]{1,3}"
_JAPANESE = re.compile(
    rf"(?<![0-9十a-z./-])(?:(?:(?P<era>明治|大正|昭和|平成|令和|[mtshr])[ .]?(?P<in_era>{_N}|元)|"
    rf"(?P<year>[0-9]{{4}}|[0-9]{{2}}(?=年)))"
    rf"(?:年|[./-]) ?)?(?P<month>{_N})(?:月|[./-]) ?(?P<day>{_N})(?:日|(?![0-9十月年]))"
)
_BEFORE_JA = re.compile(
    r"(?:生年月日|誕生日|たんじょうび|生まれ(?:た日)?|バースデー|誕生)[はがもの:、\s「(=]{0,4}(?:[私僕俺]の?)?$"
)
_AFTER_JA = re.compile(
    r"[)」]?(?:に|の)?(?:生まれ|生(?![成放産活徒命物き]))|[がは][^。!?\n0-9]{0,6}(?:誕生日|たんじょうび|バースデー)"
)

_WORD_JA = re.compile("生|バースデー|たんじょうび")

_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_YEAR = r"(?:,? (?P<{}>[0-9]{{4}})(?![0-9]))?"
_ENGLISH = re.compile(
    rf"(?:(?:the )?(?P<day>[0-9]{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month>{_MONTH}){_YEAR.format('year')}|"
    rf"(?P<month2>{_MONTH}) (?:the )?(?P<day2>[0-9]{{1,2}})(?:st|nd|rd|th)?(?![0-9:]){_YEAR.format('year2')}|"
    r"(?P<iso>[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2})(?![0-9])|"
    r"(?P<slashed>[0-9]{1,2}[-/.][0-9]{1,2}[-/.](?:[0-9]{4}|[0-9]{2})|[01]?[0-9]/[0-3]?[0-9])(?![0-9/]))"
)
_BEFORE_EN = re.compile(
    r"(?:\bborn(?: (?:in|at|near) [^0-9.!?\n]{1,24})?,?(?: on)?|\bdate of birth|\bdob|\bd\.o\.b\.|"
    r"\bbirth ?date|"
    r"\bbirthday)(?:'s|,? is| was| falls)?[\s:=(]{1,3}(?:on )?$"
)
_WORD_EN = re.compile(r"\bborn\b|birth|\bdob\b|\bd\.o\.b")
_REACH = 48


def birth_dates(page: TextPage) -> Iterator[PageSpan]:
    """Find dates of birth: a day with its month, of 1900 or later where a year is named."""
    text = page.digits
    if _WORD_JA.search(text) is not None:
        yield from _in_japanese(text)
    if _WORD_EN.search(text) is not None:
        yield from _in_english(text)


def _in_japanese(text: str) -> Iterator[PageSpan]:
    for match in _JAPANESE.finditer(text):
        before = text[max(0, match.start() - _REACH) : match.start()]
        if _BEFORE_JA.search(before) is None and _AFTER_JA.match(text, match.end()) is None:
            continue
        month, day = number_of(match["month"]), number_of(match["day"])
        has_signs = re.search("[年月./-]", match[0]) is not None
        is_whole = match["year"] or match["era"] or re.search("[月/]", match[0])
        if has_signs and is_whole and _is_day(month, day) and _is_recent(match["year"]):
            year = match["year"] or _of_era(match["era"], match["in_era"])
            yield PageSpan(PersonalKind.BIRTH_DATE, *match.span(), _iso(year, month, day))


def _in_english(text: str) -> Iterator[PageSpan]:
    for match in _ENGLISH.finditer(text):
        before = text[max(0, match.start() - _REACH) : match.start()]
        if _BEFORE_EN.search(before) is None:
            continue
        value = _value(match)
        if value is not None:
            yield PageSpan(PersonalKind.BIRTH_DATE, *match.span(), value)


def _value(match: re.Match[str]) -> str | None:
    """Give the date; numbers alone stay in their order, for nobody says which of them is the month."""
    if match["slashed"]:
        return re.sub("[^0-9]+", "/", match["slashed"])
    if match["iso"]:
        year, month, day = (int(one) for one in re.split("[^0-9]", match["iso"]))
    else:
        named = match["month"] or match["month2"]
        month, day = _MONTHS.index(named[:3]) + 1, int(match["day"] or match["day2"])
        year = int(match["year"] or match["year2"] or 0)
    is_one = _is_day(month, day) and (year == 0 or _is_recent(str(year)))
    return _iso(str(year) if year else "", month, day) if is_one else None


def _is_day(month: int, day: int) -> bool:
    return 1 <= month <= 12 and 1 <= day <= 31


def _is_recent(year: str | None) -> bool:
    return year is None or len(year) == 2 or 1900 <= int(year) <= 2099


def _iso(year: str, month: int, day: int) -> str:
    return f"{year}-{month:02d}-{day:02d}" if year else f"--{month:02d}-{day:02d}"


@cache
def _starts() -> dict[str, int]:
    eras = {"明治": 1867, "大正": 1911, "昭和": 1925, "平成": 1988, "令和": 2018}
    return {**eras, **dict(zip("mtshr", eras.values(), strict=True))}


def _of_era(era: str | None, year: str | None) -> str:
    if era is None or year is None:
        return ""
    return str(_starts()[era] + (1 if year == "元" else number_of(year)))


def number_of(written: str) -> int:
    """Read a number below a hundred with or without 十: 十二, 2十3, 23."""
    if "十" not in written:
        return int(written)
    tens, _, ones = written.partition("十")
    ones = ones.replace("十", "")
    return int(tens or 1) * 10 + int(ones or 0)
