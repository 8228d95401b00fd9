"""How relevance is fitted, how far it can be trusted, and when it keeps an answer silent."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from kataribe.bench.calibration import HELD_BACK, TALKS, times_of, turn_of
from kataribe.bench.folders import bundled, outside, outside_root
from kataribe.bench.rows import BenchRow
from kataribe.bench.workspace import Stage
from kataribe.domain.memory import Hit, Kind, TurnHit
from kataribe.domain.recall.calibration import TOP, Labelled
from kataribe.domain.recall.relevance import Cues, RelevanceModel, cues, model_for
from kataribe.domain.terms import Language
from kataribe.face.sync.kataribe import Kataribe
from kataribe.formats.labels import read_gold, read_qa
from kataribe.wiring import DEFAULT_EMBEDDERS, LEXICAL_EMBEDDER, default_services
from kataribe.wiring import open as open_store

QUESTIONS = "KATARIBE_QUESTIONS"
"""Names the folder of questions; `tests/questions` of the working folder otherwise."""
_HELD_BACK = HELD_BACK | {"FK-FR"}
_EDGES = (0.0, 0.05, 0.1, 0.2, 0.4, 1.01)
_NAMELESS = 0.15
"""The weight of each labelled pair once more as if nobody were named: users ask without names too."""

Floats = npt.NDArray[np.float64]
_Group = tuple[str, Kind, Language]


@dataclass(frozen=True, slots=True)
class Judged:
    """One question with the cues of its hits. `answers` tells which hits are evidence; none of an
    off-topic question, and of one that nothing answers."""

    of: str
    question: str
    tag: str
    pairs: Floats
    answers: Floats

    @property
    def is_answered(self) -> bool:
        """Whether evidence is among the hits."""
        return bool(self.answers.any())

    def best(self, model: RelevanceModel) -> float:
        """Give the relevance of the best hit."""
        return max((model.relevance(Cues(*row)) for row in self.pairs.tolist()), default=0.0)


def measure(stage: Stage) -> Iterator[BenchRow]:
    """Ask labelled, off-topic and unanswerable questions; judge what ships on what it was not fitted on."""
    folder = Path(os.environ.get(QUESTIONS, "tests/questions"))
    if not (folder / "off_topic.en.jsonl").exists():
        stage.left_out.append(f"relevance: there are no questions in {folder}; name them by {QUESTIONS}")
        return
    groups: dict[_Group, list[Judged]] = defaultdict(list)
    for group, one in _asked(stage, folder):
        groups[group].append(one)
    for group, judged in sorted(groups.items()):
        yield from _rows(group, judged)


def _rows(group: _Group, judged: Sequence[Judged]) -> Iterator[BenchRow]:
    embedder_id, kind, language = group
    what = f"{embedder_id.split('-')[0]}, {kind.value}, {language}"
    chosen, held = parted(judged)
    fitted = fit(chosen)
    for name, value in zip(("bias", *Cues._fields), (fitted.bias, *fitted.weights), strict=True):
        yield _row(f"{what}: fitted {name}", value, "weight")
    ships = model_for(embedder_id, kind, language)
    if ships is None:
        return
    for name, some in (("chosen on", chosen), ("tried on", held)):
        answered = [one for one in some if one.is_answered]
        lost = sum(one.best(ships) < ships.minimum for one in answered)
        yield _row(f"{what}: {name}: lost of {len(answered)} answered", lost / max(len(answered), 1), "share")
        for tag in ("off", "near", "unanswered"):
            asked = [one for one in some if one.tag == tag]
            silent = sum(one.best(ships) < ships.minimum for one in asked)
            if asked:
                yield _row(f"{what}: {name}: silent of {len(asked)} {tag}", silent / len(asked), "share")
    yield from _reliability(what, ships, held)


def _reliability(what: str, model: RelevanceModel, held: Sequence[Judged]) -> Iterator[BenchRow]:
    """Give for each range of relevance how often a hit in it was evidence."""
    told = [
        (model.relevance(Cues(*row)), bool(answer))
        for one in held
        if one.tag != "unanswered"
        for row, answer in zip(one.pairs.tolist(), one.answers.tolist(), strict=True)
    ]
    for low, high in pairwise(_EDGES):
        inside = [(value, is_right) for value, is_right in told if low <= value < high]
        if inside:
            mean = sum(value for value, _ in inside) / len(inside)
            right = sum(is_right for _, is_right in inside) / len(inside)
            yield _row(f"{what}: evidence of {len(inside)} said to be {mean:.3f}", right, "share")


def parted(judged: Sequence[Judged]) -> tuple[list[Judged], list[Judged]]:
    """Part questions into those fitted on and those held back: of off-topic ones every other."""
    off = sorted({one.question for one in judged if one.tag in ("off", "near")})
    known = set(off[::2])
    chosen = [one for one in judged if one.of not in _HELD_BACK]
    held = [one for one in judged if one.of in _HELD_BACK]
    is_off = ("off", "near")
    return (
        [one for one in chosen if one.tag not in is_off or one.question in known],
        [one for one in held if one.tag not in is_off or one.question not in known],
    )


def fit(judged: Sequence[Judged]) -> RelevanceModel:
    """Fit the weights by penalised maximum likelihood; cues that speak against evidence are left out.

    The bars of what it gives are 0: they are chosen by hand between what is lost and what is kept.
    """
    rows = [one for one in judged if one.tag != "unanswered" and len(one.pairs)]
    pairs = np.concatenate([one.pairs for one in rows])
    answers = np.concatenate([one.answers for one in rows])
    asked = np.concatenate([np.full(len(one.pairs), one.is_answered) for one in rows])
    again = asked & (pairs[:, 3] > 0)
    nameless = pairs[again] * np.array([1.0, 1.0, 1.0, 0.0])
    pairs, answers = np.concatenate([pairs, nameless]), np.concatenate([answers, answers[again]])
    trust = np.concatenate([np.ones(len(asked)), np.full(int(again.sum()), _NAMELESS)])
    used = list(range(pairs.shape[1]))
    while True:
        weights = _fitted(pairs[:, used], answers, trust)
        if (weights[1:] >= 0).all():
            break
        used.pop(int(np.argmin(weights[1:])))
    found = np.zeros(pairs.shape[1])
    found[used] = weights[1:]
    a, b, c, d = (round(float(one), 2) for one in found)
    return RelevanceModel(round(float(weights[0]), 2), (a, b, c, d), 0.0, 0.0)


_PENALTY = 0.3
_STEPS = 60


def _fitted(pairs: Floats, answers: Floats, trust: Floats) -> Floats:
    """Fit a logistic function by Newton's steps; shape (1 + cues,), the bias first."""
    x = np.column_stack([np.ones(len(pairs)), pairs])
    weights = np.zeros(x.shape[1])
    for _ in range(_STEPS):
        said = 1 / (1 + np.exp(-x @ weights))
        curve = (x * (trust * said * (1 - said) + 1e-9)[:, None]).T @ x + _PENALTY * np.eye(x.shape[1])
        weights = weights + np.linalg.solve(curve, x.T @ (trust * (answers - said)) - _PENALTY * weights)
    return weights


