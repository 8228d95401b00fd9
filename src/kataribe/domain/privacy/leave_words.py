"""Asking for leave to remember, and the answers to it, read from plain words in Japanese and English.

A bare yes or no counts only as the reply to the question, and only where nothing else is in it that
takes it back. What is unclear is no answer.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from enum import StrEnum

from kataribe.domain.terms import Language


class LeaveReply(StrEnum):
    """What a user says to being remembered."""

    YES = "yes"
    NO = "no"


_FLAGS = re.IGNORECASE
_EN_KEEP = r"(?:remember|keep|save|store|memori[sz]e|note(?: down)?|write down)"
_EN_SAID = (
    r"(?:(?:what|everything|anything|all|things?|whatever)(?: that)? (?:you(?:'ve| have)?) (?:just )?"
    r"(?:say|said|tell|told|share|shared|talk|mention)\w*|"
    r"(?:this|that|it|these things|all this|our (?:talks?|chats?|conversations?)|"
    r"this (?:talk|chat|conversation)))"
)
_ASKS: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        rf"(?:\b(?:may|can|could|shall|should) i\b|\bam i allowed to\b|\bwould it be (?:ok(?:ay)?|all right|"
        rf"fine) if i\b|\bis it (?:ok(?:ay)?|all right|fine) (?:if i|for me to)\b|"
        rf"\b(?:would|do) you (?:like|want) me to\b|\bwill you let me\b)\s+(?:please\s+)?"
        rf"{_EN_KEEP}(?:ed)?\s+{_EN_SAID}",
        _FLAGS,
    ),
    "ja": re.compile(
        "(?:覚え|おぼえ|記憶し|記録し|憶え|メモし)(?:"
        "(?:て|といて|とい|と)(?:おい|い|い?おい)?(?:て)?も?(?:いい|良い|よい|よろしい|宜しい|構わない|かまわない"
        "|構いません|かまいません|大丈夫|差し支えない)(?:です|でしょう)?(?:か(?:な|しら|ね)?)?"
        "|ておきましょうか|ましょうか|ておこうか|とこうか|といていい(?:です)?か?"
        "|させて(?:もらって|いただいて|頂いて)(?:も)?(?:いい|よろしい|構わない)(?:です)?(?:か)?"
        r")\s*[?。]?\s*$"
    ),
}
"""The question, as the last sentence of what a persona says."""
_NOT_ASKED: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\bremember you to\b|\bmind if\b|\bdo you remember\b|[\"“”].*\b(?:may|can) i\b", _FLAGS
    ),
    "ja": re.compile("[「『].*(?:覚え|記憶)|覚えてもらって|覚えていますか|覚えてますか|って(?:聞|言|訊)"),
}
"""What only looks like it: another question, and words of somebody else's."""
_YES: Mapping[Language, tuple[str, ...]] = {
    "en": (
        *("yes", "yeah", "yep", "yup", "yes please", "yes you may", "yes you can", "yes of course", "sure"),
        *("sure thing", "of course", "of course you may", "of course you can", "certainly", "absolutely"),
        *("definitely", "ok", "okay", "all right", "alright", "please do", "go ahead", "you may", "you can"),
        *("that's fine", "that is fine", "fine", "fine by me", "that's ok", "that's okay", "please remember"),
        *("by all means", "feel free", "no problem", "sounds good", "i agree", "i consent", "i'd like that"),
        *("you have my permission", "yes i agree", "yes i'd like that", "that would be nice", "i don't mind"),
    ),
    "ja": (
        *("はい", "うん", "ええ", "いいよ", "いいですよ", "もちろん", "もちろんいいよ", "どうぞ"),
        *(
            "もちろんです",
            "お願いします",
            "お願い",
            "はいお願いします",
            "うんお願い",
            "うんいいよ",
            "構いません",
        ),
        *("構わないよ", "かまわないよ", "かまいません", "覚えてもいいよ", "オッケー", "ok"),
        *(
            "おっけー",
            "了解です",
            "ぜひ",
            "ぜひお願いします",
            "覚えておいて",
            "覚えていいよ",
            "覚えてていいよ",
        ),
        *("覚えてください", "覚えておいてください", "いいよ覚えておいて", "はいどうぞ", "どうぞどうぞ"),
        *("同意します", "はい同意します", "そうして", "そうしてください", "よろしくお願いします", "いいとも"),
    ),
}
_NO: Mapping[Language, tuple[str, ...]] = {
    "en": (
        *("no", "nope", "nah", "no thanks", "no thank you", "please don't", "no please don't", "don't"),
        *("please do not", "do not", "i'd rather not", "i would rather not", "i'd rather you didn't"),
        *(
            "rather not",
            "better not",
            "no way",
            "never",
            "not at all",
            "i'd prefer not",
            "no don't",
            "no you may not",
        ),
        *(
            "i would rather you didn't",
            "i don't want that",
            "i do not want that",
            "you may not",
            "absolutely not",
        ),
        *("please no", "no i'd rather not", "i refuse", "i do not agree", "i don't agree", "certainly not"),
        *("of course not", "i do not consent", "i don't consent", "don't remember", "please forget it"),
    ),
    "ja": (
        *(
            "いいえ",
            "いや",
            "いやだ",
            "嫌だ",
            "嫌です",
            "いやです",
            "だめ",
            "ダメ",
            "駄目",
            "だめです",
            "ダメです",
        ),
        *("駄目です", "やめて", "やめてください", "やめとく", "遠慮します", "遠慮しておきます", "覚えないで"),
        *("覚えないでください", "覚えなくていい", "覚えなくていいよ", "覚えなくていいです", "結構です"),
        *(
            "ううん",
            "やめておきます",
            "いいえ結構です",
            "いえ",
            "いえ結構です",
            "お断りします",
            "やめておいて",
            "拒否します",
        ),
        *(
            "同意しません",
            "困ります",
            "それは困る",
            "それはだめ",
            "それはやめて",
            "しないで",
            "しないでください",
        ),
        *(
            "覚えてほしくない",
            "覚えてほしくないです",
            "記憶しないで",
            "記憶しないでください",
            "いいえやめてください",
        ),
    ),
}
_BACK: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\b(?:but|only|except|unless|if|though|however|until|for now|just (?:for )?(?:today|this)|not|never|"
        r"don't|do not|maybe|perhaps|actually)\b",
        _FLAGS,
    ),
    "ja": re.compile(
        "でも|ただ|けど|だけ|以外|やっぱ|やめ|たぶん|多分|かも|しないで|覚えない|なら|嫌|だめ|ダメ"
    ),
}
"""What takes back, or hedges, a yes before it."""
_EN_SAY = r"(?:i (?:say|said|tell you|told you|share|have said)|i'(?:ve|ll) (?:said|say|told you|tell you))"
_EN_THINGS = r"(?:what|whatever|everything|anything|all)(?: that)?"
_GIVES: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        rf"^(?:(?:ok(?:ay)?|yes|sure|from now on|well|and)[,;]?\s+)*"
        rf"you (?:may|can|are allowed to|have my (?:permission|consent) to)\s+(?:always\s+)?"
        rf"(?:remember|keep)\s+(?:{_EN_THINGS}\s+{_EN_SAY}|our (?:talks|chats|conversations))"
        r"(?:\s+(?:from now on|here|now|again|to you))?\s*[.!]*$",
        _FLAGS,
    ),
    "ja": re.compile(
        "^(?:これからは|じゃあ|今後は|もう|やっぱり|、|\\s)*(?:私|僕|俺|わたし|ぼく|おれ|あたし|うち)"
        "(?:の(?:話|話したこと|言ったこと|言うこと|こと)|が(?:話した|言った|話す|言う)こと)(?:は|を|も)?"
        "(?:全部|ぜんぶ|ずっと|なんでも|何でも)?(?:覚え|おぼえ|記憶し)て(?:おい|い)?て?(?:も)?"
        "(?:いい|良い|よい|構わない|かまわない|構いません|大丈夫)(?:です|だ)?(?:よ|ね|から)*[。!！]*$"
    ),
}
"""A consent in words of its own, to which no question is needed."""
_REFUSES: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        rf"^(?:(?:please|no|and|so|ok(?:ay)?|from now on)[,;]?\s+)*"
        rf"(?:(?:don't|do not|never)\s+(?:ever\s+)?(?:remember|keep)|(?:stop|quit)\s+(?:remembering|keeping)|"
        rf"you (?:may|must|can) ?not (?:remember|keep)|you may no longer (?:remember|keep))\s+"
        rf"(?:{_EN_THINGS}\s+{_EN_SAY}|our (?:talks|chats|conversations))"
        r"(?:\s+(?:from now on|any ?more|ever|again|here|to you|please))*\s*[.!]*$"
        r"|^(?:please\s+)?i (?:withdraw|take back|revoke) my (?:consent|permission)"
        r"(?: to be remembered)?\s*[.!]*$",
        _FLAGS,
    ),
    "ja": re.compile(
        "^(?:これからは|今後は|もう|やっぱり|すみませんが|悪いけど|、|\\s)*(?:(?:私|僕|俺|わたし|ぼく|おれ|あたし|うち)"
        "(?:の(?:話|話したこと|言ったこと|言うこと|こと)|が(?:話した|言った|話す|言う)こと)|何も|なにも)(?:は|を|も)?"
        "(?:もう|一切|いっさい|全部)?(?:覚え|おぼえ|記憶し)(?:ない|てい?ない|ておかない)"
        "(?:で(?:ください|下さい|ほしい|くれ|ね|よ)*)[。!！]*$"
        "|^(?:やっぱり|、|\\s)*(?:覚えて(?:いい|おいて)?と(?:言った|いった)の(?:は|を))?同意(?:を|は)?"
        "(?:取り消し|撤回し)ます[。!！]*$"
    ),
}
"""A refusal in words of its own."""
_SENTENCE = re.compile(r"(?<=[.!?。！？\n])\s*")
_PHRASE = re.compile(r"[.!。！、,;\n…〜~♪]+|\s{2,}")


