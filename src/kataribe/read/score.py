"""Fourth step: one score for each candidate, higher is better."""

from __future__ import annotations

import logging
from bisect import bisect_right
from collections.abc import Mapping, Sequence

import numpy as np

from kataribe.domain.conversation import position_of
from kataribe.domain.gate import Place, UserViewer
from kataribe.domain.ids import normalise
from kataribe.domain.memory import Hit, Mark, Trait
from kataribe.domain.profiles import Profile, composite, inside, profile_named
from kataribe.domain.ranking import (
    DECIMALS,
    Floats,
    Places,
    RecallPolicy,
    best_of_group,
    ends_in_question,
    fuse,
    lent,
    lent_to_sentences,
    rounded,
    scaled,
)
from kataribe.ports.telemetry import step
from kataribe.read.values import Candidates, Opened, Plan, Ranked, Scored

_log = logging.getLogger("kataribe.recall")

_MS_PER_DAY = 86_400_000
_Columns = dict[str, Floats]


@step("score")
def score(
    candidates: Candidates,
    opened: Opened,
    plan: Plan,
    policy: RecallPolicy,
    places: Sequence[Place],
) -> Ranked:
    """Fuse the searches, add what stands beside, then weigh age and arousal by intent.

    `places` are those of all that the viewer may be given of a story, by which age is told.
    """
    keys = list(candidates.found)
    traits = [candidates.traits[key] for key in keys]
    columns = _relevance(candidates, keys, traits, opened, plan, policy)
    relevance = rounded(np.sum([columns[name] for name in _ADDED if name in columns], axis=0))
    columns |= _by_intent(columns["similarity"], scaled(relevance), traits, opened, plan, policy, places)
    share = policy.intent_weight
    scores = relevance if share == 0 else rounded((1 - share) * scaled(relevance) + share * columns["intent"])
    scored = (
        Scored(candidates.found[key], value, likely, row)
        for row, (key, value, likely) in enumerate(
            zip(keys, scores.tolist(), relevance.tolist(), strict=True)
        )
    )
    return Ranked(tuple(sorted(scored, key=Scored.order)), columns)


_ADDED = ("fused", "neighbours", "session", "speaker", "phrase", "pinned")
"""What relevance is the sum of."""


def _relevance(
    candidates: Candidates,
    keys: Sequence[int],
    traits: Sequence[Trait],
    opened: Opened,
    plan: Plan,
    policy: RecallPolicy,
) -> _Columns:
    similarity = np.array([candidates.similarity[key] for key in keys], dtype=np.float64)
    keyword = np.array([candidates.keyword[key] for key in keys], dtype=np.float64)
    fused = fuse(similarity, keyword, policy.keyword_weight)
    columns = {"similarity": similarity, "keyword": keyword, "fused": fused}
    if opened.is_talk:
        columns |= _of_talk(candidates, keys, traits, fused, plan, policy)
    elif candidates.beside:
        before, after = _rows_beside(candidates, keys)
        columns["neighbours"] = lent_to_sentences(fused, before, after, policy)
    verbatim = np.array([_held(plan.phrases, trait) for trait in traits], dtype=np.float64)
    columns["verbatim"] = verbatim
    columns["phrase"] = policy.phrase_bonus * verbatim
    columns["pinned"] = policy.pinned_bonus * np.array([trait.pinned for trait in traits], dtype=np.float64)
    return columns


def _of_talk(
    candidates: Candidates,
    keys: Sequence[int],
    traits: Sequence[Trait],
    fused: Floats,
    plan: Plan,
    policy: RecallPolicy,
) -> _Columns:
    """Give what a turn has of its neighbours, of its session, and of its speaker."""
    before, after = _rows_beside(candidates, keys)
    asks = [at >= 0 and ends_in_question(traits[at].text) for at in before.tolist()]
    neighbours = lent(fused, before, after, np.array(asks, dtype=np.bool_), policy)
    sessions = [trait.session for trait in traits]
    session = policy.session_share * best_of_group(fused + neighbours, sessions)
    speaker = policy.speaker_bonus * np.array([trait.speaker in plan.only for trait in traits])
    return {"neighbours": neighbours, "session": rounded(session), "speaker": speaker}


