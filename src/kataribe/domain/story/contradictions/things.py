"""Things that are destroyed or lost for good, and in somebody's hands afterwards."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kataribe.domain.story.contradictions.told import Clash, ClashKind, ToldLine, ToldStory

_NEAR = 400
"""How many sentences later a thing of no name is still taken for the same."""


@dataclass(frozen=True, slots=True)
class _Gone:
    """A thing that is gone: its noun, and the words before it."""

    line: ToldLine
    noun: str
    of: str


def clashes(told: ToldStory) -> Iterator[Clash]:
    """Find the first use of a thing that was told to be gone."""
    ja = told.language == "ja"
    gone: dict[str, list[_Gone]] = {}
    back = _BACK_JA if ja else _BACK_EN
    for line in told.lines:
        if line.is_unreal:
            continue
        is_back = back.search(line.told) is not None
        for noun, of in _used_ja(line) if ja else _used_en(line):
            if is_back:
                gone.pop(noun, None)
                continue
            same = next((one for one in gone.get(noun, ()) if _is_same(one, of, line)), None)
            if same is not None:
                gone.pop(noun)
                yield Clash(same.line.key, line.key, ClashKind.THING, f"{noun} is gone here, and used there")
        if not is_back:
            for noun, of in _gone_ja(line) if ja else _gone_en(line):
                gone.setdefault(noun, []).append(_Gone(line, noun, of))


def _is_same(one: _Gone, of: str, line: ToldLine) -> bool:
    """Whether the words before a noun can name the thing that is gone; far off they must."""
    if one.of and of:
        return one.of == of
    return line.place - one.line.place <= _NEAR


_NOUN_JA = (
    "手紙|書状|日記|指輪|首飾り|ペンダント|時計|懐中時計|銀時計|金時計"
    "|腕時計|地図|鍵|剣|聖剣|魔剣|刀|槍|弓|杖|盾|傘|本|写真|絵|帽子"
    "|眼鏡|鏡|人形|笛|スマホ|携帯|携帯電話|財布|手帳|車|舟|船|馬車"
    "|屋敷|館|家|城|橋|塔|小屋|寺|教会|宝石|水晶|壺|花瓶|石|お守り"
    "|刺繍|着物|契約書|遺言書|巻物"
)
_OF_JA = "(?P<of>(?:[一-鿿ァ-ヺー]{1,6}の){0,2}(?:[一-鿿]{2,4}の)?)"
_MANY_JA = re.compile(
    "[一二三四五六七八九十0-9]+(?:通|冊|本|枚|つ|個)目|別の|他の|ほかの"
    "|もう一(?!度)|新し|新た|買い直|代わり|二代目|最初の|古い方|多く"
    "|いくつ|何[本枚冊通]|すべて|全て|次々|家々|毎|買[いっ]|もらっ"
    "|貰っ|届い"
)
_BACK_JA = re.compile(
    "直し|直さ|修復|修理|鍛え直|見つか|見つけ|戻っ|取り戻|受け出|返して"
    "|返っ|拾[いっ]|再建|建て直|建て替|復元|写し|複製|焼け残|" + _MANY_JA.pattern
)
_GONE_JA = (
    "(?:真っ二つに折れ|折れ(?:た|て)|砕け(?:散|た)|粉々|灰にな|灰と"
    "|燃え(?:尽き|て|落ち)|焼け落ち|焼失|全焼|焼き捨て|焼いてしま"
    "|破り捨て|引き裂かれ|川[にへ]落と|海[にへ](?:落と|沈|捨て)"
    "|井戸の底[にへ]|二度と(?:戻|見つ)|手元にない|流れてしま|売り払"
    "|沈ん[だで]|崩れ落ち|倒壊|壊れてしま|失われた|盗まれた)"
)
_HOLD_JA = (
    "(?:を[^。、はが]{0,12}?(?:抜[いき]|取り出|読み返|読ん|広げ|開[いけ]"
    "|開い|外し|はめ|嵌め|構え|掲げ|握|覗|かけ|さし|差し出|被っ|着"
    "|吹|弾|ポケットから出|振[りる]|渡し|見せ)|の(?:門|扉|戸|玄関"
    "|中|蓋|敷居)を(?:くぐ|開|出|抜|入)|[にへ](?:入っ|着い|泊ま|住ん"
    "|乗[りっ]|戻っ))"
)
_GONE_AT_JA = re.compile(
    f"{_OF_JA}(?P<noun>{_NOUN_JA})(?P<name>[ァ-ヺー]{{2,8}})?(?:は"
    f"|が|を|も)(?![^。]*(?:なかった|てはいな|ていな))[^。]{{0,24}}?{_GONE_JA}"
)
_USED_AT_JA = re.compile(
    f"{_OF_JA}(?<!から)(?<!からの)(?<!宛の)(?<!への)(?P<that>その|あの"
    f"|この|例の)?(?P<noun>{_NOUN_JA})(?P<name>[ァ-ヺー]{{2,8}})?{_HOLD_JA}"
)


def _gone_ja(line: ToldLine) -> Iterator[tuple[str, str]]:
    for match in _GONE_AT_JA.finditer(line.told):
        yield match["noun"] + (match["name"] or ""), match["of"]


def _used_ja(line: ToldLine) -> Iterator[tuple[str, str]]:
    for match in _USED_AT_JA.finditer(line.told):
        yield match["noun"] + (match["name"] or ""), match["of"]


_NOUN_EN = (
    "letter|note|diary|journal|ring|necklace|locket|watch|map|chart"
    "|key|sword|blade|dagger|spear|bow|staff|shield|umbrella|book"
    "|photograph|hat|spectacles|mirror|doll|flute|violin|phone|wallet"
    "|purse|notebook|car|boat|ship|schooner|carriage|manor|house|mansion"
    "|castle|bridge|tower|cottage|church|cabin|amulet|pendant|crystal"
    "|vase|will|contract|scroll"
)
_DEFINITE = (
    r"(?:[Tt]he|[Tt]hat|[Tt]his|[Hh]is|[Hh]er|[Mm]y|[Tt]heir|[Oo]ur|[A-Z]\w+'s|(?:[Hh]is|[Hh]er|[Mm]y) \w+'s)"
)
_MANY_EN = (
    r"\b(?:first|second|third|fourth|another|other|new|spare|one of"
    r"|several|many|some|each|every|any|last of|copy|copies|duplicate"
    r"|next|few)\b"
)
_BACK_EN = re.compile(
    rf"\b(?:reforged|repaired|mended|rebuilt|restored|(?<!never )(?:recovered"
    rf"|found|returned)|turned up|redeemed|got back|bought back|replaced"
    rf"|came back|gave back|fished|salvaged|rescued|(?<!never )(?:sent"
    rf"|gave|got|brought|won|bought|gives|given|brings) (?:\w+ ){{0,2}}back)\b"
    rf"|{_MANY_EN}"
)
_GONE_ACTIVE = (
    r"(?:snapped in (?:two|half)|broke in (?:two|half|pieces)|shattered"
    r"|burned (?:down|up|to\b)|burnt (?:down|up|to\b)|sank\b|fell(?: down)? (?:into"
    r"|down) the (?:well|sea|river|lake)|had fallen down the well|was (?:destroyed"
    r"|lost|stolen|burned|burnt|smashed|torn|never recovered)|had been (?:destroyed"
    r"|lost|stolen|burned|burnt|smashed|torn)|collapsed|went down with)"
)
_GONE_PASSIVE = (
    r"(?:(?:tore|ripped|smashed|hacked) (?P<obj>OBJ) to (?:pieces|shreds"
    r"|bits)|(?:burned|burnt|destroyed|pawned|sold|dropped|threw|flung"
    r"|tossed|lost) (?P<obj2>OBJ)\b(?=.{0,30}(?:\b(?:into|in) the (?:fire"
    r"|sea|river|flames|well|lake)\b|\bto ash|\bfor good|\bnever (?:got"
    r"|saw|found))|[.,]))"
)
_NAMED = r"(?: (?P<name>[A-Z][a-z]+)\b)?"
_OF_EN = rf"(?P<def>\b{_DEFINITE}) (?P<of>(?:[a-z-]+ ){{0,2}}?)"
_GONE_A = re.compile(
    rf"(?:{_OF_EN.replace('(?P<def>', '(?:')})(?P<noun>{_NOUN_EN}){_NAMED}"
    rf"(?:,[^,]{{1,30}},)? (?:had )?{_GONE_ACTIVE}"
)
_USE = (
    r"(?:took|drew|pulled|picked up|held|lifted|raised|opened|flipped open"
    r"|unfolded|spread out|read|put on|slipped on|laid|wore|slid|unrolled"
    r"|showed|handed|wound|swung|entered|through)"
)
_USED_A = re.compile(
    rf"\b{_USE} (?:off |out |up |on )?(?:{_OF_EN})(?P<noun>{_NOUN_EN})\b(?!'s)(?! (?:from"
    rf"|of|about|to|that|which|for|he|she|they)\b){_NAMED}"
)


def _object(text: str) -> tuple[str, str] | None:
    match = re.match(rf"{_OF_EN}(?P<noun>{_NOUN_EN})\b{_NAMED}", text)
    return None if match is None else _named(match)


_GONE_P = re.compile(_GONE_PASSIVE.replace("OBJ", rf"{_DEFINITE} (?:[a-z-]+ ){{0,2}}?(?:{_NOUN_EN})"))


def _named(match: re.Match[str]) -> tuple[str, str]:
    whose = re.search(r"\w+'s", match.group())
    # Whose it is only when that is said of a person: her grandmother's ring.
    of = " ".join(
        word for word in [whose.group().casefold() if whose else "", match["of"].strip().casefold()] if word
    )
    return f"{match['noun'].casefold()} {match['name'] or ''}".strip(), of


def _gone_en(line: ToldLine) -> Iterator[tuple[str, str]]:
    for match in _GONE_A.finditer(line.told):
        yield _named(match)
    for match in _GONE_P.finditer(line.told):
        found = _object(match["obj"] or match["obj2"])
        if found is not None:
            yield found


def _used_en(line: ToldLine) -> Iterator[tuple[str, str]]:
    for match in _USED_A.finditer(line.told):
        yield _named(match)
