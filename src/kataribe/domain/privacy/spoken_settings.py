"""Settings that a user asks for in plain words, to hold from then on: what to be called, how to be spoken to.

Only what is asked of the listener counts. What is quoted, told of somebody else, asked about, denied, or
meant for this once only sets nothing, and nothing is inferred.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kataribe.domain.conversation.commands import CommandKind, read_commands
from kataribe.domain.terms import Language


@dataclass(frozen=True, slots=True)
class SpokenSetting:
    """A key of a profile and its value, as a user asked for it."""

    key: str
    value: str


@dataclass(frozen=True, slots=True)
class _SettingWording:
    """How one setting is asked for; without a `value` it is the group `name` of the match."""

    key: str
    value: str | None
    pattern: re.Pattern[str]
    must_last: bool = False
    """Whether it is a setting only where it is said to hold from now on."""


_JA_ASK = (
    "(?:(?:くだ|下)さい|(?:ほし|欲し)い(?:です)?|くれ(?:る|ない|ます|ませんか|ますか)?|もらえ(?:る|ます|ますか|ない)"
    "|も?(?:いい(?:よ|です|から)|大丈夫|構わない|かまわない)|お願い(?:します)?|ちょうだい)?"
)
"""What may follow て of a request."""
_JA_END = r"(?:です|だ|よ|ね|な|か|の|から|ー|〜|~|w|笑)*\s*(?:$|[。．.!?、,…\s)）♪])"
_JA_SPEAK = "(?:話し|しゃべっ|喋っ|接し)て"
_JA_ANSWER = "(?:話し|答え|返し|返事し|返事をし|しゃべっ|喋っ)て"
_JA_PLAIN = "(?:タメ口|ため口|タメ語|ため語|タメ|ため)"
_EN_ASK = (
    r"(?:^|[,;:]\s*|\b(?:please|just|so|but)\s+|\byou (?:can|may|could)\s+(?:just\s+)?"
    r"|\b(?:could|can|would|will) you\s+(?:please\s+|just\s+)?|\bi(?:'d| would) like you to\s+"
    r"|\bfrom now on,?\s+)"
)
"""Where a clause that asks the listener begins."""
_EN_END = (
    r"(?=\s*(?:$|[.!?,;:)]|please\b|instead\b|for short\b|from now on\b|if you (?:like|want)\b|ok(?:ay)?\b))"
)
_EN_NAME = r"[\"“'‘]?(?P<name>(?-i:[A-Z])[\w'’-]*(?: (?-i:[A-Z])[\w'’-]*){0,2})[\"”'’]?"
_FLAGS = re.IGNORECASE


def _of(key: str, value: str | None, pattern: str, *, must_last: bool = False) -> _SettingWording:
    return _SettingWording(key, value, re.compile(pattern, _FLAGS), must_last)


_WORDINGS: Mapping[Language, tuple[_SettingWording, ...]] = {
    "ja": (
        _of(
            "name",
            None,
            r"(?:^|[、,!\s])(?:(?:これから|今後|今日から|(?:私|僕|俺|わたし|あたし|ぼく|おれ|うち)のこと|名前)(?:は|を|、)"
            r"|(?:気軽に|普通に|よかったら|できれば|ぜひ|じゃあ|なら|もう|やっぱり|やはり|また|ねえ|えっと)、?)*"
            rf"[「『\"]?(?P<name>[^\s、。,!?「」『』\"を]{{1,12}}?)[」』\"]?(?:って|と)呼んで{_JA_ASK}{_JA_END}",
        ),
        _of("honorific", "敬語", rf"敬語(?:で|を使って){_JA_SPEAK}{_JA_ASK}{_JA_END}"),
        _of("honorific", "敬語", rf"敬語でお願い(?:します|ね)?{_JA_END}"),
        _of("honorific", "敬語", rf"{_JA_PLAIN}(?:は|を)(?:やめて|使わないで){_JA_ASK}{_JA_END}"),
        _of("honorific", "タメ口", rf"{_JA_PLAIN}で{_JA_SPEAK}{_JA_ASK}{_JA_END}"),
        _of(
            "honorific",
            "タメ口",
            rf"{_JA_PLAIN}で(?:も)?(?:いい(?:よ|です|から)|OK|大丈夫|お願い(?:します)?){_JA_END}",
        ),
        _of(
            "honorific",
            "タメ口",
            r"敬語(?:は|を|で)?(?:(?:いら|要ら|使わ|話さ|じゃ)なくて(?:も)?(?:いい(?:よ|です|から)|大丈夫)"
            rf"|(?:いら|要ら)ない|なしで(?:いい(?:よ|です)|お願い(?:します)?)?|やめて{_JA_ASK}){_JA_END}",
        ),
        _of(
            "honorific",
            "呼び捨て",
            rf"呼び捨てで(?:いい(?:よ|です|から)|お願い(?:します)?|呼んで{_JA_ASK}){_JA_END}",
        ),
        _of("style", "短く", rf"(?:短く|短めに|手短に|簡潔に){_JA_ANSWER}{_JA_ASK}{_JA_END}", must_last=True),
        _of("style", "詳しく", rf"(?:詳しく|長めに){_JA_ANSWER}{_JA_ASK}{_JA_END}", must_last=True),
        _of("tone", "やさしく", rf"(?:優しく|やさしく){_JA_ANSWER}{_JA_ASK}{_JA_END}", must_last=True),
    ),
    "en": (
        _of("name", None, rf"{_EN_ASK}call me {_EN_NAME}{_EN_END}"),
        _of(
            "honorific",
            "formal",
            rf"{_EN_ASK}(?:(?:speak|talk) (?:to me )?(?:more )?(?:formally|politely)(?: (?:to|with) me)?"
            rf"|be (?:more )?formal with me){_EN_END}",
        ),
        _of(
            "honorific",
            "casual",
            rf"{_EN_ASK}(?:(?:speak|talk) (?:to me )?(?:more )?(?:casually|informally)(?: (?:to|with) me)?"
            rf"|be (?:more )?casual with me|drop the (?:honorifics|formalities)){_EN_END}",
        ),
        _of(
            "honorific",
            "casual",
            rf"\b(?:you (?:don't|do not|needn't) (?:have to |need to )?be (?:so )?formal(?: with me)?"
            rf"|no need (?:for (?:honorifics|formalities)|to be (?:so )?formal)){_EN_END}",
        ),
        _of(
            "style",
            "short",
            rf"{_EN_ASK}(?:keep (?:it|your (?:answers|replies)) (?:short|brief)"
            r"|(?:answer|reply) (?:briefly|in short))"
            rf"{_EN_END}",
            must_last=True,
        ),
        _of(
            "style",
            "detailed",
            rf"{_EN_ASK}(?:answer|reply|explain(?: things)?) in (?:more )?detail{_EN_END}",
            must_last=True,
        ),
        _of(
            "tone",
            "gentle",
            rf"{_EN_ASK}(?:(?:speak|talk) gently(?: (?:to|with) me)?|be (?:more )?gentle with me){_EN_END}",
            must_last=True,
        ),
    ),
}
_LASTS: Mapping[Language, re.Pattern[str]] = {
    "ja": re.compile("これから|今後|いつも|毎回|普段|ふだん|ずっと|以後|以降"),
    "en": re.compile(r"\b(?:from now on|always|in (?:the )?future|going forward|every time)\b", _FLAGS),
}
"""What says that something is to hold from then on."""
_ONCE: Mapping[Language, re.Pattern[str]] = {
    "ja": re.compile(
        "今日だけ|今だけ|今回|一回だけ|もし|たら|彼|あの子|友達|友だち|先生が|上司|母が|父が|お客"
    ),
    "en": re.compile(
        r"\b(?:just for (?:today|now|once)|this (?:time|once)|for now|only today|if i|said|says|told"
        r"|asked|asks|wrote|used to|don't|do not|never|he|she|they)\b",
        _FLAGS,
    ),
}
"""What says that it is for this once, supposed, or somebody else's; it counts where it stands before."""
_NO_NAMES = frozenset(
    [
        *("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
        *("january", "february", "march", "june", "july", "august", "september", "october"),
        *("november", "december", "tomorrow", "tonight", "today", "back", "later", "maybe", "asap"),
        *("when", "if", "at", "on", "in", "a", "an", "the", "anytime", "whenever", "crazy"),
        *("何", "なに", "なん", "どう", "誰", "だれ", "それ", "これ", "そう", "あれ"),
    ]
)
"""What is called for another reason than a name, and what asks for one."""
_PARTICLE = re.compile("[一-鿿ァ-ヶーA-Za-z0-9](?:は|が|に|から)|のこと|って$|^[ぁ-ん]{2,}[一-鿿ァ-ヶA-Za-z]")
_SENTENCE = re.compile(r"(?<=[.!?。！？\n])")
_AND: Mapping[Language, re.Pattern[str]] = {
    "ja": re.compile(r"(?<=呼んで)(?=タメ|ため|敬語)|(?<=口で)(?=[^\s、。]{1,12}(?:って|と)呼んで)"),
    "en": re.compile(
        r",?\s+and\s+(?:also\s+)?(?=(?:please\s+)?"
        r"(?:speak|talk|be|drop|keep|answer|reply|explain|call me)\b)",
        _FLAGS,
    ),
}
"""Between two things that are asked in one breath."""
_ALSO_ONCE = re.compile(
    r"\b(?:just for (?:today|now|once)|this (?:time|once)|for now|only today)\b|今日だけ|今だけ", _FLAGS
)


def settings_in(text: str, language: Language, *, lasts: bool = False) -> tuple[SpokenSetting, ...]:
    """Read what a user asks for in a turn of its own, in order, the last of each key.

    `lasts` says that all of it is to hold from then on.
    """
    found: dict[str, SpokenSetting] = {}
    plain = unicodedata.normalize("NFKC", text)
    clauses = (plain, *_AND[language].split(plain))
    if not any(one.pattern.search(clause) for one in _WORDINGS[language] for clause in clauses):
        return ()
    if any(one.kind in _UNWANTED for one in read_commands(text, language)):
        return ()
    for sentence in _SENTENCE.split(plain):
        for one in _of_sentence(sentence, language, lasts=lasts):
            found[one.key] = one
    return tuple(found.values())


_UNWANTED = (CommandKind.DO_NOT_REMEMBER, CommandKind.FORGET)


def _of_sentence(sentence: str, language: Language, *, lasts: bool) -> Iterator[SpokenSetting]:
    if _ALSO_ONCE.search(sentence):
        return
    lasts = lasts or _LASTS[language].search(sentence) is not None
    first, *others = _AND[language].split(sentence)
    found = [*_of_clause(first, language, lasts=lasts)] if others else []
    if not found:
        # What stands behind "and" is asked of the listener only where what stands before it is.
        yield from _of_clause(sentence, language, lasts=lasts)
        return
    yield from found
    for clause in others:
        yield from _of_clause(clause, language, lasts=lasts)


def _of_clause(sentence: str, language: Language, *, lasts: bool) -> Iterator[SpokenSetting]:
    for wording in _WORDINGS[language]:
        match = wording.pattern.search(sentence)
        if match is None or (wording.must_last and not lasts):
            continue
        value = wording.value or match["name"]
        if _is_ours(sentence[: match.start()], language) and (wording.value or _is_name(value)):
            yield SpokenSetting(wording.key, value)


def _is_ours(before: str, language: Language) -> bool:
    """Whether what stands before leaves it the user's own wish, for good and outside of quotes."""
    is_quoted = before.count('"') % 2 == 1 or any(
        before.count(one) > before.count(other) for one, other in ("「」", "『』", "“”")
    )
    return not is_quoted and _ONCE[language].search(before) is None


def _is_name(value: str) -> bool:
    words = value.casefold().split()
    return not _NO_NAMES.intersection(words) and _PARTICLE.search(value) is None
