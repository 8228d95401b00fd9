"""Who was where at one time, where somebody was born, and where somebody has never been."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kataribe.domain.story.contradictions.acting import TITLED_JA
from kataribe.domain.story.contradictions.numbers import NUMBER_JA
from kataribe.domain.story.contradictions.patterns import compiled, got
from kataribe.domain.story.contradictions.told import Clash, ClashKind, ToldLine, ToldStory

_BESIDE = 3
"""How many sentences on `that night` is still the same one."""


def clashes(told: ToldStory) -> Iterator[Clash]:
    """Find two places of one person at one time, two birthplaces, and a place never been to that is known."""
    ja = told.language == "ja"
    yield from _together(told, ja)
    yield from _births(told, ja)
    yield from _never(told, ja)


# -- at one time ---------------------------------------------------------------------------

_WHEN_JA = re.compile(
    f"(?P<fixed>(?:{NUMBER_JA}月{NUMBER_JA}日)の(?:夜|晩|朝|昼|夕方"
    f"|午後|午前)?|(?:事件|犯行|火事|襲撃|殺人|停電|地震)(?:の)?(?:当夜"
    f"|当日|の夜|の晩|の日))|(?P<same>同じ(?:夜|晩|日|頃|時刻)|同時刻)"
    f"|(?P<that>その(?:夜|晩|日))"
)
_WHEN_EN = re.compile(
    r"\b[Oo]n (?P<fixed>the (?:night|evening|morning|day|afternoon) of (?:the )?\w+(?: \d+)?)"
    r"|\b(?P<same>[Tt]hat (?:very )?same (?:night|evening|day|hour)"
    r"|[Aa]t the same (?:time|hour|moment))|\b(?P<that>[Tt]hat (?:night"
    r"|evening|day)|spent the night)\b"
)
_PLACE_JA = "[一-鿿ァ-ヺー々]+(?:の[一-鿿ァ-ヺー々]{1,8})?"
_STAYS_JA = (
    "(?:い(?:た|て)|居(?:た|て)|滞在|過ごし|明かし|目撃され|食事をし"
    "|踊っ|祈り|飲[みん]|眠っ|寝て|働い|泊まっ|閉じ込められ|酒を|開い"
    "|会っ|待っ|歌っ|見かけ|見られ)"
)
_ALL_NIGHT = re.compile(
    "ずっと|一歩も|まま夜を明かし|夜通し|一晩中|never left|all night"
    "|spent the (?:whole )?night|did not leave|without leaving"
)
_STAYS_EN = (
    r"(?:was|were|stayed|slept|dined|danced|drank|prayed|worked|sat"
    r"|spent|never left|remained|had been|lay|sang|met|was seen|slept)"
)
_PLACE_EN = (
    r"(?:(?:in|at|on|inside|near) |(?:never left|left) )(?:the |a "
    r"|an |his |her |their )?(?P<place>(?:[A-Za-z'-]+ ?){1,4}?)(?=[,.;]"
    r"| (?:with|when|that|and|until|two|from|where|near|at|on|in)\b"
    r"|$)"
)


def _together(told: ToldStory, ja: bool) -> Iterator[Clash]:
    when = _WHEN_JA if ja else _WHEN_EN
    last: dict[tuple[str, str], tuple[ToldLine, frozenset[str], bool]] = {}
    done: set[tuple[str, str]] = set()
    for line in told.naming:
        match = when.search(line.told)
        night = _ALL_NIGHT.search(line.told) is not None
        if line.is_unreal or line.moves_on or (match is None and not night):
            continue
        for who, place in _stays_ja(told, line) if ja else _stays_en(told, line):
            fixed = got(match, "fixed") if match is not None else None
            key = (who, fixed or "")
            before = last.get(key)
            if (
                before is not None
                and key not in done
                and _is_elsewhere(before, line, place, match, fixed is not None)
            ):
                done.add(key)
                said = f"{_listed(before[1])} here, {_listed(place)} there at one time"
                yield Clash(before[0].key, line.key, ClashKind.PLACE, said)
            last[key] = (line, place, night)


def _is_elsewhere(
    before: tuple[ToldLine, frozenset[str], bool],
    line: ToldLine,
    place: frozenset[str],
    match: re.Match[str] | None,
    fixed: bool,
) -> bool:
    if before[1] & place or before[0].key == line.key or (before[1] & _HOME and place & _HOME):
        return False
    if fixed:
        return True
    is_same = match is not None and got(match, "same") is not None
    is_that = match is not None and got(match, "that") is not None and before[2]
    return (is_same or is_that) and line.place - before[0].place <= (10 * _BESIDE if is_same else _BESIDE)


_HOME = frozenset(
    [
        "家",
        "自宅",
        "部屋",
        "寝室",
        "台所",
        "居間",
        "書斎",
        "庭",
        "寝床",
        "布団",
        "屋敷",
        "home",
        "house",
        "room",
        "bed",
        "bedroom",
        "kitchen",
        "study",
        "parlor",
        "parlour",
        "garden",
        "library",
        "hall",
        "sofa",
        "chair",
        "window",
        "desk",
        "door",
        "fire",
        "sleep",
        "time",
    ]
)
"""Places in one house: to be in one is to be in another."""


def _listed(place: frozenset[str]) -> str:
    return " ".join(sorted(place))


def _stays_ja(told: ToldStory, line: ToldLine) -> Iterator[tuple[str, frozenset[str]]]:
    stays = re.search(
        f"(?P<who>{told.name}){TITLED_JA}(?:は|が)(?!の)[^。]{{0,10}}?(?P<place>{_PLACE_JA})(?:に"
        f"|で)(?!つい|よっ|対し|関し|は?なく)[^。]{{0,16}}?{_STAYS_JA}",
        line.told,
    )
    if stays is not None:
        yield (
            told.names[got(stays, "who")],
            frozenset(re.findall("[一-鿿々]{2,}|[ァ-ヺー]{2,}|[一-鿿]", got(stays, "place"))),
        )


def _stays_en(told: ToldStory, line: ToldLine) -> Iterator[tuple[str, frozenset[str]]]:
    stays = re.search(
        rf"(?P<who>{told.name})(?!'s) (?:(?:was )?\w+ing|{_STAYS_EN}|\w+ed)\b(?:(?! (?:in"
        rf"|at|on|inside|near) )[^.;,]){{0,30}}? ?{_PLACE_EN}",
        line.told,
    )
    if stays is not None:
        words = re.findall("[A-Za-z]{3,}", got(stays, "place"))
        yield (
            told.names[got(stays, "who")],
            frozenset(word.casefold() for word in words) - {"the", "his", "her"},
        )


# -- birthplaces ---------------------------------------------------------------------------


def _births(told: ToldStory, ja: bool) -> Iterator[Clash]:
    name = told.name
    if ja:
        patterns = [
            compiled(
                f"(?P<who>{name}){TITLED_JA}は(?P<place>[一-鿿ァ-ヺー]{{2,}})(?:の生まれ"
                f"|生まれ|に生まれ|で生まれ|の出身|出身)"
            ),
            compiled(f"(?P<place>[一-鿿ァ-ヺー]{{2,}})(?:[でに]生まれた|生まれの|出身の)(?P<who>{name})"),
        ]
    else:
        place = r"(?P<place>(?:[A-Z]\w+)(?: [A-Z]\w+)?)"
        patterns = [
            compiled(rf"(?P<who>{name}) (?:was|had been) born in {place}"),
            compiled(rf"\b[Bb]orn in {place},? (?P<who>{name})(?!'s)"),
        ]
    first: dict[str, tuple[ToldLine, str]] = {}
    done: set[str] = set()
    for line in told.naming:
        match = next((found for pattern in patterns if (found := pattern.search(line.told))), None)
        if (
            match is None
            or line.is_unreal
            or re.search("[0-9〇一二三四五六七八九十]年|月|[春夏秋冬双]", got(match, "place"))
        ):
            continue
        who = told.names[got(match, "who")]
        before, was = first.setdefault(who, (line, got(match, "place")))
        if was not in got(match, "place") and got(match, "place") not in was and who not in done:
            done.add(who)
            yield Clash(
                before.key, line.key, ClashKind.PLACE, f"born in {was} here, {got(match, 'place')} there"
            )


# -- never there ---------------------------------------------------------------------------

_NEVER_JA = (
    "は[^。]{{0,12}}(?P<place>[一-鿿ァ-ヺー]{{1,6}})を(?:[^。、]{{0,6}})?(?P<how>見た"
    "|出た|離れた|訪れた)ことが?(?:は|も)?な[いかく]"
)
_HOME_JA = (
    "(?:PLACE(?:辺|沿い|の近く|のそば|の(?:見える)?(?:町|街|村))[^。]{0,6}(?:育"
    "|生まれ|暮ら)|PLACEを(?:見た|泳|眺め|渡った)|PLACEで(?:泳|育"
    "|過ご|暮ら))"
)
_AWAY_JA = re.compile(
    "(?:王都|都|東京|京都|大阪|帝都|外国|海外|異国|隣国|港町|町|街)[^。]{0,4}(?:で"
    "|に)(?:過ごし|暮らし|住ん|行った|いた頃|働い|学ん)"
)
_NEVER_EN = r"(?P<who>NAME) had never (?P<how>seen|left|been to|visited|set foot in) (?:the )?(?P<place>\w+)"
_HOME_EN = (
    r"(?:grown up (?:by|near|beside|in|on)|grew up (?:by|near|beside"
    r"|in|on)|born (?:by|in|near)|lived (?:by|in|near)|swam in|had seen"
    r"|sailed|childhood (?:by|in|on)) (?:the )?PLACE"
)
_AWAY_EN = re.compile(
    r"\b(?:(?:had )?(?:spent|lived|studied|worked|visited|stayed)\b[^.;]{0,12} (?:in"
    r"|at) (?:the )?(?:capital|city|town|court|London|Paris|coast|abroad)"
    r"|(?:years|days|summer|winter) (?:he|she) (?:had )?spent in)\b"
)


def _never(told: ToldStory, ja: bool) -> Iterator[Clash]:
    pattern = compiled(
        f"(?P<who>{told.name}){TITLED_JA}" + _NEVER_JA.format()
        if ja
        else _NEVER_EN.replace("NAME", told.name)
    )
    names = re.compile(told.name)
    never: dict[str, tuple[ToldLine, re.Pattern[str], str]] = {}
    for line in told.naming:
        named = [told.names[name] for name in names.findall(line.told)]
        for who in named:
            if who in never and never[who][1].search(line.told) and _knows(line, ja):
                before, _, place = never.pop(who)
                if not told.leaps_between(before, line) or re.search("去年|育|grown|grew|spent", line.told):
                    says = f"never {place} here, and there it is known"
                    yield Clash(before.key, line.key, ClashKind.PLACE, says)
        match = pattern.search(line.told)
        if match is not None and not re.search(
            "今日まで|この日まで|until|before (?:today|then|that)", line.told
        ):
            never[told.names[got(match, "who")]] = (line, _known(match, ja), got(match, "place"))


def _knows(line: ToldLine, ja: bool) -> bool:
    wish = (
        "夢|いつか|たい[とのな。、]|だろう|想像|今では|今は|ついに|初めて|やっと|とうとう"
        if ja
        else r"\b(?:dream\w*|wish\w*|want\w*|hope\w*|one day|would|imagin\w*"
        r"|long(?:ed|ing)|[Nn]ow|at last|first time|[Tt]hen|finally|until)\b"
    )
    return re.search(wish, line.told) is None


def _known(match: re.Match[str], ja: bool) -> re.Pattern[str]:
    if got(match, "how") in ("出た", "離れた", "left"):
        return _AWAY_JA if ja else _AWAY_EN
    home = _HOME_JA if ja else _HOME_EN
    return re.compile(home.replace("PLACE", re.escape(got(match, "place"))))
