"""Numbers of papers and of offices: My Number, passport, licence, insurance, social security."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from kataribe.domain.privacy.checks import is_my_number, is_nhs
from kataribe.domain.privacy.kinds import PageSpan, PersonalKind
from kataribe.domain.privacy.page import TextPage

_REACH = 40
_GAP = r"[^0-9a-z。!?\n]{0,12}"
_GAP_EN = r"(?:[\s:#.=]|\b(?:is|was|number|num|no|nr|id|card|my|the|it's|it)\b){0,12}"
_END = r"(?![0-9a-z]|-[0-9])"
_ID = r"(?P<value>(?=[a-z0-9-]{0,12}[0-9][a-z0-9-]{0,2}[0-9])[a-z0-9](?:-?[a-z0-9]){5,17})"

_MY_NUMBER = re.compile(r"(?<![0-9a-z.-])[0-9]{4}(?P<join>[- ]?)[0-9]{4}(?P=join)[0-9]{4}(?![0-9]|-[0-9])")
_MY_NUMBER_WORD = re.compile("マイナンバー|個人番号|my ?number|individual number")
_LICENCE_UK = re.compile(
    r"(?<![0-9A-Z])[A-Z]{1,5}9{0,4}[0-9](?:0[1-9]|1[0-2]|5[1-9]|6[0-2])(?:0[1-9]|[12][0-9]|3[01])[0-9]"
    r"[A-Z9]{2}[0-9][A-Z]{2}(?![0-9A-Z])"
)
_SSN = re.compile(
    r"(?<![0-9a-z.-])(?!000|666|9)[0-9]{3}-(?!00)[0-9]{2}-(?!0000)[0-9]{4}(?![0-9a-z]|[-.][0-9])"
)
_NINO = re.compile(
    r"(?<![0-9a-z])(?!bg|gb|kn|nk|nt|tn|"
    r"zz)[abceghj-prstw-z][abceghj-nprstw-z] ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[a-d]"
    r"(?![0-9a-z])"
)
_NINO_WORD = re.compile(r"national insurance|\bnino\b|\bni (?:number|no)")
_SYMBOL = re.compile(
    r"記号[はが]?[:\s「]{0,2}(?P<symbol>[0-9][0-9-]{0,9})[」、,です\s]{0,6}番号[はが]?[:\s「]{0,2}(?P<number>[0-9]{1,8})(?![0-9])"
)


@dataclass(frozen=True, slots=True)
class NamedNumber:
    """A number that a word before it names; `value` in the pattern is the number itself."""

    kind: PersonalKind
    pattern: re.Pattern[str]
    check: Callable[[str], bool] | None = None


def _named(kind: PersonalKind, *parts: str, check: Callable[[str], bool] | None = None) -> NamedNumber:
    return NamedNumber(kind, re.compile("".join(parts)), check)


_NAMED = (
    _named(PersonalKind.PASSPORT, rf"(?:パスポート|旅券){_GAP}(?P<value>[a-z]{{2}}[0-9]{{7}}){_END}"),
    _named(
        PersonalKind.PASSPORT,
        r"\bpassport\b[^0-9\n!?]{0,16}?(?<![0-9a-z])",
        rf"(?P<value>[a-z]{{0,2}}[0-9]{{7,9}}){_END}",
    ),
    _named(
        PersonalKind.LICENCE,
        r"免許[^0-9。!?\n]{0,12}(?P<value>[0-9]{2}(?P<join>[- ]?)[0-9]{2}(?P=join)[0-9]{6}",
        rf"(?P=join)[0-9]{{2}}){_END}",
    ),
    _named(
        PersonalKind.LICENCE,
        r"(?:\bdriv(?:er'?s?'?|ing)[ -]licen[cs]e|\blicen[cs]e (?:number|no\b)|",
        rf"\bdl(?= ?[#:]| number| no\b)){_GAP_EN}{_ID}{_END}",
    ),
    _named(
        PersonalKind.SOCIAL_SECURITY,
        r"(?:\bsocial security|\bssn\b)[^0-9\n.!?]{0,14}",
        rf"(?P<value>[0-9]{{3}}[- ]?[0-9]{{2}}[- ]?[0-9]{{4}}){_END}",
    ),
    _named(
        PersonalKind.SOCIAL_SECURITY,
        rf"年金(?:番号|手帳)[^0-9。!?\n]{{0,10}}(?P<value>[0-9]{{4}}[- ]?[0-9]{{6}}){_END}",
    ),
    _named(
        PersonalKind.INSURANCE,
        rf"\bnhs\b{_GAP_EN}(?P<value>[0-9]{{3}}[ -]?[0-9]{{3}}[ -]?[0-9]{{4}}){_END}",
        check=is_nhs,
    ),
    _named(
        PersonalKind.INSURANCE,
        r"\b(?:insurance|medicare|medicaid|policy)(?: (?:policy|member|group|card|plan))? ",
        rf"(?:number|no|id)\b{_GAP_EN}{_ID}{_END}",
    ),
    _named(
        PersonalKind.INSURANCE,
        r"(?:保険証|健保|健康保険)の?(?:記号)?・?番号[^0-9。!?\n]{0,6}",
        rf"(?P<value>[0-9][0-9-]{{3,11}}){_END}",
    ),
    _named(PersonalKind.INSURANCE, rf"保険者番号[^0-9。!?\n]{{0,8}}(?P<value>[0-9]{{8}}|[0-9]{{6}}){_END}"),
    _named(
        PersonalKind.INSURANCE,
        rf"被保険者[^0-9。!?\n]{{0,10}}(?P<value>[0-9]{{4}}-?[0-9]{{6}}-?[0-9]|[0-9]{{10}}){_END}",
    ),
)
"""Numbers that a word before them names."""


def papers(page: TextPage) -> Iterator[PageSpan]:
    """Find numbers of papers and offices."""
    if not page.has_digits:
        return
    yield from _my_numbers(page.digits)
    for named in _NAMED:
        for match in named.pattern.finditer(page.digits):
            value = plain(match["value"])
            if named.check is None or named.check(value):
                yield PageSpan(named.kind, *match.span("value"), value)
    yield from _of_shape(page)
    yield from symbols(page, is_of_insurance=True)


def symbols(page: TextPage, *, is_of_insurance: bool) -> Iterator[PageSpan]:
    """Find 記号 and 番号: of an insurance, or of an account at the post office."""
    for match in _SYMBOL.finditer(page.digits):
        before = page.low[max(0, match.start() - _REACH) : match.start()]
        around = before + page.low[match.end() : match.end() + _REACH]
        of_insurance = "保険" in before
        of_account = not of_insurance and (
            re.search("ゆうちょ|口座|振込|郵便", around) is not None
            or re.fullmatch("[01][0-9]{3}0", match["symbol"]) is not None
        )
        kind = PersonalKind.INSURANCE if is_of_insurance else PersonalKind.ACCOUNT
        if of_insurance if is_of_insurance else of_account:
            for name in ("symbol", "number"):
                yield PageSpan(kind, *match.span(name), plain(match[name]))


def plain(written: str) -> str:
    """Give a number without what parts its groups, in large letters."""
    return re.sub("[^0-9a-z]", "", written).upper()


def _my_numbers(text: str) -> Iterator[PageSpan]:
    for match in _MY_NUMBER.finditer(text):
        around = text[max(0, match.start() - _REACH) : match.end() + 16]
        if _MY_NUMBER_WORD.search(around) and is_my_number(plain(match[0])):
            yield PageSpan(PersonalKind.MY_NUMBER, *match.span(), plain(match[0]))


def _of_shape(page: TextPage) -> Iterator[PageSpan]:
    for match in _LICENCE_UK.finditer(page.text):
        yield PageSpan(PersonalKind.LICENCE, *match.span(), match[0])
    for match in _SSN.finditer(page.digits):
        yield PageSpan(PersonalKind.SOCIAL_SECURITY, *match.span(), plain(match[0]))
    for match in _NINO.finditer(page.low):
        before = page.low[max(0, match.start() - _REACH) : match.start()]
        if page.text[match.start() : match.start() + 2].isupper() or _NINO_WORD.search(before):
            yield PageSpan(PersonalKind.SOCIAL_SECURITY, *match.span(), plain(match[0]))
