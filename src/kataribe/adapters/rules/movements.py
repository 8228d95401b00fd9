"""People coming and going, and scenes that shift without a mark between them."""

from __future__ import annotations

import re

from kataribe.adapters.rules.names import Mention
from kataribe.adapters.rules.passages import QuotedPassage
from kataribe.adapters.rules.presence import HONORIFIC

_LEAVES_JA = re.compile(
    f"{HONORIFIC}(?:の(?:形|姿|影))?[はがも][^。]{{0,60}}?(?:帰っ(?:て(?:行|い)っ)?た|帰って(?:しまっ|行き|いき)|帰りました"
    f"|帰って参り|去った|去って|去りました|立ち去|出て(?:行|い|往)っ|出て(?:行|い)き"
    "|行ってしま|いってしま|(?:い|居)なくな|見え(?:なくな|ず|ません)|居ませんでした|いませんでした|いなかった|引き取っ"
    "|引き上げ|引揚|退出|姿を(?:消|隠)|消え(?:た|て|まし)|逃げ(?:て(?:行|い)|出し|だし|まし|た)"
    "|死んだ|死にました|亡くな|向うへ行きました|向うへ行った|走って(?:行|い)|駆けて(?:行|い)|(?:行"
    "|往)ってしまった|別れ(?:た|て|まし))"
)
_ARRIVES_JA = re.compile(
    f"{HONORIFIC}[はがも][^。]{{0,50}}?(?:来た|来て|来まし|きた[。、]|きて[。、]|きまし|やって来"
    f"|入って(?:来|き)|這入って来|はいって(?:来|き)|現[われあ]|あらわれ|戻って|帰って(?:来|き)|出て(?:来"
    f"|き)|到着|着い[たて])"
)
_SHIFT_JA = re.compile(
    "[ 　]*(?:そ(?:れ|こ)から|ところが|やがて|さて|すると|で、|そうして)?[、，]?(?:あくる|翌|明くる|次の"
    "|その)(?:日|朝|晩|夜|夕方|年|月|週|日曜|土曜)"
    "|[ 　]*(?:翌日|翌朝|翌晩|翌年|翌週|明け方|夜が明け|[一二三四五六七八九十数\\d]+(?:日|週間"
    "|[かヶカ箇]?月|年)(?:ほど|ばかり|くらい|ぐらい)?(?:後|のち|たっ|立っ|経っ|して|すると)"
    "|(?:そ|こ)の(?:後|のち)[、，]?|それから[一二三四五六七八九十数\\d]+(?:日|週間|[かヶカ箇]?月|年)"
    "|ある(?:日|朝|晩|夜|時)|或(?:る)?(?:日|朝|晩|夜)|(?:日|月|火|水|木|金|土)曜(?:日)?[にの、は]"
    "|今(?:日|朝|晩|夜)は|(?:学校|放課後|授業|昼休み)[がの]?(?:終|に|、))"
)
_MOVES_JA = re.compile(
    "[へにを](?:行[くっき]|着[いく]|来[たて]|出[たてる]|帰[っる]|戻っ|はい[っる]|這入|上が|あがっ|出掛"
    "|出かけ|向っ|向かっ|移っ|引き払|飛び出|立ち去|乗っ[たて])"
    "|帰って来|うちへ|宿へ|外へ"
)
_MOVES_EN = re.compile(
    r"\b(?:I|[Hh]e|[Ss]he|[Tt]hey)\s+(?:\w+ly\s+|had\s+|now\s+|then\s+|all\s+)*"
    r"(?:went|came|returned|set (?:off|out|forth)|left|departed|arrived|reached|entered|ran|hurried|walked"
    r"|rode|drove|climbed|got home"
    r"|made (?:my|our|his|her|their) way|turned back|made for|pushed on|started)\b"
)

