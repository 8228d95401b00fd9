"""What memory in tiers costs recall, and what it spares a context: conversations with nights held."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from kataribe.bench.evaluate import AsOf, EvaluatedSetting, Say, TalkFigures
from kataribe.bench.evidence import DEPTHS, FoundEvidence, together
from kataribe.bench.qa_sets import ADVERSARIAL, Asked, Talk
from kataribe.bench.synthetic import open_ledger
from kataribe.conversation.tiers import holders_in
from kataribe.domain.conversation.life.policy import DEFAULT_TIERS, TierPolicy, policy_from
from kataribe.domain.conversation.life.values import Life
from kataribe.domain.recall.context import ContextItem
from kataribe.domain.recall.policy_file import Tuning
from kataribe.engine import Services
from kataribe.face.sync.kataribe import Kataribe
from kataribe.wiring import default_services
from kataribe.wiring import open as open_store

LOG = "the whole log"
RAW = "raw turns"
REMEMBERED = "nights, nothing fades"
FADING = "nights, fading"
EVERY_NIGHT = "0 3 * * *"
_DEEPEST = max(DEPTHS)
_LONG = 999_999
NOTHING_FADES = policy_from(
    {
        "decay": {
            "warm_days": _LONG - 2,
            "cool_days": _LONG - 1,
            "archive_days": _LONG,
            "delete_days": _LONG + 1,
        },
        "retention": dict.fromkeys(("decision", "request", "fact", "policy", "turn"), "permanent"),
    }
)
"""Numbers by which nights promote and consolidate, and no memory ages."""


@dataclass(slots=True)
class _ToldEvidence:
    """What contexts held of the evidence, and how many tokens they took."""

    asked: int = 0
    found: float = 0.0
    tokens: int = 0

    def add(self, found: frozenset[str], evidence: frozenset[str], tokens: int) -> None:
        self.asked += 1
        self.found += len(found & evidence) / len(evidence)
        self.tokens += tokens


@dataclass(slots=True)
class _Category:
    recalled: FoundEvidence = field(default_factory=FoundEvidence)
    told: _ToldEvidence = field(default_factory=_ToldEvidence)


def with_nights(talks: Sequence[Talk], choice: EvaluatedSetting, say: Say) -> Iterator[TalkFigures]:
    """Ask about conversations without tiers, and after a night a day, with and without fading.

    Nights are held at three, UTC, up to the day after the last turn. Recall counts a hit of a turn for
    that turn, and one that is derived only for the turns whose words it quotes. A context's evidence is
    told by 1,000 of its tokens, beside that of the whole log.
    """
    parts = default_services()
    with TemporaryDirectory(prefix="kataribe-bench-") as folder:
        whole = Path(folder) / "talks.db"
        _fill(whole, parts, talks, choice, say)
        yield from _figures(LOG, _logs(parts, talks))
        for name, policy in ((RAW, None), (REMEMBERED, NOTHING_FADES), (FADING, DEFAULT_TIERS)):
            path = Path(folder) / f"{name}.db"
            shutil.copyfile(whole, path)
            if policy is None:
                _without_tiers(path, talks)
            else:
                _held(path, _tuned(parts, policy), talks, say)
            say(f"asking: {name}")
            with open_store(str(path), services=_tuned(parts, policy or DEFAULT_TIERS)) as store:
                found = _asked(store, talks, choice.as_of)
            yield from _figures(name, found)


def _tuned(parts: Services, policy: TierPolicy) -> Services:
    return replace(parts, tuning=Tuning(tiers=policy))


def _fill(path: Path, parts: Services, talks: Sequence[Talk], choice: EvaluatedSetting, say: Say) -> None:
    with open_store(str(path), services=parts) as store:
        for talk in talks:
            say(f"remembering {talk.name}: {len(talk.turns)} turns")
            user = store.user(talk.name)
            user.create(language=talk.language, embedder=choice.embedder)
            user.put_turns(talk.turns)
            user.sync()


def _without_tiers(path: Path, talks: Sequence[Talk]) -> None:
    """Take out what is kept in tiers, so that every turn is recalled as if nothing had been made of any."""
    ledger = open_ledger(path)
    with ledger.writing() as tx:
        for talk in talks:
            for space, holder in holders_in(tx, talk.name):
                tx.put_life(space, holder, Life())
    ledger.close()


def _held(path: Path, parts: Services, talks: Sequence[Talk], say: Say) -> None:
    with open_store(str(path), services=parts) as store:
        for talk in talks:
            upto = _end(talk) + timedelta(days=1)
            nights = store.user(talk.name).memory.catch_up(EVERY_NIGHT, UTC, upto=upto)
            say(f"held {len(nights)} nights with {talk.name}")


def _end(talk: Talk) -> datetime:
    return talk.turns[-1].time + timedelta(minutes=1)


def _asked(store: Kataribe, talks: Sequence[Talk], as_of: AsOf) -> dict[str, _Category]:
    found: dict[str, _Category] = {}
    for talk in talks:
        texts = {turn.turn_id: turn.text for turn in talk.turns}
        moment = None if as_of == "now" else _end(talk)
        for asked in talk.asked:
            _ask(store, talk, asked, moment, texts, found.setdefault(asked.category, _Category()))
    return found


def _ask(
    store: Kataribe,
    talk: Talk,
    asked: Asked,
    moment: datetime | None,
    texts: dict[str, str],
    found: _Category,
) -> None:
    begun = perf_counter()
    hits = store.recall(asked.question, user=talk.name, as_of=moment, top_k=_DEEPEST, planner="rules").hits
    took = (perf_counter() - begun) * 1000
    found.recalled.add([hit.fact_id for hit in hits], asked.evidence, took)
    context = store.context(asked.question, user=talk.name, as_of=moment)
    told = frozenset(one for item in context.items for one in _quoted(item, asked.evidence, texts))
    found.told.add(told, asked.evidence, context.tokens)


def _quoted(item: ContextItem, evidence: frozenset[str], texts: dict[str, str]) -> Iterator[str]:
    """Name the turns of the evidence that an item of a context is, or whose words it quotes."""
    for turn_id in evidence:
        words = item.text.strip()
        if item.fact_id == turn_id or (words and item.fact_id not in texts and words in texts[turn_id]):
            yield turn_id


def _logs(parts: Services, talks: Sequence[Talk]) -> dict[str, _Category]:
    """Say what the whole log comes to, handed over for each question."""
    counter = parts.counter("estimate")
    found: dict[str, _Category] = {}
    for talk in talks:
        tokens = sum(counter.count(f"{turn.speaker}: {turn.text}\n") for turn in talk.turns)
        for asked in talk.asked:
            category = found.setdefault(asked.category, _Category())
            category.recalled.asked += 1
            category.told.add(asked.evidence, asked.evidence, tokens)
    return found


def _figures(setting: str, found: dict[str, _Category]) -> Iterator[TalkFigures]:
    counted = [one for category, one in found.items() if category != ADVERSARIAL]
    told = _ToldEvidence(
        asked=sum(one.told.asked for one in counted),
        found=sum(one.told.found for one in counted),
        tokens=sum(one.told.tokens for one in counted),
    )
    yield _figure(setting, "all", _Category(together(one.recalled for one in counted), told))
    if len(found) > 1 and setting != LOG:
        for category in sorted(found):
            yield _figure(setting, category, found[category])


def _figure(setting: str, category: str, found: _Category) -> TalkFigures:
    recalled, told = found.recalled, found.told
    tokens = told.tokens / max(told.asked, 1)
    share = told.found / max(told.asked, 1)
    return TalkFigures(
        setting=setting,
        category=category,
        asked=recalled.asked,
        recall_5=round(recalled.recall(5), 4),
        recall_10=round(recalled.recall(10), 4),
        recall_25=round(recalled.recall(25), 4),
        mrr=round(recalled.mrr, 4),
        ms=round(recalled.median_ms, 3),
        context_tokens=round(tokens, 1),
        context_evidence=round(share, 4),
        evidence_per_1000=round(1000 * share / tokens, 4) if tokens else 0.0,
    )
