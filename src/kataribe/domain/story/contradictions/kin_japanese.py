"""Kinship as Japanese tells it."""

from __future__ import annotations

from kataribe.domain.story.contradictions.acting import TITLED_JA
from kataribe.domain.story.contradictions.kin_patterns import Having, KinPatterns
from kataribe.domain.story.contradictions.numbers import NUMBER_JA, number_ja
from kataribe.domain.story.contradictions.patterns import compiled

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


def kin_japanese(name: str) -> KinPatterns:
    """Give the patterns; `name` matches whoever of the cast is named."""
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
    return KinPatterns(
        related=(is_of, of_is),
        relation=lambda word: _SAME_JA.get(word, word),
        having=(
            Having("s", lonely, sibling, ("no brothers or sisters", "one")),
            Having("m", single, spouse, ("not married", "married")),
            Having("o", orphan, parent, ("no parents", "a parent")),
        ),
        even_unreal="",
        counts=(count, counted),
        number=number_ja,
        counted="{n}人の{c}",
        job=job,
    )
