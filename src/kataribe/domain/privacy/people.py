"""Names of persons, found by the words beside them; looked for only when that is asked."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kataribe.domain.privacy.kinds import PageSpan, PersonalKind
from kataribe.domain.privacy.page import TextPage
from kataribe.domain.text.surnames import SURNAMES

_HONOURED = re.compile("([一-鿿々]{1,6}|[ァ-ヺー]{2,10})(?=さん|さま|様|君|くん|ちゃん|氏|先生|先輩)")
_TITLED = re.compile(
    r"\b(?:Mr|Mrs|Ms|Miss|Dr|Prof|Professor|Sir|Madam)\.? ((?:[A-Z][a-z'-]{1,20})"
    r"(?: [A-Z][a-z'-]{1,20}){0,2})"
)
_KIN = (
    "friend|boss|wife|husband|son|daughter|brother|sister|mother|father|uncle|aunt|cousin|colleague|neighbour|neighbor|"
    "boyfriend|girlfriend|partner|manager|teacher|doctor|roommate|flatmate"
)
_RELATED = re.compile(
    rf"\b(?:[Mm]y|[Hh]is|[Hh]er|[Oo]ur|[Tt]heir) (?:{_KIN})(?:,| is called| is named|'s name is)? "
    r"((?:[A-Z][a-z'-]{1,20})(?: [A-Z][a-z'-]{1,20}){0,2})"
)


def names(page: TextPage) -> Iterator[PageSpan]:
    """Find names before an honorific and after a title or a word of kin."""
    for match in _HONOURED.finditer(page.text):
        surname = _surname(match[1])
        if surname:
            yield PageSpan(PersonalKind.NAME, match.end(1) - len(surname), match.end(1), surname)
    for pattern in (_TITLED, _RELATED):
        for match in pattern.finditer(page.text):
            yield PageSpan(PersonalKind.NAME, *match.span(1), match[1].lower())


def _surname(written: str) -> str:
    """Give the longest end of the word that begins with a surname; Katakana is a name as a whole."""
    if re.match("[ァ-ヺ]", written):
        return written
    ends = (written[at:] for at in range(len(written)))
    return next((end for end in ends if any(end[:size] in SURNAMES for size in range(len(end), 0, -1))), "")