_LEFT = (
    r"(?:left|went\s+(?:away|out|off|home|his\s+way|her\s+way|back)|departed|withdrew|disappeared|vanished"
    r"|retired|was\s+gone|were\s+gone"
    r"|(?:walked|rode|drove|ran|hurried|marched|stalked|strode|slipped|sailed|galloped|stole|rushed|stumped"
    r"|stormed)\s+(?:\w+\s+)?(?:away|off|out|from)|made\s+off|set\s+(?:off|out|forth)"
    r"|took\s+(?:his|her|their|my|our)\s+(?:leave|departure)|bade\s+\w+\s+(?:good|farewell)"
    r"|said\s+good-?(?:bye|night)|turned\s+away|parted|died|fell\s+dead)"
)
_LEAVES_EN = re.compile(rf"(?:\s[A-Z][\w’'-]+)?[^.!?;\0]{{0,40}}?\b{_LEFT}\b")
_ARRIVES_EN = re.compile(
    r"(?:\s[A-Z][\w’'-]+)?[^.!?;\0]{0,30}?\b(?:came\s+(?:in|back|up|down|out|to|running|along|into|round"
    r"|hurrying|forward)|arrived|entered|appeared|returned|rejoined|joined|burst\s+in|stepped\s+(?:in|out"
    r"|up|forward)|walked\s+in|was\s+(?:shown|ushered)|emerged)\b"
)
_SHIFT_EN = re.compile(
    r"[\"“]?(?:(?:About|At|On|In|By|Late|Early|Towards?|It was|Not until|Then|And|So|But|Some|Nearly|Almost"
    r"|All|Only|A|The|That|This|Two|Three|Four|Five|Six|Several|Many|One|Next|Once|After|Before"
    r"|When)\b[^.!?,;:]{0,40}?)?"
    r"\b(?:(?:[Nn]ext|[Ff]ollowing|that|That|same|very)\s+(?:\w+\s+)?(?:day|morning|evening|night|afternoon"
    r"|week|month|year|Sunday|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday)"
    r"|(?:days?|weeks?|months?|years?|hours?|fortnight|nights?)\s+(?:later|after|afterwards|passed|went by"
    r"|had passed|ago)"
    r"|[Mm]eanwhile|[Mm]eantime|[Ff]rom that (?:time|day|hour)|Time (?:ran|went|passed)|(?:on"
    r"|On) the (?:\w+ )?(?:of|day|night|morning) |[Oo]ne (?:day|morning|evening|night|afternoon)\b)"
)
_OPENING = 90

_SETTLES_JA = re.compile(
    "[^。]{0,40}?(?:(?<![一-龠])(?:座|坐)(?:[っりるら](?!ていた(?:席|所|椅子|ところ))|に(?:着|つ[いき]|復))"
    "|腰[をはが]?(?:掛|かけ|下|卸|おろ|据)|席に(?:着|つ[いき]|帰|戻|復)|席へ(?:帰|戻)|着席|胡坐"
    "|並んで(?:い|居|る)|居並|(?<!を)控えて(?:い|居)る(?!ん)|陣取|[舟船櫓を]漕[いぐ]|漕いで|乗って(?:い|居)|乗り込ん|乗込ん"
    "|寝て(?:い|居)た|寝ころ|寝転|横に(?:な[っりる]))"
)
_SETTLES_EN = re.compile(
    r"[^.!?;\0]{0,60}?\b(?:sat|seated|sitting|settled\s+(?:down|himself|herself|themselves)|lay\s+(?:down|there)"
    r"|took\s+(?:his|her|a|their)\s+(?:seat|place)|rowed|rowing|steered|steering|crouched|crouching|knelt"
    r"|kneeling)\b"
)

_GATHERS_JA = re.compile(
    "(?:会議|宴会|送別会|懇親会|歓迎会|祝賀会|会食|晩餐|酒宴|酒盛り?|総会|集会|評議|軍議|裁判)(?:が|は|を)[^。]{0,14}(?:始|はじ|開|ひら)"
    "|会議室[はにへの]|一座|満座|列席|着席"
)
_GATHERS_EN = re.compile(
    r"\b(?:(?:the|a|our|this|that)\s+(?:\w+\s+)?(?:council|conference|meeting|banquet|feast|assembly|trial|inquest|court-martial)"
    r"|(?:at|round|around)\s+(?:the\s+)?(?:\w+\s+)?table|sat\s+down\s+to\s+(?:\w+\s+)?(?:dinner|supper|breakfast|table))\b"
)
_BREAKS_UP_JA = re.compile(
    "散会|閉会|お開き(?!下|くだ|いただ)|(?:会議|会|宴会|送別会|酒宴)[はが](?:済|終|果て)|引き上げ|引揚げ|解散"
)
_BREAKS_UP_EN = re.compile(
    r"\b(?:(?:broke|breaking)\s+up|adjourned|dispersed|rose\s+from\s+(?:the\s+)?table|(?:dinner|supper|breakfast|meeting|council)"
    r"\s+(?:was|being)\s+(?:over|done)|came\s+to\s+an\s+end)\b"
)

