"""Kinship: who is whose, who has nobody, how many children, and what a parent was."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kataribe.domain.story.contradictions.acting import TITLED_JA
from kataribe.domain.story.contradictions.numbers import NUMBER_EN, NUMBER_JA, number_en, number_ja
from kataribe.domain.story.contradictions.patterns import compiled, got
from kataribe.domain.story.contradictions.told import Clash, ClashKind, ToldLine, ToldStory

Claim = tuple[str, str, ToldLine, str]
"""A key, a value, the line, and how it is said; values of one key exclude each other."""


def clashes(told: ToldStory) -> Iterator[Clash]:
    """Find relations that exclude each other."""
    ja = told.language == "ja"
    first: dict[str, tuple[str, ToldLine, str]] = {}
    done: set[str] = set()
    for key, value, line, said in _claims_ja(told) if ja else _claims_en(told):
        held, before, was = first.setdefault(key, (value, line, said))
        if key in done or held == value or before.key == line.key:
            continue
        # Who marries or has a child was single before: only having nobody comes first for good.
        if key[0] in _FADES and (value == "none" or told.leaps_between(before, line)):
            continue
        done.add(key)
        yield Clash(before.key, line.key, ClashKind.KIN, f"{was} here, {said} there")


_FADES = "mc"
"""Keys of marriage and of children: these come with time."""

_JOBS_JA = (
    "鍛冶屋|漁師|農夫|百姓|医者|医師|教師|大工|商人|騎士|兵士|軍人"
    "|猟師|狩人|パン屋|宿屋|弁護士|警官|刑事|画家|作家|学者|船乗り"
    "|船長|神父|牧師|料理人|仕立屋|靴屋|木こり|樵|職人|貴族|王|伯爵"
    "|魔術師|魔法使い|俳優|役人|公務員|会社員|銀行員|校長|薬師|床屋"
    "|八百屋|魚屋|酒屋|運転手|坊主|住職|侍|足軽"
)
_SEXED_JA = (
    "兄|弟|姉|妹|息子|娘|甥|姪|孫|父|父親|母|母親|祖父|祖母|叔父|伯父"
    "|叔母|伯母|夫|妻|いとこ|従兄|従弟|従姉|従妹"
)
_SAME_JA = {
    "父親": "父",
    "母親": "母",
    "伯父": "叔父",
    "伯母": "叔母",
    "従兄": "いとこ",
    "従弟": "いとこ",
    "従姉": "いとこ",
    "従妹": "いとこ",
}
_LIKE_JA = "(?!の?よう|みたい|同然|代わり|分|弟子|貴|さん方|ではな|じゃな|でもな)"


def _claims_ja(told: ToldStory) -> Iterator[Claim]:
    name = told.name
    a, b = f"(?P<a>{name}){TITLED_JA}", f"(?P<b>{name}){TITLED_JA}"
    is_of = compiled(
        f"(?<!の){a}は[、]?{b}の(?P<r>{_SEXED_JA}){_LIKE_JA}(?:だ|で(?!は|も)|に(?:あた|当た)|、|。)"
    )
    of_is = compiled(f"(?<!の){b}の(?P<r>{_SEXED_JA})(?:である|で、?|にあたる|の|、){a}(?!の)")
    lonely = compiled(
        f"{a}(?:は|には)[^。]{{0,6}}(?:一人っ子|ひとりっ子|兄弟(?:姉妹)?(?:は"
        f"|が|も)?(?:いない|ない|なかった|いなかった|おらず))"
    )
    sibling = compiled(f"(?<!の){a}の(?:兄|弟|姉|妹){_LIKE_JA}(?=[はがのにを、と])")
    single = compiled(
        f"{a}は[^。]{{0,4}}(?:生涯独身|一生独身|独身(?:だ|で|の|を)|結婚したことがな|妻を娶らな|妻も子もな)"
    )
    spouse = compiled(f"(?<!の){a}の(?:妻|夫|奥さん|旦那|女房|亭主){_LIKE_JA}(?=[はがにを、と])")
    count = compiled(
        f"(?<!の){a}には(?P<n>{NUMBER_JA})人の(?P<c>娘|息子|子供|子|兄|弟|姉|妹)(?:たち)?が(?:い|あ|お)"
    )
    counted = compiled(f"(?<!の){a}の(?P<n>{NUMBER_JA})人の(?P<c>娘|息子|子供|子|兄|弟|姉|妹)")
    orphan = compiled(f"孤児の{a}|{a}は[^。]{{0,8}}(?:孤児|親の顔を知らな|両親の顔を知らな|捨て子)")
    parent = compiled(
        f"{a}は[^。、]{{0,6}}(?:母|父|母親|父親)に(?!つい|似)[^。]{{0,24}}(?:覚えて"
        f"|連れられ|手を引かれ|育て|抱かれ|叱られ)|(?<!の){a}の(?:母|父"
        f"|母親|父親)(?:は|が)(?!代)[^。]{{0,20}}(?:言|笑|待|迎え|教え)"
    )
    job = compiled(
        f"(?<!の){a}の(?P<r>父|母|祖父|祖母|夫|妻)親?は[^。、]{{0,12}}?(?P<job>{_JOBS_JA})(?:だ"
        f"|で(?!は)|を(?:して|営)|として|。)"
    )
    for line in told.naming:
        text = line.told
        if line.is_unreal:
            continue
        for pattern in (is_of, of_is):
            match = pattern.search(text)
            if match is not None and got(match, "a") != got(match, "b"):
                relation = _SAME_JA.get(got(match, "r"), got(match, "r"))
                yield (
                    f"r {told.names[got(match, 'a')]}\0{told.names[got(match, 'b')]}",
                    relation,
                    line,
                    got(match, "r"),
                )
        for key, nobody, somebody, says in (
            ("s", lonely, sibling, ("no brothers or sisters", "one")),
            ("m", single, spouse, ("not married", "married")),
            ("o", orphan, parent, ("no parents", "a parent")),
        ):
            yield from _nobody(told, line, key, nobody, somebody, says)
        match = count.search(text) or counted.search(text)
        if match is not None:
            yield (
                f"c {told.names[got(match, 'a')]} {got(match, 'c')}",
                str(number_ja(got(match, "n"))),
                line,
                f"{got(match, 'n')}人の{got(match, 'c')}",
            )
        if (match := job.search(text)) is not None:
            yield (
                f"j {told.names[got(match, 'a')]} {got(match, 'r')}",
                got(match, "job"),
                line,
                got(match, "job"),
            )


def _nobody(
    told: ToldStory,
    line: ToldLine,
    key: str,
    nobody: re.Pattern[str],
    somebody: re.Pattern[str],
    says: tuple[str, str],
) -> Iterator[Claim]:
    if (match := nobody.search(line.told)) is not None:
        yield f"{key} {_who(told, match)}", "none", line, says[0]
    elif (match := somebody.search(line.told)) is not None and not _MARRIES.search(line.told):
        yield f"{key} {_who(told, match)}", "some", line, says[1]


def _who(told: ToldStory, match: re.Match[str]) -> str:
    return told.names[got(match, "a")]


_MARRIES = re.compile(
    "結婚し|嫁い|娶|養子|義理|義[兄弟姉妹父母]|再婚|婚約|married|wed\\b|adopt|step|foster|in-law|engaged"
)

_R_EN = (
    "(?:(?:elder|older|younger|little|big|twin|eldest|youngest|only) )?(?:brother"
    "|sister)|son|daughter|nephew|niece|grandson|granddaughter|father"
    "|mother|grandfather|grandmother|uncle|aunt|husband|wife|cousin"
)
_JOBS_EN = (
    "blacksmith|fisherman|farmer|doctor|teacher|carpenter|merchant"
    "|knight|soldier|hunter|baker|innkeeper|lawyer|policeman|painter"
    "|writer|scholar|sailor|captain|priest|parson|cook|tailor|cobbler"
    "|shoemaker|woodcutter|nobleman|king|earl|wizard|actor|clerk|banker"
    "|butcher|miner|miller|judge|barber|weaver|shepherd|mason|smith"
    "|surgeon|professor"
)


def _claims_en(told: ToldStory) -> Iterator[Claim]:
    name = told.name
    a, b = rf"(?P<a>{name})", rf"(?P<b>{name})"
    is_of = compiled(
        rf"{a}(?:,| was| is) (?:really |actually )?{b}'s (?P<r>{_R_EN})\b(?! (?:in-law|in arms))(?!')"
    )
    of_is = compiled(rf"{b}'s (?P<r>{_R_EN})(?:,| was(?: called| named)?) {a}(?!'s)\b(?= |,|\.)")

    def lonely_of(one: str) -> re.Pattern[str]:
        listed = rf"(?:no|neither)(?: (?:brothers?|sisters?) (?:or|nor))? {one}s?|no siblings"
        return compiled(rf"{a} (?:was|is) an only child|{a} had (?:{listed})\b(?! (?:to|who|that|but))")

    def sibling_of(one: str) -> re.Pattern[str]:
        return compiled(
            rf"{a}'s (?:(?:elder|older|younger|little|big|twin) )?{one}\b(?!-in-law"
            rf"|'s keeper)(?! in (?:arms|law))"
        )

    def orphan_of(one: str) -> re.Pattern[str]:
        return compiled(
            rf"{a}(?:,| was) an orphan\b|{a} (?:had )?never (?:knew|known) (?:his|her) (?:parents|{one})"
        )

    def parent_of(one: str) -> re.Pattern[str]:
        told_of = "said|told|smiled|laughed|waited|came|took|called|nodded|asked"
        return compiled(rf"{a} remembered (?:how )?(?:his|her) {one}\b|{a}'s {one} (?:{told_of})\b")

    single = compiled(
        rf"{a} (?:had )?(?:never (?:been )?married|never took a wife|(?:was"
        rf"|had remained) (?:a )?(?:lifelong bachelor|unmarried all))"
    )
    spouse = compiled(rf"{a}'s (?:wife|husband)\b(?!-)")
    number = rf"(?P<n>{NUMBER_EN})"
    count = compiled(rf"{a} (?:had|has) {number} (?P<c>daughter|son|brother|sister|children)s?\b")
    counted = compiled(rf"{a}'s {number} (?P<c>daughter|son|brother|sister|children)s?\b(?!-)")
    job = compiled(
        rf"{a}'s (?P<r>father|mother|grandfather|grandmother|husband|wife) (?:was"
        rf"|had been|is) (?:an?|the) (?:[a-z-]+ )?(?P<job>{_JOBS_EN})\b"
    )
    rules = [
        *(
            (f"s{one}", lonely_of(one), sibling_of(one), (f"no {one}", f"a {one}"))
            for one in ("brother", "sister")
        ),
        ("m", single, spouse, ("not married", "married")),
        *(
            (f"o{one}", orphan_of(one), parent_of(one), (f"no {one}", f"a {one}"))
            for one in ("mother", "father")
        ),
    ]
    for line in told.naming:
        text = line.told
        for key, nobody, somebody, says in rules:
            if not line.is_unreal or key[0] == "o":
                yield from _nobody(told, line, key, nobody, somebody, says)
        if line.is_unreal:
            continue
        for pattern in (is_of, of_is):
            match = pattern.search(text)
            if match is not None and got(match, "a") != got(match, "b"):
                relation = re.sub(
                    "elder|older|big", "older", re.sub("younger|little", "younger", got(match, "r"))
                )
                if relation in ("brother", "sister"):
                    continue
                yield (
                    f"r {told.names[got(match, 'a')]}\0{told.names[got(match, 'b')]}",
                    relation,
                    line,
                    got(match, "r"),
                )
        match = count.search(text) or counted.search(text)
        if match is not None:
            yield (
                f"c {told.names[got(match, 'a')]} {got(match, 'c')}",
                str(number_en(got(match, "n"))),
                line,
                f"{got(match, 'n')} {got(match, 'c')}s",
            )
        if (match := job.search(text)) is not None:
            yield (
                f"j {told.names[got(match, 'a')]} {got(match, 'r')}",
                got(match, "job"),
                line,
                got(match, "job"),
            )
