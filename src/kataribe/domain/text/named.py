"""Whom a text itself names: by name, or by what they are in it (老人, 娘さん, "the detective").

Told by form alone, for an author to accept or not. A name is never a piece of a longer word.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from kataribe.domain.terms import Language
from kataribe.domain.text.common_words import JAPANESE, ROLES_EN, ROLES_JA
from kataribe.domain.text.name_parts import name_parts
from kataribe.domain.text.naming import name_candidates

_EVIDENCE = 2
"""How often a Japanese name must be called or speak: once is as often a figure of speech."""
_KANJI = "々〆㐀-䶿一-鿿"
_KATAKANA = "ァ-ヺー"
_HIRAGANA = "ぁ-ゖ"
_PEOPLE_ONLY = frozenset(
    [
        "男",
        "女",
        "客",
        "子供",
        "人",
        "学生",
        "生徒",
        "役人",
        "百姓",
        "兵隊",
        "大工",
        "職人",
        "商人",
        "姫",
        "漁師",
    ]
)
_SINGLE = "父 母 兄 姉 弟 妹 娘"
_FORMS_JA = sorted(
    {role for role in ROLES_JA if len(role) > 1} - _PEOPLE_ONLY | set(_SINGLE.split()),
    key=lambda r: (-len(r), r),
)
_MANY = "たち|達|ら[はがをにのも]|共|ども|方々"
_ROLE_JA = re.compile(
    f"(?<![{_KANJI}{_KATAKANA}])(?P<name>[お御]?(?:{'|'.join(_FORMS_JA)})(?:さん|さま|[様殿君](?![{_KANJI}]))?)"
    f"(?![{_KANJI}{_KATAKANA}]|さん|{_MANY})(?=(?P<after>[はがも])?)"
)
_VERB_EN = (
    r"(?:\w+ed|said|says|was|had|went|came|took|gave|stood|sat|saw|knew|thought|told|made|rose|spoke|began|"
    r"fell|held|left|felt|kept|shook|threw|drew|ran|wept|laid|lay|would|could|did)"
)
_ADJECTIVE_EN = "(?:old|young|little|blind|tall|strange|other)"
_TITLES_ONLY = frozenset(
    [
        "mr",
        "mrs",
        "ms",
        "miss",
        "mister",
        "mistress",
        "dr",
        "sir",
        "madam",
        "madame",
        "mme",
        "mlle",
        "mademoiselle",
        "monsieur",
        "capt",
        "prof",
        "auntie",
        "sgt",
        "col",
        "gen",
        "lt",
        "rev",
        "st",
        "saint",
        "old",
        "young",
        "little",
        "big",
        "lady",
        "lord",
        "man",
        "woman",
        "child",
        "baby",
        "friend",
        "knight",
        "mom",
        "mum",
        "mummy",
        "dad",
        "daddy",
        "papa",
        "mama",
        "granny",
        "grandma",
        "grandpa",
        "hero",
        "heroine",
        "protagonist",
        "father",
        "mother",
        "brother",
        "sister",
        "uncle",
        "aunt",
        "son",
        "daughter",
        "husband",
        "wife",
        "general",
        "president",
        "lighthouse",
    ]
)
_ROLE_EN = re.compile(
    rf"\b[Tt]he\s+(?P<name>(?:{_ADJECTIVE_EN}\s+)?(?:{'|'.join(sorted(ROLES_EN - _TITLES_ONLY))})"
    rf"|{_ADJECTIVE_EN}\s+(?:man|woman))(?![\w’'-])(?P<after>\s+(?:\w+ly\s+)?{_VERB_EN}\b)?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """Somebody the texts name: by which words, how often, and where first (which text, which place in it)."""

    name: str
    shortened: tuple[str, ...]
    count: int
    first: tuple[int, int]


def who_is_named(texts: Sequence[str], language: Language, *, at_least: int = 2) -> tuple[Named, ...]:
    """Give whom these texts name `at_least` so many times, most often first.

    Somebody is named who is called by an honorific or a title, who speaks, or who does
    something under what they are; every time the name stands there by itself is counted.
    """
    strong: Counter[str] = Counter()
    for text in texts:
        strong.update(name_candidates(text, language))
        strong.update(_in_a_role(text, language))
    if language == "ja":
        strong = _no_pieces(strong, texts)
    groups = _gathered(strong, language)
    patterns = {name: _whole((name, *short), language) for name, short in groups.items()}
    found = [_counted(texts, name, groups[name], pattern) for name, pattern in patterns.items()]
    named = [one for one in found if one is not None and one.count >= at_least]
    return tuple(sorted(named, key=lambda one: (-one.count, one.first, one.name)))


def _in_a_role(text: str, language: Language) -> Iterator[str]:
    """Give who does something under what they are, each time."""
    for match in (_ROLE_JA if language == "ja" else _ROLE_EN).finditer(text):
        if match["after"]:
            yield match["name"] if language == "ja" else "the " + " ".join(match["name"].lower().split())


_NO_NAMES = frozenset(
    [
        "相手",
        "半分",
        "一部",
        "全部",
        "今日",
        "明日",
        "明後日",
        "昨日",
        "別段",
        "名前",
        "苦労",
        "将来",
        "不平",
        "他諸",
        "亭主",
        "今朝",
        "今夜",
        "昨夜",
        "突然",
        "実際",
        "無論",
        "結局",
        "元来",
        "自然",
        "大抵",
        "一体",
        "全体",
        "当人",
        "本人",
        "両人",
        "連中",
        "大勢",
        "世間",
        "別嬪",
        "親父",
        "言葉",
        "返事",
        "話",
        "顔",
        "目",
        "手",
    ]
)


def _no_pieces(strong: Counter[str], texts: Sequence[str]) -> Counter[str]:
    """Leave out what is no name of its own: one kanji, a common word, a piece of a longer word or name."""
    kept: Counter[str] = Counter()
    for name, times in strong.items():
        is_role = _ROLE_JA.fullmatch(name) is not None
        if any(name != one and name.endswith(one) and strong[one] > times for one in strong if len(one) > 1):
            continue
        whole = name if is_role else _glued(name, texts)
        is_rare = times < _EVIDENCE and not re.match(f"[{_KATAKANA}]", name)
        if is_role or not (whole in _NO_NAMES or whole in JAPANESE or len(whole) < 2 or is_rare):
            kept[whole] += times
    return kept


def _glued(name: str, texts: Sequence[str]) -> str:
    """Give the longer word that a name in katakana mostly stands in: シャツ in 赤シャツ."""
    if not re.match(f"[{_KATAKANA}]", name):
        return name
    found = Counter(
        match[1]
        for text in texts
        for match in re.finditer(f"([{_KANJI}]*){re.escape(name)}(?![{_KATAKANA}])", text)
    )
    head, times = found.most_common(1)[0] if found else ("", 0)
    return head + name if times * 2 > sum(found.values()) else name


def _gathered(names: Iterable[str], language: Language) -> dict[str, tuple[str, ...]]:
    """Put names together that are parts of one longer name: Jim and Jim Hawkins, 娘 and 娘さん."""
    known = sorted(names, key=lambda name: (-len(name), name))
    longer = {name: {part.text for part in name_parts(name)} for name in known}
    if language == "ja":
        for name in known:
            longer[name] |= {name.removesuffix(ending) for ending in ("さん", "さま", "様", "殿")} - {name}
    homes: dict[str, list[str]] = {}
    short: set[str] = set()
    for name in known:
        owners = [one for one in known if name in longer[one] and one not in short]
        if len(owners) == 1:
            homes[owners[0]].append(name)
            short.add(name)
        else:
            homes[name] = []
    return {name: tuple(parts) for name, parts in homes.items()}


def _whole(names: Sequence[str], language: Language) -> re.Pattern[str]:
    return re.compile("|".join(_bounded(name, language) for name in names))


def _bounded(name: str, language: Language) -> str:
    if language == "en":
        written = re.escape(name).replace(r"\ ", r"\s+")
        return (
            rf"(?<![\w-])(?:(?i:the){written[3:]}|{written})(?![\w-])"
            if name.startswith("the ")
            else (rf"(?<![\w-]){written}(?![\w-])")
        )
    # お父さん is not 父さん with お before it.
    before = f"(?<![{_KANJI}{_KATAKANA}お御])" if re.match(f"[{_KANJI}{_KATAKANA}]", name) else ""
    after = f"(?![{_KANJI}{_KATAKANA}])" if re.search(f"[{_KANJI}{_KATAKANA}]$", name) else ""
    called = f"(?=さん|ちゃん|くん|さま|先生|[様君殿氏](?![{_KANJI}]))"
    if re.search(f"[{_HIRAGANA}]$", name) and not name.endswith(("さん", "さま")):
        return f"{before}{re.escape(name)}(?=[はがもをにのへと、。」』！？]|さん|ちゃん|くん)"
    return f"{before}{re.escape(name)}(?:{after}|{called})(?!{_MANY})" if after else before + re.escape(name)


def _counted(
    texts: Sequence[str], name: str, short: tuple[str, ...], pattern: re.Pattern[str]
) -> Named | None:
    count, first = 0, None
    for place, text in enumerate(texts):
        for match in pattern.finditer(text):
            count += 1
            first = first or (place, match.start())
    return None if first is None else Named(name=name, shortened=short, count=count, first=first)
