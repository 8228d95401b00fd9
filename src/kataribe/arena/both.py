"""Both searches of a recall at once: what either finds is scored by both, row by row where it lies."""

from __future__ import annotations

from collections.abc import Sequence

from kataribe.arena.gated import Gated, SpanRows, foremost
from kataribe.arena.keywords import AskedTerms, ShelfKeywordIndex
from kataribe.arena.segment import Ints
from kataribe.arena.vectors import ShelfVectorIndex, similarities_of
from kataribe.domain.arrays import np
from kataribe.domain.filters import Filter
from kataribe.domain.gate import Gate
from kataribe.domain.similarity import Floats
from kataribe.ports import FoundByBoth, Vector


def search_both(
    gated: Gated,
    vectors: ShelfVectorIndex,
    keywords: ShelfKeywordIndex,
    vector: Vector,
    terms: Sequence[str],
    *,
    gate: Gate,
    top_k: int,
    where: Filter | None = None,
) -> FoundByBoth:
    """Give the `top_k` of each search without making candidates of them.

    Both indexes are over `gated`.
    """
    if gate.is_closed or top_k < 1:
        return FoundByBoth()
    table = None if where is not None else gated.table(gate)
    if table is not None and table.width == len(vector):
        return table.best(vectors.likeness(table, vector), keywords.words(table, terms), top_k=top_k)
    near = foremost(vectors.promising(vector, gate=gate, top_k=top_k, where=where), top_k)
    wordy: list[SpanRows] = []
    if terms:
        wordy = foremost(keywords.promising(terms, gate=gate, top_k=top_k, where=where), top_k)
    asked = keywords.asked(terms, gate)
    keys: list[int] = []
    similarity: list[float] = []
    keyword: list[float] = []
    for at, one in enumerate(near):
        rows, likeness = _with(one, wordy[at][1] if wordy else None, vector)
        keys += one[0].leaf.block.keys[rows].tolist()
        similarity += likeness.tolist()
        keyword += _scores(asked, at, rows)
    return FoundByBoth(
        keys=keys,
        similarity=similarity,
        keyword=keyword,
        near=sum(len(rows) for _, rows, _ in near),
        wordy=sum(len(rows) for _, rows, _ in wordy),
        least=min((float(scores.min()) for _, _, scores in near if len(scores)), default=1.0),
    )


def _with(one: SpanRows, wordy: Ints | None, vector: Vector) -> tuple[Ints, Floats]:
    """Add to the rows found by likeness those that words alone found, and how like they are."""
    span, rows, likeness = one
    if wordy is None or not len(wordy):
        return rows, likeness
    is_near = np.zeros(span.size, dtype=np.bool_)
    is_near[rows] = True
    more = wordy[~is_near[wordy]]
    if not len(more):
        return rows, likeness
    return np.concatenate((rows, more)), np.concatenate((likeness, similarities_of(span, more, vector)))


def _scores(asked: AskedTerms, at: int, rows: Ints) -> list[float]:
    found: list[float] = asked.scores(at, rows).tolist()
    return found
