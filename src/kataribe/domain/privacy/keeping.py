"""For how long a user wants what is said to be kept, by hand or in plain words of the user's own."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kataribe.domain.privacy.profile import ConsentEvent, ConsentStep
from kataribe.domain.terms import Language
from kataribe.errors import InputError

KEEP = "keep"
"""The key under which it stands among the consents."""
MAX_DAYS = 36_500


@dataclass(frozen=True, slots=True)
class Keeping:
    """How many days what is said is kept (None: for good).

    `spares` says that what the user asked to be remembered, and what was pinned, stays all the same.
    """

    days: int | None = None
    spares: bool = False


FOR_GOOD = Keeping()


def check_days(days: int | None) -> int | None:
    """Give a number of days back. Raises `InputError`."""
    if days is None:
        return None
    if isinstance(days, bool) or not isinstance(days, int) or not 1 <= days <= MAX_DAYS:
        raise InputError(f"what is said is kept for 1 to {MAX_DAYS} days, or for good; not for {days!r}")
    return days


def keeping_of(events: Iterable[ConsentEvent]) -> Keeping:
    """Give what was wanted last, by the moment at which it was."""
    found = FOR_GOOD
    steps = (one for one in events if one.key == KEEP)
    for one in sorted(steps, key=lambda one: one.order):
        found = Keeping(one.days, one.spares) if one.step is ConsentStep.GIVEN else FOR_GOOD
    return found


_FLAGS = re.IGNORECASE
_UNITS: Mapping[str, int] = {
    "day": 1, "week": 7, "month": 30, "year": 365,
    "日": 1, "週": 7, "月": 30, "年": 365,
}  # fmt: skip
_EN_NUMBERS: Mapping[str, int] = {
    word: number
    for number, word in enumerate(
        ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"), start=1
    )
} | {"a": 1, "an": 1, "thirty": 30, "sixty": 60, "ninety": 90}
_JA_DIGITS = "〇一二三四五六七八九"
_EN_TIME = rf"(?P<number>\d{{1,5}}|{'|'.join(_EN_NUMBERS)})[ -](?P<unit>day|week|month|year)s?"
_EN_SAID = (
    r"(?:(?:what|everything|anything|all|whatever)(?: that)? (?:i(?:'ve|'ll)?(?: just| ever)? "
    r"(?:say|said|tell you|told you|share|write|wrote)(?: to you| here)?)|our (?:talks|chats|conversations)"
    r"|my (?:words|messages))"
)
_EN_FORGET = r"(?:forget|delete|erase)"
_EN_KEEP = r"(?:keep|remember|store|save)"
_EN_LEAD = (
    r"^(?:(?:please|and|so|ok(?:ay)?|from now on|also|could you|can you|would you|will you|i want you to|"
    r"i would like you to|i'd like you to)[,;]?\s+)*"
)
_EN_BUT = (
    r"(?P<spares>,?\s*(?:but not|except(?: for)?|apart from) what i (?:ask|asked|tell|told) you to "
    r"(?:remember|keep))?"
)
_EN_FOR = "(?:only )?for (?:only |just |at most )?"
_EN_ONLY = "(?: only| at most)?"
_EN_END = r"(?:,?\s*(?:please|thanks|thank you|from now on))*\s*[.!?]*$"
_JA_TIME = r"(?P<number>\d{1,5}|[〇一二三四五六七八九十百]{1,5})\s*(?P<unit>日|週|[かヶカヵケ箇]月|年)間?"
_JA_SAID = (
    "(?:(?:私|僕|俺|わたし|ぼく|おれ|あたし|うち)(?:の(?:話|話したこと|言ったこと|言うこと|発言)"
    "|が(?:話した|言った|話す|言う)こと)|話したこと|言ったこと|会話(?:の内容)?|ここでの話)(?:は|を)?"
)
_JA_BUT = (
    "(?P<spares>覚えて(?:って|と|ほしいと|おいてと)(?:言った|頼んだ|お願いした)(?:こと|もの)以外は?、?)?"
)
_JA_ASK = (
    "(?:(?:くだ|下)さい|(?:ほし|欲し)い(?:です)?|くれ(?:る|ない|ますか|ませんか)?|もらえ(?:る|ますか)"
    "|お願い(?:します)?|ね|よ|な)*"
)
_JA_END = rf"{_JA_ASK}\s*[。!?]*$"
_JA_PAST = "(?:たったら|経ったら|が?過ぎたら|が?すぎたら|後には?|以上たったら)"
_JA_GO = "(?:全部|ぜんぶ|すべて)?(?:忘れて|消して|削除して)(?!い)"
_JA_LEAD = "^(?:これからは|今後は|これから|今後|じゃあ|あと|できれば|、|\\s)*"
_WORDINGS: Mapping[Language, tuple[re.Pattern[str], ...]] = {
    "en": tuple(
        re.compile(one, _FLAGS)
        for one in (
            rf"{_EN_LEAD}{_EN_FORGET} {_EN_SAID} (?:after|within|in) {_EN_TIME}{_EN_BUT}{_EN_END}",
            rf"{_EN_LEAD}after {_EN_TIME},? (?:please )?{_EN_FORGET} {_EN_SAID}{_EN_BUT}{_EN_END}",
            rf"{_EN_LEAD}(?:only )?{_EN_KEEP} {_EN_SAID} {_EN_FOR}{_EN_TIME}{_EN_ONLY}{_EN_BUT}{_EN_END}",
        )
    ),
    "ja": tuple(
        re.compile(one)
        for one in (
            rf"{_JA_LEAD}{_JA_BUT}{_JA_TIME}{_JA_PAST}、?(?:全部|ぜんぶ|すべて)?忘れて(?!い){_JA_END}",
            rf"{_JA_LEAD}{_JA_BUT.removesuffix('?')}{_JA_TIME}(?:{_JA_PAST}|で)、?{_JA_GO}{_JA_END}",
            rf"{_JA_LEAD}{_JA_BUT}{_JA_SAID}、?{_JA_TIME}(?:{_JA_PAST}|で)、?{_JA_GO}{_JA_END}",
            rf"{_JA_LEAD}{_JA_SAID}、?{_JA_BUT}{_JA_TIME}(?:{_JA_PAST}|で)、?{_JA_GO}{_JA_END}",
            rf"{_JA_LEAD}{_JA_BUT}{_JA_TIME}(?:{_JA_PAST}|で)、?{_JA_SAID}、?{_JA_GO}{_JA_END}",
            rf"{_JA_LEAD}{_JA_SAID}、?{_JA_TIME}だけ(?:覚えて(?:い|おい)て|残して|保存して){_JA_END}",
        )
    ),
}
_FOR_GOOD: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        rf"{_EN_LEAD}{_EN_KEEP} {_EN_SAID} (?:forever|for good|for ever|without (?:a )?limit){_EN_END}",
        _FLAGS,
    ),
    "ja": re.compile(
        rf"{_JA_LEAD}{_JA_SAID}、?(?:ずっと|いつまでも)(?:忘れないで|覚えて(?:い|おい)て|残して){_JA_END}"
    ),
}
_SENTENCE = re.compile(r"(?<=[.!?。！？\n])\s*")
_TRIGGERS: Mapping[Language, tuple[str, ...]] = {
    "en": ("forget", "delete", "erase", "keep", "remember", "store", "save"),
    "ja": ("忘れ", "消して", "削除", "覚えて", "残して", "保存"),
}


def keeps_in(text: str, language: Language) -> Keeping | None:
    """Read for how long a user wants what is said to be kept; None where nothing is said of it."""
    plain = unicodedata.normalize("NFKC", text).replace("’", "'")
    low = plain.casefold()
    if not any(one in low for one in _TRIGGERS[language]):
        return None
    found: Keeping | None = None
    for sentence in _SENTENCE.split(plain):
        found = _of_sentence(sentence.strip(), language) or found
    return found


def _of_sentence(sentence: str, language: Language) -> Keeping | None:
    if _FOR_GOOD[language].search(sentence):
        return FOR_GOOD
    for wording in _WORDINGS[language]:
        match = wording.search(sentence)
        days = None if match is None else _days(match["number"], match["unit"])
        if match is not None and days is not None and 1 <= days <= MAX_DAYS:
            return Keeping(days, bool(match.groupdict().get("spares")))
    return None


def _days(number: str, unit: str) -> int | None:
    count = _number(number.casefold())
    each = next(days for name, days in _UNITS.items() if name in unit.casefold())
    return None if count is None else count * each


def _number(written: str) -> int | None:
    if written.isdecimal():
        return int(written)
    if written in _EN_NUMBERS:
        return _EN_NUMBERS[written]
    if not re.search("[十百]", written):
        return int("".join(str(_JA_DIGITS.index(one)) for one in written))
    match = re.fullmatch(
        "(?:([一二三四五六七八九]?)百)?(?:([一二三四五六七八九]?)十)?([一二三四五六七八九]?)", written
    )
    if match is None:
        return None
    hundreds, tens, ones = match.groups()
    counts = [0 if one is None else _JA_DIGITS.index(one) if one else 1 for one in (hundreds, tens)]
    return counts[0] * 100 + counts[1] * 10 + (_JA_DIGITS.index(ones) if ones else 0)
