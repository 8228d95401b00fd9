"""Find personal data in a text of either language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from kataribe.domain.conversation.folded import HIDDEN
from kataribe.domain.conversation.masking import OneTimeKind, one_time_in
from kataribe.domain.privacy.birthdays import birth_dates
from kataribe.domain.privacy.credentials import secrets_in
from kataribe.domain.privacy.kinds import PageSpan, PersonalFinding, PersonalKind
from kataribe.domain.privacy.mail import emails
from kataribe.domain.privacy.money import accounts, cards, ibans
from kataribe.domain.privacy.network import addresses_of_machines
from kataribe.domain.privacy.page import TextPage, page_of
from kataribe.domain.privacy.papers import papers
from kataribe.domain.privacy.people import names
from kataribe.domain.privacy.phones import phones
from kataribe.domain.privacy.places import addresses, postcodes
from kataribe.domain.terms import Language

_ROUNDS = 8
"""A text is read again, with what was found hidden, at most so often: one finding may uncover another."""
_POSSIBLE = re.compile(
    r"[0-9０-９〇零○一二三四五六七八九@＠]|[^\x00-\x7f぀-ヿ一-鿿]|BEGIN|AKIA|ASIA|AIza|AIDA|eyJ|sk-|xox|hf_|bearer|ゼロ|ぜろ|れい|アット|あっと|"
    r"(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)[ ,.-]|[\[(]\s?at\s?[\])]|\sdot\s|\sat\s[a-z]+\.|://|pass|pwd|key|token|secret",
    re.IGNORECASE,
)
_STAND_INS = {kind: f"<{kind}:{'a' * 10}>" for kind in PersonalKind}
_IN_LINKS = frozenset(
    [PersonalKind.EMAIL, PersonalKind.SECRET, PersonalKind.IP, PersonalKind.LINK, PersonalKind.IBAN]
)
"""What may stand in a link; other numbers in it name a page."""


def find(text: str, language: Language, *, with_names: bool = False) -> tuple[PersonalFinding, ...]:
    """Find personal data in a text, in order; the spans do not overlap.

    Both languages are read whatever `language` is: it says whose telephone numbers those without a
    country are. Names of persons are looked for with `with_names` only. What stands in place of
    personal data already (`<email:...>`) is none.
    """
    if not with_names and _POSSIBLE.search(text) is None:
        return ()
    found: list[PersonalFinding] = []
    now = text
    for _ in range(_ROUNDS):
        more = _once(now, language, with_names=with_names)
        if not more:
            break
        found = _joined(found, more)
        now = replaced(text, ((one.start, one.end, _STAND_INS[one.kind]) for one in found))
    return tuple(found)


def replaced(text: str, parts: Iterable[tuple[int, int, str]]) -> str:
    """Write other words in place of spans, which stand in order and do not overlap."""
    made: list[str] = []
    at = 0
    for start, end, words in parts:
        made += (text[at:start], words)
        at = end
    return "".join((*made, text[at:]))


def _joined(found: Sequence[PersonalFinding], more: Sequence[PersonalFinding]) -> list[PersonalFinding]:
    """Add findings of the text with what was found before replaced, by their places in the text as given."""
    joined: list[PersonalFinding] = []
    shift, at = 0, 0
    for one in more:
        while at < len(found) and found[at].start + shift < one.start:
            shift += len(_STAND_INS[found[at].kind]) - (found[at].end - found[at].start)
            joined.append(found[at])
            at += 1
        joined.append(PersonalFinding(one.kind, one.start - shift, one.end - shift, one.value))
    return [*joined, *found[at:]]


def _once(text: str, language: Language, *, with_names: bool) -> list[PersonalFinding]:
    page = page_of(text)
    chosen: list[tuple[int, int, PersonalFinding]] = []
    taken = bytearray(len(page.text) + 1)
    for one in _candidates(page, language, with_names=with_names):
        is_free = not any(taken[one.start : one.end]) and HIDDEN not in page.text[one.start : one.end]
        if (
            one.start >= one.end
            or not is_free
            or (one.kind not in _IN_LINKS and page.is_linked(one.start, one.end))
        ):
            continue
        taken[one.start : one.end] = b"\x01" * (one.end - one.start)
        start, end = page.span(one.start, one.end)
        chosen.append((start, end, PersonalFinding(one.kind, start, end, one.value)))
    return _apart([one for _, _, one in sorted(chosen, key=lambda each: each[:2])])


def _apart(findings: Iterable[PersonalFinding]) -> list[PersonalFinding]:
    """Leave out what begins within the one before: two may come from one character."""
    kept: list[PersonalFinding] = []
    for one in findings:
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept


def _candidates(page: TextPage, language: Language, *, with_names: bool) -> Iterator[PageSpan]:
    """Give candidates, the surest kinds first: what is taken by one is no other's."""
    return chain(
        _links(page),
        secrets_in(page),
        emails(page),
        ibans(page),
        cards(page),
        addresses_of_machines(page),
        papers(page),
        accounts(page),
        birth_dates(page),
        postcodes(page),
        _codes(page),
        phones(page, language),
        addresses(page),
        names(page) if with_names else (),
    )


def _links(page: TextPage) -> Iterator[PageSpan]:
    """Find links that are good for one use, by the rules that mask them."""
    if page.links:
        for kind, (start, end) in one_time_in(page.low):
            if kind is OneTimeKind.LINK:
                yield PageSpan(PersonalKind.LINK, start, end, page.text[start:end])


def _codes(page: TextPage) -> Iterator[PageSpan]:
    """Find codes that are good for one use, by the rules that mask them, in numerals of either script."""
    for text in dict.fromkeys((page.low, page.digits)) if page.has_digits else ():
        for kind, (start, end) in one_time_in(text):
            if kind is OneTimeKind.CODE:
                value = re.sub("[^0-9]", "", text[start:end])
                yield PageSpan(PersonalKind.CODE, start, end, value)
