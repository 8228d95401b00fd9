"""Exact search by words over shelves: BM25 whose every count is taken inside the gate (P2)."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from kataribe.arena.gated import Gated, SpanRows, best
from kataribe.arena.row_span import RowSpan
from kataribe.arena.segment import Counts, Hashes, Ints
from kataribe.arena.table import GateTable
from kataribe.domain.arrays import np
from kataribe.domain.filters import Filter
from kataribe.domain.gate import Gate
from kataribe.domain.memory import Candidate
from kataribe.domain.recall.ranking import K1, B
from kataribe.domain.similarity import Floats, rounded
from kataribe.domain.text.tokens import term_hash

_SLACK = 1e-5
"""How far a score may be off that is not rounded, and added up in another order; far more than it is."""

_WHOLE = 1 << 13
"""Up to so many postings in all it is quicker to add everything up than to look what can be left out."""

_Held = tuple[Counts, Counts]
"""The rows of a span that hold a term, and how often each does."""


@dataclass(frozen=True, eq=False)
class _Part:
    """One span, what it holds of each term, and the average length inside the gate."""

    span: RowSpan
    held: Sequence[_Held]
    average: float

    @cached_property
    def norms(self) -> Floats:
        """Shape (rows of the span,): what BM25 adds to a count in the denominator."""
        return self.norms_of(self.span.leaf.block.lengths[: self.span.size])

    def norms_of(self, lengths: Ints) -> Floats:
        """The same for rows of these lengths."""
        return K1 * (1 - B + B * lengths.astype(np.float64) / self.average)

    def exact(self, rows: Ints, idf: Sequence[float]) -> Floats:
        """Give the rounded scores of rows; terms are added in their order, as float sums depend on it."""
        totals = np.zeros(len(rows))
        norms = self.norms_of(self.span.leaf.block.lengths[rows])
        for (holding, counts), weight in zip(self.held, idf, strict=True):
            if len(holding):
                at = np.minimum(holding.searchsorted(rows), len(holding) - 1)
                count = np.where(holding[at] == rows, counts[at], 0).astype(np.float64)
                totals += weight * count * (K1 + 1) / (count + norms)
        return rounded(totals)

    def totals(self, idf: Sequence[float]) -> Floats:
        """Add up what the terms give each row of the span, in their order; shape (rows of the span,)."""
        sizes = [len(rows) for rows, _ in self.held]
        if not any(sizes):
            return np.zeros(self.span.size)
        rows = np.concatenate([rows for rows, _ in self.held])
        counts = np.concatenate([counts for _, counts in self.held]).astype(np.float64)
        weights = np.repeat(np.array(idf), sizes)
        weights = weights * counts * (K1 + 1) / (counts + self.norms_of(self.span.leaf.block.lengths[rows]))
        # Adds in the order of the array, so that every row's sum is that of `exact`.
        return np.bincount(rows, weights=weights, minlength=self.span.size).astype(np.float64, copy=False)


@dataclass(frozen=True, eq=False)
class AskedTerms:
    """Terms, sorted, as they stand inside a gate."""

    parts: Sequence[_Part]
    idf: Sequence[float]

    @cached_property
    def postings(self) -> Sequence[int]:
        """How many rows hold each term."""
        return [sum(len(part.held[at][0]) for part in self.parts) for at in range(len(self.idf))]

    @cached_property
    def whole(self) -> Sequence[Floats] | None:
        """The rounded scores of all rows, part by part; None where there are too many to add up."""
        if sum(self.postings) > _WHOLE:
            return None
        return [rounded(part.totals(self.idf)) for part in self.parts]

    def scores(self, at: int, rows: Ints) -> Floats:
        """Give the rounded scores of rows of one part."""
        return self.parts[at].exact(rows, self.idf) if self.whole is None else self.whole[at][rows]


class ShelfKeywordIndex:
    """`KeywordIndex` over shelves."""

    def __init__(self, gated: Gated) -> None:
        self._gated = gated
        self._last: tuple[tuple[tuple[str, ...], Gate], AskedTerms] | None = None
        self._words: tuple[GateTable, tuple[str, ...], Floats] | None = None

    def matching(
        self, terms: Sequence[str], *, gate: Gate, top_k: int, where: Filter | None = None
    ) -> tuple[Candidate, ...]:
        """Give the memories that hold any of the terms, best first."""
        if gate.is_closed or not terms or top_k < 1:
            return ()
        return best(self.promising(terms, gate=gate, top_k=top_k, where=where), top_k)

    def promising(
        self, terms: Sequence[str], *, gate: Gate, top_k: int, where: Filter | None = None
    ) -> list[SpanRows]:
        """Give for each span of a gate the rows that may be among the best, with their exact scores."""
        asked = self.asked(terms, gate)
        allowed = self._gated.allowed(gate, where)
        found: list[SpanRows] = []
        for at, rows in enumerate(_promising(asked, top_k, allowed)):
            scores = asked.scores(at, rows)
            is_above = scores > 0
            found.append((asked.parts[at].span, rows[is_above], scores[is_above]))
        return found

    def scores(self, terms: Sequence[str], keys: Collection[int], *, gate: Gate) -> Mapping[int, float]:
        """Give the score of each of these memories behind the gate."""
        found: dict[int, float] = {}
        if not keys:
            return found
        table = self._gated.table(gate)
        if table is not None:
            here, places = table.rows_of(keys)
            return dict(zip(here, self.words(table, terms)[places].tolist(), strict=True))
        asked = self.asked(terms, gate)
        wanted = np.array(sorted(keys), dtype=np.int64)
        for at, part in enumerate(asked.parts):
            rows, named = part.span.rows_of(wanted)
            found.update(zip(named.tolist(), asked.scores(at, rows).tolist(), strict=True))
        return found

    def words(self, table: GateTable, terms: Sequence[str]) -> Floats:
        """Give the score of each row of a table; the last answer is kept, since a recall asks twice."""
        question = tuple(sorted(set(terms)))
        if self._words is None or self._words[0] is not table or self._words[1] != question:
            self._words = (table, question, table.words(question))
        return self._words[2]

    def asked(self, terms: Sequence[str], gate: Gate) -> AskedTerms:
        """Look the terms up; the last answer is kept, since a recall asks twice."""
        question = (tuple(sorted(set(terms))), gate)
        if self._last is None or self._last[0] != question:
            self._last = (question, _looked_up(self._gated.spans(gate), question[0]))
        return self._last[1]


def _looked_up(spans: Sequence[RowSpan], terms: Sequence[str]) -> AskedTerms:
    documents = sum(span.live for span in spans)
    average = sum(span.length for span in spans) / documents if documents else 1.0
    hashes = np.array([term_hash(term) for term in terms], dtype=np.uint64)
    parts = [_Part(span, _holding(span, hashes), average or 1.0) for span in spans]
    holding = [sum(len(part.held[at][0]) for part in parts) for at in range(len(terms))]
    return AskedTerms(parts, [math.log(1 + (documents - n + 0.5) / (n + 0.5)) for n in holding])


def _holding(span: RowSpan, hashes: Hashes) -> list[_Held]:
    """Give for each term the admitted rows that hold it."""
    block, live = span.leaf.block, span.leaf.live
    last = len(block.terms) - 1
    places = block.terms.searchsorted(hashes)
    is_there = block.terms[np.minimum(places, last)] == hashes if last >= 0 else np.zeros(len(hashes), bool)
    found: list[_Held] = []
    for place, there in zip(places.tolist(), is_there.tolist(), strict=True):
        start, end = (int(block.starts[place]), int(block.starts[place + 1])) if there else (0, 0)
        rows, counts = block.rows[start:end], block.counts[start:end]
        if span.size < len(block):
            inside = int(rows.searchsorted(span.size))
            rows, counts = rows[:inside], counts[:inside]
        if live is not None:
            lives = live[rows]
            rows, counts = rows[lives], counts[lives]
        found.append((rows, counts))
    return found


def _promising(asked: AskedTerms, top_k: int, allowed: Ints | None) -> list[Ints]:
    """Give for each part the rows, in order, that may be among the best `top_k`.

    The rarest terms go first; once the common ones left cannot lift another row among the
    best, they are not looked at (MaxScore).
    """
    if asked.whole is not None:
        return _among(asked, asked.whole, allowed)
    sums = [np.zeros(part.span.size) for part in asked.parts]
    left = sum(asked.idf) * (K1 + 1)
    added = 0
    for at in sorted(range(len(asked.idf)), key=lambda at: (-asked.idf[at], at)):
        # A look costs about what adding as many postings does as were added up to now.
        is_worth_it = 0 < added < asked.postings[at]
        if is_worth_it and left + _SLACK < _threshold(_among(asked, sums, allowed), sums, top_k):
            break
        for part, total in zip(asked.parts, sums, strict=True):
            rows, weights = _weighed(part, at, asked.idf[at])
            total[rows] += weights
        left -= asked.idf[at] * (K1 + 1)
        added += asked.postings[at]
    found = _among(asked, sums, allowed)
    least = _threshold(found, sums, top_k) - max(left, 0.0) - _SLACK
    return [rows[total[rows] >= least] for rows, total in zip(found, sums, strict=True)]


def _weighed(part: _Part, at: int, weight: float) -> tuple[Counts, Floats]:
    rows, counts = part.held[at]
    norms = part.norms[rows]
    return rows, weight * counts * (K1 + 1) / (counts + norms)


def _among(asked: AskedTerms, sums: Sequence[Floats], allowed: Ints | None) -> list[Ints]:
    """Give the rows with any score that a filter lets pass."""
    # Of booleans, which is ten times as quick as of floats.
    rows = [(total > 0).nonzero()[0] for total in sums]
    if allowed is None:
        return rows
    keys = [part.span.leaf.block.keys for part in asked.parts]
    return [row[np.isin(key[row], allowed)] for row, key in zip(rows, keys, strict=True)]


def _threshold(rows: Sequence[Ints], sums: Sequence[Floats], count: int) -> float:
    """Give the score of the `count`-th best of these rows; 0 when there are fewer."""
    if sum(len(row) for row in rows) < count:
        return 0.0
    every = np.concatenate([total[row] for row, total in zip(rows, sums, strict=True)])
    return float(np.partition(every, len(every) - count)[len(every) - count])
