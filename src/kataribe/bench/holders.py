"""Who may remember what, guessed from the text alone, held against the author's annotations."""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from kataribe.bench.folders import bundled
from kataribe.bench.rows import BenchRow
from kataribe.bench.stand_ins import services
from kataribe.bench.synthetic import open_ledger
from kataribe.bench.workspace import NAME, Stage
from kataribe.domain.memory import Reason
from kataribe.domain.terms import RULES, Audience
from kataribe.errors import ExtractionError
from kataribe.story.fingerprints import fingerprints, story_of
from kataribe.wiring import open as open_store

_STATED = ("episodes.jsonl", "cast.json", "story.json")
_Held = tuple[str, int, int, Audience]
"""Episode, start and end of a quote, and who holds it."""


@dataclass(slots=True)
class Tally:
    """Pairs of a sentence and a holder; a public sentence of the author's is one pair with the world."""

    sentences: int = 0
    waiting: int = 0
    guessed: int = 0
    allowed: int = 0
    gold: int = 0
    hit: int = 0
    gold_secret: int = 0
    hit_secret: int = 0

    def add(self, gold: Audience, guess: Audience) -> None:
        """Hold a guess against what the author says."""
        told, meant = set(guess.holders()), set(gold.holders())
        self.sentences += 1
        self.waiting += not told
        self.guessed += len(told)
        self.allowed += len(told) if gold.world else len(told & meant)
        self.gold += len(meant)
        self.hit += len(told & meant)
        if not gold.world:
            self.gold_secret += len(meant)
            self.hit_secret += len(told & meant)


def measure(stage: Stage) -> Iterator[BenchRow]:
    """Read the bundled stories with their casts, once with and once without annotations."""
    with bundled() as folders:
        for folder in folders:
            gold = _audiences(stage, folder, model=RULES, stated_only=True)
            guessed = _audiences(stage, _stripped(stage, folder), model=stage.model, stated_only=False)
            yield from _rows(folder.name, held_against(gold, guessed))


def held_against(gold: Iterable[_Held], guessed: Iterable[_Held]) -> Tally:
    """Hold each fact against every annotated sentence it quotes from.

    A sentence that nothing quotes counts as one that waits.
    """
    tally = Tally()
    by_episode: defaultdict[str, list[_Held]] = defaultdict(list)
    for guess in guessed:
        by_episode[guess[0]].append(guess)
    for episode_id, start, end, audience in gold:
        over = [who for _, low, high, who in by_episode[episode_id] if low < end and start < high]
        for who in over or [Audience()]:
            tally.add(audience, who)
    return tally


def _stripped(stage: Stage, folder: Path) -> Path:
    bare = stage.path("-bare")
    bare.mkdir()
    for name in _STATED:
        if (folder / name).exists():
            shutil.copyfile(folder / name, bare / name)
    return bare


def _audiences(stage: Stage, folder: Path, *, model: str, stated_only: bool) -> list[_Held]:
    """Give each fact's quote and audience; `stated_only` leaves out what the author did not annotate."""
    path = stage.path()
    parts = replace(services(stage.embedder), extractor=stage.extractor)
    with open_store(str(path), services=parts) as store:
        store.story("s").import_folder(folder, only="text", embedder=NAME, model=model)
        done = store.story("s").sync()
        if done.failed or done.dead:
            raise ExtractionError(str({**done.failed, **done.dead}))
    found: list[_Held] = []
    ledger = open_ledger(path)
    try:
        with ledger.reading() as reading:
            states = reading.episode_states("s")
            prints = fingerprints(reading, story_of(reading, "s"), states)
            for state in states:
                kept = reading.extraction("s", state.episode_id, prints[state.episode_id].extraction)
                for draft in kept.drafts if kept is not None else ():
                    if not stated_only or draft.reason is Reason.ANNOTATION:
                        found.append((state.episode_id, draft.start, draft.end, draft.audience))
    finally:
        ledger.close()
    return found


def _rows(name: str, tally: Tally) -> Iterator[BenchRow]:
    what = f"{name}, {tally.sentences} sentences"
    yield _row(f"{what}: precision", tally.allowed / max(tally.guessed, 1), "share")
    yield _row(f"{name}: recall (public: the world)", tally.hit / max(tally.gold, 1), "share")
    yield _row(f"{name}: recall of secrets", tally.hit_secret / max(tally.gold_secret, 1), "share")
    yield _row(f"{name}: waiting in review", tally.waiting / max(tally.sentences, 1), "share")
    yield _row(f"{name}: leaks, of {tally.guessed} pairs guessed", tally.guessed - tally.allowed, "")


def _row(what: str, value: float, unit: str) -> BenchRow:
    return BenchRow(bench="holders", what=what, value=value, unit=unit)
