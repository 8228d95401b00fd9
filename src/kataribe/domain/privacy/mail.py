"""E-mail addresses, also with `at` and `dot` spelled out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kataribe.domain.privacy.kinds import PageSpan, PersonalKind
from kataribe.domain.privacy.page import TextPage

_REACH = 100
_LOCAL_END = re.compile(r"[a-z0-9._%+'-]{1,64}$")
_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_DOMAIN = re.compile(rf"(?:{_LABEL}\.){{1,6}}[a-z]{{2,24}}(?![a-z0-9@]|-[a-z0-9]|:[a-z])")

_AT = re.compile(
    r"\s?[\[({]\s?(?:at|@)\s?[\])}]\s?|(?<=[a-z0-9])\s+at\s+(?=[a-z0-9])|"
    r"\s?(?:アット|あっと)(?:マーク|まーく)?\s?"
)
_DOT = r"(?:\.|\s?[\[({]\s?(?:dot|\.)\s?[\])}]\s?|\s+dot\s+|\s?(?:ドット|どっと)\s?)"
_DOTS = re.compile(_DOT)
_SPELLED_LOCAL = re.compile(
    rf"(?<![a-z0-9._%+'-])[a-z0-9_%+'-]{{1,40}}(?:{_DOT}[a-z0-9_%+'-]{{1,40}}){{0,3}}$"
)
_SPELLED_DOMAIN = re.compile(rf"(?!(?:the|a|an|my|our)\b)[a-z0-9-]{{1,63}}(?:{_DOT}[a-z0-9-]{{1,63}}){{1,4}}")
_PROVIDER = re.compile(r"(?:gmail|googlemail|yahoo|outlook|hotmail|icloud|proton(?:mail)?|gmx|aol|live)\.")
_TOP = re.compile(
    r"(?:com|net|org|edu|gov|info|biz|name|example|test|app|dev|io|ai|me|co|tv|cc|xyz|site|online|"
    r"jp|uk|us|de|fr|it|es|nl|ie|ch|at|be|eu|ca|au|nz|in|cn|kr|tw|hk|sg|se|no|dk|fi|pl|cz|pt|br|mx)"
)

_SPELLED_AT = re.compile(
    r"[\[({]\s?(?:at|@)\s?[\])}]|\sat\s.{1,60}\sdot\s|\sat\s(?:gmail|googlemail|yahoo|outlook|hotmail|icloud|proton|gmx|aol|live)|アット|あっと"
)


def emails(page: TextPage) -> Iterator[PageSpan]:
    """Find e-mail addresses."""
    text, at = page.low, page.low.find("@")
    while at >= 0:
        left = _LOCAL_END.search(text[max(0, at - 64) : at])
        domain = _DOMAIN.match(text, at + 1)
        if left is not None and domain is not None:
            start = at - len(left[0].lstrip(".'%+-"))
            if start < at and text[at - 1] != ".":
                yield PageSpan(PersonalKind.EMAIL, start, domain.end(), text[start : domain.end()])
        at = text.find("@", at + 1)
    if _SPELLED_AT.search(text) is not None:
        yield from _spelled(text)


def _spelled(text: str) -> Iterator[PageSpan]:
    for sign in _AT.finditer(text):
        begin = max(0, sign.start() - _REACH)
        local = _SPELLED_LOCAL.search(text[begin : sign.start()])
        domain = _SPELLED_DOMAIN.match(text, sign.end(), sign.end() + 2 * _REACH) if local else None
        if local is None or domain is None:
            continue
        start, end = begin + local.start(), _end_of_domain(text, sign.end(), domain.end())
        is_word = sign[0].strip() == "at"
        is_sure = not is_word or " dot " in text[sign.end() : end] or _PROVIDER.match(text, sign.end())
        if end > sign.end() and is_sure:
            yield PageSpan(PersonalKind.EMAIL, start, end, _plain(text, start, sign.span(), end))


def _end_of_domain(text: str, start: int, end: int) -> int:
    """Cut a domain after the last part that is a top level; `start` where there is none."""
    best = start
    for dot in _DOTS.finditer(text, start, end):
        top = _TOP.match(text, dot.end(), end)
        if top is not None and not re.match("[a-z0-9-]", text[top.end() : top.end() + 1]):
            best = top.end()
    return best


def _plain(text: str, start: int, sign: tuple[int, int], end: int) -> str:
    local, domain = _DOTS.sub(".", text[start : sign[0]]), _DOTS.sub(".", text[sign[1] : end])
    return f"{local}@{domain}"
