"""Ages: of one person at one time, by birth, by school, and beside somebody else's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kataribe.domain.story.contradictions.numbers import NUMBER_EN, NUMBER_JA, number_en, number_ja
from kataribe.domain.story.contradictions.patterns import compiled, got
from kataribe.domain.story.contradictions.told import SELF, SELF_JA, Clash, ClashKind, ToldLine, ToldStory

_OLDEST = 130
_GROWS = 2
"""A character may be this much older with no word of time going by."""


@dataclass(frozen=True, slots=True)
class _Age:
    """An age as a line tells it, between two bounds."""

    line: ToldLine
    low: int
    high: int
    said: str


def clashes(told: ToldStory) -> Iterator[Clash]:
    """Find ages of one person that cannot follow one another, and births and distances that differ."""
    ja = told.language == "ja"
    yield from _ages(told, _ages_ja(told) if ja else _ages_en(told))
    yield from _same(_births_ja(told) if ja else _births_en(told), "born in")
    yield from _same(_apart_ja(told) if ja else _apart_en(told), "older by")


def _ages(told: ToldStory, found: Iterator[tuple[str, _Age]]) -> Iterator[Clash]:
    last: dict[str, _Age] = {}
    for who, age in found:
        before = last.get(who)
        if before is not None and _differ(told, before, age):
            yield Clash(before.line.key, age.line.key, ClashKind.AGE, f"{before.said} here, {age.said} there")
        last[who] = age


def _differ(told: ToldStory, before: _Age, age: _Age) -> bool:
    if before.line is age.line or told.leaps_between(before.line, age.line):
        return False
    return age.high < before.low or age.low > before.high + _GROWS


_HONOUR = "(?:さん|ちゃん|くん|さま|[一-鿿]{1,3})?"
_STAGES_JA = (
    ("小学[校生]?に?[入上]", 6, 7), ("小学([1-6一二三四五六])年", 6, 0), ("中学([1-3一二三])年", 12, 0),
    ("高校([1-3一二三])年", 15, 0), ("中学(?:校)?[にへ](?:上が|入)(?:った|学した)ばかり", 12, 13),
    ("高校[にへ](?:上が|入)(?:った|学した)ばかり", 15, 16), ("小学生", 6, 12), ("中学生", 12, 15),
    ("高校生", 15, 18),
)  # fmt: skip
_NOT_NOW_JA = (
    "(?!の(?:時|とき|頃|ころ|折|夏|秋|冬|春|年|誕生日まで|娘の|少年の"
    "|子供の|若者の)|[くぐ]らいの?(?:に|と)|に(?:も)?(?:は)?見え|に(?:な"
    "|達)(?:ったら|れば|るまで|ると|る頃|る日)"
    "|と(?:言|い)って|まで|から|年[上下]|違|差|若|離れ|以[上下]|未満"
    "|の娘|のとき|の[^、。]{1,4}の(?:よう|ごとく)|も[年歳])"
)


def _ages_ja(told: ToldStory) -> Iterator[tuple[str, _Age]]:
    name, n = told.name, NUMBER_JA
    about = "(?P<about>そこそこ|前後|ほど|ばかり|近[いくか])?"
    years = f"(?P<n>{n})[歳才]{about}{_NOT_NOW_JA}"
    patterns = [
        compiled(f"(?P<who>{name}){_HONOUR}[はが、](?:[^。、「」]{{0,8}}?[、]?)?{years}"),
        compiled(f"(?P<who>{name}){_HONOUR}[・ァ-ヺー]*、{years}"),
        compiled(f"{years}(?:になる|になった|を迎えた|の)(?:[^。、のはがを]{{1,6}}の)?(?P<who>{name})(?!の)"),
        compiled(f"(?P<who>{name}){_HONOUR}が{years}の誕生日を"),
        compiled(
            f"(?P<who>{name}){_HONOUR}は(?:、)?(?:今年で?|まだ|もう|当年|数えで"
            f"|御年|齢|とうに|すでに|じきに)+(?P<n>{n}){about}"
            "(?=[のだであをにもつ、。ぞよ」])(?!つ(?:年|下|上)|[人年月日度回本匹])(?!に(?:なったら|なれば))"
        ),
        compiled(f"(?:御年|齢)(?P<n>{n}){about}の[^。、]{{0,6}}?(?P<who>{name})"),
        compiled(f"(?<![一-鿿0-9])(?P<n>{n})(?P<about>そこそこ|前後)の(?:[^。、]{{0,4}}の)?(?P<who>{name})"),
        compiled(f"(?P<who>{name}){_HONOUR}は(?P<n>{n})(?:にも?)(?:なって|なった|なる)[、。い]"),
        compiled(f"(?<![一-鿿0-9])(?P<n>{n})年(?P<about>)生きてきた[^。、]{{0,6}}?(?P<who>{name})"),
    ]
    stages = [
        (
            compiled(
                f"(?P<who>{name}){_HONOUR}は[^。、]{{0,6}}?{stage}|{stage}[^。、は]{{0,6}}の(?P<who2>{name})"
            ),
            low,
            high,
        )
        for stage, low, high in _STAGES_JA
    ]
    for line in told.naming:
        if line.is_unreal or line.moves_on:
            continue
        for match in _each(patterns, line.text):
            value = number_ja(got(match, "n"))
            if 0 < value <= _OLDEST * 10:
                low, high = (value - 2, value + 4) if got(match, "about") else (value, value)
                yield told.names[got(match, "who")], _Age(line, low, high, f"{got(match, 'n')}歳")
                break
        else:
            yield from _stage_ja(told, stages, line)


def _stage_ja(
    told: ToldStory, stages: list[tuple[re.Pattern[str], int, int]], line: ToldLine
) -> Iterator[tuple[str, _Age]]:
    for pattern, low, high in stages:
        match = pattern.search(line.told)
        if match is not None:
            years = [group for group in match.groups() if group and group not in told.names]
            if high == 0 and years:
                low, high = low + number_ja(years[0]) - 1, low + number_ja(years[0])
            who = got(match, "who")
            yield told.names[who], _Age(line, low, high, match.group().replace(who, "").strip("はの"))
            return


def _each(patterns: list[re.Pattern[str]], text: str) -> Iterator[re.Match[str]]:
    return (match for pattern in patterns if (match := pattern.search(text)) is not None)


_NOT_NOW_EN = (
    r"(?!\s*(?:when|years? (?:ago|before|later|older|younger|senior"
    r"|junior)|months|days|hours|minutes|miles|feet|o'clock|pounds"
    r"|dollars|of\b|more|times|percent|per\b|at the time|men|or\b))"
)
_GRADES = {
    "high[- ]school senior": (17, 18), "high[- ]school junior": (16, 17), "freshman": (14, 19),
    "sixth grade": (11, 12),
    "seventh grade": (12, 13), "eighth grade": (13, 14), "fifth grade": (10, 11), "fourth grade": (9, 10),
    "third grade": (8, 9), "second grade": (7, 8), "first grade": (6, 7), "kindergarten": (5, 6),
}  # fmt: skip
_PARTS = {"early": (0, 3), "mid": (3, 7), "late": (6, 9)}
_DECADES = ["twenties", "thirties", "forties", "fifties", "sixties", "seventies", "eighties", "nineties"]


def _ages_en(told: ToldStory) -> Iterator[tuple[str, _Age]]:
    name, n = told.name, NUMBER_EN
    only = (
        r"(?:only |just |barely |now |already |nearly |still |but |then "
        r"|all of |not yet |about |(?:had )?(?:just )?turned |scarcely )*"
    )
    aged = rf"(?P<n>\b{n})(?:\b(?:[- ]years?[- ]old\b| years? of age)?|(?=-year))"
    patterns = [
        compiled(
            rf"(?P<who>{name}) (?:was|is|were|had(?: just)? turned|turned|would be) {only}{aged}"
            rf"{_NOT_NOW_EN}(?=[\s,.;!?\"”]"
            rf"|$)(?! (?:[a-z]+ed|in the|to|on the|inches|days|hours|weeks)\b)"
        ),
        compiled(
            rf"(?P<who>{name}), (?:a |an )?(?:aged |age |barely |only |just )?{aged}(?=[, .])(?! (?:men"
            rf"|hours|days|of))"
        ),
        compiled(rf"(?<![\w,] )\b[Aa]t {aged},? (?P<who>{name})(?!'s)"),
        compiled(rf"(?P<n>\b{n})[- ]year[- ]old (?P<who>{name})(?!'s)"),
        compiled(
            rf"\"(?:She|He)'s (?:only |just |barely )?(?P<n>{n}),?\".{{0,40}}\b(?:at"
            rf"|to|towards) (?P<who>{name})"
        ),
        compiled(rf"\"I'm (?:only |just )?(?P<n>{n}),?\" (?:said |says )?(?P<who>{name})"),
        compiled(rf"(?P<who>{name})'s (?P<n>{n}|[a-z-]+(?:th|first|second|third)) birthday"),
        compiled(rf"(?P<who>{name}) had lived (?:for )?(?P<n>{n}) (?:years|winters|summers)\b"),
    ]
    decade = compiled(
        rf"(?P<who>{name})(?:,| was) (?:a (?:man|woman|person) )?(?:now )?in (?:his"
        rf"|her|their) (?P<part>early|mid|late)?[- ]?(?P<decade>{'|'.join(_DECADES)})"
    )
    grades = [
        (
            compiled(rf"(?P<who>{name})(?:,? who)? (?:was|is|had|attended)[^.;]{{0,30}}?\b{grade}\b"),
            ages,
            grade,
        )
        for grade, ages in _GRADES.items()
    ]
    for line in told.naming:
        if line.is_unreal or line.moves_on:
            continue
        match = next(_each(patterns, line.text), None)
        if match is not None:
            value = _years(got(match, "n"))
            if value and value <= _OLDEST * 10:
                yield told.names[got(match, "who")], _Age(line, value, value, got(match, "n"))
        elif (found := decade.search(line.told)) is not None:
            low, high = _PARTS.get(got(found, "part") or "", (0, 9))
            base = 20 + 10 * _DECADES.index(got(found, "decade"))
            yield told.names[got(found, "who")], _Age(line, base + low, base + high, got(found, "decade"))
        else:
            for pattern, (low, high), grade in grades:
                if (found := pattern.search(line.told)) is not None:
                    said = grade.replace("[- ]", " ")
                    yield told.names[got(found, "who")], _Age(line, low, high, said)
                    break


def _years(text: str) -> int:
    whole = re.sub(r"(?:first|second|third)$", "", text)
    if whole != text:
        return number_en(whole) + {"f": 1, "s": 2, "t": 3}[text[len(whole)]]
    ordinal = re.sub(r"(?:ieth|th)$", lambda match: "y" if match.group() == "ieth" else "", text)
    return number_en({"eigh": "eight", "nin": "nine", "fif": "five", "twelf": "twelve"}.get(ordinal, ordinal))


# -- born, and older than ------------------------------------------------------------------


def _same(found: Iterator[tuple[object, ToldLine, str]], what: str) -> Iterator[Clash]:
    """Find what ought to be one value and is told as two."""
    first: dict[object, tuple[ToldLine, str]] = {}
    done: set[object] = set()
    for key, line, value in found:
        before, held = first.setdefault(key, (line, value))
        if held != value and key not in done and before.key != line.key:
            done.add(key)
            yield Clash(before.key, line.key, ClashKind.AGE, f"{what} {held} here, {value} there")


_ERA = "(?:明治|大正|昭和|平成|令和|西暦|[ァ-ヺー一-鿿]{0,4}暦)?"


def _births_ja(told: ToldStory) -> Iterator[tuple[object, ToldLine, str]]:
    year = f"(?P<year>{_ERA}{NUMBER_JA}年)"
    patterns = [
        compiled(f"(?P<who>{told.name}){_HONOUR}は[^。、]{{0,4}}{year}(?:の|に)?[^。、]{{0,4}}生まれ"),
        compiled(
            f"{year}(?:[の春夏秋冬]{{0,2}})(?:に|の)?生まれ(?:た|の)[^。、は]{{0,6}}?(?P<who>{told.name})"
        ),
    ]
    yield from _born(told, patterns)


def _births_en(told: ToldStory) -> Iterator[tuple[object, ToldLine, str]]:
    year = r"(?:the (?:spring|summer|autumn|fall|winter) of )?(?P<year>\d{3,4})\b"
    patterns = [
        compiled(rf"(?P<who>{told.name}) (?:was|had been) born in {year}"),
        compiled(rf"\b[Bb]orn in {year},? (?P<who>{told.name})(?!'s)"),
    ]
    yield from _born(told, patterns)


def _born(told: ToldStory, patterns: list[re.Pattern[str]]) -> Iterator[tuple[object, ToldLine, str]]:
    for line in told.naming:
        if not line.is_hearsay:
            for match in _each(patterns, line.told):
                yield told.names[got(match, "who")], line, got(match, "year")
                break


_SIGNS = {"上": 1, "下": -1}


def _pair(one: str, other: str, sign: int) -> tuple[tuple[str, str], str]:
    """Order two people, and say how the first is to the second."""
    if one > other:
        one, other, sign = other, one, -sign
    return (one, other), {1: "older", -1: "younger", 0: "the same age"}[sign]


def _apart_ja(told: ToldStory) -> Iterator[tuple[object, ToldLine, str]]:
    selves = "|".join(SELF_JA)
    name = f"(?:{told.name}|{selves})"

    def who(text: str) -> str:
        return told.names.get(text, SELF)

    than = compiled(
        f"(?P<a>{name}){_HONOUR}は(?P<b>{name}){_HONOUR}より(?:も)?(?:{NUMBER_JA}(?:つ"
        f"|歳|才|個)?)?(?:ほど)?(?:も)?(?:年)?(?P<side>[上下])"
    )
    twins = compiled(f"(?P<a>{name})と(?P<b>{name})は[^。]{{0,6}}?(?:同い年|双子|同じ年)")
    beside = compiled(
        f"(?:年|{NUMBER_JA}(?:つ|歳|才)(?:年)?)(?P<side>[上下])の(?P<a>{name})[をにが、はと][^。]{{0,12}}?(?P<b>{name}){_HONOUR}?は"
    )
    for line in told.naming:
        for pattern in (than, twins, beside):
            match = pattern.search(line.told)
            if match is not None and not line.is_unreal:
                side = match.groupdict().get("side", "")
                one, other = who(got(match, "a")), who(got(match, "b"))
                if one != other:
                    key, said = _pair(one, other, _SIGNS.get(side, 0))
                    yield key, line, said
                break


def _apart_en(told: ToldStory) -> Iterator[tuple[object, ToldLine, str]]:
    name = told.name
    than = compiled(
        rf"(?P<a>{name}) (?:was|is) (?:[\w-]+ (?:years?|months?) )?(?P<side>older"
        rf"|younger) than (?P<b>{name})(?!'s)"
    )
    twins = compiled(
        rf"(?P<a>{name}) and (?P<b>{name}) (?:were|are) (?:[\w-]+ )?(?:twins|of an age|(?:of )?the same age)"
    )
    of_two = compiled(
        rf"(?P<b>{name})\b[^.]{{1,40}}\b(?P<a>{name}),? (?:who )?(?:was"
        rf"|is) the (?P<side>older|elder|younger) of the two"
    )
    for line in told.naming:
        for pattern in (than, twins, of_two):
            match = pattern.search(line.told)
            if match is not None and not line.is_unreal:
                side = match.groupdict().get("side", "")
                one, other = told.names[got(match, "a")], told.names[got(match, "b")]
                if one != other:
                    key, said = _pair(one, other, {"older": 1, "elder": 1, "younger": -1}.get(side, 0))
                    yield key, line, said
                break
