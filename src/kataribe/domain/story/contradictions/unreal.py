"""Words that say a sentence is not of what is: dreams, rumours, lies, likeness, memory, what may be."""

from __future__ import annotations

import re

_UNREAL_JA = re.compile(
    "夢[をにのでだ、]|夢見|悪夢|幻|噂|うわさ|らしい|らしかった|という話|と聞いた|だそうだ|そうである|と信じ"
    "|[とを](?:思い込|思って|思われ|思った|考え)|ものと|嘘|偽|騙|だまし|ふりを|芝居|演じ|役を"
    "|(?<!なかった)(?<!いつもの)(?<!当然の)ように|ような|ようだ|ようで"
    "|みたい|まるで|あたかも|同然|ごとく|如く|さながら"
    "|たら、|れば、?|[るいう]なら|もしも?|仮に|たとえ|としても|かも"
    "|だろう|でしょう|まい|はずだった|ところだった"
    "|危うく|あやうく|(?:死に|落ち|溺れ|焼け|失い|失くし|燃え|折れ)かけ"
    "|そうにな|そうだった|と言っても|間違え|勘違い|幽霊|亡霊|霊が"
    "|魂|面影|写真|肖像|絵の中|遺影"
    "|思い出|思い返|懐かし|回想|記憶の中|あの頃|その頃|当時|かつて"
    "|昔|生前|一度、|ことがあ[るっ]|在りし日|生きていた|頃の|頃は"
    "|頃、"
)
_UNREAL_EN = re.compile(
    r"(?i)\b(?:dream(?:s|ed|t|ing)?|nightmare|vision|rumou?r\w*|they say"
    r"|they said|it was said|people said|supposedly"
    r"|allegedly|reportedly|believ\w+|thought (?:that|he|she|him|her"
    r"|it)|suppos\w+|imagin\w+|pretend\w*|lie[ds]?|lying|false\w*|wrongly"
    r"|mistaken\w*|by mistake|spread the word|as if|as though|like (?:a"
    r"|an|the|his|her)|as good as|might|could have|would|if|unless"
    r"|nearly|almost|not quite|seem\w*|appear(?:ed|s) to|looked (?:like"
    r"|as)|could (?:have )?pass\w*|ghost|spirit of|phantom|spectre"
    r"|specter|apparition"
    r"|photo\w*|picture|portrait|painting|memory of|memories|remember(?:ed"
    r"|s|ing)?|recall\w*|in those days|back when|used to|when .{1,30} was (?:still )?alive"
    r"|once upon|had been told|perhaps|maybe|probably|story goes|wish\w*|hope\w*)\b"
)
_HEARSAY_JA = re.compile("夢|噂|らしい|だそうだ|嘘|偽|騙|ふりを|かもしれ|だろう|と(?:思|信)|見え|言っても")
_HEARSAY_EN = re.compile(
    r"\b(?:dream\w*|rumou?r\w*|they say|supposedly|believ\w+|thought"
    r"|pretend\w*|lie[ds]?|lying|false\w*|wrongly|claim\w*|as if|seem\w*"
    r"|pass(?:ed)? for|perhaps|maybe|might)\b"
)
HEARSAY = {"ja": _HEARSAY_JA, "en": _HEARSAY_EN}
UNREAL = {"ja": _UNREAL_JA, "en": _UNREAL_EN}

_NUMBER_JA = "[0-9〇一二三四五六七八九十百千数幾何]+"
_MOVED_ON_JA = re.compile(
    f"{_NUMBER_JA}年(?:[がもの]?[^。、]{{0,4}}(?:過ぎ|経|たっ|流れ"
    f"|後|のち|ぶり|まえ|前|前の|が?去)|間[がは、])"
    "|[年月]日は?が?流れ|歳月|[一二三四五六七八九十数]年後|翌(?:年"
    "|春|夏|秋|冬)|次の[年春夏秋冬]|明くる年|成長し|大人にな|時は流れ"
    "|月日が|何年も|数年|あれは|昔|当時|かつて|頃の|頃、|時分"
)
_MOVED_ON_EN = re.compile(
    r"\b[Yy]ears? (?:\w+ )?(?:later|earlier|passed|went by|gone by"
    r"|ago|before|after|since|had passed|on\b)|\b(?:next|following) (?:year"
    r"|spring|summer|autumn|winter|fall)\b"
    r"|\byears? (?:went|had gone) by|\bgrown (?:up|into|tall)|\bby then\b"
    r"|\bin those days\b|\bback when\b|\bwhen (?:he|she|[A-Z]\w+) was\b"
    r"|\byears had\b|\bover the years\b|\bused to\b|\bas a (?:boy|girl|child)\b"
)
MOVED_ON = {"ja": _MOVED_ON_JA, "en": _MOVED_ON_EN}
