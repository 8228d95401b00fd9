"""Who is there: a name in the narration is somebody acting, or somebody only spoken of."""

from __future__ import annotations

import re

from kataribe.adapters.rules.names import Mention
from kataribe.adapters.rules.passages import QuotedPassage

HONORIFIC = "(?:さん|ちゃん|くん|さま|君|様|殿|氏|先生|先輩|自身)?"
TITLE = (
    r"(?:(?:Mr|Mrs|Ms|Dr|St|Prof|Miss|Lady|Lord|Sir|Madam|Captain|Professor|Doctor|Master|Uncle|Aunt)"
    r"\b\.?\s+)"
)

_ABSENT_AFTER_JA = re.compile(
    HONORIFIC + "(?:たち|達|ら)?(?:"
    "の(?:こと|事|話|噂|うわさ|名|手紙|ため|為|代わり|かわり|行方|家|部屋|写真|夢|死|ところ|所|ような|ように)"
    "|について|に関|に似|にそっくり|みたい|という|といふ|と(?:云う|言う)(?:人|男|女|子|の|名)|以外|なしで"
    "|からの|宛|あて|へ(?:の|手紙)|を(?:思い|想|懐か|待|探|捜|さが|呼び?に|迎え|忘れ|恐れ|憎)"
    "|に(?:手紙|電話|会[いうえわ]|あいたい|逢)|に?(?:は|が|も)?(?:留守|不在)|が(?:来|着|帰|戻)(?:る|てくる)(?:まで|の|日)"
    "|(?:は|が|も)(?:まだ|もう|ここに|そこに|どこにも|ここには|そこには|その場に)*"
    "(?:(?:い|居|お|来|来てい)な[いかくけ]|(?:い|居|来)ません|(?:い|居|お)りません|帰って?こな)"
    ")"
)
_NEAR_JA = (
    "(?:顔|目|眼|手|声|肩|前|隣|となり|そば|側|横|背|方|腕|頭|髪|指|胸|足|口|耳|傍|うしろ"
    "|後ろ|後に|姿|涙|様子|袖|膝)"
)
_PLAIN_JA = re.compile(f"{HONORIFIC}(?:たち|達|ら)?の(?!{_NEAR_JA})")
# Whom one means to see or tell is elsewhere still.
_MEANT_JA = re.compile("[^。]{0,80}?(?:[よおろこそとのも]う|たい|つもり)(?:と|だと|で)?(?:思|おも|考え|決)")
_SUBJECT_NEAR_JA = re.compile(HONORIFIC + "[はがも]")
# の marks the subject too: ジョバンニの乗っている列車.
_ACTING_NO = re.compile(f"{HONORIFIC}の[ぁ-ゖ一-鿿]{{1,4}}(?:っ?て(?:い|居)[るた]|った|んだ|いた|した)")

_DEAR = r"(?:(?:poor|old|young|dear|little|the|that|this|his|her|my|good|kind|late|friend|both)\s+)*"
_ABSENT_BEFORE_EN = re.compile(
    r"(?:\b(?:about|without|like|unlike|than|for|from|against|regarding|concerning|named|wherever"
    r"|remember(?:ed|s|ing)?|recall(?:ed|s|ing)?|miss(?:ed|ing)|imagin(?:ed|es|ing)|await(?:ed|s|ing)"
    r"|expect(?:ed|s|ing)|mention(?:ed|s|ing)|suspect(?:ed|s|ing)|(?:wr[oi]te|written|writing|letter|note"
    r"|word|telegram|message)s?\s+to|until|till|unless|if|whether|where|why|that|how)"
    r"|(?<!front)(?<!sight)(?<!side)(?<!ahead)(?<!hold)(?<!presence)(?<!company)(?<!hearing)\s+of)"
    rf"\s+{_DEAR}{TITLE}?$"
    # The unimpressionable Enfield, a certain Mr. Hyde: told of, not seen.
    rf"|\b(?:[Tt]he|[Aa]n?|[Ss]uch a|one to)\s+(?:[\w-]+\s+)?{TITLE}?$"
)
_ABSENT_AFTER_EN = re.compile(
    r"(?:\s[A-Z][\w’'-]+)?(?:\s+(?:was|were|is|had|has)(?:\s+not|n[’']t|\s+never|\s+no longer|\s+nowhere)\s+"
    r"(?:there|here|in\b|present|home|at home|come|coming|arrived|returned|yet|been|to be)"
    r"|\s+(?:was|were|is)\s+(?:dead|away|absent|gone|missing|nowhere|abroad)\b"
    r"|\s+(?:never|did not|didn[’']t)\s+(?:came|come|arrived|arrive|returned|return)\b"
    r"|\s+(?:would|might)\b|\s+(?:wrote|writes|had written)[,.:;])"
)
_OWNS_EN = re.compile(r"[’'](?:s\b|\s)")
_NEAR_EN = re.compile(
    r"[’']s?\s+(?:\w+\s+)??(?:face|eyes?|hands?|voice|head|arms?|shoulders?|side|lips|mouth|hair|smile|gaze|look|"
    r"fingers?|feet|knees?|chest|breath|heart|ear|brow|cheeks?|back|presence|expression|laugh(?:ter)?|sleeve)\b"
)
_LOOK_BACK = 60

