"""Inner speech: what somebody thinks and tells nobody."""

from __future__ import annotations

import re

from kataribe.adapters.rules.names import Mention
from kataribe.adapters.rules.passages import BLANK, QuotedPassage, overlapping
from kataribe.adapters.rules.presence import HONORIFIC, TITLE
from kataribe.adapters.rules.subjects import is_subject, is_topic, last_topic, other_subject, subject_between
from kataribe.domain.text.paragraphs import Span

# 思わず, と思うと and 思われる tell of nobody's thought.
_THINKS_JA = re.compile(
    "(?:と[はも、]?|とばかり|[にくうでか])(?:思(?!わず|うと|ったら|えば|われ)[いうっえわん]|おも[いうっえ](?!うと|ったら))"
    "|[、，]と[^。、「」云言]{1,14}[はが](?:[^。、]{0,6})(?:思[いっ]|おも[いっ]|考え|感じ)"
    "|思い(?:出|だ|浮か|返)|おもいだ|[とかを](?:考え|かんがえ)"
    "|と(?:感じ|信じ|悟|気づ|気付|願[いうっ]|祈[りるっ])"
    f"|{BLANK}[、，]?と[^。{BLANK}云言]{{0,20}}(?:思[いうっ]|おも[いうっ]|考え)|(?:思い|おもい)ながら|気が(?:し|する)|[心胸]の(?:中|なか|内|うち|底)|内心|心(?:ひそかに|に誓)"
)
_SO_THINKS_JA = re.compile(
    "(?:思った|思いました|おもった|おもいました|考えた|考えました|思う|念じた|[心胸]の中でつぶやいた)。?$"
)
_AS_SUCH_JA = re.compile(
    "(?:そう|こう|そんなふうに|と)[^。]{0,12}(?:思[いうっ]|おも[いうっ]|考え)|[心胸]の(?:中|うち|なか)"
)
# 淡泊だと思った葵は: whoever stands right after it is thought so of.
_THOUGHT_OF_JA = re.compile(
    "[とに](?:思|おも|考え|かんがえ|信じ)[^。、]{0,3}(?:た|いた|ていた|ている|てた|てる)$"
)

_VERB = (
    "(?:thought|wondered|mused|pondered|reflected|reali[sz]ed|imagined|hoped|feared|suspected|believed|knew"
    "|remembered|recalled|wished|guessed|dreamed|dreamt|recollected|supposed|wonders|thinks|knows|remembers)"
)
_MANNER = (
    r"(?:\s+(?:\w+ly|had|never|still|also|then|even|only|now|once|always|long|did not|didn[’']t"
    r"|could not help but))*"
)
_SELF = (
    r"(?:told|asked|assured|reminded|said\s+to|thought\s+to|cursed)\s+(?:him|her|my|it|them)sel(?:f|ves)\b"
)
_FELT = r"felt\s+(?:that|as\s+if|sure|certain)\b"
_THINKS_EN = re.compile(
    r"(?:\b(?P<subject>he|she|I|they|we|it|who|He|She|They|We|It)|(?P<other>[\w’'.]))"
    rf"{_MANNER}\s+(?:{_VERB}\b(?!\s+(?:of\s+as|to\s+be))|wonder\b|{_SELF}|{_FELT})"
)
_THOUGHT_BY_EN = re.compile(
    rf"[{BLANK},]\s*(?:thought|wondered|mused|reflected|pondered)\s+(?P<by>he\b|she\b|I\b|they\b)?"
)
_BARE_EN = re.compile(r"^[^.!?]{0,60}\b(?:thought|wondered|mused|pondered|reflected)(?:\s+\w+ly)?\s*[.:]?$")

_NEAR = 8


def is_inner(passage: QuotedPassage, span: Span) -> bool:
    """Whether a sentence is thought, or tells what one person thinks."""
    if overlapping(passage.thoughts, *span):
        return True
    told = passage.told_between(*span)
    if not told.strip(BLANK + " 　"):
        return _is_thought_quote(passage, span)
    if passage.language == "ja":
        return bool(_THINKS_JA.search(told))
    return _thinking_en(passage, span) is not None


def thinker_named(passage: QuotedPassage, span: Span) -> tuple[Mention | None, bool]:
    """Who is named as the thinker of an inner sentence, and whether the sentence itself settles it.

    A sentence that has another subject (みんなは, they) settles that none of the cast is named.
    """
    if passage.language == "en":
        return _thinker_en(passage, span)
    return _thinker_ja(passage, span)


