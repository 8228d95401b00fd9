"""Telephone numbers: of Japan, the United Kingdom, North America and abroad, written and spoken."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from kataribe.domain.privacy.context import is_counted, is_of_something_else, is_told
from kataribe.domain.privacy.kinds import PageSpan, PersonalKind
from kataribe.domain.privacy.page import TextPage
from kataribe.domain.terms import Language

_JOIN = r"(?:[-. ]|\) ?| \(|\(|, ?|、)"
_DOMESTIC = re.compile(rf"(?<![0-9a-z.+_=-])\(?0[0-9]{{1,4}}(?:{_JOIN}[0-9]{{1,8}}){{1,5}}(?![0-9_]|-[0-9])")
_STRAIGHT = re.compile(r"(?<![0-9a-z.+_=-])[0-9]{10,11}(?![0-9_]|[-.][0-9])")
_AMERICAN = re.compile(
    r"(?<![0-9a-z.+_=$-])(?:1[-. ])?(?P<open>\()?[2-9][0-9]{2}(?(open)\) ?-?)[-. ]?[2-9][0-9]{2}"
    r"(?P<join>[-. ])"
    r"[0-9]{4}(?![0-9_]|[-.][0-9])"
)
_LOCAL = re.compile(r"(?<![0-9a-z.+_=$-])(?<![0-9][ ,])[2-9][0-9]{2}[- ][0-9]{4}(?![0-9_]|[-.][0-9])")
_INTERNATIONAL = re.compile(r"(?<![0-9a-z_=)+])\+ ?[1-9][0-9]{0,2}(?:[-. ()]{0,3}[0-9]{1,11}){1,7}(?![0-9_])")
_PREFIXED = re.compile(
    r"(?<![0-9a-z.+_=-])(?:00|010[- ]?|011[- ]?)(?:1|33|34|39|41|44|49|61|81|82|86)"
    r"(?:[-. ()]{1,3}[0-9]{1,8}){2,6}(?![0-9_])"
)
_SINGLE = re.compile(r"(?<![0-9a-z.+_=-])(?<![0-9] )(?:[0-9][ -]){9,10}[0-9](?![0-9]|[ -][0-9])")

_WORDS = {
    "zero": "0", "oh": "0", "nought": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5",
    "six": "6", "seven": "7", "eight": "8", "nine": "9",
}  # fmt: skip
_WORD = rf"(?:(?:double|triple) )?(?:{'|'.join(_WORDS)}|[0-9])"
_SPOKEN = re.compile(rf"(?<![a-z0-9])(?:{_WORD}(?:, |\. |-|[ ,])){{6,15}}{_WORD}(?![a-z0-9])")
_EACH_WORD = re.compile(rf"(?:(double|triple) )?({'|'.join(_WORDS)}|[0-9])")
_READINGS = {
    "ゼロ": "0", "ぜろ": "0", "れい": "0", "レイ": "0", "マル": "0", "まる": "0", "いち": "1", "イチ": "1",
    "に": "2", "ニ": "2", "さん": "3", "サン": "3", "よん": "4", "ヨン": "4", "ご": "5", "ゴ": "5",
    "ろく": "6", "ロク": "6", "なな": "7", "ナナ": "7", "しち": "7", "シチ": "7", "はち": "8", "ハチ": "8",
    "きゅう": "9", "きゅー": "9", "キュウ": "9", "キュー": "9",
}  # fmt: skip
_READING = rf"(?:{'|'.join(_READINGS)}|[0-9])"
_READ_OUT = re.compile(rf"(?:{_READING}[、,・\s\-のー]?){{9,10}}{_READING}")
_EACH_READING = re.compile(_READING)
_GROUP = re.compile("[0-9]+")
_TIES = ("-", ".", "/", ":")
_LENGTHS = {
    "1": {11},
    "81": {11, 12},
    "44": {11, 12},
    "82": {10, 11, 12},
    "86": {12, 13},
    "33": {11},
    "34": {11},
    "61": {11},
}
"""How many digits the numbers of a country have, its own among them."""


def phones(page: TextPage, language: Language) -> Iterator[PageSpan]:
    """Find telephone numbers; a number without a country is read as one of the language's."""
    if page.has_digits:
        yield from _written(page, language)
    yield from _spoken(page, language)


def _written(page: TextPage, language: Language) -> Iterator[PageSpan]:
    text = page.digits
    for pattern, is_number in (
        (_INTERNATIONAL, _is_foreign),
        (_PREFIXED, _is_prefixed),
        (_DOMESTIC, _is_domestic),
    ):
        for start, end in _cut(pattern, text, is_number):
            yield _phone(text, start, end, language)
    for match in _AMERICAN.finditer(text):
        if _is_american(text, match):
            yield _phone(text, *match.span(), language)
    for pattern, is_right in ((_STRAIGHT, _is_straight), (_SINGLE, _is_read_out), (_LOCAL, _is_told_here)):
        for match in pattern.finditer(text):
            if is_right(text, match):
                yield _phone(text, *match.span(), language)


def _cut(
    pattern: re.Pattern[str], text: str, is_right: Callable[[str, int, int], bool]
) -> Iterator[tuple[int, int]]:
    """Give the longest number that begins each row of groups; other groups may stand behind it."""
    found = pattern.search(text)
    while found is not None:
        ends = [found.end(), *(one.end() for one in reversed([*_GROUP.finditer(text, *found.span())]))]
        end = next((end for end in ends if _is_last(text, end) and is_right(text, found.start(), end)), None)
        if end is not None:
            yield found.start(), end
        first = _GROUP.search(text, found.start())
        found = pattern.search(text, end or (first.end() if first is not None else found.end()))


