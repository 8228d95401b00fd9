"""Second step: what to look for. Names are expanded by what the viewer knows, and no further."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from kataribe.domain.ids import normalise
from kataribe.domain.story import NameKind
from kataribe.domain.tokens import tokens
from kataribe.ports.telemetry import step
from kataribe.read.values import Opened, Plan


@step("plan", lambda made: {"terms": len(made.terms), "expansions": len(made.expansions)})
def plan(question: str, opened: Opened) -> Plan:
    """Take the question apart and add the other names of whom it names.

    A name leads to another only when the viewer knows both (Hyde is Jekyll).
    """
    asked = normalise(question)
    added: list[str] = []
    for character in opened.cast:
        known = [
            normalise(alias.text)
            for alias in character.called()
            if alias.kind is not NameKind.FIRST_PERSON
            and alias.address.is_known(viewer=opened.who, cutoff=opened.cutoff)
        ]
        if any(_names(asked, name) for name in known):
            added += [name for name in known if not _names(asked, name) and name not in added]
    language = opened.home.language
    return Plan(terms=_distinct(tokens(t, language) for t in [asked, *added]), expansions=tuple(added))


def _distinct(groups: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(term for group in groups for term in group))


def _names(text: str, name: str) -> bool:
    return _pattern(name).search(text) is not None


@lru_cache(maxsize=4096)
def _pattern(name: str) -> re.Pattern[str]:
    # Latin names need word boundaries; Japanese has none to offer.
    before = r"(?<![A-Za-z0-9])" if name[:1].isascii() else ""
    after = r"(?![A-Za-z0-9])" if name[-1:].isascii() else ""
    return re.compile(before + re.escape(name) + after, re.IGNORECASE)