def asks_leave(text: str, language: Language) -> bool:
    """Whether what a persona says ends in asking whether it may remember what it is told."""
    sentences = [one for one in _SENTENCE.split(_plain(text)) if one.strip()]
    last = sentences[-1].strip() if sentences else ""
    if _NOT_ASKED[language].search(last):
        return False
    # English asks with a mark; Japanese may ask with か alone.
    is_question = last.endswith("?") or (language == "ja" and re.search("(?:か|かな|かしら)。?$", last))
    return bool(is_question) and _ASKS[language].search(last) is not None


def reply_in(text: str, language: Language) -> LeaveReply | None:
    """Read the reply to that question; None where it is neither a yes nor a no, or takes itself back."""
    plain = _plain(text).strip()
    words = [one.strip().casefold() for one in _PHRASE.split(plain) if one.strip()]
    found: set[LeaveReply] = set()
    at = 0
    while at < len(words) and (one := _word(words[at], language)) is not None:
        found.add(one)
        at += 1
    if len(found) != 1:
        return _joined(words, language) if not found else None
    (reply,) = found
    rest = " ".join(words[at:])
    is_hedged = _BACK[language].search(rest) is not None or _word(rest, language) not in (None, reply)
    return None if reply is LeaveReply.YES and is_hedged else reply


def _word(phrase: str, language: Language) -> LeaveReply | None:
    """Look one phrase up, without what a language may end it by."""
    if phrase in _YES[language]:
        return LeaveReply.YES
    if phrase in _NO[language]:
        return LeaveReply.NO
    return None


def _joined(words: list[str], language: Language) -> LeaveReply | None:
    """Look the whole of a short reply up, commas and all."""
    return _word(("" if language == "ja" else " ").join(words), language) if len(words) <= 3 else None


def leave_in(text: str, language: Language) -> LeaveReply | None:
    """Read a consent or a refusal that says of itself what it is to; a refusal has the last word."""
    found: LeaveReply | None = None
    for sentence in _SENTENCE.split(_plain(text)):
        if _REFUSES[language].search(sentence.strip()):
            return LeaveReply.NO
        if _GIVES[language].search(sentence.strip()):
            found = LeaveReply.YES
    return found


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).replace("’", "'").replace("‘", "'")
