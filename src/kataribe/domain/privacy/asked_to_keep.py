"""What a user explicitly asks to be remembered of itself, as keys of its profile (U-12, S2-32).

Only the user's own data count, and only where the words say whose they are: `my mother's number` is no
number of the user. Secrets are no part of a profile.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping

from kataribe.domain.conversation.commands import CommandKind, MemoryCommand, read_commands
from kataribe.domain.privacy.find import find
from kataribe.domain.privacy.kinds import PersonalKind
from kataribe.domain.privacy.spoken_settings import SpokenSetting, settings_in
from kataribe.domain.terms import Language

_KEYS: Mapping[PersonalKind, str] = {
    PersonalKind.EMAIL: "email",
    PersonalKind.PHONE: "phone",
    PersonalKind.ADDRESS: "address",
    PersonalKind.BIRTH_DATE: "birthday",
}
_ASKS = (CommandKind.REMEMBER, CommandKind.FROM_NOW_ON)
_UNWANTED = (CommandKind.DO_NOT_REMEMBER, CommandKind.FORGET)
_FLAGS = re.IGNORECASE
_EN_WHICH = r"(?:(?:new|own|work|home|private|personal|current|main|actual|mobile|cell)\s+)?"
_JA_MINE = r"(?:^|[、。,\s]|(?:私|僕|俺|わたし|ぼく|おれ|あたし|うち|自分)の)(?:新しい|今の)?"
_OWNED: Mapping[Language, Mapping[str, re.Pattern[str]]] = {
    "en": {
        "email": re.compile(rf"\bmy {_EN_WHICH}(?:e-?mail|mail)(?: address)?(?!'s|s')\b", _FLAGS),
        "phone": re.compile(
            rf"\bmy {_EN_WHICH}(?:(?:tele)?phone|mobile|cell|number)(?: number)?(?!'s|s')\b", _FLAGS
        ),
        "address": re.compile(rf"\bmy {_EN_WHICH}address(?!'s)\b|\bi live (?:at|on|in)\b", _FLAGS),
        "birthday": re.compile(r"\bmy (?:birthday|date of birth|birth date)\b|\bi was born\b", _FLAGS),
    },
    "ja": {
        "email": re.compile(rf"{_JA_MINE}(?:メール(?:アドレス)?|メアド|アドレス|eメール)", _FLAGS),
        "phone": re.compile(
            rf"{_JA_MINE}(?:電話(?:番号)?|携帯(?:電話)?(?:の?番号)?|ケータイ(?:番号)?|番号|連絡先)"
        ),
        "address": re.compile(rf"{_JA_MINE}(?:住所|家|自宅)"),
        "birthday": re.compile(rf"{_JA_MINE}(?:誕生日|生年月日|生まれ)"),
    },
}
"""By which words a datum is said to be the user's own."""
_EN_NAME = r"(?P<name>(?-i:[A-Z])[\w'’-]*(?: (?-i:[A-Z])[\w'’-]*){0,3})"
_NAMED: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(rf"\bmy (?:full |real |first )?name is {_EN_NAME}\s*(?:$|[.,;!?])", _FLAGS),
    "ja": re.compile(
        rf"{_JA_MINE}(?:本名|名前|氏名)は[「『]?(?P<name>[^\s、。,!?「」『』のはがをに]{{1,16}}?)[」』]?"
        r"(?:だ|です|だよ|なの|という|といいます|と言います|っていう)?(?:$|[、。,!?\s]|って|と)"
    ),
}
_OTHERS: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(r"\b(?:he|she|they|his|her|their)\b|\b\w+'s\b(?<!\bit's)(?<!\bthat's)", _FLAGS),
    "ja": re.compile("彼|彼女|母|父|姉|兄|妹|弟|祖父|祖母|友達|友だち|友人|上司|先生|同僚|息子|娘|夫|妻"),
}
"""Words by which it may be somebody else's: then nothing is kept."""


def asked_to_keep(text: str, language: Language) -> tuple[SpokenSetting, ...]:
    """Read what a user asks to be remembered of itself in a turn of its own, the last of each key."""
    commands = read_commands(text, language)
    if any(one.kind in _UNWANTED for one in commands):
        return ()
    found: dict[str, SpokenSetting] = {}
    for command in commands:
        if command.kind in _ASKS and command.is_clear:
            words = _meant(text, command)
            for one in (*_data(words, language), *_name(words, language), *_settings(words, language)):
                found[one.key] = one
    return tuple(found.values())


def _meant(text: str, command: MemoryCommand) -> str:
    """Give the words that are to be remembered: those named, else all that the turn says."""
    start, end = command.span
    return text if command.is_of_last_turn else text[start:end]


def _data(words: str, language: Language) -> Iterator[SpokenSetting]:
    for one in find(words, language):
        key = _KEYS.get(one.kind)
        before = unicodedata.normalize("NFKC", words[: one.start])
        if key is None or _OTHERS[language].search(before):
            continue
        if _OWNED[language][key].search(before):
            yield SpokenSetting(key, words[one.start : one.end])


def _name(words: str, language: Language) -> Iterator[SpokenSetting]:
    match = _NAMED[language].search(unicodedata.normalize("NFKC", words))
    if match is not None and not _OTHERS[language].search(match.string[: match.start()]):
        yield SpokenSetting("name", match["name"])


def _settings(words: str, language: Language) -> tuple[SpokenSetting, ...]:
    """Read how the user wants to be spoken to; what is to be remembered is to last."""
    return settings_in(words, language, lasts=True)