def precedes_thought(passage: QuotedPassage, span: Span, mention: Mention) -> bool:
    """Whether a mention is told of before an English sentence comes to what somebody else thinks of it."""
    if passage.language != "en":
        return False
    match = _thinking_en(passage, span)
    return (
        match is not None
        and bool(match["subject"] if "subject" in match.groupdict() else None)
        and (mention.end < span[0] + match.start())
    )


def _is_thought_quote(passage: QuotedPassage, span: Span) -> bool:
    """Whether the sentence before or after a bare quotation says that it was only thought."""
    before, after = (passage.told_between(*beside) for beside in passage.beside(span))
    if passage.language == "en":
        return bool(_BARE_EN.search(after) or (_BARE_EN.search(before) and before.endswith(":")))
    after = _after_subject(passage, span, after)
    return bool(_SO_THINKS_JA.search(before.rstrip()) or _AS_SUCH_JA.match(after))


def _after_subject(passage: QuotedPassage, span: Span, after: str) -> str:
    """The following narration without the name it begins with."""
    start = span[1]
    while start < passage.end and passage.text[start].isspace():
        start += 1
    for mention in passage.told_in(start, start + 1):
        return re.sub(f"^{HONORIFIC}[はがも、]*", "", passage.text[mention.end : start + len(after)])
    return after


def _thinker_ja(passage: QuotedPassage, span: Span) -> tuple[Mention | None, bool]:
    own = subject_between(passage, *span)
    if own is not None and _THOUGHT_OF_JA.search(passage.told_between(span[0], own.start)):
        return None, True
    if other_subject(passage, *span) == "は" and not (own is not None and is_topic(passage, own)):
        return None, True
    if own is not None and _thinks_itself(passage, span, own):
        return own, True
    if not passage.told_between(*span).strip(BLANK + " 　"):
        after = subject_between(passage, *passage.beside(span)[1])
        if after is not None:
            return after, True
    topic = last_topic(passage, span[0])
    return topic, topic is not None and own is not None


def _thinks_itself(passage: QuotedPassage, span: Span, own: Mention) -> bool:
    """Whether a Japanese subject thinks, or only stands inside what is thought: …が来るかと思った."""
    if is_topic(passage, own) or own.start - span[0] <= _NEAR:
        return True
    thinks = _THINKS_JA.search(passage.told_between(own.end, span[1]))
    return thinks is not None and thinks.start() <= _NEAR


def _thinking_en(passage: QuotedPassage, span: Span) -> re.Match[str] | None:
    told = passage.told_between(*span)
    for match in _THINKS_EN.finditer(told):
        if match["subject"]:
            return match
        place = span[0] + match.start()
        if any(mention.end == place + 1 for mention in passage.told_in(span[0], place + 1)):
            return match
    by = _THOUGHT_BY_EN.search(told)
    if by is not None and (by["by"] or _named_at(passage, span[0] + by.end())):
        return by
    return None


def _named_at(passage: QuotedPassage, at: int) -> Mention | None:
    title = re.compile(f"{TITLE}?").match(passage.text, at)
    end = title.end() if title else at
    return next(iter(passage.told_in(at, end + 1)), None)


def _thinker_en(passage: QuotedPassage, span: Span) -> tuple[Mention | None, bool]:
    match = _thinking_en(passage, span)
    if match is None:
        after = passage.beside(span)[1]
        if _BARE_EN.search(passage.told_between(*after)) and _thinking_en(passage, after) is not None:
            return _thinker_en(passage, after)
        return _sole_subject(passage, span[1]), False
    place = span[0] + match.start()
    groups = match.groupdict()
    pronoun = groups.get("subject") or groups.get("by")
    if pronoun is None:
        named = _named_at(passage, span[0] + match.end())
        before = [mention for mention in passage.told_in(span[0], place + 1) if mention.end == place + 1]
        return before[0] if before else named, True
    if pronoun == "I":
        own = [mention for mention in passage.told_in(place, place + 2) if mention.first_person]
        return own[0] if own else None, bool(own)
    if pronoun.casefold() in ("he", "she"):
        return _sole_subject(passage, place), True
    return None, True


def _sole_subject(passage: QuotedPassage, before: int) -> Mention | None:
    """The one of the cast named in the paragraph so far; `he` could be either of two."""
    named = [mention for mention in passage.told_in(passage.start, before) if not mention.first_person]
    if len({mention.ids for mention in named}) != 1:
        return None
    return next((mention for mention in named if is_subject(passage, mention)), None)
