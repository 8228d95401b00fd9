"""Who knows what by subject: whom facts name, and who holds them."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from kataribe.domain.ids import WORLD
from kataribe.domain.story.inputs import NameKind, check_no
from kataribe.domain.story.overviews import KnowledgeSummary, Subject, SubjectKnowledge
from kataribe.domain.story.views import REVIEW, pending_of
from kataribe.domain.text.naming import as_pattern, name_candidates
from kataribe.ports import View
from kataribe.story.views.held_fact import HeldFact
from kataribe.story.views.story_view import StoryView, see, shares_of

_OFTEN = 3
"""A name outside the cast is a subject when it is seen this often."""


def summary(view: View, story_id: str, *, at: int | None = None) -> KnowledgeSummary:
    """Give by subject who knows what at the beginning of episode `at` (None: after the last).

    Subjects are the cast in its order, then names outside it that facts name three times or more,
    then what names nobody. What waits in review is nobody's. Raises `NotFoundError`, `InputError`.
    """
    last = None if at is None else check_no(at) - 1
    seen = see(view, story_id)
    facts = _facts(view, seen, last)
    named = _named(seen, facts)
    return KnowledgeSummary(
        story_id=story_id,
        title=seen.story.title,
        at=at,
        texts={fact_id: fact.text for fact_id, fact in facts.items()},
        subjects=tuple(
            _subject(seen, subject, [facts[fact_id] for fact_id in ids])
            for subject, ids in named.items()
            if ids
        ),
        pending=pending_of(seen.episodes(last=last)),
    )


def _facts(view: View, seen: StoryView, last: int | None) -> dict[str, HeldFact]:
    found: dict[str, HeldFact] = {}
    for no, share in shares_of(view, seen):
        if share.holder == REVIEW or (last is not None and no > last):
            continue
        if share.fact_id in found:
            found[share.fact_id].holders.add(share.holder)
        else:
            found[share.fact_id] = HeldFact.of(no, share)
    return found


def _named(seen: StoryView, facts: Mapping[str, HeldFact]) -> dict[str, list[str]]:
    patterns = {character.character_id: _pattern(seen, character.character_id) for character in seen.cast}
    strangers = _strangers(seen, facts.values())
    patterns |= {name: _any((name,), seen.story.language) for name in strangers}
    found: dict[str, list[str]] = {subject: [] for subject in (*patterns, "")}
    for fact in facts.values():
        text = unicodedata.normalize("NFKC", fact.text)
        subjects = [subject for subject, pattern in patterns.items() if pattern.search(text)]
        for subject in subjects or [""]:
            found[subject].append(fact.fact_id)
    return found


def _pattern(seen: StoryView, character_id: str) -> re.Pattern[str]:
    (character,) = (one for one in seen.cast if one.character_id == character_id)
    called = [alias.text for alias in character.called() if alias.kind is not NameKind.FIRST_PERSON]
    return _any((character_id, *called), seen.story.language)


def _any(names: Iterable[str], language: str) -> re.Pattern[str]:
    folded = {unicodedata.normalize("NFKC", name) for name in names} - {""}
    listed = "|".join(as_pattern(name) for name in sorted(folded, key=lambda name: (-len(name), name)))
    return re.compile(rf"(?<!\w)(?:{listed})(?!\w)" if language == "en" else listed)


def _strangers(seen: StoryView, facts: Iterable[HeldFact]) -> list[str]:
    counted: Counter[str] = Counter()
    for fact in facts:
        counted.update(name_candidates(fact.text, seen.story.language))
    known = [_pattern(seen, character.character_id) for character in seen.cast]
    return [
        name
        for name, count in sorted(counted.items(), key=lambda one: (-one[1], one[0]))
        if count >= _OFTEN and not any(pattern.search(name) for pattern in known)
    ]


def _subject(seen: StoryView, subject: str, facts: list[HeldFact]) -> Subject:
    own: defaultdict[str, list[HeldFact]] = defaultdict(list)
    public = [fact for fact in facts if fact.is_public]
    for fact in facts:
        for holder in fact.holders - {WORLD}:
            if not fact.is_public:
                own[holder].append(fact)
    cast = [character.character_id for character in seen.cast]
    return Subject(
        subject=subject,
        name=seen.name_of(subject) if subject in cast else subject,
        in_cast=subject in cast,
        fact_ids=tuple(fact.fact_id for fact in facts),
        everybody=tuple(fact.fact_id for fact in public),
        holders=tuple(_knowledge(seen, holder, own[holder], public) for holder in cast),
    )


def _knowledge(seen: StoryView, holder: str, own: list[HeldFact], public: list[HeldFact]) -> SubjectKnowledge:
    return SubjectKnowledge(
        holder=holder,
        name=seen.name_of(holder),
        own=tuple(fact.fact_id for fact in own),
        total=len(own) + len(public),
        last_no=max((fact.episode_no for fact in (*own, *public)), default=None),
    )
