"""Second step: what to look for. Names are expanded by what the viewer knows, and no further."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import lru_cache

from kataribe.domain.ids import normalise
from kataribe.domain.recall.planning import SearchPlan
from kataribe.domain.recall.ranking import RecallPolicy
from kataribe.domain.text.naming import as_pattern
from kataribe.domain.text.tokens import sought
from kataribe.ports.kinds import Home
from kataribe.ports.telemetry import step
from kataribe.read.values import UNPLANNED, Opened, Plan

_QUOTED = re.compile(r"「([^「」]+)」|『([^『』]+)』|“([^“”]+)”|\"([^\"]+)\"")
_SHORTEST = 2
"""Phrases of fewer characters stand in nearly every text."""
_CALLED = r"(?:['’]s(?![A-Za-z])|さん|ちゃん|くん|君|様|さま)?"


@step("plan", lambda made: {"terms": len(made.terms), "expansions": len(made.expansions)})
def plan(
    question: str,
    opened: Opened,
    *,
    policy: RecallPolicy,
    searched: SearchPlan = UNPLANNED,
) -> Plan:
    """Take the question apart and add the planner's terms and the other names of whom it names.

    A name leads to another only when the viewer knows both (Hyde is Jekyll).
    """
    asked = normalise(question)
    added = _other_names(asked, opened) if policy.expand_aliases else []
    speakers = tuple(sorted({name for home in opened.read for name in home.voices}))
    named = names_in(question, speakers)
    groups = [asked, *searched.terms, *searched.keywords, *added]
    languages = dict.fromkeys(home.language for home in opened.homes)
    return Plan(
        terms={
            language: tuple(dict.fromkeys(term for text in groups for term in sought(text, language)))
            for language in languages
        },
        expansions=tuple(added),
        phrases=_phrases(question, searched.keywords),
        named=named,
        only=frozenset(named) if len(named) < len(speakers) else frozenset(),
        searched=searched,
    )


def names_in(question: str, speakers: Collection[str]) -> tuple[str, ...]:
    """Give the speakers whose names stand in the question, written as they are, in order of name."""
    asked = normalise(question)
    return tuple(name for name in sorted(speakers) if _is_name(name) and _as_written(name).search(asked))


def words_for(home: Home, question: str, policy: RecallPolicy) -> str:
    """Give what is embedded of a question where it is asked of this home."""
    if not home.lending.by_turns or not policy.strip_names:
        return question
    return to_embed(question, home.voices)


def to_embed(question: str, speakers: Collection[str]) -> str:
    """Take the names of speakers out of a question, with what they are called by, before it is embedded.

    Who says a thing is a field of a turn, not a part of its meaning. Where nothing would be
    left, or nobody is named, the question stays as it was written.
    """
    # The longest first: 'Ann Lee' is not to leave 'Lee' behind.
    named = sorted(names_in(question, speakers), key=len, reverse=True)
    left = normalise(question)
    for name in named:
        left = _as_called(name).sub(" ", left)
    left = " ".join(left.split())
    return left if named and re.search(r"\w", left) else question


def _other_names(asked: str, opened: Opened) -> list[str]:
    added: list[str] = []
    for home in opened.homes:
        for known in home.names:
            if any(_names(asked, name) for name in known):
                added += [name for name in known if not _names(asked, name) and name not in added]
    return added


def _phrases(question: str, keywords: Iterable[str]) -> tuple[str, ...]:
    """Give what is to be found word by word: what the question quotes, and distinctive keywords."""
    quoted = [next(part for part in found if part) for found in _QUOTED.findall(question)]
    wanted = dict.fromkeys(normalise(phrase).casefold() for phrase in (*quoted, *keywords))
    return tuple(phrase for phrase in wanted if len(phrase) >= _SHORTEST)


def _names(text: str, name: str) -> bool:
    return _pattern(name).search(text) is not None


def _is_name(name: str) -> bool:
    """Tell whether a speaker's name can be told from other letters; one kana or kanji cannot."""
    return normalise(name).isascii() or len(normalise(name)) >= _SHORTEST


@lru_cache(maxsize=4096)
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(_bounded(name), re.IGNORECASE)


@lru_cache(maxsize=4096)
def _as_written(name: str) -> re.Pattern[str]:
    # In its own case, an article aside: Will is a name, will is none.
    return re.compile(_bounded(normalise(name)))


@lru_cache(maxsize=4096)
def _as_called(name: str) -> re.Pattern[str]:
    return re.compile(_bounded(normalise(name)) + _CALLED)


def _bounded(name: str) -> str:
    # Latin names need word boundaries; Japanese has none to offer.
    before = r"(?<![A-Za-z0-9])" if name[:1].isascii() else ""
    after = r"(?![A-Za-z0-9])" if name[-1:].isascii() else ""
    return before + as_pattern(name) + after
