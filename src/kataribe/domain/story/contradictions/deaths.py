"""Who is dead, and does something afterwards."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kataribe.domain.story.contradictions.acting import TITLED_JA, acting
from kataribe.domain.story.contradictions.patterns import compiled
from kataribe.domain.story.contradictions.told import SELF_JA, Clash, ClashKind, ToldLine, ToldStory

_DIES_JA = (
    "(?:死んだ|死んでいる|死んでしま|死んで(?:から|もう|いた)|死去"
    "|亡くなった|亡くなって|亡くした|息絶え|息を引き取|絶命|事切れ"
    "|殺され(?:た|て)|処刑され(?:た|て)|殉職|戦死|病死|溺死|焼死|事故死"
    "|急死"
    "|この世を去|他界|命を落と|命を落し|冷たくなって|塵(?:となって|と化し)|帰らぬ人)"
)
_NOT_DEAD_JA = re.compile(
    "死んだ(?:よう|ふり|ら|つもり|と(?:思|聞|いう|か)|も同|はず|魚"
    "|ほう|方|の[かだで])|死んで(?:も|たま|しまい|やる|は|く|い[くこ])"
    "|死ななかった|殺され(?:た(?:ら|と|よう)|て(?:も|しまう|は))"
    "|舞台|芝居|劇|映画|演目|毎晩|死にかけ|なかった$|ません|息絶え(?:そ"
    "|る)|死んだ[^。、]{0,4}(?:母|父|兄|姉|弟|妹|人|者)"
)
_RITES_JA = "(?:葬儀|葬式|通夜|遺体|亡骸|遺骨|墓前|墓|訃報|命日|殉職|戦死|最期|死顔|死に顔|遺品)"
_BREATH_JA = re.compile("(?:息は(?:もう)?なかった|息をしていなかった)")
_KIN_JA = "母|父|祖父|祖母|兄|姉|弟|妹|妻|夫"

_DIES_EN = (
    r"(?:died\b|had died|(?:was|were|is|lay|lies|had been) (?:long "
    r"|already |quite |stone |found )*dead\b|drowned\b|(?:was|had been) (?:killed"
    r"|murdered|slain|hanged|executed|beheaded|drowned|buried)\b"
    r"|(?:burned|burnt|bled|froze|starved|choked) to death|passed away"
    r"|breathed (?:his|her) last|crumbled (?:in)?to (?:dust|ash\w*)"
    r"|grew cold in\b|perished\b)"
)
_RITES_EN = r"(?:funeral|burial|grave|tombstone|gravestone|corpse|dead body|remains|ashes|death|murder)"
_KIN_EN = "mother|father|grandfather|grandmother|brother|sister|wife|husband"
_NOT_DEAD_EN = re.compile(
    r"\b(?:not|n't|never|neither|nor|no|until|before|fear\w*|dread\w*"
    r"|threat\w*|after\b.{0,20}\bown|attempt\w*|plot\w*|sentenced|escape\w*"
    r"|cheat\w*|to the death|scared|frightened|bored|tired|buried in (?!the"
    r"|a|an)|died of (?:embarrass|sham|laugh|boredom|curios|envy)\w*"
    r"|play|stage|scenes?|film|opera|every night|the game)\b"
)


def clashes(told: ToldStory) -> Iterator[Clash]:
    """Find the first deed of somebody who is told to be dead before."""
    dead = _dead(told)
    if not dead:
        return
    done: set[str] = set()
    looked = "|".join(sorted(map(re.escape, _called(told, dead)), key=lambda one: (-len(one), one)))
    pattern = f"(?:{looked})" if told.language == "ja" else rf"(?:\b(?:{looked})\b)"
    for line, name in acting(told, pattern):
        who = told.names.get(name, name)
        died = dead.get(who)
        if (
            died is None
            or who in done
            or line.place <= died.place
            or line.moves_on
            or _is_dead_now(told, line)
        ):
            continue
        done.add(who)
        yield Clash(died.key, line.key, ClashKind.DEAD, f"{name} is dead here, and acts there")


def _called(told: ToldStory, dead: dict[str, ToldLine]) -> list[str]:
    return [name for name, who in told.names.items() if who in dead] + [
        who for who in dead if who not in told.names.values()
    ]


def _is_dead_now(told: ToldStory, line: ToldLine) -> bool:
    """Whether the line itself speaks of dying or of the dead: last words, a body, a wake."""
    if told.language == "ja":
        return re.search(f"{_DIES_JA}|{_RITES_JA}|死ぬ|死", line.told) is not None
    return re.search(rf"{_DIES_EN}|\b{_RITES_EN}\b|\bdead\b|\bdying\b", line.told) is not None


def _dead(told: ToldStory) -> dict[str, ToldLine]:
    """Give each who is told to have died, with the first line that says so."""
    found: dict[str, ToldLine] = {}
    patterns = _patterns_ja(told) if told.language == "ja" else _patterns_en(told)
    last: tuple[ToldLine, str] | None = None
    for line in told.lines:
        if (
            last is not None
            and _BREATHLESS[told.language].search(line.told)
            and line.place == last[0].place + 1
        ):
            found.setdefault(last[1], line)
        who = _who_died(told, patterns, line)
        if who is not None:
            found.setdefault(who, line)
        named = re.search(told.name, line.told)
        last = (line, told.names[named.group()]) if named else None
    return found


_BREATHLESS = {
    "ja": _BREATH_JA,
    "en": re.compile(r"\b(?:no longer breathing|had stopped breathing|no pulse)\b"),
}


def _who_died(told: ToldStory, patterns: list[re.Pattern[str]], line: ToldLine) -> str | None:
    denied = _NOT_DEAD_JA if told.language == "ja" else _NOT_DEAD_EN
    if line.is_unreal or denied.search(line.told):
        return None
    for pattern in patterns:
        match = pattern.search(line.told)
        if match is not None:
            name = next(each for each in match.groups() if each)
            return told.names.get(name, name)
    return None


def _patterns_ja(told: ToldStory) -> list[re.Pattern[str]]:
    name = told.name
    selves = "|".join(SELF_JA)
    return [
        # The nearest はが before the verb is who dies.
        compiled(
            f"(?<!の)(?P<who>{name}){TITLED_JA}(?:は|が|も)(?:[^。はが]|は(?=[^。]*を)){{0,30}}?{_DIES_JA}"
        ),
        compiled(f"(?P<who>{name}){TITLED_JA}の(?:{_RITES_JA})(?![ぁ-ん]{{0,2}}(?:しよう|する|され[るそ]))"),
        re.compile(
            f"(?<![のな一-鿿])(?P<who>{_KIN_JA})は[^。は]{{0,4}}(?:{selves})が[^。は]{{0,14}}{_DIES_JA}"
        ),
        re.compile(f"(?:{selves})の(?P<who>{_KIN_JA})は[^。はが]{{0,20}}{_DIES_JA}"),
    ]


def _patterns_en(told: ToldStory) -> list[re.Pattern[str]]:
    name = told.name
    aside = r"(?:,[^,.;]{1,60},)?"
    return [
        compiled(rf"(?P<who>{name})(?!'s){aside} (?:had |has )?(?:also |all but )?{_DIES_EN}"),
        compiled(rf"(?P<who>{name}) was .{{3,30}} and was dead before\b"),
        compiled(
            rf"(?P<who>{name})'s (?:\w+ )?(?:funeral|burial|grave|tombstone|gravestone|corpse|dead body)\b"
        ),
        re.compile(rf"\b(?P<who>[Mm]y (?:{_KIN_EN})) (?:had |has )?{_DIES_EN}"),
    ]
