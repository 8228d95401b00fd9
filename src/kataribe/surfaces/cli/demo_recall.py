"""The demo's look at recall: conversations, answers, an explanation, and how much of the probes is found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import kataribe as face
from kataribe.domain.recall.probing import Probe, leaks, rank_of_wanted
from kataribe.domain.recall.requests import ViewerKeys
from kataribe.formats.gold import read_probes
from kataribe.formats.logs import read_log
from kataribe.surfaces.cli import explain, output

USERS = ("akari", "nora")
_ASKED = 10
_TOP = 5


def show_talk(kataribe: face.Kataribe, talks: Path) -> None:
    """Bring two conversations in and ask about them, as of two moments."""
    output.heading("two conversations go in: memory by the clock, not by the episode")
    for user in USERS:
        log = read_log(talks / f"{user}.jsonl")
        kataribe.user(user).create(language=log.language)
        kataribe.user(user).put_turns(log.turns)
        done = kataribe.user(user).sync()
        output.result(f"  {user}: {len(log.turns)} turns, {done.pages} days remembered")
    _said(kataribe, "望遠鏡をのぞいて何を見た？", ViewerKeys(user="akari"))
    _said(kataribe, "What broke in the storeroom?", ViewerKeys(user="nora"))
    before = kataribe.user("nora").turns(session="3")[0].time
    earlier = ViewerKeys(user="nora", as_of=before.replace(hour=0))
    _said(kataribe, "What broke in the storeroom?", earlier, note=" (asked that morning)")


def _said(kataribe: face.Kataribe, question: str, viewer: ViewerKeys, note: str = "") -> None:
    output.result(f"  {question}{note}")
    for hit in kataribe.recall(question, top_k=1, **viewer).hits:
        assert isinstance(hit, face.TurnHit)
        output.result(f"    [{hit.time.date().isoformat()}, {hit.speaker}] {hit.text}")


def show_answers(kataribe: face.Kataribe) -> None:
    """Answer without a model: the evidence in order, labelled; and show how one came about."""
    output.heading("an answer without a model is the evidence, and says so")
    asked = "灯守の正体を知っている？"
    for character, at in (("澪", 1), ("澪", 6)):
        viewer = ViewerKeys(story="yoimachi", persona=character, at=at)
        told = kataribe.answer(asked, top_k=2, **viewer)
        output.result(f"  {character} at episode {at}: {asked}")
        for line in told.text.splitlines():
            output.result(f"    {line}")
    output.heading("and why: recall --explain")
    found = kataribe.recall(
        "Which day does the ferry leave?",
        story="lantern-isle",
        persona="odile",
        at=5,
        top_k=3,
        explain=True,
    )
    if found.explanation is not None:
        explain.show(found, found.explanation)


@dataclass(slots=True)
class _Count:
    """What the answers to probes came to."""

    probes: int = 0
    wanted: int = 0
    leaked: int = 0
    found: int = 0
    reciprocal: float = 0.0

    def add(self, probe: Probe, hits: Sequence[face.Hit]) -> None:
        """Judge one answer."""
        self.probes += 1
        self.leaked += len(leaks(probe, hits))
        if not probe.wanted:
            return
        rank = rank_of_wanted(probe, hits)
        self.wanted += 1
        self.found += rank is not None and rank <= _TOP
        self.reciprocal += 0.0 if rank is None else 1 / rank


def show_probes(kataribe: face.Kataribe, stories: Path, told: Sequence[tuple[str, str, str]]) -> None:
    """Ask all probes of stories: `told` names the story in the store, its folder, and what it was made of."""
    output.heading("probe questions: is what is wanted among the first five, and does anything leak?")
    for story_id, folder, made_of in told:
        gold = read_probes(stories / folder / "gold.jsonl")
        count = _Count()
        for probe in gold:
            if made_of == "facts" or probe.mode != "facts":
                viewer = ViewerKeys(story=story_id, persona=probe.character, at=probe.episode_no)
                count.add(probe, kataribe.recall(probe.question, top_k=_ASKED, **viewer).hits)
        output.result(
            f"  {folder}, {made_of}: {count.probes} questions, {count.leaked} leaks, "
            f"{count.found} of {count.wanted} found in the top {_TOP}, "
            f"MRR {count.reciprocal / max(count.wanted, 1):.2f}"
        )
    output.result("  (`kataribe bench stories` shows what each part of recall earns)")