# -- what is asked -------------------------------------------------------------------------------


def _asked(stage: Stage, folder: Path) -> Iterator[tuple[_Group, Judged]]:
    with bundled() as own:
        for story in (*own, *outside()):
            yield from _of_story(stage, folder, story)
    yield from _of_observations(stage, folder)
    for name, file, of, turn_id, caption, language in TALKS:
        where = outside_root() / name
        if not (where / file).exists():
            stage.left_out.append(f"relevance on {name}: it is not in KATARIBE_TEST_DATA")
            continue
        said = _lines(where / file)
        for conversation in dict.fromkeys(str(row[of]) for row in said):
            mine = [row for row in said if row[of] == conversation]
            timed = zip(mine, times_of(mine), strict=True)
            turns = [turn_of(row, when, turn_id, caption) for row, when in timed]
            labelled = _labelled(where, folder, conversation)
            if not labelled:
                continue
            for embedder in (DEFAULT_EMBEDDERS[language], LEXICAL_EMBEDDER):
                with open_store(str(stage.path()), services=default_services()) as store:
                    user = store.user("u")
                    user.create(language=language, embedder=embedder)
                    user.put_turns(turns)
                    user.sync()
                    group = (user.info().embedder_id, Kind.TURN, language)
                    for asked, tag in (*labelled, *_off_topic(folder, language)):
                        hits = store.recall(asked.question, user="u", top_k=TOP).hits
                        yield group, _judged(conversation, asked, tag, hits, language)


def _labelled(where: Path, folder: Path, conversation: str) -> list[tuple[Labelled, str]]:
    asked = where / "qa.jsonl"
    is_asked = any(conversation in (row.get("conv"), row.get("pair")) for row in _lines(asked))
    own = read_qa(asked, conversation=conversation) if is_asked else ()
    found = [(one, "answered") for one in own if one.evidence]
    for name, tag in (("answerable.ja.jsonl", "answered"), ("unanswered.ja.jsonl", "unanswered")):
        for row in _lines(folder / name):
            if row["of"] == conversation:
                ids = row.get("evidence")
                evidence = frozenset(map(str, ids)) if isinstance(ids, list) else frozenset()
                found.append((Labelled(question=str(row["question"]), evidence=evidence), tag))
    return found


