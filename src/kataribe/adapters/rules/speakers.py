"""Who says what: quotations and the narration around them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kataribe.adapters.rules.names import Mention
from kataribe.adapters.rules.passages import BLANK, QuotedPassage
from kataribe.adapters.rules.presence import TITLE
from kataribe.adapters.rules.subjects import last_subject, subject_between
from kataribe.domain.text.paragraphs import Span

_SAID_JA = re.compile(
    "[云言]|いっ[たて]|いい(?:まし|なが|かけ)|[話聞訊問答叫囁呟怒呼促頼述]|申[しす]|語[っりる]|はな[しす]|たず?ね|尋|こたえ|さけ[びん]"
    "|つぶや|ささや|どな[っり]|返[しす事]|告げ|笑|わら[っい]|うなず|口を|声"
)
_NAMED_JA = re.compile("[はがも]")
_OPEN_END_JA = re.compile("[、，はがもで]$|[、，]$")

_SAID = (
    "(?:said|says|say|asked|asks|replied|replies|answered|answers|cried|cries|whispered|whispers|murmured|shouted"
    "|exclaimed|returned|repeated|continued|added|began|muttered|remarked|observed|inquired|enquired|demanded"
    "|declared|called|laughed|chuckled|sighed|yelled|screamed|told|retorted|responded|protested|agreed|admitted"
    "|explained|insisted|warned|urged|pleaded|suggested|stammered|went on|broke in|put in|snapped|growled"
    "|hissed|echoed|ejaculated|gasped|panted|bawled|bellowed|roared|thundered|faltered|sneered|croaked|piped|drawled"
    "|breathed|mumbled|grunted|grumbled|wailed|sobbed|swore|hailed|sang out|struck in|chimed in|cut in"
    "|burst out"
    "|assented|objected|conceded|confessed|announced|proposed|responded|reasoned|commanded|ordered|pursued"
    "|concluded|interrupted|interposed|resumed|quoth|echoes|adds|remarks|whimpered|jerked out)"
)
_SAID_BEFORE_EN = re.compile(rf"(?<!the )(?<!The )\b{_SAID}\s+(?:the\s+|old\s+|young\s+|poor\s+)*{TITLE}?$")
_SAID_AFTER_EN = re.compile(
    rf"(?:\s[A-Z][\w’'-]+)?(?:,[^,.!?{BLANK}]{{1,60}},)?\s+(?:\w+ly\s+|had\s+|then\s+|also\s+|only\s+)*{_SAID}\b"
)
# What goes on with words that are only set apart.
_NAMED_AS_JA = re.compile("と(?:いう|いふ|云う|言う)(?![。、」])|[をがのに]")
_SHORT_NAME = 16
_LOOK_BACK = 40
_LONGEST_ENDING = 6
"""How far a verb of saying may stand from the end of its sentence: …云いました。"""


def find_speakers(passages: Sequence[QuotedPassage]) -> dict[int, Mention]:
    """Give for the place of each quotation whose speaker is told the mention that tells it."""
    found: dict[int, Mention] = {}
    used: set[int] = set()
    for index, passage in enumerate(passages):
        above = passages[index - 1] if index else None
        below = passages[index + 1] if index + 1 < len(passages) else None
        if passage.language == "ja":
            for number, quote in enumerate(passage.quotes):
                after = passage.quotes[number + 1][0] if number + 1 < len(passage.quotes) else passage.end
                speaker = _speaker_ja(passage, quote, after, (above, below), used)
                if speaker is not None:
                    found[quote[0]] = speaker
        elif passage.quotes:
            found.update(_speakers_en(passage, above, found))
    return found


def _speaker_ja(
    passage: QuotedPassage,
    quote: Span,
    stop: int,
    around: tuple[QuotedPassage | None, QuotedPassage | None],
    used: set[int],
) -> Mention | None:
    """澪は「…」と, 「…」と澪は言った, then what the paragraphs around say."""
    above, below = around
    if _is_only_named_ja(passage, quote):
        return None
    after = _clause(passage, quote[1], stop)
    said = _SAID_JA.search(after)
    if said is not None:
        used.add(quote[1])
        speaker = subject_between(passage, quote[1], quote[1] + said.start())
        if speaker is not None or _NAMED_JA.search(after[: said.start()]):
            return speaker
    before = last_subject(passage, passage.sentence_at(quote[0])[0], quote[0])
    if before is not None:
        return before
    opens = not passage.told_between(passage.start, quote[0]).strip()
    if above is not None and opens and _OPEN_END_JA.search(above.narration.rstrip()):
        return _subject_of_last(above)
    if below is not None and not after.strip() and stop == passage.end and quote[1] == passage.end:
        speaker = _told_next(below, used)
        if speaker is not None:
            return speaker
    return _told_before(passage, quote, above if opens else None, used)


def _clause(passage: QuotedPassage, start: int, stop: int) -> str:
    """The narration from a place to the end of its sentence, or to the next quotation."""
    rest = passage.told_between(start, stop)
    cut = rest.find("。")
    return rest if cut < 0 else rest[: cut + 1]


def _subject_of_last(passage: QuotedPassage) -> Mention | None:
    begin = passage.sentences[-1][0] if passage.sentences else passage.start
    return subject_between(passage, begin, passage.end)


def _told_next(below: QuotedPassage, used: set[int]) -> Mention | None:
    """The paragraph after a quotation that begins by telling who said it."""
    if below.narration.startswith(BLANK) or not below.sentences:
        return None
    begin, end = below.sentences[0]
    said = _SAID_JA.search(below.told_between(begin, end))
    if said is None:
        return None
    used.add(end)
    return subject_between(below, begin, begin + said.start())


def _told_before(
    passage: QuotedPassage, quote: Span, above: QuotedPassage | None, used: set[int]
) -> Mention | None:
    """The sentence before a quotation that ends by telling who will speak: …が云いました。「…」"""
    host = passage if above is None else above
    if not host.sentences or (above is None and quote[0] <= passage.start):
        return None
    begin, end = host.sentences[-1] if above is not None else passage.sentence_at(quote[0] - 1)
    told = host.told_between(begin, min(end, quote[0]) if above is None else end)
    verbs = [match.span() for match in _SAID_JA.finditer(told)]
    if not verbs or BLANK in told or len(told) - verbs[-1][1] > _LONGEST_ENDING or end in used:
        return None
    return subject_between(host, begin, begin + verbs[-1][0])


def _speakers_en(
    passage: QuotedPassage, above: QuotedPassage | None, before: dict[int, Mention]
) -> dict[int, Mention]:
    """“…,” said Mio; a paragraph is one person's, as English prose has it."""
    told = [mention for mention in passage.told if _tells_en(passage, mention)]
    # The first to be named in a sentence says what is said in it.
    own = {passage.sentence_at(mention.start): mention for mention in reversed(told)}
    default = told[0] if told else _by_deed(passage)
    found: dict[int, Mention] = {}
    for quote in passage.quotes:
        if _is_only_named_en(passage, quote):
            continue
        speaker = own.get(passage.sentence_at(quote[0]), default) or _carried(passage, quote, above, before)
        if speaker is not None:
            found[quote[0]] = speaker
    return found