def _rows_beside(candidates: Candidates, keys: Sequence[int]) -> tuple[Places, Places]:
    """Give the rows of what stands before and after each candidate; -1 where nothing does."""
    rows = {key: row for row, key in enumerate(keys)}
    beside = [candidates.beside.get(key, (None, None)) for key in keys]
    before = np.array([-1 if one is None else rows[one] for one, _ in beside], dtype=np.int64)
    after = np.array([-1 if one is None else rows[one] for _, one in beside], dtype=np.int64)
    return before, after


def _folded(text: str) -> str:
    # Most English turns are plain already, and hundreds of texts are looked at.
    if text.isascii() and "\n" not in text and "\t" not in text and "  " not in text:
        return text.strip().lower()
    return normalise(text).casefold()


def _held(phrases: Sequence[str], trait: Trait) -> float:
    """Give the share of the phrases that stand in a text word by word."""
    if not phrases:
        return 0.0
    text = _folded(trait.text)
    return sum(phrase in text for phrase in phrases) / len(phrases)


def _by_intent(
    similarity: Floats,
    relevance: Floats,
    traits: Sequence[Trait],
    opened: Opened,
    plan: Plan,
    policy: RecallPolicy,
    places: Sequence[Place],
) -> _Columns:
    profile = profile_named(policy.profile)
    weights = profile.weights[plan.searched.intent].aged(policy.recency_share)
    arousal = np.array([trait.arousal or 0.0 for trait in traits], dtype=np.float64)
    decay = np.array(_decays(traits, opened, profile, places), dtype=np.float64)
    far = profile.distance.of(similarity=similarity, relevance=relevance)
    found = composite(far, arousal, decay, weights)
    return {
        "arousal": arousal,
        "decay": decay,
        "composite": found,
        "intent": inside(found, weights, most=profile.distance.most),
    }


def _decays(
    traits: Sequence[Trait], opened: Opened, profile: Profile, places: Sequence[Place]
) -> list[float]:
    """Tell how fresh each memory is, 1 for what is new.

    What was said ages by the clock, up to the moment asked about; what was told in a story
    ages by what the viewer came to know of later episodes (U-7).
    """
    if isinstance(opened.viewer, UserViewer):
        now = position_of(opened.viewer.as_of)
        return [profile.decay((now - trait.position) / _MS_PER_DAY) for trait in traits]
    # What the viewer knows of episodes after the fact's own.
    later = [len(places) - bisect_right(places, (trait.part, trait.position)) for trait in traits]
    return [profile.decay(profile.days_per_episode * count) for count in later]


def parts(ranked: Ranked, one: Scored) -> dict[str, float]:
    """Tell what a candidate's score is made of."""
    return {name: round(float(column[one.row]), DECIMALS) for name, column in ranked.columns.items()}


def marks(ranked: Ranked, one: Scored, policy: RecallPolicy) -> tuple[Mark, ...]:
    """Tell how a candidate is marked, by the profile that ranked it (S4-88)."""
    arousal, decay = (float(ranked.columns[name][one.row]) for name in ("arousal", "decay"))
    return profile_named(policy.profile).marks(arousal=arousal, decay=decay)


def log_hits(hits: Sequence[Hit], *, profile: str, intent: str) -> None:
    """Write a debug line for each hit (S4-89); its id, never its text."""
    if not _log.isEnabledFor(logging.DEBUG):
        return
    for hit in hits:
        part: Mapping[str, float] = hit.parts
        _log.debug(
            "%s %s %s sim=%.6f arousal=%.6f decay=%.6f composite=%.6f",
            hit.id,
            profile,
            intent,
            part["similarity"],
            part["arousal"],
            part["decay"],
            part["composite"],
        )
