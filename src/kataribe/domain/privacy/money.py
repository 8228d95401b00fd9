"""Numbers of cards and of accounts, with their check digits."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kataribe.domain.privacy.checks import iban_length, is_iban, is_luhn, is_routing
from kataribe.domain.privacy.context import is_counted, is_of_something_else
from kataribe.domain.privacy.kinds import PageSpan, PersonalKind
from kataribe.domain.privacy.page import TextPage
from kataribe.domain.privacy.papers import plain, symbols

_CARD = re.compile(
    r"(?<![0-9a-z.+_=$-])(?:[2-6][0-9]{3}(?P<a>[-. ]?)[0-9]{4}(?P=a)[0-9]{4}(?P=a)[0-9]{4}|"
    r"3[47][0-9]{2}(?P<b>[- ]?)[0-9]{6}(?P=b)[0-9]{5}|3[689][0-9]{2}(?P<c>[- ]?)[0-9]{6}(?P=c)[0-9]{4}|"
    r"30[0-5][0-9](?P<d>[- ]?)[0-9]{6}(?P=d)[0-9]{4}|[2-6](?:[ -][0-9]){15})(?![0-9_]|[-.][0-9])"
)
_ISSUED = re.compile(r"4|5[0-9]|2[2-7]|35(?:2[89]|[3-8])|6(?:011|[24-9])|3[4-9]|30")

_IBAN_START = re.compile(r"(?<![0-9a-z])[a-z]{2}[0-9]{2}[ -]?[0-9a-z]{4}")
_IBAN_SIGNS = re.compile(r"[0-9a-z](?:[ -]?[0-9a-z]){0,33}")

_JAPANESE = re.compile(
    r"(?:口座(?:番号)?|(?:普通|当座|貯蓄)(?:預金|口座)?)[\s:)」はがの、「]{0,4}(?P<value>[0-9]{7}|(?<=号)[0-9]{4,8}|"
    r"(?<=号[はが:\s])[0-9]{4,8})(?![0-9_]|-[0-9])"
)
_SORT_CODE = re.compile(
    r"\bsort(?:[ -]?code)?\b[^0-9\n.!?]{0,12}(?P<value>[0-9]{2}(?P<join>[- ]?)[0-9]{2}"
    r"(?P=join)[0-9]{2})(?![0-9]|-[0-9])"
)
_ROUTING = re.compile(r"\b(?:routing|aba)\b[^0-9\n!?]{0,14}(?P<value>[0-9]{9})(?![0-9]|-[0-9])")
_ACCOUNT = re.compile(
    r"\b(?:account|acct?|a/c)\.?(?P<named> ?(?:number|num\b|no\b\.?|nr\b|#))?[\s:#.=]{0,3}(?:(?:is|was)\s)?"
    r"(?P<value>[0-9]{6,17}|[0-9]{2,5}(?:[ -][0-9]{2,6}){1,4})(?![0-9_]|-[0-9])"
)
_BANK = re.compile(r"\b(?:bank|sort(?=[ -]?code| [0-9])|routing|deposit|transfer|checking|savings|wire)\b")
_POST_OFFICE = re.compile(r"ゆうちょ[^0-9。\n]{0,8}(?P<value>[01][0-9]{3}0-[0-9]{6,8})(?![0-9]|-[0-9])")
_REACH = 80


def cards(page: TextPage) -> Iterator[PageSpan]:
    """Find numbers of payment cards."""
    for match in _CARD.finditer(page.digits):
        digits = plain(match[0])
        is_one = _ISSUED.match(digits) and len(set(digits)) > 1 and is_luhn(digits)
        if is_one and not is_of_something_else(page.digits, match.start()):
            yield PageSpan(PersonalKind.CARD, *match.span(), digits)


def ibans(page: TextPage) -> Iterator[PageSpan]:
    """Find IBANs."""
    text = page.low
    for match in _IBAN_START.finditer(text):
        length = iban_length(match[0][:2].upper())
        run = _IBAN_SIGNS.match(text, match.start(), match.start() + 2 * length) if length else None
        if run is None or len(plain(run[0])) < length:
            continue
        places = [at for at, sign in enumerate(run[0]) if sign.isalnum()]
        end = match.start() + places[length - 1] + 1
        value = plain(text[match.start() : end])
        if is_iban(value) and re.match("[0-9a-z]", text[end : end + 1]) is None:
            yield PageSpan(PersonalKind.IBAN, match.start(), end, value)


def accounts(page: TextPage) -> Iterator[PageSpan]:
    """Find numbers of accounts and of the branches that keep them."""
    text = page.digits
    for match in _JAPANESE.finditer(text):
        if not is_counted(text, match.end()):
            yield _account(match)
    for match in _SORT_CODE.finditer(text):
        yield _account(match)
    for match in _ROUTING.finditer(text):
        if is_routing(match["value"]):
            yield _account(match)
    for match in _ACCOUNT.finditer(text):
        around = text[max(0, match.start() - _REACH) : match.end() + _REACH // 2]
        if (match["named"] or _BANK.search(around)) and not is_counted(text, match.end()):
            yield _account(match)
    for match in _POST_OFFICE.finditer(text):
        yield _account(match)
    yield from symbols(page, is_of_insurance=False)


def _account(match: re.Match[str]) -> PageSpan:
    return PageSpan(PersonalKind.ACCOUNT, *match.span("value"), plain(match["value"]))
