"""What goes from step to step of a read."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from kataribe.domain.gate import Gate, Viewer
from kataribe.domain.memory import Candidate, Memory, Trait
from kataribe.domain.recall.planning import SearchPlan
from kataribe.domain.recall.when import AskedWhen
from kataribe.domain.similarity import Floats
from kataribe.domain.terms import Language
from kataribe.domain.text.tokens import whole_words
from kataribe.ports.kinds import Home

UNPLANNED = SearchPlan(made_by="none")
"""The plan of nobody: the question's own words."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A viewer's gate, home by home: what it may be given of each kind of space.

    `homes` are in the order of the gate and never empty; one whose gate is closed gives nothing.
    """

    viewer: Viewer
    homes: tuple[Home, ...]
    gate: Gate

    @property
    def in_cast(self) -> bool:
        """Whether the viewer is in its story's cast; True without a story."""
        return all(home.scope.in_cast for home in self.homes if home.scope is not None)

    @property
    def has_cast(self) -> bool:
        """Whether there is a cast at all that says who may remember what."""
        return any(home.scope is not None for home in self.homes)

    @property
    def pending_episodes(self) -> tuple[int, ...]:
        """The numbers within the cutoff that are not in memory yet."""
        return tuple(no for home in self.homes for no in home.pending_episodes)

    @property
    def pending_turns(self) -> int:
        """How many turns up to the viewer's moment are not in memory yet."""
        return sum(home.pending_turns for home in self.homes)

    @property
    def language(self) -> Language:
        """The language of the first home."""
        return self.homes[0].language

    @property
    def read(self) -> tuple[Home, ...]:
        """The homes that anything may be given of."""
        return tuple(home for home in self.homes if not home.gate.is_closed)

    @property
    def slices(self) -> tuple[str, ...]:
        """What may be read in words, as traces keep it; each with its space where there are several homes."""
        several = len(self.homes) > 1
        said = (home.describe(part, briefly=not several) for home in self.read for part in home.gate.slices)
        return tuple(dict.fromkeys(said))


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to look for.

    `terms` are keywords by language, `expansions` the names that were added to the question's own,
    and `phrases` are to be found word by word (normalised, in folded case). `named` are the speakers
    in the question, `only` those when they are some but not all. `searched` is the planner's. `when` is the
    time or the episodes that the question asks about.
    """

    terms: Mapping[Language, tuple[str, ...]]
    expansions: tuple[str, ...]
    phrases: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    only: frozenset[str] = frozenset()
    searched: SearchPlan = UNPLANNED
    when: AskedWhen | None = None

    is_of_then: bool = False
    """Whether the question asks about how things were, and not about how they are."""

    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By embedder id: the words that memories embedded by it are looked up by, beside the keywords."""

    def terms_for(self, home: Home) -> tuple[str, ...]:
        """Give all that the memories of a home are looked up by."""
        return (*self.terms[home.language], *self.words.get(home.built_with.embedder_id, ()))

    @property
    def all_terms(self) -> tuple[str, ...]:
        """The whole words of all languages, each once."""
        return tuple(dict.fromkeys(term for terms in self.terms.values() for term in whole_words(terms)))


@dataclass(frozen=True, slots=True)
class Candidates:
    """What the searches found in one home, each one's scores by key, and what ranking looks at beside them.

    Of each of the `traits` there are both scores; `beside` gives the keys (before, after) of a turn's
    neighbours. `near` and `wordy` count what each search found, `is_all` tells that a wider
    search would find nothing more that could count. `strays` tells that the index held what the
    ledger does not.
    """

    home: Home
    similarity: Mapping[int, float]
    keyword: Mapping[int, float]
    traits: Mapping[int, Trait]
    beside: Mapping[int, tuple[int | None, int | None]]
    near: int
    wordy: int
    is_all: bool
    strays: bool = False
    in_mind: Mapping[int, float] = field(default_factory=dict)
    """How active what memories name is once activation has spread from the question, by key."""
    asked_for: frozenset[int] = frozenset()
    """The keys of those from the time or the episodes that the question names."""

    def joined(self, other: Candidates, asked_for: frozenset[int]) -> Candidates:
        """Add those of another search of the same home."""
        return replace(
            self,
            similarity={**self.similarity, **other.similarity},
            keyword={**self.keyword, **other.keyword},
            traits={**self.traits, **other.traits},
            beside={**other.beside, **self.beside},
            in_mind={**self.in_mind, **other.in_mind},
            is_all=self.is_all and other.is_all,
            strays=self.strays or other.strays,
            asked_for=asked_for,
        )


def each_once(home: Home, memories: Sequence[Memory]) -> tuple[Memory, ...]:
    """Leave out all but the first copy of a fact where a home gives each once; they are in order."""
    if not home.lending.once:
        return tuple(memories)
    return tuple({(one.space, one.fact_id, one.text): one for one in reversed(memories)}.values())[::-1]


def once(found: Candidates) -> Candidates:
    """Leave out all but the first copy of a fact where a home gives each once, with their neighbours."""
    if not found.home.lending.once:
        return found
    ordered = sorted(found.traits.items(), key=lambda one: _in_place(one[1]))
    first: dict[tuple[str, str, str], int] = {}
    stands_for = {key: first.setdefault((one.space, one.fact_id, one.text), key) for key, one in ordered}
    beside: dict[int, tuple[int | None, int | None]] = {}
    for key, _ in ordered:
        known, told = beside.get(stands_for[key], (None, None)), found.beside.get(key, (None, None))
        beside[stands_for[key]] = (
            _first_copy(stands_for, known[0], told[0]),
            _first_copy(stands_for, known[1], told[1]),
        )
    kept = {key: one for key, one in found.traits.items() if stands_for[key] == key}
    return replace(found, traits=kept, beside=beside)


def _first_copy(stands_for: Mapping[int, int], known: int | None, other: int | None) -> int | None:
    return stands_for.get(other) if known is None and other is not None else known


def _in_place(one: Trait) -> tuple[int, int, int, str, str]:
    return (one.part, one.position, one.place, one.fact_id, one.holder)


class Scored(NamedTuple):
    """A candidate with its score, its match (that without intent), its row, and which home it is of."""

    candidate: Trait
    score: float
    match: float
    row: int
    home: int = 0

    def order(self) -> tuple[float, float, int, int, str, str]:
        """Sort best first, ties by match, then in the gate's order, then by fact id, then holder (P2)."""
        _, fact_id, holder, position, _, part, *_ = self.candidate
        return (-self.score, -self.match, part, position, fact_id, holder)


@dataclass(frozen=True, slots=True)
class Ranked:
    """All candidates, the best first, and what their scores are made of: a column for each part.

    `columns` are those of all rows; `own` those that only the rows of one home have, with the
    row its rows begin at.
    """

    scored: tuple[Scored, ...]
    columns: Mapping[str, Floats]
    own: tuple[tuple[int, Mapping[str, Floats]], ...] = field(default=((0, {}),))


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """What an index outside the store proposed, before the view opened.

    `ids` of memories go by space. `seen` is the revision of each space when the index was asked,
    `unfed` the units that it lacked then: what has changed since is searched beside it too.
    `asked` is how many were asked for each home.
    """

    asked: int
    ids: Mapping[str, Collection[str]]
    seen: Mapping[str, int]
    unfed: Mapping[str, frozenset[str]]
    misses_nothing: bool
    was_reached: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Preselected:
    """The best of what was proposed for a home and of what the index lacks, scored by the store."""

    near: tuple[Candidate, ...]
    misses_nothing: bool
