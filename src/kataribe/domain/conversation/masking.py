"""One-time codes and links: they are no memory, and are masked in everything that is derived.

A code is four to eight digits beside a word for such a code. A link is one-time where its path or
one of its parameters names a token. Years, prices, telephone numbers, postal codes and ordinary
links stay.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from kataribe.domain.conversation.folded import folded
from kataribe.domain.text.paragraphs import Span


class OneTimeKind(StrEnum):
    """What is good for one use."""

    CODE = "code"
    LINK = "link"


MASKS = {OneTimeKind.CODE: "<one-time code>", OneTimeKind.LINK: "<one-time link>"}
"""What is written in their place."""


@dataclass(frozen=True, slots=True)
class OneTime:
    """A one-time code or link, and where it stands in the text."""

    kind: OneTimeKind
    span: Span


_LINK = re.compile(r"https?://[^\s<>\"'、。「」『』()【】{}|]+")
_CLOSING = ".,!?;:"
_PARAMETER = re.compile(
    r"[?&#](?:[\w-]*token|otp|one[_-]?time\w*|ott|magic[\w-]*|reset[\w-]*|verify|verification[\w-]*|"
    r"passcode|auth[_-]?code|nonce)=[^&#]"
)
_VAGUE_PARAMETER = re.compile(r"[?&#](?:code|key|sig|signature|ticket|t|k|c|id)=[^&#]")
_PURPOSE = (
    r"(?:verify|verification|verify-email|confirm|confirmation|confirm-email|reset|password-reset|"
    r"reset-password|password_reset|"
    r"magic|magic-link|magiclink|activate|activation|one-time|otp)"
)
_PURPOSE_ALONE = re.compile(rf"/{_PURPOSE}(?=[/?#])")
_PURPOSE_THEN_TOKEN = re.compile(rf"/{_PURPOSE}/(?=[^/?#]*\d)[^/?#]{{6,}}")

_DIGITS = re.compile(
    r"(?<![0-9.,/+$¥€£#_])(?<![0-9]-)(?:\d{4,8}|\d{3}[- ]\d{3}|\d{4}-\d{4}|\d{2} \d{2} \d{2})"
    r"(?![0-9a-z_%/:]|[-.,][0-9]| [0-9])"
)
_COUNTED = re.compile(
    r"\s?(?:円|yen|dollars?|euros?|pounds?|年|月|日|歩|号|番台|個|人|回|時|km|kg|miles|steps|people|times|"
    r"点|件|名|社)"
)
_YEAR = re.compile(r"(?:\b(?:in|since|until|by|of|from|year|before|after)\s*|(?:西暦|平成|昭和|令和))$")

_KEY_EN = (
    r"(?:\b(?:one[- ]time|verification|security|confirmation|authentication|authorization|auth|access|"
    r"log-?in|sign-?in|2fa|mfa|two-factor|"
    r"sms|pin|recovery|unlock)(?: \w+)? (?:code|password|passcode|pin|number|key)\b|\botp\b|\b(?:my|"
    r"your|the) pin\b|\bpass "
    r"?code\b|\b2fa\b)"
)
_KEY_JA = (
    r"(?:(?:認証|確認|セキュリティ|ワンタイム|使い捨て|ログイン|承認|一時)(?:の|用)?(?:コード|番号|キー|"
    r"パスワード|パス)|暗証番号|パスコード|"
    r"ワンタイム|\botp|\bpin(?=は|:)|(?:届いた|送られ(?:てき)?た|来た)(?:コード|番号))"
)
_BEFORE = re.compile(rf"(?:{_KEY_EN}[^.!?\n0-9]{{0,30}}|{_KEY_JA}[^。!?\n0-9]{{0,12}})$")
_AFTER = re.compile(rf"[^.!?\n0-9]{{0,24}}{_KEY_EN}|[^。!?\n0-9]{{0,12}}{_KEY_JA}")
_WEAK_BEFORE = re.compile(
    r"(?<!zip )(?<!postal )(?<!post )(?<!area )(?<!country )(?<!promo )(?<!dress )(?<!error )(?<!source "
    r")(?<!status )(?<!coupon )"
    r"(?<!discount )(?<!product )(?<!qr )(?<!color )(?<!colour )"
    r"\bcode(?: (?:is|was)|\s*[:=]| (?:they|you|he|she|i|we|it)\b[^.!?\n0-9]{0,30}\b(?:is|was|says|"
    r"said))?\s*$"
)
_REACH = 60
_NO_END = 1 << 62
_TOKEN = re.compile(r"<(code|link):[a-z][a-z2-7]{9}>")
"""What stands in place of a code or a link that was tokenised: it is masked like the words."""
_POSSIBLE = re.compile(r"\d|[/／]{2}|<(?:code|link):")


def find_one_time(text: str) -> tuple[OneTime, ...]:
    """Find the one-time codes and links of a text in either language, in order."""
    if _POSSIBLE.search(text) is None:
        return ()
    plain = folded(text)
    return tuple(OneTime(kind, plain.span(*span)) for kind, span in one_time_in(plain.text))


def mask_one_time(text: str) -> str:
    """Write a mask in place of each one-time code and link; all else stays as it was written."""
    parts: list[str] = []
    at = 0
    for one in find_one_time(text):
        parts += [text[at : one.span[0]], MASKS[one.kind]]
        at = one.span[1]
    return "".join((*parts, text[at:]))


def one_time_in(text: str) -> list[tuple[OneTimeKind, Span]]:
    """Find the one-time codes and links of a folded text, in order, by their places in it."""
    links = list(_links(text)) if "://" in text else []
    found = [(OneTimeKind.LINK, span) for span, is_one_time in links if is_one_time]
    places = [span for span, _ in links]
    found += [(OneTimeKind.CODE, span) for span in _codes(text) if not _is_within(places, span[0])]
    found += [(OneTimeKind(match[1]), match.span()) for match in _TOKEN.finditer(text)]
    return sorted(found, key=lambda one: one[1])


def _is_within(places: Sequence[Span], at: int) -> bool:
    """Whether a character lies in one of the spans, which stand in order."""
    before = bisect_right(places, (at, _NO_END))
    return before > 0 and at < places[before - 1][1]


def links_in(text: str) -> list[Span]:
    """Give where the links of a folded text stand, good for one use or not."""
    return [span for span, _ in _links(text)] if "://" in text else []


def _links(text: str) -> Iterator[tuple[Span, bool]]:
    """Give every link, and whether it is good for one use."""
    for match in _LINK.finditer(text):
        link = match[0].rstrip(_CLOSING)
        link = re.split(r"[ぁ-ゖァ-ヺ一-鿿]", link, maxsplit=1)[0]
        yield (match.start(), match.start() + len(link)), _is_one_time(link)


def _is_one_time(link: str) -> bool:
    if _PARAMETER.search(link) or _PURPOSE_THEN_TOKEN.search(link):
        return True
    return _PURPOSE_ALONE.search(link) is not None and _VAGUE_PARAMETER.search(link) is not None


def _codes(text: str) -> Iterator[Span]:
    for match in _DIGITS.finditer(text):
        before = text[max(0, match.start() - _REACH) : match.start()]
        if _COUNTED.match(text, match.end()) or _YEAR.search(before):
            continue
        if _BEFORE.search(before) or _WEAK_BEFORE.search(before) or _AFTER.match(text, match.end()):
            yield match.span()