def _off_topic(folder: Path, language: Language) -> list[tuple[Labelled, str]]:
    return [
        (Labelled(question=str(row["question"])), "near" if row.get("near") else "off")
        for row in _lines(folder / f"off_topic.{language}.jsonl")
    ]


def _of_story(stage: Stage, folder: Path, story: Path) -> Iterator[tuple[_Group, Judged]]:
    """Ask a story once of its supplied facts and once of its sentences."""
    gold = read_gold(story / "gold.jsonl")
    last = max(gold, key=lambda one: one.at or 0)
    for only in ("facts", "text"):
        for embedder in (None, LEXICAL_EMBEDDER):
            with open_store(str(stage.path()), services=default_services()) as store:
                store.story("s").import_folder(story, only=only, embedder=embedder)
                store.story("s").sync()
                info = store.story("s").info()
                group = (info.embedder_id, Kind.FACT, info.language)
                off = _off_topic(folder, info.language)
                for asked, tag in (*((one, "") for one in gold), *off):
                    who = asked if not tag else last
                    hits = store.recall(
                        asked.question, story="s", persona=who.character, at=who.at, top_k=TOP
                    ).hits
                    is_answerable = bool(asked.evidence or asked.keys or asked.episodes)
                    yield (
                        group,
                        _judged(
                            story.name,
                            asked,
                            tag or ("answered" if is_answerable else "unanswered"),
                            hits,
                            info.language,
                        ),
                    )


def _of_observations(stage: Stage, folder: Path) -> Iterator[tuple[_Group, Judged]]:
    """Ask LoCoMo's questions of what its authors observed, as the facts of a story."""
    where = outside_root() / "locomo"
    if not (where / "observations.jsonl").exists():
        return
    rows = _lines(where / "observations.jsonl")
    for conversation in dict.fromkeys(str(row["conv"]) for row in rows):
        mine = [row for row in rows if row["conv"] == conversation]
        proofs = {f"o{at}": {str(one) for one in _list(row, "evidence")} for at, row in enumerate(mine)}
        asked_of = read_qa(where / "qa.jsonl", conversation=conversation)
        labelled = [(one, "answered") for one in asked_of if one.evidence]
        for embedder in (DEFAULT_EMBEDDERS["en"], LEXICAL_EMBEDDER):
            with open_store(str(stage.path()), services=default_services()) as store:
                last = _put_observations(store, mine, embedder)
                language: Language = "en"
                group = (store.story("s").info().embedder_id, Kind.FACT, language)
                for asked, tag in (*labelled, *_off_topic(folder, "en")):
                    hits = store.recall(
                        asked.question, story="s", persona="reader", at=last + 1, top_k=TOP
                    ).hits
                    told = frozenset(hit.fact_id for hit in hits if proofs[hit.fact_id] & asked.evidence)
                    yield (
                        group,
                        _judged(
                            conversation, Labelled(question=asked.question, evidence=told), tag, hits, "en"
                        ),
                    )


def _put_observations(store: Kataribe, rows: Sequence[dict[str, object]], embedder: str) -> int:
    story = store.story("s")
    story.create(language="en", embedder=embedder)
    by_session: dict[int, list[dict[str, object]]] = defaultdict(list)
    for at, row in enumerate(rows):
        by_session[int(str(row["session"]))].append(
            {"fact_id": f"o{at}", "text": str(row["text"]), "visibility": "public"}
        )
    for session, facts in sorted(by_session.items()):
        story.episodes.put(session, f"Session {session}.", facts=facts)
    story.sync()
    return max(by_session)


def _judged(of: str, asked: Labelled, tag: str, hits: Sequence[Hit], language: Language) -> Judged:
    pairs = [
        cues(
            asked.question,
            hit.text,
            language,
            similarity=hit.parts["similarity"],
            speaker=hit.speaker if isinstance(hit, TurnHit) else None,
        )
        for hit in hits
    ]
    answers = [tag == "answered" and asked.is_met_by(hit) for hit in hits]
    return Judged(
        of,
        asked.question,
        tag,
        np.array(pairs, dtype=np.float64).reshape(-1, len(Cues._fields)),
        np.array(answers, dtype=np.float64),
    )


def _list(row: dict[str, object], name: str) -> list[object]:
    found = row.get(name)
    return found if isinstance(found, list) else []


def _lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line.strip()]


def _row(what: str, value: float, unit: str) -> BenchRow:
    return BenchRow(bench="relevance", what=what, value=value, unit=unit)
