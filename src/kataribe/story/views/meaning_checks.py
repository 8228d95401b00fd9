"""Secrets that show by what is meant: sentences as like a secret as another wording of it is."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from kataribe.domain.arrays import np, npt
from kataribe.domain.gate import Gate, Slice
from kataribe.domain.ids import normalise
from kataribe.domain.space import story_space
from kataribe.domain.story.likeness import Likeness
from kataribe.domain.story.views import Finding, Severity
from kataribe.ports import View
from kataribe.story.views.fact_checks import is_leak, told_to
from kataribe.story.views.held_fact import HeldFact
from kataribe.story.views.story_view import StoryView

Facts = Mapping[str, HeldFact]
Rows: TypeAlias = "npt.NDArray[np.float32]"

_TOGETHER = 256
"""Secrets that are compared at once."""
_EACH = 3
"""Sentences looked at for each secret: the likest ones."""
_END = 2**62


@dataclass(frozen=True, slots=True)
class Shown:
    """A secret and a sentence that may give it away, as they stand and without the names in them."""

    secret: str
    other: str
    likeness: float
    bare_secret: str
    bare_other: str


def suspects(
    view: View, seen: StoryView, facts: Facts, least: Likeness, known: Collection[frozenset[str]]
) -> tuple[Shown, ...]:
    """Find sentences outside that are much like a secret that the author made one, and share a name with it.

    Pairs that are `known` are left out. The time grows with the number of such secrets times that
    of the facts.
    """
    secrets = [fact for fact in facts.values() if fact.is_declared and not fact.is_public]
    if not secrets:
        return ()
    rows = _rows(view, seen, facts)
    ids = [fact_id for fact_id in facts if fact_id in rows]
    if not ids:
        return ()
    names = _Names(seen)
    told = told_to(facts)
    matrix = np.stack([rows[fact_id] for fact_id in ids])
    found: list[Shown] = []
    given = [secret for secret in secrets if secret.fact_id in rows]
    for at in range(0, len(given), _TOGETHER):
        some = given[at : at + _TOGETHER]
        products = np.stack([rows[secret.fact_id] for secret in some]) @ matrix.T
        for secret, likeness in zip(some, products, strict=True):
            others = ((facts[ids[n]], float(likeness[n])) for n in _likest(likeness, least.whole))
            found += _of_secret(facts, secret, others, names, told.get(secret.fact_id, {}), known)
    return tuple(found)


def _likest(likeness: Rows, least: float) -> list[int]:
    high = np.flatnonzero(likeness >= least)
    return sorted(high.tolist(), key=lambda n: (-float(likeness[n]), n))


def _of_secret(
    facts: Facts,
    secret: HeldFact,
    others: Iterator[tuple[HeldFact, float]],
    names: _Names,
    told: Mapping[str, int],
    known: Collection[frozenset[str]],
) -> list[Shown]:
    found: list[Shown] = []
    named = names.of(secret.text)
    for other, likeness in others:
        pair = frozenset((secret.fact_id, other.fact_id))
        if len(pair) < 2 or pair in known or not is_leak(facts, secret, other, told):
            continue
        if named == names.of(other.text) == frozenset() or named & names.of(other.text):
            bare = names.bare(secret.text), names.bare(other.text)
            found.append(Shown(secret.fact_id, other.fact_id, likeness, *bare))
            if len(found) == _EACH:
                break
    return found


class _Names:
    """The names of a cast, found in texts."""

    def __init__(self, seen: StoryView) -> None:
        called = {
            normalise(alias.text): character.character_id
            for character in seen.cast
            for alias in character.called()
        }
        listed = sorted((name for name in called if name), key=lambda name: (-len(name), name))
        self._owners = called
        self._pattern = re.compile("|".join(map(re.escape, listed)) or "(?!)")

    def of(self, text: str) -> frozenset[str]:
        return frozenset(self._owners[name] for name in self._pattern.findall(normalise(text)))

    def bare(self, text: str) -> str:
        return self._pattern.sub(" ", normalise(text)).strip() or "-"


def _rows(view: View, seen: StoryView, facts: Facts) -> dict[str, Rows]:
    """Give the vector of each fact, of length 1, of one copy of it."""
    holders = sorted({holder for fact in facts.values() for holder in fact.holders})
    gate = Gate(
        tuple(
            Slice(story_space(part.story_id), holder, _END if part.cap is None else part.cap, number)
            for number, part in enumerate(seen.parts)
            for holder in holders
        )
    )
    keys: dict[str, int] = {}
    for memory in view.admitted(gate):
        if memory.fact_id in facts:
            keys.setdefault(memory.fact_id, memory.key)
    vectors = view.vectors.vectors_of(set(keys.values()), gate=gate)
    return {
        fact_id: np.asarray(vectors[key], dtype=np.float32)
        for fact_id, key in keys.items()
        if key in vectors and np.any(vectors[key])
    }


def secrets_shown(
    facts: Facts, suspected: Sequence[Shown], bare: Mapping[tuple[str, str], float], least: Likeness
) -> Iterator[Finding]:
    """Tell of suspects that are alike without the names too: for each secret the likest one.

    `bare` is how alike the texts without names are, by both of them.
    """
    best: defaultdict[str, list[tuple[float, str]]] = defaultdict(list)
    for one in suspected:
        likeness = bare.get((one.bare_secret, one.bare_other), 0.0)
        if likeness >= least.bare:
            best[one.secret].append((-likeness, one.other))
    for secret_id, others in best.items():
        yield _finding(facts[secret_id], facts[min(others)[1]])


def _finding(secret: HeldFact, other: HeldFact) -> Finding:
    outside = "everybody" if other.is_public else ", ".join(sorted(other.holders - secret.holders))
    return Finding(
        code="secret-shows",
        # Likeness tells what is of one matter, and only often that it says the same.
        severity=Severity.NOTE,
        says=f"known to {', '.join(sorted(secret.holders))}, but {other.fact_id} of episode "
        f"{other.episode_no} seems to tell {outside} the same in other words",
        advice="a guess: if it gives the secret away, make it secret too, or say with told_from who was told",
        episode_no=secret.episode_no,
        fact_ids=(secret.fact_id, other.fact_id),
        characters=tuple(sorted(secret.holders)),
        is_guess=True,
    )
