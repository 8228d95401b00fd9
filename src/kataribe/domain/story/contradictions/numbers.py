"""Numbers as texts write them: digits, kanji, English words."""

from __future__ import annotations

import re

NUMBER_JA = "(?:[0-9]+|[〇一二三四五六七八九十百千]+)"
_DIGITS = {sign: value for value, sign in enumerate("〇一二三四五六七八九")}
_SCALES = {"十": 10, "百": 100, "千": 1000}

_ONES = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
_UNITS = {word: value for value, word in enumerate(f"{_ONES} seventeen eighteen nineteen".split(), start=1)}
_TENS = {
    word: 10 * value
    for value, word in enumerate(
        ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], start=2
    )
}
_SMALL = (
    "(?:(?:"
    + "|".join(_TENS)
    + ")(?:[- ](?:"
    + "|".join(list(_UNITS)[:9])
    + r")(?![a-z]))?|"
    + "|".join(sorted(_UNITS, key=len, reverse=True))
    + ")"
)
NUMBER_EN = rf"(?:\d+|(?:a|{_SMALL})[ -]hundred(?: and {_SMALL})?|{_SMALL})"

_ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8,
    "ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13, "fourteenth": 14,
    "fifteenth": 15, "sixteenth": 16, "seventeenth": 17, "eighteenth": 18, "nineteenth": 19,
    "twentieth": 20, "thirtieth": 30,
}  # fmt: skip
ORDINAL_EN = (
    r"(?:\d{1,2}(?:st|nd|rd|th)|(?:twenty|thirty)[- ](?:first|second"
    r"|third|fourth|fifth|sixth|seventh|eighth|ninth)|"
    + "|".join(sorted(_ORDINALS, key=len, reverse=True))
    + ")"
)


def number_ja(text: str) -> int:
    """Read a number of kanji or digits: 十六, 三一二, 百二十."""
    if text.isdigit() and text.isascii():
        return int(text)
    if not any(sign in _SCALES for sign in text):
        return int("".join(str(_DIGITS[sign]) for sign in text))
    total, digit = 0, 0
    for sign in text:
        if sign in _SCALES:
            total += (digit or 1) * _SCALES[sign]
            digit = 0
        else:
            digit = digit * 10 + _DIGITS[sign]
    return total + digit


def number_en(text: str) -> int:
    """Read a number of digits or English words, `a hundred and fifty`, below a thousand."""
    folded = text.casefold()
    if folded.isdigit():
        return int(folded)
    before, hundred, after = folded.partition("hundred")
    if hundred:
        times = before.strip(" -")
        rest = after.replace("and", " ", 1).strip(" -")
        return 100 * (1 if times == "a" else _small(times)) + (_small(rest) if rest else 0)
    return _small(folded)


def _small(text: str) -> int:
    if text.isdigit():
        return int(text)
    return sum(_UNITS.get(word, 0) + _TENS.get(word, 0) for word in re.split(r"[- ]+", text))


def ordinal_en(text: str) -> int:
    """Read an ordinal: `4th`, `twenty-first`."""
    folded = text.casefold()
    if folded[0].isdigit():
        return int(re.sub(r"\D", "", folded))
    tens, _, rest = folded.replace(" ", "-").rpartition("-")
    return _TENS.get(tens, 0) + _ORDINALS[rest]