_END = "[、，,！!？?…‥。.～〜ー」』”]"
_CALLED_JA = re.compile(f"(?:さん|ちゃん|くん|さま|君|様|殿|先生|先輩|たち|達)?(?P<after>{_END}+|　)")
_CALLED_EN = re.compile(
    r"(?P<after>[,!?.…—;]|--)(?!\s+(?:was|is|has|had|who|were|and|for (?:instance|example)|too|the|at)\b)"
)
_BEFORE_CALL_EN = re.compile(
    r"(?:^|[,.!?;…—]\s*|\b(?:[Oo]h|O|[Aa]h|[Hh]ey|[Hh]ello|[Dd]ear|[Ww]ell|[Yy]es|[Nn]o|and you),?\s+)$"
)
_TITLED = re.compile(f"{TITLE}$")


# Whom one longs for, dreams of or wonders about is elsewhere, whatever they do in that mind.
_LONGED_JA = re.compile(
    f"{HONORIFIC}(?:の(?:事|こと)(?:ばかり|だけ)?(?:を|が)[^。]{{0,12}}?(?:考え|思[いうっ]|おも[いうっ]|気にかか|忘れ|心配)"
    "|の夢[をに]|に(?:逢い|会い|あい)た[いくかっ]|が(?:恋し|懐か|なつか)|を(?:恋し|懐か|なつか)"
    "|の手紙[をが]|から(?:の)?(?:手紙|便り|葉書|電報)|へ(?:の)?(?:手紙|便り|葉書|返事))"
)
_LONGED_EN = re.compile(
    r"\b(?:thought|thinking|think|dream(?:t|ed|ing)|longed|longing|yearned|prayed|wished|anxious|homesick|letters?)"
    rf"\s+(?:much\s+|often\s+|only\s+|again\s+)?(?:of|about|for|from|to)\s+{_DEAR}{TITLE}?$"
    rf"|\b(?:missed|missing|remembered|remembering)\s+{_DEAR}{TITLE}?$"
)


def thought_of(passage: QuotedPassage) -> frozenset[str]:
    """Say whom a paragraph tells of as thought of, dreamed of, longed for or written to."""
    found: set[str] = set()
    for mention in passage.told:
        if mention.first_person or len(mention.ids) != 1:
            continue
        before = passage.told_between(max(passage.start, mention.start - _LOOK_BACK), mention.start)
        is_longed = (
            _LONGED_JA.match(passage.text, mention.end, passage.end)
            if passage.language == "ja"
            else _LONGED_EN.search(before)
        )
        found |= mention.ids if is_longed else frozenset()
    return frozenset(found)


def is_acting(passage: QuotedPassage, mention: Mention) -> bool:
    """Whether a mention in the narration puts its owner into the scene."""
    if mention.first_person:
        return True
    if passage.language == "ja":
        return _is_acting_ja(passage, mention)
    return _is_acting_en(passage, mention)


def is_called(passage: QuotedPassage, quote: tuple[int, int], mention: Mention) -> bool:
    """Whether a mention inside a quotation calls to its owner: 「澪、…」, “Mio, …”."""
    start, end = quote
    if mention.first_person or _is_nested(passage.text, start, mention.start):
        return False
    before = passage.text[max(start + 1, mention.start - _LOOK_BACK) : mention.start]
    if passage.language == "ja":
        return _is_called_ja(passage, (start, end), mention, before)
    match = _CALLED_EN.match(passage.text, mention.end, end)
    before = _TITLED.sub("", before)
    if match is None or not _BEFORE_CALL_EN.search(before):
        return False
    if not before.strip() and match["after"] == ".":
        # A name alone answers a question as often as it calls.
        return False
    return not _is_listed(passage, match.end(), end)


def _is_acting_ja(passage: QuotedPassage, mention: Mention) -> bool:
    text, end = passage.text, passage.end
    if _ABSENT_AFTER_JA.match(text, mention.end, end):
        return False
    if _MEANT_JA.match(text, mention.end, end) and not _SUBJECT_NEAR_JA.match(text, mention.end, end):
        return False
    if _PLAIN_JA.match(text, mention.end, end):
        return bool(_ACTING_NO.match(text, mention.end, end))
    return True


def _is_acting_en(passage: QuotedPassage, mention: Mention) -> bool:
    text = passage.text
    before = text[max(passage.start, mention.start - _LOOK_BACK) : mention.start]
    if _ABSENT_BEFORE_EN.search(before) or _ABSENT_AFTER_EN.match(text, mention.end, passage.end):
        return False
    if _OWNS_EN.match(text, mention.end, passage.end):
        return bool(_NEAR_EN.match(text, mention.end, passage.end))
    return True


def _is_called_ja(passage: QuotedPassage, quote: tuple[int, int], mention: Mention, before: str) -> bool:
    text = passage.text
    match = _CALLED_JA.match(text, mention.end, quote[1])
    if match is None:
        return False
    opens = not before.strip(" 　")
    if not opens and before.rstrip(" 　")[-1:] not in tuple("、，,。！!？?…‥—―ーあおえねよ"):
        return False
    after = match["after"]
    if opens and after[0] in "。.」』":
        # A name alone answers a question as often as it calls; さん and more words make a call.
        return match.end() < quote[1] - 1 and match.start("after") > mention.end
    return not _is_listed(passage, match.end(), quote[1])


def _is_listed(passage: QuotedPassage, after: int, end: int) -> bool:
    """Whether another name comes right after: a list of names calls to nobody."""
    return bool(passage.named_in(after, min(after + 2, end)))


def _is_nested(text: str, start: int, at: int) -> bool:
    """Whether a quotation within the quotation is open at `at`."""
    inside = text[start + 1 : at]
    return any(inside.count(left) > inside.count(right) for left, right in ("「」", "『』", "“”"))
