"""Fourth step: one score for each candidate, higher is better."""

from __future__ import annotations

import logging
import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import accumulate
from typing import cast

from kataribe.domain.arrays import np
from kataribe.domain.gate import Place
from kataribe.domain.ids import normalise
from kataribe.domain.memory import Hit, Mark, Trait
from kataribe.domain.recall.profiles import Profile, composite, inside, profile_named
from kataribe.domain.recall.ranking import (
    Places,
    RecallPolicy,
    best_of_group,
    ends_in_question,
    fuse,
    lent,
    lent_to_sentences,
    scaled,
)
from kataribe.domain.similarity import DECIMALS, Floats, rounded
from kataribe.domain.text.tokens import tokens, whole_words
from kataribe.ports.telemetry import step
from kataribe.read.values import Candidates, Plan, Ranked, Scored

_log = logging.getLogger("kataribe.recall")

_MS_PER_DAY = 86_400_000
_Columns = dict[str, Floats]


@step("score")
def score(
    found: Sequence[Candidates],
    plan: Plan,
    policy: RecallPolicy,
    places: Sequence[Place],
) -> Ranked:
    """Fuse the searches, add what stands beside, then weigh age and arousal by intent.

    `found` are the candidates of each home. Likenesses are scaled by the best of their embedder,
    keyword scores by the best of all. `places` are those of all that the viewer may be given of
    a story, by which age is told.
    """
    raw = [_raw(one) for one in found]
    scales = _scales(found, raw)
    parts = [
        _match(one, own, plan, policy, scales[one.home.built_with.embedder_id], scales[_WORDS])
        for one, own in zip(found, raw, strict=True)
    ]
    matches = [rounded(np.sum([own[name] for name in _ADDED if name in own], axis=0)) for own in parts]
    match = np.concatenate(matches)
    similarity = np.concatenate([own["similarity"] for own in parts])
    shares, share = scaled(match), policy.intent_weight
    columns = _by_intent(similarity, shares, found, plan, policy, places)
    scores = match if share == 0 else rounded((1 - share) * shares + share * columns["intent"])
    if plan.when is not None:
        from_then = np.array([key in one.asked_for for one in found for key in one.traits], dtype=np.float64)
        bonus = policy.when_bonus if _asks_more(plan) else _MORE_THAN_ALL
        columns, scores = {**columns, "when": from_then}, scores + bonus * from_then
    starts = accumulate((len(one.traits) for one in found), initial=0)
    own = tuple(zip(starts, parts, strict=False))
    return Ranked(_best_first(found, scores, match), columns, own)


def _best_first(found: Sequence[Candidates], scores: Floats, match: Floats) -> tuple[Scored, ...]:
    """Sort all candidates as `Scored.order` does."""
    traits = [trait for one in found for trait in one.traits.values()]
    homes = [number for number, one in enumerate(found) for _ in one.traits]
    order = np.lexsort((-match, -scores))
    rows, best, matched = order.tolist(), scores[order].tolist(), match[order].tolist()
    if len(set(zip(best, matched, strict=True))) < len(rows):
        rows = _by_id(traits, rows, best, matched)
    ordered = [traits[row] for row in rows]
    # A tuple is made of each as it is: a recall makes hundreds, and shows ten.
    return tuple(
        map(_AS_SCORED, zip(ordered, best, matched, rows, [homes[row] for row in rows], strict=True))
    )


_AS_SCORED = cast(Callable[[tuple[object, ...]], Scored], partial(tuple.__new__, Scored))


def _by_id(
    traits: Sequence[Trait], rows: Sequence[int], scores: Sequence[float], matches: Sequence[float]
) -> list[int]:
    """Sort rows anew whose scores and matches tie: by what the candidates are."""
    told = [
        (-score, -match, one.part, one.position, one.fact_id, one.holder, row)
        for score, match, one, row in zip(scores, matches, [traits[row] for row in rows], rows, strict=True)
    ]
    return [row for *_, row in sorted(told)]


_MORE_THAN_ALL = 1.0
"""More than all parts of a score together."""
_SAYS_MORE = 2
"""Keywords beside a date and the names of speakers from which on a question asks for more than a date."""


def _asks_more(plan: Plan) -> bool:
    """Tell whether a question asks for something of its time, or for whatever there was."""
    dated = " ".join((*plan.named, plan.when.words if plan.when is not None else ""))
    return any(
        sum(map(_says_something, set(whole_words(terms)) - set(tokens(dated, language)))) >= _SAYS_MORE
        for language, terms in plan.terms.items()
    )


_TELLS = re.compile("[a-z0-9ァ-ヺ]|(?![何誰時年月日話章回前頃])[一-鿿]")


def _says_something(term: str) -> bool:
    """Tell whether a keyword says anything: kana alone, and 何 or 誰, do not."""
    return _TELLS.search(term) is not None


_ADDED = ("fused", "neighbours", "session", "speaker", "phrase", "pinned", "in_mind")
"""What a match is the sum of."""
_WORDS = ""
"""Beside the embedders' ids: the best keyword score."""


_Raw = tuple[Floats, Floats]
"""Likeness and keyword score of each candidate of one home, in their order."""


def _raw(one: Candidates) -> _Raw:
    similarity, keyword = one.similarity, one.keyword
    return (
        np.array([similarity[key] for key in one.traits], dtype=np.float64),
        np.array([keyword[key] for key in one.traits], dtype=np.float64),
    )


