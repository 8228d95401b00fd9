"""Names as texts write them, and what seems to be one.

What is told by its shape alone is for a person to look at, never for a gate.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable

from kataribe.domain.terms import Language

_KANJI = "々㐀-䶿一-鿿"
_KATAKANA = "ァ-ヺー"
_NAME_JA = f"[{_KATAKANA}]{{2,12}}|(?<![{_KANJI}])[{_KANJI}]{{2,4}}"
_CALLED_JA = re.compile(
    f"(?P<name>{_NAME_JA}|(?<![{_KANJI}])[{_KANJI}](?=さん|ちゃん))"
    f"(?:さん|ちゃん|くん|さま|[君様殿氏](?![{_KANJI}]))"
)
_SPEAKS = "言|云|叫|答え|訊|聞き|尋ね|呟|つぶや|笑|怒鳴"
_SPEAKS_JA = re.compile(
    f"(?P<name>(?<![{_KATAKANA}])[{_KATAKANA}]{{2,12}}(?=[はがも][^。「」\n]{{0,12}}?(?:{_SPEAKS}))"
    f"|(?<![{_KANJI}])[{_KANJI}]{{2,4}}(?=[はがも](?:{_SPEAKS})))"
)
_JAPANESE_WORDS = """
皆 みな みんな 誰 だれ 何 神 仏 客 お客 御客 母 父 兄 姉 弟 妹 祖父 祖母 叔父 叔母
伯父 伯母 お母 お父 お兄 お姉 お爺 お婆 爺 婆 奥 嬢 お嬢 坊 赤 殿 若 旦那 若旦那 嫁
娘 息子 お巡り 巡査 先生 校長 教頭 博士 医者 和尚 諸 貴 主 皇 王 姫 お姫 隊長 社長
店長 課長 部長 船長 おか おと おじ おば おじい おばあ かあ とう にい ねえ じい ばあ
おにい おねえ あか お前 自分 私 僕 俺 彼 彼女 人 男 女 子供 老人 少年 少女 青年 二人
三人 一人 人々 町長 車掌 店主 主人 声 一同 今度 最後 そこ ここ それ これ たく 沢山 いく
ぼく おれ わたし あたし
"""
_NO_NAMES_JA = frozenset(_JAPANESE_WORDS.split())
# Joiners, variation selectors and fillers that are no format characters.
_UNSEEN = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0]")
_RUN_EN = re.compile(
    r"(?P<title>\b(?:Mr|Mrs|Ms|Miss|Dr|Lady|Lord|Sir|Captain|Professor|Uncle|Aunt|Mayor|Inspector)\b\.?\s+)?"
    r"(?P<name>\b[A-Z][a-zà-ÿ]+(?:[’'-][A-Z][a-zà-ÿ]+)?(?:\s+[A-Z][a-zà-ÿ]+)?)"
)
_SPEECH_EN = (
    "said|says|asked|asks|replied|cried|answered|whispered|shouted|told|added|began|continued|murmured"
    "|muttered|exclaimed|returned|called|laughed|nodded|smiled|sighed"
)
_AFTER_EN = re.compile(rf"\s+(?:had\s+)?(?:{_SPEECH_EN})\b")
_BEFORE_EN = re.compile(rf"\b(?:{_SPEECH_EN})\s+$")
_ENGLISH_WORDS = """
i he she it they we you the a an this that these those there here then now when where what who why
how and but or so if as at by for from in into of off on out over to up with yes no not oh ah well
come god lord sir madam miss mr mrs ms dr father mother brother sister uncle aunt grandfather
grandmother nobody somebody everybody anybody everyone someone one two three both all some any each
every another other his her its their my our your monday tuesday wednesday thursday friday saturday
sunday january february march april may june july august september october november december english
french german latin christmas easter chapter captain professor doctor lady inspector mayor
"""
_NO_NAMES_EN = frozenset(_ENGLISH_WORDS.split())

# A single capital A is as often an initial.
_ARTICLE = re.compile(r"(?:[Tt]he|THE|an?|An)(?= \S)")


def article_of(name: str) -> str:
    """Give the English article a name begins with; empty for none.

    A sentence that begins with the name writes it large, whatever the cast says.
    """
    found = _ARTICLE.match(name)
    return found.group() if found else ""


def as_pattern(name: str) -> str:
    """Give a pattern of a name in its own case, its article in any."""
    article = article_of(name)
    rest = re.escape(name[len(article) :])
    return f"(?i:{article}){rest}" if article else rest


def look_alikes(ids: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    """Give the ids that look alike but are not the same, group by group.

    Alike are the same letters composed or not, full or half width, and those that differ by
    what cannot be seen, such as a zero-width space.
    """
    groups: dict[str, set[str]] = {}
    for one in ids:
        groups.setdefault(_looks(one), set()).add(one)
    return tuple(tuple(sorted(alike)) for _, alike in sorted(groups.items()) if len(alike) > 1)


def _looks(text: str) -> str:
    seen = (char for char in text if unicodedata.category(char) != "Cf" and not _UNSEEN.match(char))
    return " ".join(unicodedata.normalize("NFKC", "".join(seen)).split())


def spelled(text: str) -> str:
    """Write a text so that what looks alike can be told apart: its characters beyond ASCII by number."""
    return ascii(text)


def name_candidates(text: str, language: Language) -> Counter[str]:
    """Count what looks like a person's name in a text: called with an honorific, or speaking.

    Japanese: a name with さん, 君, 様 …, or a name in katakana or kanji as who speaks. English:
    capitalised words with a title, or beside a word of speech. NFKC; no name is certain.
    """
    folded = unicodedata.normalize("NFKC", text)
    return _japanese(folded) if language == "ja" else _english(folded)


def _japanese(text: str) -> Counter[str]:
    found: Counter[str] = Counter()
    for pattern in (_CALLED_JA, _SPEAKS_JA):
        for match in pattern.finditer(text):
            name = match["name"]
            if name not in _NO_NAMES_JA and not set(name) <= {"ー"}:
                found[name] += 1
    return found


def _english(text: str) -> Counter[str]:
    found: Counter[str] = Counter()
    for match in _RUN_EN.finditer(text):
        name = " ".join(word for word in match["name"].split() if word.lower() not in _NO_NAMES_EN)
        if not name:
            continue
        speaks = _AFTER_EN.match(text, match.end()) or _BEFORE_EN.search(
            text, max(0, match.start() - 16), match.start()
        )
        if match["title"] or speaks:
            found[name] += 1
    return found
