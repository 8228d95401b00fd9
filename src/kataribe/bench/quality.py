"""Probed stories: does anything leak, and is what is wanted near the top?"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kataribe.bench.folders import bundled, outside
from kataribe.bench.rows import BenchRow, at_most
from kataribe.bench.synthetic import open_ledger
from kataribe.bench.workspace import Stage
from kataribe.domain.gate import Viewer
from kataribe.domain.memory import Hit, Recollection
from kataribe.domain.recall.probing import Probe, leaks, rank_of_wanted
from kataribe.domain.recall.ranking import DEFAULT_RECALL, RecallPolicy
from kataribe.domain.story.inputs import Story
from kataribe.engine import Only, Services
from kataribe.engine.kinds import KINDS
from kataribe.formats.gold import read_probes
from kataribe.ports import Ledger, Vector
from kataribe.read.path import RecallQuestion, known, recall
from kataribe.wiring import default_services
from kataribe.wiring import open as open_store

_POLICIES = {
    "hybrid": DEFAULT_RECALL,
    "BM25 alone": RecallPolicy(keyword_weight=1.0),
    "vectors alone": RecallPolicy(keyword_weight=0.0),
}
_MODES: tuple[Only, ...] = ("facts", "text")
_TOP = 5
_ASKED = 10


@dataclass(slots=True)
class ProbeScore:
    """What the answers to all probes of a story came to."""

    asked: int = 0
    wanted: int = 0
    leaked: int = 0
    found: int = 0
    found_by_words: int = 0
    found_around: int = 0
    reciprocal: float = 0.0

    def add(self, probe: Probe, hits: Sequence[Hit]) -> None:
        """Judge the ten hits of one answer: what is wanted should be in the first five."""
        self.asked += 1
        if not probe.wanted:
            return
        self.wanted += 1
        rank = rank_of_wanted(probe, hits)
        self.found += rank is not None and rank <= _TOP
        self.found_by_words += rank_of_wanted(probe, hits[:_TOP], words_only=True) is not None
        self.found_around += rank_of_wanted(probe, hits[:_TOP], words_only=True, around=True) is not None
        self.reciprocal += 0.0 if rank is None else 1 / rank


def measure(stage: Stage) -> Iterator[BenchRow]:
    """Ask all probes of each story, from supplied facts and from the texts."""
    parts = default_services()
    with bundled() as own:
        for folder in (*own, *outside()):
            for mode in _MODES:
                yield from _story(stage, parts, folder, mode)


def _story(stage: Stage, parts: Services, folder: Path, mode: Only) -> Iterator[BenchRow]:
    path = stage.path()
    with open_store(str(path), services=parts) as store:
        store.story("s").import_folder(folder, only=mode)
        store.story("s").sync()
        story = store.story("s").info()
    probes = [p for p in read_probes(folder / "gold.jsonl") if mode == "facts" or p.mode != "facts"]
    vectors = asyncio.run(_embedded(parts, story, probes))
    ledger = open_ledger(path)
    try:
        for name, policy in _POLICIES.items():
            score = _ask(ledger, story, probes, vectors, policy)
            yield from _rows(f"{folder.name}, {mode}, {name}", score, is_default=policy is DEFAULT_RECALL)
    finally:
        ledger.close()


async def _embedded(parts: Services, story: Story, probes: Sequence[Probe]) -> list[Vector]:
    embedder = parts.embedder(story.embedder)
    return [await embedder.embed_query(probe.question) for probe in probes]


def _ask(
    ledger: Ledger, story: Story, probes: Sequence[Probe], vectors: Sequence[Vector], policy: RecallPolicy
) -> ProbeScore:
    score = ProbeScore()
    for probe, vector in zip(probes, vectors, strict=True):
        asked = RecallQuestion(
            text=probe.question,
            vectors={(story.embedder_id, probe.question): vector},
            top_k=_ASKED,
            policy=policy,
        )
        viewer = Viewer(story=story.story_id, persona=probe.character, at=probe.episode_no)
        with ledger.reading() as reading:
            found = recall(KINDS, reading, viewer, asked)
            assert isinstance(found, Recollection)
            hits = found.hits
            score.add(probe, hits)
            # Whatever the question, nothing else could ever come back.
            everything = known(KINDS, reading, viewer).hits
            score.leaked += len(leaks(probe, (*hits, *everything)))
    return score


def _rows(what: str, score: ProbeScore, *, is_default: bool) -> Iterator[BenchRow]:
    target, met = at_most(score.leaked, 0, "")
    if is_default:
        yield _row(f"{what}: leaks ({score.asked} probes)", score.leaked, "", target.strip(), met)
    of = max(score.wanted, 1)
    yield _row(f"{what}: in top 5, of {score.wanted}", score.found / of, "share")
    yield _row(f"{what}: in top 5 by words", score.found_by_words / of, "share")
    yield _row(f"{what}: in top 5 by words, around counted", score.found_around / of, "share")
    yield _row(f"{what}: MRR", score.reciprocal / of, "share")


def _row(what: str, value: float, unit: str, target: str = "", met: bool | None = None) -> BenchRow:
    return BenchRow(bench="quality", what=what, value=value, unit=unit, target=target, met=met)