def _scales(found: Sequence[Candidates], raw: Sequence[_Raw]) -> dict[str, float]:
    """Give the best likeness of each embedder, and the best keyword score of all."""
    best: dict[str, float] = {_WORDS: 0.0}
    for one, (similarity, keyword) in zip(found, raw, strict=True):
        name = one.home.built_with.embedder_id
        best[name] = float(similarity.max(initial=best.get(name, 0.0)))
        best[_WORDS] = float(keyword.max(initial=best[_WORDS]))
    return best


def _match(
    candidates: Candidates, raw: _Raw, plan: Plan, policy: RecallPolicy, likest: float, wordiest: float
) -> _Columns:
    keys = list(candidates.traits)
    traits = list(candidates.traits.values())
    similarity, keyword = raw
    fused = fuse(similarity, keyword, policy.keyword_weight, likest=likest, wordiest=wordiest)
    columns = {"similarity": similarity, "keyword": keyword, "fused": fused}
    if candidates.home.lending.by_turns:
        columns |= _of_turns(candidates, keys, traits, fused, plan, policy)
    elif candidates.beside:
        before, after = _rows_beside(candidates, keys)
        columns["neighbours"] = lent_to_sentences(fused, before, after, policy)
    if candidates.in_mind:
        active = np.array([candidates.in_mind.get(key, 0.0) for key in keys], dtype=np.float64)
        columns["in_mind"] = rounded(policy.association_share * scaled(active))
    verbatim = _verbatim(plan.phrases, traits)
    columns["verbatim"] = verbatim
    columns["phrase"] = policy.phrase_bonus * verbatim
    columns["pinned"] = policy.pinned_bonus * np.array([trait.pinned for trait in traits], dtype=np.float64)
    return columns


def _of_turns(
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
    sessions = [(trait.space, trait.session) for trait in traits]
    session = policy.session_share * best_of_group(fused + neighbours, sessions)
    named = [trait.speaker in plan.only for trait in traits] if plan.only else np.zeros(len(traits))
    speaker = policy.speaker_bonus * np.array(named)
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


def _verbatim(phrases: Sequence[str], traits: Sequence[Trait]) -> Floats:
    """Give for each text the share of the phrases that stand in it word by word."""
    if not phrases:
        return np.zeros(len(traits))
    return np.array([_held(phrases, trait) for trait in traits], dtype=np.float64)


def _held(phrases: Sequence[str], trait: Trait) -> float:
    text = _folded(trait.text)
    return sum(phrase in text for phrase in phrases) / len(phrases)


def _by_intent(
    similarity: Floats,
    match: Floats,
    found: Sequence[Candidates],
    plan: Plan,
    policy: RecallPolicy,
    places: Sequence[Place],
) -> _Columns:
    profile = profile_named(policy.profile)
    weights = profile.weights[plan.searched.intent].aged(policy.recency_share)
    arousal = np.array([trait.arousal or 0.0 for one in found for trait in one.traits.values()])
    aged = [value for one in found for value in _decays(one, profile, places)]
    decay = np.array(aged, dtype=np.float64)
    far = profile.distance.of(similarity=similarity, match=match)
    distance = composite(far, arousal, decay, weights)
    return {
        "arousal": arousal,
        "decay": decay,
        "composite": distance,
        "intent": inside(distance, weights, most=profile.distance.most),
    }


def _decays(candidates: Candidates, profile: Profile, places: Sequence[Place]) -> list[float]:
    """Tell how fresh each memory is, 1 for what is new.

    What was said ages by the clock, up to the moment asked about; what was told in a story
    ages by what the viewer came to know of later episodes (U-7). Documents do not age.
    """
    if not candidates.home.lending.ages:
        return [1.0] * len(candidates.traits)
    stand = [(trait.part, trait.position) for trait in candidates.traits.values()]
    if candidates.home.lending.by_clock:
        now = {one.part: one.upto for one in candidates.home.gate.slices}
        decay = profile.decay
        return [decay((now[part] - position) / _MS_PER_DAY) for part, position in stand]
    # What the viewer knows of episodes after the fact's own; many facts are of one episode.
    later = {place: len(places) - bisect_right(places, place) for place in set(stand)}
    aged = {place: profile.decay(profile.days_per_episode * count) for place, count in later.items()}
    return [aged[place] for place in stand]


def parts(ranked: Ranked, shown: Sequence[Scored]) -> list[dict[str, float]]:
    """Tell what the scores of these candidates are made of."""
    told: list[dict[str, float]] = [{} for _ in shown]
    for home in dict.fromkeys(one.home for one in shown):
        at = [number for number, one in enumerate(shown) if one.home == home]
        start, own = ranked.own[home]
        rows = np.array([shown[number].row for number in at], dtype=np.int64)
        for columns, where in ((own, rows - start), (ranked.columns, rows)):
            for name, column in columns.items():
                for number, value in zip(at, column[where].tolist(), strict=True):
                    told[number][name] = value if value in _WHOLE else round(value, DECIMALS)
    return told


_WHOLE = (0.0, 1.0)
"""What most parts are, and need not be rounded."""


def marks(ranked: Ranked, shown: Sequence[Scored], policy: RecallPolicy) -> list[tuple[Mark, ...]]:
    """Tell how these candidates are marked, by the profile that ranked them (S4-88)."""
    profile, rows = profile_named(policy.profile), [one.row for one in shown]
    arousal, decay = (ranked.columns[name][rows].tolist() for name in ("arousal", "decay"))
    return [profile.marks(arousal=one, decay=two) for one, two in zip(arousal, decay, strict=True)]


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
