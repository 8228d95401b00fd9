"""Secrets: keys of programs, passwords, blocks of private keys."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kataribe.domain.privacy.kinds import PageSpan, PersonalKind
from kataribe.domain.privacy.page import TextPage

_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_BODY = re.compile(r"[A-Za-z0-9+/=\s]{0,8192}")
_A = "[A-Za-z0-9]"
_W = "[A-Za-z0-9_-]"
_ISSUED = re.compile(
    rf"(?<![A-Za-z0-9_])(?:(?:AKIA|ASIA|AGPA|AIDA|AROA)[0-9A-Z]{{16}}(?![0-9A-Z])|AIza{_W}{{30,}}|"
    rf"gh[pousr]_{_A}{{30,}}|github_pat_[A-Za-z0-9_]{{20,}}|glpat-{_W}{{16,}}|"
    rf"(?:sk|pk|rk)_(?:live|test)_{_A}{{16,}}|sk-{_W}{{20,}}|xox[abeoprs]-[A-Za-z0-9-]{{10,}}|"
    rf"hf_{_A}{{20,}}|npm_{_A}{{30,}}|pypi-{_W}{{30,}}|SG\.{_W}{{16,128}}\.{_W}{{16,}}|"
    rf"ya29\.{_W}{{20,}}|eyJ{_W}{{8,1024}}\.eyJ{_W}{{4,}}(?:\.{_W}+)?)"
)
_BEARER = re.compile(r"\bbearer ([\w.~+/-]{16,512}=*)", re.IGNORECASE | re.ASCII)
_IN_URL = re.compile(r"://[^\s/:@]{1,64}:([^\s/@]{3,128})@")

_SIGN = r"[!#-&(-+\--;=?-_a-z{|}~-]"
_VALUE = rf"(?P<value>{_SIGN}{{6,128}})"
_PASSWORD = re.compile(
    rf"(?:(?:pass(?:word|phrase|wd|code)|(?<![a-z])pwd?)[\"']?(?: for [a-z -]{{1,24}}?)?(?: (?:is|was)|"
    rf"\s?[:=]{{1,2}}|\s→)|"
    rf"(?<![a-z])pass[:=])\s?[\"'“]?{_VALUE}|"
    rf"(?:パスワード|パスフレーズ|パス)(?:は|が|[:=→]|、|\s|「|"
    rf"『){{1,3}}[\"']?{_VALUE.replace('value', 'said')}",
    re.IGNORECASE,
)
_LONG_VALUE = rf"(?P<value>{_SIGN}{{12,512}})"
_KEY = re.compile(
    r"(?:api[_ -]?key|secret(?:[_ -]?key)?|access[_ -]?key|private[_ -]?key|auth[_ -]?key|client[_ -]?secret|"
    r"token|the key|my key|キー|シークレット|トークン|秘密鍵)"
    rf"[\"']?(?:\s(?:is|was)\s|\s?[:=]{{1,2}}\s?|は|が|、|\s|「){{1,2}}[\"'“]?{_LONG_VALUE}",
    re.IGNORECASE,
)
_CLOSING = ".,!?;:)]}'\"-"


def secrets_in(page: TextPage) -> Iterator[PageSpan]:
    """Find secrets; the value is the secret itself."""
    yield from _private_keys(page.text)
    for match in _ISSUED.finditer(page.text):
        yield _secret(page.text, *match.span())
    for pattern in (_BEARER, _IN_URL):
        for match in pattern.finditer(page.text):
            yield _secret(page.text, *match.span(1))
    for match in _PASSWORD.finditer(page.text):
        yield from _chosen(page.text, match.span("value" if match["value"] else "said"), 6)
    for match in _KEY.finditer(page.text):
        yield from _chosen(page.text, match.span("value"), 12)


def _private_keys(text: str) -> Iterator[PageSpan]:
    at, has_end = 0, True
    while (begin := _BEGIN.search(text, at)) is not None:
        end = _END.search(text, begin.end()) if has_end else None
        has_end = end is not None
        body = _BODY.match(text, begin.end())
        at = end.end() if end is not None else body.end() if body is not None else begin.end()
        yield _secret(text, begin.start(), at)


def _chosen(text: str, span: tuple[int, int], least: int) -> Iterator[PageSpan]:
    """Give a secret that somebody chose: letters and digits, or digits alone; no word and no code."""
    start, end = span
    while end > start and text[end - 1] in _CLOSING:
        end -= 1
    value = text[start:end]
    has_letter, has_digit = re.search("[A-Za-z]", value), re.search("[0-9]", value)
    is_code = re.search(r"[(\[{<$]|^[a-z_]+\.[a-z_]+", value) is not None
    if len(value) >= least and has_digit and (has_letter or len(value) >= 6) and not is_code:
        yield _secret(text, start, end)


def _secret(text: str, start: int, end: int) -> PageSpan:
    return PageSpan(PersonalKind.SECRET, start, end, text[start:end])