def _is_only_named_en(passage: QuotedPassage, quote: Span) -> bool:
    """Whether words are only set apart, and nobody says them: his “friend and heir”, a “ghost” ship."""
    start, end = quote
    if passage.quotes[0] != quote and not passage.text[start + 1 : start + 2].islower():
        return False
    before = passage.told_between(max(passage.start, start - _LOOK_BACK), start).rstrip()
    if BLANK in before or not before[-1:].isalpha() or _SAID_BEFORE_EN.search(f"{before} "):
        return False
    return passage.text[start + 1 : start + 2].islower() or end - start < _SHORT_NAME


def _is_only_named_ja(passage: QuotedPassage, quote: Span) -> bool:
    """Whether words are only set apart, and nobody says them: 「山嵐」という男, 「鍵」を."""
    start, end = quote
    return end - start < _SHORT_NAME and start > passage.start and bool(_NAMED_AS_JA.match(passage.text, end))


def _tells_en(passage: QuotedPassage, mention: Mention) -> bool:
    text = passage.text
    before = passage.told_between(max(passage.start, mention.start - _LOOK_BACK), mention.start)
    return bool(_SAID_BEFORE_EN.search(before) or _SAID_AFTER_EN.match(text, mention.end, passage.end))


def _by_deed(passage: QuotedPassage) -> Mention | None:
    """Mio turned. “…”: what one does beside a speech is done by its speaker."""
    opening = subject_between(passage, passage.start, passage.end)
    alone = {mention.ids for mention in passage.told}
    return opening if len(alone) == 1 else None


def _carried(
    passage: QuotedPassage, quote: Span, above: QuotedPassage | None, before: dict[int, Mention]
) -> Mention | None:
    """The paragraph above ends in `said Mio:`, or in a speech that is not closed yet."""
    if above is None or quote[0] != passage.start:
        return None
    if above.quotes and above.quotes[-1][1] == above.end and above.text[above.end - 1] not in "”\"’'»":
        return before.get(above.quotes[-1][0])
    if above.narration.rstrip().endswith((":", ",")):
        for mention in reversed(above.told):
            if _tells_en(above, mention):
                return mention
    return None
