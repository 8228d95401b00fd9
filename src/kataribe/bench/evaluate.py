"""`kataribe bench locomo|personachat|stories`: how well recall finds, on data anybody can bring."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Literal, cast

from kataribe.bench.ablation import WHOLE, story_policies, talk_policies
from kataribe.bench.evidence import DEPTHS, FoundEvidence, together
from kataribe.bench.qa_sets import ADVERSARIAL, Talk
from kataribe.domain.memory import Hit
from kataribe.domain.recall.probing import Probe, leaks, rank_of_wanted
from kataribe.domain.recall.ranking import DEFAULT_RECALL, RecallPolicy
from kataribe.domain.recall.requests import ViewerKeys
from kataribe.engine import Only, Services
from kataribe.face.sync.kataribe import Kataribe
from kataribe.formats.gold import read_probes
from kataribe.formats.wire.bench import StoryFigureJson, TalkFigureJson
from kataribe.wiring import default_services
from kataribe.wiring import open as open_store

AsOf = Literal["now", "end"]
"""When questions about a conversation are asked: today, or a minute after its last turn."""

Say = Callable[[str], None]
"""Told what is being done, for people who wait."""

NO_PLANNER = "without the planner"
_DEEPEST = max(DEPTHS)
_MODES: tuple[Only, ...] = ("facts", "text")
_TOP = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class TalkFigures:
    """What one setting found in one category of questions; recalls and MRR are from 0 to 1.

    Where contexts were put together: their mean tokens, the share of the evidence that they hold, and
    that by 1,000 tokens.
    """

    setting: str
    category: str
    asked: int
    recall_5: float
    recall_10: float
    recall_25: float
    mrr: float
    ms: float
    context_tokens: float | None = None
    context_evidence: float | None = None
    evidence_per_1000: float | None = None

    def as_json(self) -> TalkFigureJson:
        """Give it as a JSON object."""
        return cast(TalkFigureJson, asdict(self))


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryFigures:
    """What one setting found in one story; `top_5` and the like are shares of the `wanted` probes.

    `by_words` counts only hits that hold a wanted key string, not those of a wanted episode; `around`
    counts a string in what stands around the hit as well.
    """

    setting: str
    story: str
    mode: str
    probes: int
    leaks: int
    wanted: int
    top_1: float
    top_5: float
    by_words: float
    around: float
    mrr: float
    ms: float

    def as_json(self) -> StoryFigureJson:
        """Give it as a JSON object."""
        return cast(StoryFigureJson, asdict(self))


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatedSetting:
    """How to measure: the embedder (None: the language's default), and which parts to switch off."""

    embedder: str | None = None
    switched: bool = True
    as_of: AsOf = "now"
    base: RecallPolicy = DEFAULT_RECALL

    def settings(
        self, policies: Callable[[RecallPolicy], dict[str, RecallPolicy]]
    ) -> dict[str, tuple[RecallPolicy, str]]:
        """Give each setting's policy and planner by its name."""
        if not self.switched:
            return {WHOLE: (self.base, "rules")}
        made = {name: (policy, "rules") for name, policy in policies(self.base).items()}
        return {**made, NO_PLANNER: (self.base, "none")}


def conversations(talks: Sequence[Talk], choice: EvaluatedSetting, say: Say) -> Iterator[TalkFigures]:
    """Bring conversations in, each as a user of its own, and ask all that is asked about them."""
    parts = default_services()
    with TemporaryDirectory(prefix="kataribe-bench-") as folder:
        path = Path(folder) / "talks.db"
        with open_store(str(path), services=parts) as store:
            for talk in talks:
                say(f"remembering {talk.name}: {len(talk.turns)} turns")
                store.user(talk.name).create(language=talk.language, embedder=choice.embedder)
                store.user(talk.name).put_turns(talk.turns)
                store.user(talk.name).sync()
        for setting, (policy, planner) in choice.settings(talk_policies).items():
            say(f"asking: {setting}")
            with opened(path, parts, policy) as store:
                found = _ask(store, talks, planner, choice.as_of)
            yield from _figures(setting, found)


def opened(path: Path, parts: Services, policy: RecallPolicy) -> Kataribe:
    """Open a store whose recall uses these numbers."""
    return open_store(str(path), services=replace(parts, recall_policy=policy))


def _ask(store: Kataribe, talks: Sequence[Talk], planner: str, as_of: AsOf) -> dict[str, FoundEvidence]:
    found: dict[str, FoundEvidence] = {}
    for talk in talks:
        moment = None if as_of == "now" else talk.turns[-1].time + timedelta(minutes=1)
        for asked in talk.asked:
            begun = perf_counter()
            answer = store.recall(
                asked.question, user=talk.name, as_of=moment, top_k=_DEEPEST, planner=planner
            )
            took = (perf_counter() - begun) * 1000
            ids = [hit.fact_id for hit in answer.hits]
            found.setdefault(asked.category, FoundEvidence()).add(ids, asked.evidence, took)
    return found


def _figures(setting: str, found: dict[str, FoundEvidence]) -> Iterator[TalkFigures]:
    counted = [one for category, one in found.items() if category != ADVERSARIAL]
    yield _figure(setting, "all", together(counted))
    if setting == WHOLE and len(found) > 1:
        for category in sorted(found):
            yield _figure(setting, category, found[category])


def _figure(setting: str, category: str, found: FoundEvidence) -> TalkFigures:
    return TalkFigures(
        setting=setting,
        category=category,
        asked=found.asked,
        recall_5=round(found.recall(5), 4),
        recall_10=round(found.recall(10), 4),
        recall_25=round(found.recall(25), 4),
        mrr=round(found.mrr, 4),
        ms=round(found.median_ms, 3),
    )


@dataclass(slots=True)
class _Probed:
    """What the answers to a story's probes came to."""

    asked: int = 0
    wanted: int = 0
    leaked: int = 0
    first: int = 0
    found: int = 0
    by_words: int = 0
    around: int = 0
    reciprocal: float = 0.0

    def add(self, probe: Probe, hits: Sequence[Hit], everything: Sequence[Hit]) -> None:
        self.asked += 1
        # Whatever the question, nothing else could ever come back.
        self.leaked += len(leaks(probe, (*hits, *everything)))
        if not probe.wanted:
            return
        self.wanted += 1
        rank = rank_of_wanted(probe, hits)
        self.first += rank == 1
        self.found += rank is not None and rank <= _TOP
        self.by_words += rank_of_wanted(probe, hits[:_TOP], words_only=True) is not None
        self.around += rank_of_wanted(probe, hits[:_TOP], words_only=True, around=True) is not None
        self.reciprocal += 0.0 if rank is None else 1 / rank


def stories(folders: Sequence[Path], choice: EvaluatedSetting, say: Say) -> Iterator[StoryFigures]:
    """Bring stories in, by their supplied facts and by their texts, and ask all probes."""
    parts = default_services()
    with TemporaryDirectory(prefix="kataribe-bench-") as scratch:
        for at, folder in enumerate(folders):
            for mode in _MODES:
                say(f"remembering {folder.name} by its {mode}")
                path = Path(scratch) / f"{at}-{mode}.db"
                with open_store(str(path), services=parts) as store:
                    store.story("s").import_folder(folder, only=mode, embedder=choice.embedder)
                    store.story("s").sync()
                probes = [
                    p for p in read_probes(folder / "gold.jsonl") if mode == "facts" or p.mode != "facts"
                ]
                for setting, (policy, planner) in choice.settings(story_policies).items():
                    with opened(path, parts, policy) as store:
                        yield _probe_all(store, probes, planner, folder.name, mode, setting)


def _probe_all(
    store: Kataribe, probes: Sequence[Probe], planner: str, story: str, mode: str, setting: str
) -> StoryFigures:
    score, times = _Probed(), FoundEvidence()
    for probe in probes:
        begun = perf_counter()
        viewer = ViewerKeys(story="s", persona=probe.character, at=probe.episode_no)
        hits = store.recall(probe.question, planner=planner, **viewer).hits
        times.milliseconds.append((perf_counter() - begun) * 1000)
        everything = store.known(**viewer).hits if setting == WHOLE else ()
        score.add(probe, hits, everything)
    of = max(score.wanted, 1)
    return StoryFigures(
        setting=setting,
        story=story,
        mode=mode,
        probes=score.asked,
        leaks=score.leaked,
        wanted=score.wanted,
        top_1=round(score.first / of, 4),
        top_5=round(score.found / of, 4),
        by_words=round(score.by_words / of, 4),
        around=round(score.around / of, 4),
        mrr=round(score.reciprocal / of, 4),
        ms=round(times.median_ms, 3),
    )
