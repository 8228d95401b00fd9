"""Who acts in a sentence, bodily and now: what the dead do not do."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kataribe.domain.story.contradictions.patterns import compiled
from kataribe.domain.story.contradictions.told import ToldLine, ToldStory

TITLED_JA = (
    "(?:さん|ちゃん|くん|さま|先生|先輩|老師|伯爵|公爵|男爵|侯爵|子爵"
    "|刑事|警部|隊長|船長|団長|陛下|殿下|閣下|将軍|博士|教授|少佐"
    "|大佐|中尉|少尉"
    "|巡査|師匠|親方|医師|神父|司祭|夫人|嬢|卿|君|様|殿|氏|爺さん|婆さん)?"
)
_DOES_JA = (
    "言った|言って|言い|云った|云い|云って|笑って|笑った|微笑|笑い"
    "|叫|囁|呟|つぶや|答え|名乗|尋ね|訊いた|振り返|振り向|立ち上が"
    "|起き上が|座り|座って|腰を(?:下ろ|かけ)|歩い|歩き|走り|走っ"
    "|駆け|飛び出|やって来|現れ|帰って来|戻って来|入って来|出て来"
    "|出かけ|開け|閉め|取り出|受け取|手に取|取り、|飲み|飲ん|飲み干"
    "|食べ|ふかし|吸い|吸って|吸っ|叩い|殴|投げ|掲げ|持ち上げ|抱き"
    "|抱い"
    "|教えて|編み物|編ん|よそい|料理|書い|書き|読ん|読み|見上げ|見下ろ"
    "|見つめ|眺め|覗|睨|頷|うなず|首を(?:振|横|縦|かし)|手を(?:振"
    "|伸ば|挙げ|上げ)|肩を(?:すく|叩)|命じ|怒鳴|泣き|泣い|溜息|ため息"
    "|担い|乗り|乗って|乗った|またが|かけた|着い|到着|向かった|去って行|逃げ|剣を(?:抜|構)|構え|歌"
)
_DOES_EN = (
    "said|says|asked|replied|answered|whispered|shouted|cried|called"
    "|muttered|told|laughed|smiled|grinned|nodded|shrugged|frowned"
    "|sighed|shook|turned|walked|ran|strolled|strode|stepped"
    "|came|went|rode|rose|stood|sat|jumped|leaned|climbed|crossed"
    "|entered|arrived|returned|left|opened|closed|pushed|pulled|picked"
    "|took|drew|lifted|raised|put|set|laid|poured|drank|ate|finished"
    "|lit|smoked|wrote|read|unfolded|folded|looked|stared|glanced"
    "|watched|waved|pointed|reached|grabbed|caught|threw|struck|kicked"
    "|hit|ordered|started|mounted|drove|knocked|bowed|kissed|coughed"
    "|spat|whistled|sang"
    "|strolled|hurried|rushed|wandered|crept|appeared|knelt|danced"
    "|swung|dropped|shut|handed|gave|held|swore|growled|snapped|winked"
    "|yawned|woke|dressed|paid|bought|cooked|cut|dug|tied"
)
_DOING_EN = (
    "smiling|smoking|knitting|sitting|standing|walking|talking|laughing"
    "|reading|writing|eating|drinking|waiting|cooking|singing|working"
    "|dancing|watching|playing"
)


def acting(told: ToldStory, names: str | None = None) -> Iterator[tuple[ToldLine, str]]:
    """Give each line in which somebody acts, with the name as it stands there.

    `names` is a pattern of who is looked for (None: the cast).
    """
    pattern = _acting_ja(names or told.name) if told.language == "ja" else _acting_en(names or told.name)
    for line in told.lines:
        match = pattern.search(line.told)
        if match is not None and not line.is_unreal:
            yield line, next(each for each in match.groups() if each)


def _acting_ja(name: str) -> re.Pattern[str]:
    # With が there must be nobody else whose sentence it is.
    return compiled(
        f"(?<![の])(?:(?P<who>{name}){TITLED_JA}(?:[はも]、?)[^。]*?(?:{_DOES_JA})"
        f"|(?P<who2>{name}){TITLED_JA}が(?![^。]*[はも、][^。]*は)[^。]{{0,40}}?(?:{_DOES_JA})[^。、のはがをに]{{0,6}}(?:[。、␣]"
        f"|$))"
    )


def _acting_en(name: str) -> re.Pattern[str]:
    aside = r"(?:,[^,.;]{1,40},)?"
    return compiled(
        rf"(?P<who>{name})(?!'s){aside}(?: (?:\w+ly|then|now|only|just|also"
        rf"|himself|herself))? (?:{_DOES_EN})\b(?! (?:to death|dead))"
        rf"|(?P<who2>{name})(?!'s){aside} was (?:{_DOING_EN})\b"
        rf"|␣,? (?:said|asked|replied|cried|whispered|muttered|answered|shouted) (?P<who3>{name})(?!'s)"
    )