_ALONE_JA = re.compile(
    "(?:一人|ひとり|独り)(?:きり|ぼっち)?に(?:な[っりる]|され|残さ)|(?:皆|みんな|みな|一同|連中|二人|三人"
    "|彼ら|彼等)(?:は|が)"
    "[^。]{0,20}?(?:帰った|帰って(?:行|い)|出て(?:行|い)っ|去った|立ち去|引き上げ|引き取)"
)
_ALONE_EN = re.compile(
    rf"\b(?:left|leaving)\s+(?:me|him|her|us)\s+(?:to\s+\w+sel|alone)|\bwas\s+(?:left\s+)?alone\b"
    rf"|\b[Tt]hey\s+(?:all\s+|both\s+|had\s+|then\s+)*{_LEFT}"
)
_ONE_LEAVES_JA = re.compile(
    "(?:彼女?|(?:その|この)(?:人|男|女|子))[はが][^。]{0,30}?(?:帰っ(?:て(?:行|い)っ)?た|出て(?:行|い)っ"
    "|去った|立ち去)"
)
_ONE_LEAVES_EN = re.compile(rf"\b(?:[Hh]e|[Ss]he)\s+(?:had\s+|then\s+|now\s+|\w+ly\s+)*{_LEFT}\b")


def leaves(passage: QuotedPassage, mention: Mention) -> bool:
    """Whether the owner of a mention in the narration goes away in that sentence."""
    pattern = _LEAVES_JA if passage.language == "ja" else _LEAVES_EN
    _, end = passage.sentence_at(mention.start)
    return bool(pattern.match(passage.told_between(mention.end, end)))


def arrives(passage: QuotedPassage, mention: Mention) -> bool:
    """Whether the owner of a mention in the narration comes in that sentence."""
    pattern = _ARRIVES_JA if passage.language == "ja" else _ARRIVES_EN
    _, end = passage.sentence_at(mention.start)
    return bool(pattern.match(passage.told_between(mention.end, end)))


def settles(passage: QuotedPassage, mention: Mention) -> bool:
    """Whether the owner of a mention in the narration takes a place in that sentence, or is told to have one.

    Whoever sits, lies or rows stays without another word, until somebody goes elsewhere.
    """
    pattern = _SETTLES_JA if passage.language == "ja" else _SETTLES_EN
    _, end = passage.sentence_at(mention.start)
    return bool(pattern.match(passage.told_between(mention.end, end)))


def gathers(passage: QuotedPassage) -> bool:
    """Whether a paragraph tells of a meeting, a meal or a trial: those who are in it sit to its end."""
    return bool((_GATHERS_JA if passage.language == "ja" else _GATHERS_EN).search(passage.narration))


def breaks_up(passage: QuotedPassage) -> bool:
    """Whether a paragraph tells that a meeting or a meal is over."""
    return bool((_BREAKS_UP_JA if passage.language == "ja" else _BREAKS_UP_EN).search(passage.narration))


def shifts(passage: QuotedPassage) -> bool:
    """Whether a paragraph opens by telling of another time: who was there need not be any more."""
    opening = passage.told_between(passage.start, passage.start + _OPENING)
    return bool((_SHIFT_JA if passage.language == "ja" else _SHIFT_EN).match(opening))


def moves(passage: QuotedPassage) -> bool:
    """Whether somebody who is not named goes from one place to another in a paragraph."""
    return bool((_MOVES_JA if passage.language == "ja" else _MOVES_EN).search(passage.narration))


def leaves_alone(passage: QuotedPassage) -> bool:
    """Whether a paragraph leaves whom it goes along with alone."""
    return bool((_ALONE_JA if passage.language == "ja" else _ALONE_EN).search(passage.narration))


def one_leaves(passage: QuotedPassage) -> bool:
    """Whether somebody goes away whom a paragraph calls by a pronoun."""
    return bool((_ONE_LEAVES_JA if passage.language == "ja" else _ONE_LEAVES_EN).search(passage.narration))