def _is_last(text: str, end: int) -> bool:
    """Whether no other group is joined to the last one."""
    return not (text[end : end + 1] in _TIES and text[end + 1 : end + 2].isdigit())


def _is_foreign(text: str, start: int, end: int) -> bool:
    """Whether it is as long as numbers of the country named after `+`, and no sum."""
    is_sum = text[max(0, start - 2) : start].strip()[-1:].isdigit() and text[start + 1] == " "
    return not is_sum and not is_counted(text, end) and _is_long_enough(text[start:end])


def _is_prefixed(text: str, start: int, end: int) -> bool:
    return _is_long_enough("+" + re.sub("^(?:00|01[01])[- ]?", "", text[start:end]))


def _is_long_enough(written: str) -> bool:
    digits = _digits(written.replace("(0)", ""))
    for country, lengths in _LENGTHS.items():
        if digits.startswith(country):
            return len(digits) in lengths
    return (9 if re.search("[-. ()]", written[2:]) else 10) <= len(digits) <= 15


def _is_domestic(text: str, start: int, end: int) -> bool:
    written = text[start:end]
    is_whole = written.count("(") == written.count(")")
    return is_whole and _is_plan(written) and not is_of_something_else(text, start)


def _is_plan(written: str) -> bool:
    """Whether groups of digits are cut as in Japan or in the United Kingdom."""
    groups = tuple(len(one) for one in re.findall("[0-9]+", written))
    digits = _digits(written)
    if len(digits) == 11 and re.match("0[5-9]0", digits):
        return True
    if digits.startswith(("0120", "0570", "0800")) and groups in {(4, 3, 3), (4, 2, 4), (4, 3, 4)}:
        return True
    if len(digits) == 10 and len(groups) == 3 and groups[2] == 4 and groups[0] >= 2:
        return digits[1] != "0"
    is_british = digits[:2] in {"01", "02", "03", "07", "08"}
    return is_british and groups in {
        (5, 6),
        (5, 5),
        (3, 4, 4),
        (4, 3, 4),
        (5, 3, 3),
        (4, 6),
        (4, 7),
        (3, 8),
        (2, 4, 4),
    }


def _is_american(text: str, match: re.Match[str]) -> bool:
    """Whether it is cut by hyphens or parentheses, or is said to be a telephone number."""
    if is_of_something_else(text, match.start()) or is_counted(text, match.end()):
        return False
    is_marked = match["open"] is not None or match["join"] in "-." or match[0].startswith("1")
    return is_marked or is_told(text, match.start())


def _is_straight(text: str, match: re.Match[str]) -> bool:
    digits = _digits(match[0])
    if is_of_something_else(text, match.start()) or is_counted(text, match.end()):
        return False
    if len(digits) == 11 and re.match("0[5-9]0|07[1-9]", digits):
        return True
    is_domestic = digits[0] == "0" and digits[1] != "0"
    is_american = len(digits) == 10 and digits[0] > "1" and digits[3] > "1"
    return (is_domestic or is_american) and is_told(text, match.start())


def _is_read_out(text: str, match: re.Match[str]) -> bool:
    """Whether digits that stand one by one are a number: they begin as one, or are said to be one."""
    return re.match("0[ -][1-9]", match[0]) is not None or _is_straight(text, match)


def _is_told_here(text: str, match: re.Match[str]) -> bool:
    return is_told(text, match.start()) and not is_counted(text, match.end())


def _spoken(page: TextPage, language: Language) -> Iterator[PageSpan]:
    for match in _SPOKEN.finditer(page.low):
        digits = "".join(_WORDS.get(one[2], one[2]) * _times(one[1]) for one in _EACH_WORD.finditer(match[0]))
        is_number = len(digits) in {10, 11} and digits[0] != "1"
        is_local = len(digits) == 7 and is_told(page.low, match.start())
        if re.search("[a-z]", match[0]) and (is_number or is_local):
            yield PageSpan(PersonalKind.PHONE, *match.span(), normal(digits, language))
    for match in _READ_OUT.finditer(page.digits):
        digits = "".join(_READINGS.get(one[0], one[0]) for one in _EACH_READING.finditer(match[0]))
        if len(digits) in {10, 11} and digits[0] == "0" and re.search("[ぁ-ヺ]", match[0]):
            end = match.end()
            yield PageSpan(PersonalKind.PHONE, match.start(), end, normal(digits, language))


def _times(word: str | None) -> int:
    return {"double": 2, "triple": 3}.get(word or "", 1)


def normal(digits: str, language: Language) -> str:
    """Give a number as it is dialled from abroad, as far as its own digits and the language tell."""
    if digits.startswith("+"):
        return digits
    if digits.startswith("00"):
        return f"+{digits[2:]}"
    if digits.startswith("0"):
        return f"+{'81' if language == 'ja' else '44'}{digits[1:]}"
    return f"+1{digits.removeprefix('1')}" if len(digits) in {10, 11} else digits


def _phone(text: str, start: int, end: int, language: Language) -> PageSpan:
    written = text[start:end].replace("(0)", "")
    value = ("+" if written.startswith("+") else "") + _digits(written)
    for prefix in ("010", "011"):
        value = f"+{value[3:]}" if value.startswith(prefix) and len(value) > 12 else value
    return PageSpan(PersonalKind.PHONE, start, end, normal(value, language))


def _digits(text: str) -> str:
    return re.sub("[^0-9]", "", text)
