"""Who a sentence is about: the subject, as far as word order and particles tell it."""

from __future__ import annotations

import re

from kataribe.adapters.rules.names import Mention
from kataribe.adapters.rules.passages import QuotedPassage
from kataribe.adapters.rules.presence import HONORIFIC, TITLE

_TOPIC_JA = re.compile(HONORIFIC + "(?:は|も(?!う))")
_SUBJECT_JA = re.compile(HONORIFIC + "(?:は|が|も(?!う)|まで|こそ|って)")
_OTHER_JA = re.compile(
    "(?:先生|人|男|女|子|供|者|客|生徒|学生|母|父|兄|弟|姉|妹|親|主人|亭主|婆さん|青年|博士|みんな|誰|一同"
    "|連中|奴|たち|達|さん)ら?(?P<particle>は|が|も(?!う))"
)
_FOLLOWED_EN = re.compile(
    r"(?:\s[A-Z][\w’'-]+)?(?:,[^,.!?]{1,60},)?\s+(?!(?:and|or|of|in|on|with|to|at|for|by|as|that|than|but|from|into"
    r"|upon|when|while|where|again|there|here|so|if|because|before|after|about|with|without)\b)(?P<verb>[a-z]+)"
)
_OBJECT_EN = re.compile(
    rf"\b(?:to|at|with|by|of|upon|on|for|from|into|beside|behind|before|after|near|toward|towards|against|about|past)\s+"
    rf"(?:the\s+)?{TITLE}?$"
)
_BEGINS_EN = re.compile(
    r"(?:^|[,;:.!?”\"—\0]\s*|\b(?:and|but|when|as|then|while|so|because|if|that|yet|or|though|although|once|until"
    rf"|before|after|where|what|which|whom|said)\s+){TITLE}?$",
    re.IGNORECASE,
)
_LOOK_BACK = 40


def is_subject(passage: QuotedPassage, mention: Mention) -> bool:
    """Whether the mention is the subject of what follows it."""
    text = passage.text
    if passage.language == "ja":
        return bool(_SUBJECT_JA.match(text, mention.end, passage.end))
    before = passage.told_between(max(passage.start, mention.start - _LOOK_BACK), mention.start)
    if _OBJECT_EN.search(before) or not _BEGINS_EN.search(before):
        return False
    return bool(_FOLLOWED_EN.match(text, mention.end, passage.end))


def is_topic(passage: QuotedPassage, mention: Mention) -> bool:
    """Whether the mention is what a Japanese sentence is about (は), not only its subject (が)."""
    return bool(_TOPIC_JA.match(passage.text, mention.end, passage.end))


def subject_between(passage: QuotedPassage, start: int, end: int) -> Mention | None:
    """The subject named in the narration between two places: a topic before a mere subject."""
    named = [mention for mention in passage.told_in(start, end) if is_subject(passage, mention)]
    if passage.language == "ja":
        topics = [mention for mention in named if is_topic(passage, mention)]
        named = topics or named
    return named[0] if named else None


def last_subject(passage: QuotedPassage, start: int, end: int) -> Mention | None:
    """The nearest subject named in the narration between two places, counted from the end."""
    for mention in reversed(passage.told_in(start, end)):
        if is_subject(passage, mention):
            return mention
    return None


def last_topic(passage: QuotedPassage, before: int) -> Mention | None:
    """The nearest topic named in a Japanese passage before a place: it lasts until there is another."""
    for mention in reversed(passage.told_in(passage.start, before)):
        if is_topic(passage, mention):
            return mention
    return None


def other_subject(passage: QuotedPassage, start: int, end: int) -> str | None:
    """The particle after a Japanese subject from outside the cast (先生は, みんなが), if there is one."""
    if passage.language != "ja":
        return None
    for match in _OTHER_JA.finditer(passage.told_between(start, end)):
        place = start + match.start("particle")
        if not any(mention.end == place for mention in passage.told_in(start, end)):
            return match["particle"]
    return None
