"""Dates, weekdays, years and hours of what happens once."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from kataribe.domain.story.contradictions.numbers import (
    NUMBER_EN,
    NUMBER_JA,
    ORDINAL_EN,
    number_en,
    number_ja,
    ordinal_en,
)
from kataribe.domain.story.contradictions.told import Clash, ClashKind, ToldLine, ToldStory


@dataclass(frozen=True, slots=True)
class _Moment:
    """When something is: what kind of time is given, which, and how it is said."""

    kind: str
    value: str
    said: str
    span: tuple[int, int]


def clashes(told: ToldStory) -> Iterator[Clash]:
    """Find two times of one thing that happens once, and a day that has two weekdays."""
    ja = told.language == "ja"
    first: dict[tuple[str, str], tuple[ToldLine, _Moment, frozenset[str]]] = {}
    several: defaultdict[tuple[str, str], list[tuple[ToldLine, _Moment, frozenset[str]]]] = defaultdict(list)
    done: set[tuple[str, str]] = set()
    other = _OTHER_JA if ja else _OTHER_EN
    for line in told.lines:
        moments = list(_moments_ja(line.told) if ja else _moments_en(line.told))
        if not moments or line.is_unreal or other.search(line.told):
            continue
        for key, moment in _dated(line, moments, ja):
            before, was, _ = first.setdefault(key, (line, moment, frozenset()))
            if was.value != moment.value and key not in done and before.key != line.key:
                done.add(key)
                yield Clash(before.key, line.key, ClashKind.DATE, f"{was.said} here, {moment.said} there")
        for key, moment, words in _happened(line, moments, ja):
            for before, was, had in several[key]:
                if was.value != moment.value and key not in done and _is_one(words, had):
                    done.add(key)
                    yield Clash(before.key, line.key, ClashKind.DATE, f"{was.said} here, {moment.said} there")
            if len(several[key]) < _MOST:
                several[key].append((line, moment, words))
    yield from _todays(told)


_MOST = 4
"""How many tellings of one kind of happening are kept to be compared with."""


def _is_one(words: frozenset[str], had: frozenset[str]) -> bool:
    """Whether two tellings have what they tell in common: all the words of the shorter one."""
    return len(words & had) >= min(len(words), len(had)) >= 1


# -- Japanese ------------------------------------------------------------------------------

_OTHER_JA = re.compile(
    "最後の|最初の|始発|終電|最終|別の|次の|次回|前回|翌年|翌朝|翌週"
    "|翌月|来年|来週|来月|去年|昨年|今年|先週|先月|毎[月週日朝晩]"
    "|延び|延期|早ま|変更|繰り上|もう一度|また(?!、)|二度目|ごとに"
    "|たび|にも|今度"
)
_WEEKDAY_JA = "[月火水木金土日]曜日?"
_MONTH_DAY_JA = f"(?P<m>{NUMBER_JA})月(?P<d>{NUMBER_JA})日"
_TIMES_JA = (
    ("date", re.compile(_MONTH_DAY_JA)),
    ("weekday", re.compile(_WEEKDAY_JA)),
    (
        "year",
        re.compile(
            f"(?:(?:明治|大正|昭和|平成|令和|西暦|[一-鿿ァ-ヺー]{{1,6}}暦)(?P<y>{NUMBER_JA})"
            f"|(?P<y2>[12][0-9]{{3}}))年"
        ),
    ),
    ("ago", re.compile(f"(?P<ago>{NUMBER_JA})年前")),
    ("hour", re.compile(f"(?P<half>午前|午後|朝|夜)の?(?P<h>{NUMBER_JA})時")),
    ("moon", re.compile("満月|新月|三日月")),
)


def _moments_ja(text: str) -> Iterator[_Moment]:
    for kind, pattern in _TIMES_JA:
        match = pattern.search(text)
        if match is None:
            continue
        got = match.groupdict()
        if kind == "date":
            value = f"{number_ja(got['m'])}/{number_ja(got['d'])}"
        elif kind in ("year", "ago"):
            value = str(number_ja(next(each for each in got.values() if each)))
        elif kind == "hour":
            hour = number_ja(got["h"])
            value = str(hour + 12 if got["half"] in ("午後", "夜") and hour < 12 else hour)
        else:
            value = match.group()[:2]
        yield _Moment(kind, value, match.group(), match.span())


_ONCE_JA = (
    "誕生日|命日|結婚記念日|婚礼|結婚式|葬式|葬儀|通夜|入学式|卒業式"
    "|入社式|成人式|戴冠式|即位式|文化祭|学園祭|体育祭|運動会|修学旅行"
    "|決闘|裁判|初公判|処刑|開会式|閉会式|披露宴|舞踏会|祝宴|学芸会"
    "|発表会|オーディション|決勝戦|決勝|縁日|夏祭り|秋祭り|収穫祭"
    "|建国祭|祭り|祭|演奏会|引っ越し|手術|出陣|試験|試合|面接"
)
_OWN_JA = "誕生日|命日"
_EVENT_JA = re.compile(
    f"(?P<of>(?:[一-鿿ァ-ヺーぁ-ん]{{1,8}}の)*)(?P<event>{_ONCE_JA})(?!の(?!ある"
    f"|日|夜|晩|朝|日取り|行われ|三|五|二|一|四|六|七|八|九|十|[0-9])"
    f"|まで|以[来後前])"
)


def _dated(line: ToldLine, moments: list[_Moment], ja: bool) -> Iterator[tuple[tuple[str, str], _Moment]]:
    """Give what is dated, when it happens once, under the kind of time."""
    text = line.told
    days = {moment.kind: moment for moment in moments}
    if "date" in days and "weekday" in days and "year" not in days:
        between = text[days["date"].span[1] : days["weekday"].span[0]]
        if re.fullmatch(
            r"[、,のに\s(（]*|, (?:was|had been|fell on|is) an? |.{0,40} had been an? ", between
        ) or (
            not ja
            and text.find(days["weekday"].said) + len(days["weekday"].said) + 7 >= days["date"].span[0] >= 0
        ):
            yield (f"day {days['date'].value}", "weekday"), days["weekday"]
    for match in (_EVENT_JA if ja else _EVENT_EN).finditer(text):
        event = match["event"].casefold()
        owner = _owner(match["of"] or "", ja)
        if event in ("誕生日", "命日", "birthday", "anniversary") and owner is None:
            continue
        if not ja and _POSSESSED.search(text[: match.start()]) and event == "birthday":
            continue
        for moment in moments:
            if moment.kind in ("date", "weekday", "moon") and _is_beside(text, match, moment, ja):
                ends = "end" if _ENDS.search(text) else ""
                yield (f"{owner or ''} {event} {ends}", moment.kind), moment


_ENDS = re.compile(r"終わ|終え|閉幕|最終日|\b(?:end(?:s|ed)|over|last day|closed)\b")


def _owner(of: str, ja: bool) -> str | None:
    """Whose it is, as far as it is said."""
    if not ja:
        return of.strip().casefold() or None
    whole = of.rstrip("の")
    # 祖母の千代の命日 is of 千代; 健太の姉の誕生日 is of the sister.
    parts = [part for part in whole.split("の") if part]
    if not parts:
        return None
    return (
        "の".join(parts[-2:])
        if parts[-1] in _KIN_JA
        else re.sub("^.*[はがをにで、今日]", "", parts[-1]) or None
    )


_KIN_JA = frozenset(
    [
        "母",
        "父",
        "兄",
        "姉",
        "弟",
        "妹",
        "祖父",
        "祖母",
        "息子",
        "娘",
        "妻",
        "夫",
        "友人",
        "母親",
        "父親",
        "恋人",
    ]
)


def _is_beside(text: str, event: re.Match[str], moment: _Moment, ja: bool) -> bool:
    """Whether a time is that of an event: in one clause with it."""
    low, high = sorted((event.span(), moment.span))
    between = text[low[1] : high[0]]
    if len(between) > (24 if ja else 40):
        return False
    return not re.search("[。]" if ja else r"[.;]|\b(?:before|after|until|since|and|but)\b", between)


_HAPPENS_JA = (
    "陥落|失踪|死去|亡くな|死ん|滅[びん]|滅亡|結婚|離婚|出会[いっ]"
    "|出逢|家を出|出て行|出て行っ|上京|崩壊|崩れ|沈没|沈ん|落成|創立"
    "|創業|建国|建て|開店|発見|暗殺|倒産|火事|全焼|焼け|独立|降伏"
    "|開戦|終戦|引退|卒業|発った|発つ|出航|出発"
)
_NOUNS_JA = re.compile("[一-鿿々]{1,}|[ァ-ヺー]{2,}")


def _happened(
    line: ToldLine, moments: list[_Moment], ja: bool
) -> Iterator[tuple[tuple[str, str], _Moment, frozenset[str]]]:
    """Give what happened once, by its verb and who and what takes part."""
    verb = re.search(_HAPPENS_JA if ja else _HAPPENS_EN, line.told)
    if verb is None:
        return
    for moment in moments:
        if moment.kind not in ("year", "ago", "hour"):
            continue
        # Only what stands in the verb's clause takes part in it.
        start = max(line.told.rfind(sign, 0, verb.start()) for sign in ("。", "␣", ". "))
        around = line.told[start + 1 : verb.end()] if ja else _clause_en(line.told, verb)
        rest = around.replace(moment.said, " ")
        words = _words_ja(rest, verb.group()) if ja else _words_en(rest, verb.group())
        if words:
            stem = _STEMS.get(verb.group(), verb.group()) if ja else _verb_en(verb.group())
            yield (stem, moment.kind), moment, words


_STEMS = {"亡くな": "死", "死ん": "死", "死去": "死", "発った": "発", "発つ": "発"}


def _words_ja(text: str, verb: str) -> frozenset[str]:
    found = _NOUNS_JA.findall(text.replace(verb, " "))
    return frozenset(word for word in found if word not in _DULL_JA)


_DULL_JA = frozenset(
    [
        "年",
        "春",
        "夏",
        "秋",
        "冬",
        "頃",
        "前",
        "後",
        "時",
        "日",
        "月",
        "朝",
        "夜",
        "午前",
        "午後",
        "事",
        "今",
        "年前",
        "乗",
        "帝国暦",
    ]
)


# -- English -------------------------------------------------------------------------------

_OTHER_EN = re.compile(
    r"(?i)\b(?:next|following|last (?:year|month|week)|this year|put off"
    r"|postponed|delayed|moved (?:up|to|forward)|rescheduled|every"
    r"|each|again|another|also|second time|usually|(?:last|first|other"
    r"|night|morning|evening|early|late) (?:train|boat|bus|ship|ferry"
    r"|coach|flight)|always|on \w+days)\b"
)
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_DAYS = "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday"
_TIMES_EN = (
    ("date", re.compile(rf"(?P<m>{_MONTHS}) (?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b|(?:the )?(?P<o>{ORDINAL_EN}"
rf"|\d{{1,2}}) (?:of )?(?P<m2>{_MONTHS})\b")),
    ("weekday", re.compile(rf"\b(?:{_DAYS})\b")),
    ("year", re.compile(r"\b(?:in|of|year|since) (?P<y>(?:1[0-9]|20)[0-9]{2}|[1-9][0-9]{2})\b(?! (?:men"
r"|people|miles|pounds|feet|ships|years|days))|\b(?:In|year) (?P<y2>[1-9][0-9]{2,3})\b")),
    ("ago", re.compile(rf"\b(?P<ago>{NUMBER_EN}) years? (?:ago|before)\b")),
    ("hour", re.compile(rf"\bat (?P<h>{NUMBER_EN})(?::[0-9]{{2}})?(?: o'clock)?(?: (?P<half>in the (?:morning"
rf"|afternoon|evening)|a\.?m\.?|p\.?m\.?|sharp)|(?=[,.]))")),
    ("moon", re.compile(r"\b(?P<moon>full|new) moon\b")),
)  # fmt: skip


def _moments_en(text: str) -> Iterator[_Moment]:
    for kind, pattern in _TIMES_EN:
        match = pattern.search(text)
        if match is None:
            continue
        got = match.groupdict()
        if kind == "date":
            day = got["d"] or got["o"]
            number = int(day) if day.isdigit() else ordinal_en(day)
            value = f"{got['m'] or got['m2']} {number}"
        elif kind == "year":
            value = got["y"] or got["y2"]
        elif kind == "ago":
            value = str(number_en(got["ago"]))
        elif kind == "hour":
            hour = number_en(got["h"])
            late = got["half"] is not None and got["half"].replace(".", "") in (
                "in the afternoon",
                "in the evening",
                "pm",
            )
            value = str(hour + 12 if late and hour < 12 else hour)
        else:
            value = match.group()
        yield _Moment(kind, value, match.group(), match.span())


_ONCE_EN = (
    "birthday|wedding|funeral|trial|duel|coronation|graduation|commencement"
    "|fair|feast|ball|execution|hanging|inquest|auction|election|premiere"
    "|christening|tournament|final|exhibition|recital|audition|surgery"
    "|operation|exam|exams"
)
_EVENT_EN = re.compile(
    rf"(?:(?P<of>\b[A-Z]\w+)'s|(?<!for )(?<!after )(?<!before )(?<!to )"
    rf"(?<!(?<!day )(?<!ate )(?<!ing )(?<!ght )of )\b"
    rf"(?:[Tt]he"
    rf"|[Hh]er|[Hh]is|[Tt]heir|[Mm]y)) (?P<event>{_ONCE_EN})\b(?! (?:day )?(?:eve"
    rf"|dress|cake|present|party|guests|room|ring))"
)
_POSSESSED = re.compile(r"'s (?:sister|brother|mother|father|wife|husband|son|daughter|friend)\b")
_HAPPENS_EN = (
    r"\b(?:fell|collapsed|walked out|disappeared|vanished|died|was born"
    r"|was founded|was built|was destroyed|burned down|sank|surrendered"
    r"|was killed|was murdered|(?:got |were |was )married|left|departed"
    r"|sailed|opened|ran away|moved to|arrived|retired|was crowned"
    r"|began|ended|broke out|was signed)\b"
)
_DULL_EN = frozenset(
    [
        "the",
        "a",
        "an",
        "in",
        "on",
        "at",
        "of",
        "to",
        "and",
        "his",
        "her",
        "their",
        "he",
        "she",
        "it",
        "they",
        "was",
        "were",
        "had",
        "been",
        "when",
        "that",
        "this",
        "year",
        "years",
        "ago",
        "before",
        "for",
        "by",
        "with",
        "from",
        "who",
        "which",
        "winter",
        "summer",
        "spring",
        "autumn",
        "fall",
        "morning",
        "afternoon",
        "evening",
        "still",
        "i",
        "my",
        "we",
        "our",
        "as",
        "is",
        "into",
        "out",
        "up",
        "off",
        "carried",
    ]
)


def _clause_en(text: str, verb: re.Match[str]) -> str:
    """The words about a verb, up to a comma that opens another sentence."""
    start = max(text.rfind(". ", 0, verb.start()), text.rfind("; ", 0, verb.start())) + 1
    end = re.compile(r"[.;]|, (?:and|but|when|where|while|who|[A-Z])").search(text, verb.end())
    return text[start : end.start() if end else len(text)]


def _words_en(text: str, verb: str) -> frozenset[str]:
    words = re.findall(r"[A-Za-z]+", text.replace(verb, " ").replace("'s", " ").casefold())
    return frozenset(
        word.rstrip("s") if len(word) > 3 else word
        for word in words
        if word not in _DULL_EN and len(word) > 1
    )


def _verb_en(verb: str) -> str:
    return verb.split()[-1]


# -- today, tomorrow -----------------------------------------------------------------------

_WEEK_JA = "月火水木金土日"
_TODAY_JA = re.compile(f"今日は(?P<day>[{_WEEK_JA}])曜")
_MORROW_JA = re.compile(f"明日(?:から|は|が)?(?:また|もう)?(?P<day>[{_WEEK_JA}])曜")
_SAME_JA = re.compile("同じ日|その日の(?:夕|夜|昼|晩|午後)|同日")
_WEEK_EN = _DAYS.split("|")
_TODAY_EN = re.compile(rf"\b(?:[Ii]t was|[Tt]oday (?:was|is)) (?:an? )?(?P<day>{_DAYS})\b")
_MORROW_EN = re.compile(rf"\b[Tt]omorrow (?:was|is|would be) (?:an? )?(?P<day>{_DAYS})\b")
_SAME_EN = re.compile(
    r"\b[Tt]hat same (?:day|night|evening|afternoon|morning)\b|\b[Tt]he same (?:day|night|evening)\b"
)
_BESIDE = 30
"""How many sentences on `the same day` may be that of an earlier one."""


def _todays(told: ToldStory) -> Iterator[Clash]:
    ja = told.language == "ja"
    week: str | list[str] = _WEEK_JA if ja else _WEEK_EN
    today, morrow, same = (_TODAY_JA, _MORROW_JA, _SAME_JA) if ja else (_TODAY_EN, _MORROW_EN, _SAME_EN)
    last: tuple[ToldLine, int] | None = None
    for line in told.lines:
        is_same = same.search(line.text) is not None
        match, step = today.search(line.text), 0
        if match is None:
            match, step = morrow.search(line.text), 1
        if match is None:
            continue
        day = (week.index(match["day"]) - step) % 7
        if last is not None and is_same and last[1] != day and line.place - last[0].place <= _BESIDE:
            said = (week[last[1]], week[day])
            yield Clash(last[0].key, line.key, ClashKind.DATE, f"{said[0]} here, {said[1]} there")
        last = (line, day)
