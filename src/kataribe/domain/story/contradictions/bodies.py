"""Limbs, eyes, ears and voices that are lost, and used afterwards."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from kataribe.domain.story.contradictions.acting import TITLED_JA
from kataribe.domain.story.contradictions.patterns import compiled, got
from kataribe.domain.story.contradictions.told import Clash, ClashKind, ToldLine, ToldStory


@dataclass(frozen=True, slots=True)
class _Loss:
    """What somebody has lost, told in a line; `used` matches its use."""

    line: ToldLine
    part: str
    used: re.Pattern[str]


def _search(pattern: str, text: str) -> re.Match[str] | None:
    return compiled(pattern).search(text)


_PARTS_JA = "腕|手首|手|足首|足|脚|目|眼|耳|(?:手の)?(?:親指|人差し指|中指|薬指|小指|指)|小指"
_LOST_JA = (
    "(?:を(?:[^。、]{0,8})?(?:失[いくっわ]|なく[しさ]|切り落と|斬り落と"
    "|切断|もがれ|奪われ|潰され|えぐられ)|(?:は|が)[^。、]{0,12}(?:切り落と"
    "|斬り落と|切断|失われ|なかった|ない(?![ほ]))|を[^。、]{0,10}から失)"
)
_BRIEF_JA = re.compile(
    "驚き|思わず|一瞬|しばらく|しばし|言葉を失|我を|呆然|あまり|感動"
    "|暗闇|暗く|闇|煙|霧|雨音|痺れ|しびれ|離さな|出さな|つけな|動か"
    "|放さ|届か|貸|入れな|止め|加え"
)
_MENDED_JA = re.compile(
    "義手|義足|義眼|義腕|元に戻|元通り|治癒|再生|生え|取り戻|戻った|治っ|治し|回復|移植|魔法|よみがえ|点字"
)
_BRIEF_EN = re.compile(
    r"\b(?:for a (?:moment|second|minute|while|time)|moment\w*|startled"
    r"|astonish\w*|speechless|so \w+ that|with (?:fear|rage|fright"
    r"|joy)|temporar\w*|pitch dark|in the dark|darkness|good as|feel as"
    r"|felt as|count|sight of|lost (?:his|her) (?:heart|head|temper"
    r"|balance|footing|way|grip)|hand in)\b"
)
_MENDED_EN = re.compile(
    r"\b(?:wooden|false|artificial|prosthe\w+|glass eye|iron hand|hook"
    r"|peg|heal\w*|magic|whole again|grew back|grown back|regrew|restored"
    r"|came back|returned|recover\w*|regain\w*|braille|sewn|reattach\w*"
    r"|stump|phantom|empty sleeve)\b"
)
_PARTS_EN = r"arm|hand|leg|foot|eye|ear|(?:little |ring |middle |index |fore)?finger|thumb"


def clashes(told: ToldStory) -> Iterator[Clash]:
    """Find the first use of what somebody has lost for good."""
    losses: defaultdict[str, dict[str, _Loss]] = defaultdict(dict)
    done: set[tuple[str, str]] = set()
    ja = told.language == "ja"
    read = _loss_ja if ja else _loss_en
    mended = _MENDED_JA if ja else _MENDED_EN
    names = re.compile(told.name)
    for line in told.lines:
        named = {told.names[name] for name in names.findall(line.told)}
        if not named:
            continue
        for who, loss in [(one, loss) for one in sorted(named) for loss in losses[one].values()]:
            if (who, loss.part) not in done and _is_used(told, loss, who, line, mended):
                done.add((who, loss.part))
                yield Clash(
                    loss.line.key, line.key, ClashKind.BODY, f"{loss.part} is lost here, and there again"
                )
        if not line.is_unreal:
            for loser, part, used in read(told, line):
                losses[loser].setdefault(part, _Loss(line, part, used))


def _is_used(told: ToldStory, loss: _Loss, who: str, line: ToldLine, mended: re.Pattern[str]) -> bool:
    if line.is_unreal or line.moves_on or mended.search(line.told):
        return False
    return any(told.names[got(match, "who")] == who for match in loss.used.finditer(line.told))


def _loss_ja(told: ToldStory, line: ToldLine) -> Iterator[tuple[str, str, re.Pattern[str]]]:
    if _BRIEF_JA.search(line.told) or _MENDED_JA.search(line.told):
        return
    name = told.name
    subject = f"(?P<who>{name}){TITLED_JA}[はがもの]"
    limb = _search(f"{subject}[^。]{{0,12}}?(?P<side>[右左片両])(?P<part>{_PARTS_JA}){_LOST_JA}", line.told)
    if limb is not None:
        yield (
            told.names[got(limb, "who")],
            got(limb, "side") + got(limb, "part"),
            _use_of_ja(name, got(limb, "side"), got(limb, "part")),
        )
    one = _search(
        f"{subject}[^。]{{0,6}}?(?:片(?P<part>腕|足|脚|目|眼|耳)|隻(?P<part2>腕"
        f"|眼|脚))(?:だった|である|だ|の|で|。|しかな)",
        line.told,
    )
    if one is not None and limb is None:
        part = got(one, "part")
        yield told.names[got(one, "who")], "片" + part, _use_of_ja(name, "片", part)
    for sense, cue, use in _SENSES_JA:
        told_so = _search(
            f"{subject}[^。]{{0,12}}?(?:{cue})|(?:{cue})[^。、はが]{{0,6}}(?P<who2>{name})", line.told
        )
        if told_so is not None and (
            sense != "声" or _search("事故|病|呪|それきり|以来|一言も|生まれつき|永遠", line.told)
        ):
            who = got(told_so, "who")
            yield told.names[who], sense, compiled(use.replace("NAME", f"(?P<who>{name}){TITLED_JA}"))


_READS_JA = "読[みんむ]|眺め|見つめ|見上げ|見回|見渡|見やっ|見比べ"
_SENSES_JA = (
    (
        "目",
        "(?<!は)盲目|全盲|目が(?:全く|まったく)?見えない|目の見えない|両目を失|視力を失|光を失|失明",
        (
            f"NAMEは[^。]{{0,20}}?(?:を(?:[^。]{{0,8}})?(?:{_READS_JA})|目を通)"
            "|(?:読|眺め|見つめ|見上げ)[^。、]{0,8}NAME"
        ),
    ),
    (
        "耳",
        "耳が(?:全く|まったく)?聞こえない|耳の聞こえない|聴力を失|耳を聾",
        (
            "(?:聞きつけ|耳を澄ま|聞き(?:分け|取)|聞こえ|声に)[^。]{0,12}NAMEは"
            "|NAMEは[^。]{0,20}?(?:聞きつけ|耳を澄ま|聞き(?:分け|取)|聞き入)"
        ),
    ),
    (
        "声",
        "声を失|口が(?:利|き)けない|声が出ない|唖",
        (
            "␣(?:と|、)?[^。]{0,6}NAMEは[^。]{0,10}?(?:言っ|叫|答え|声)"
            "|NAMEは[^。]{0,10}(?:声で|大声)[^。]{0,6}(?:言|叫|答)"
        ),
    ),
)
"""Each sense or voice: how it is told to be gone, and how it is used."""


def _use_of_ja(name: str, side: str, part: str) -> re.Pattern[str]:
    head = part.replace("手の", "")
    same = {
        "腕": "腕|手",
        "足": "足|脚",
        "脚": "足|脚",
        "目": "目|眼",
        "眼": "目|眼",
        "手": "手(?!の[甲平])",
    }.get(head, head)
    both = f"両(?:{same})|両の(?:{same})"
    wanted = both if side == "片" else f"{side}(?:{same})|{both}"
    if part.startswith("手の") or "指" in part:
        wanted = f"{side}{part}"
    return compiled(
        f"(?P<who>{name}){TITLED_JA}[はがもの][^。はが]{{0,8}}?(?:{wanted})(?!を(?:失|切|斬|なく)|があった)"
    )


def _loss_en(told: ToldStory, line: ToldLine) -> Iterator[tuple[str, str, re.Pattern[str]]]:
    if _BRIEF_EN.search(line.told) or _MENDED_EN.search(line.told):
        return
    name = told.name
    limb = _search(
        rf"(?P<who>{name})(?!'s)[^.;]{{0,20}}? (?:had )?(?:lost|was missing"
        rf"|lacked) (?:his|her|their) (?P<side>right|left) (?P<part>{_PARTS_EN})\b"
        rf"|(?P<who2>{name})'s (?P<side2>right|left) (?P<part2>{_PARTS_EN}) (?:had been "
        rf"|was |were )(?:cut|torn|blown|shot|hacked|bitten|struck|gone"
        rf"|missing|taken|severed|amputated)",
        line.told,
    )
    if limb is not None:
        side, part = got(limb, "side"), got(limb, "part")
        yield told.names[got(limb, "who")], f"the {side} {part}", _use_of_en(name, side, part)
    finger = _search(
        rf"\b[Tt]he (?P<part>\w+ finger|thumb) (?:of|on) (?P<who>{name})'s (?P<side>right"
        rf"|left) hand had been cut",
        line.told,
    )
    if finger is not None:
        wanted = rf"\bthe {got(finger, 'part')} (?:of|on) (?:his|her) {got(finger, 'side')} hand"
        yield (
            told.names[got(finger, "who")],
            f"the {got(finger, 'part')}",
            compiled(rf"(?P<who>{name})(?!'s)[^.;]{{1,40}}{wanted}"),
        )
    one = _search(
        rf"(?P<who>{name}) (?:had|has|was left with) (?:only |but |just )*one (?P<part>leg"
        rf"|arm|hand|eye|foot)\b(?! (?:on|in|to|over|up|out|upon|raised))"
        rf"|(?P<who2>{name})(?:,| was) (?:the |a )?(?P<part2>one-(?:legged"
        rf"|armed|eyed|handed))",
        line.told,
    )
    if one is not None:
        part = (
            got(one, "part")
            if "-" not in got(one, "part")
            else {"legg": "leg", "arme": "arm", "eyed": "eye", "hand": "hand"}[got(one, "part")[4:8]]
        )
        yield told.names[got(one, "who")], f"one {part}", _both_en(name, part)
    for sense, cue, use in _SENSES_EN:
        match = _search(
            rf"(?P<who>{name})(?:,| was| is| had(?: been| gone)?)(?: (?:the"
            rf"|a|an|who|was|now|quite|stone|born|long|been|also|old|\w+ly)){{0,3}} {cue}",
            line.told,
        )
        if match is not None:
            yield (
                told.names[got(match, "who")],
                sense,
                compiled(use.replace("NAME", rf"(?P<who>{name})(?!'s)")),
            )


_SENSES_EN = (
    (
        "sight",
        r"(?:\b(?:the )?blind\b(?! (?:to|with|rage|panic|drunk|alley|faith))|lost (?:his|her) sight)",
        (
            r"NAME[^.;]{0,30} (?:and )?(?:read\b|reading|stared at|gazed at|glanced"
            r"|looked (?:at|up|over|round|around)|watched)"
        ),
    ),
    (
        "hearing",
        r"(?:\bdeaf\b(?! (?:to|ear))|lost (?:his|her) hearing)",
        r"NAME[^.;]{0,12} (?:heard|overheard|listened)\b",
    ),
    (
        "voice",
        (
            r"(?:lost (?:his|her) voice\b[^.;]{0,30}(?:accident|fire|since|never|not spoken|illness|fever)"
            r"|\bmute\b|\bdumb from birth)"
        ),
        (
            r"␣,? NAME (?:called|said|shouted|cried|answered|sang)|NAME (?:said|shouted|sang|called out)"
            r"|␣,? (?:said|called|cried|shouted) NAME"
        ),
    ),
)


def _both_en(name: str, part: str) -> re.Pattern[str]:
    many = {"foot": "feet"}.get(part, f"{part}s")
    return compiled(rf"(?P<who>{name})(?:'s|\b[^.;]{{1,40}}) both (?:(?:his|her|of (?:his|her)) )?{many}\b")


def _use_of_en(name: str, side: str, part: str) -> re.Pattern[str]:
    many = {"foot": "feet"}.get(part, f"{part}s")
    return compiled(
        rf"(?P<who>{name})(?:'s {side} {part}\b|\b(?!'s)[^.;]{{1,40}} (?:(?:his"
        rf"|her) {side} {part}\b|both (?:(?:his|her|of (?:his|her)) )?(?:{many}"
        rf"|{'hands' if part == 'arm' else many})\b))(?! (?:had|was) (?:been )?(?:cut"
        rf"|lost|torn|missing|gone))"
    )
