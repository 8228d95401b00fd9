"""Measuring one's own data: which minimum similarity keeps the evidence, and which weight finds it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from kataribe.domain.gate import Viewer
from kataribe.domain.memory import Hit, Kind, Recollection
from kataribe.domain.recall.calibration import (
    KEEP,
    LEAST,
    TOP,
    Calibration,
    Labelled,
    Seen,
    WeightTrial,
    seen_of,
    separate,
    try_weights,
)
from kataribe.domain.recall.policy_file import NO_TUNING
from kataribe.domain.recall.ranking import RecallPolicy
from kataribe.domain.recall.requests import RecallKeys
from kataribe.domain.space import Space
from kataribe.engine.recall import RecallVerbs
from kataribe.engine.request import recall_request
from kataribe.errors import InputError
from kataribe.ports.telemetry import UNWATCHED
from kataribe.read.path import RecallQuestion
from kataribe.work.owner import Owner

_WEIGHTS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


class Trial(RecallVerbs):
    """Recall on the same store with other numbers; what an author tries out is no viewer's search."""

    def _trace(self, verb: str, found: Recollection, where: Mapping[str, object] | None) -> None:
        """Leave none."""

    async def prepared(self, question: str, keys: RecallKeys) -> tuple[Viewer, RecallQuestion]:
        """Plan and embed a question, so that a view can answer it without asking anybody.

        Raises `NotFoundError`, `InputError`, `EmbedderMismatchError`.
        """
        viewer = await self._settled(keys)
        told = recall_request(question, keys, self._services.recall_policy)
        hints = await self._hints_of(viewer, again=True)
        searched = await self._planned(question, told, hints, {})
        return viewer, await self._asked(question, viewer, told, hints, searched)


class CalibrateVerbs(RecallVerbs):
    """Tuning recall to one's own data."""

    async def calibrate(
        self,
        questions: Sequence[Labelled],
        of: Space,
        *,
        keep: float = KEEP,
        weights: bool = False,
    ) -> Calibration:
        """Measure minimum similarities on labelled questions, by `weights` the keywords' share too (author).

        Nothing is applied: `kataribe.save_policy` writes a file that a person installs. Each question
        is asked as its viewer; a question without evidence is left out. `keep` is the share of the
        evidence that must stay, 0.5 to 1. Raises `NotFoundError`, and `InputError` when fewer than
        20 questions find their evidence among the first ten hits.
        """
        if not 0.5 <= keep <= 1:
            raise InputError(f"the share of the evidence to keep must be from 0.5 to 1, not {keep}")
        owner = await self._owner(of)
        asked = [(one, _keys(one, owner)) for one in questions if _has_evidence(one)]
        policy = self._services.recall_policy_for(owner.embedder_id)
        answers = await self._answers(asked, policy)
        answered = sum(any(one.is_met_by(hit) for hit in hits) for one, hits in answers)
        if answered < LEAST:
            raise InputError(
                f"of {len(asked)} questions with evidence {answered} find it among the first {TOP} hits; "
                f"at least {LEAST} are needed to measure anything: label more questions, and sync first"
            )
        kinds = sorted({hit.kind for _, hits in answers for hit in hits})
        return Calibration(
            embedder_id=owner.embedder_id,
            made=self._services.clock.now().isoformat(timespec="seconds"),
            questions=len(asked),
            answered=answered,
            separations=tuple(separate(Kind(kind), _seen(answers, kind), keep=keep) for kind in kinds),
            weights=await self._weigh(asked, policy) if weights else None,
        )

    async def _answers(
        self, asked: Sequence[tuple[Labelled, RecallKeys]], policy: RecallPolicy
    ) -> list[tuple[Labelled, tuple[Hit, ...]]]:
        services = replace(self._services, recall_policy=policy, tuning=NO_TUNING, telemetry=UNWATCHED)
        trial = Trial(self._ledger, services)
        return [(one, (await trial.recall(one.question, **keys)).hits) for one, keys in asked]

    async def _weigh(self, asked: Sequence[tuple[Labelled, RecallKeys]], policy: RecallPolicy) -> WeightTrial:
        found: dict[float, list[float]] = {}
        for weight in sorted({*_WEIGHTS, policy.keyword_weight}):
            answers = await self._answers(asked, replace(policy, keyword_weight=weight))
            found[weight] = [one.found(hits) for one, hits in answers]
        return try_weights(found, current=policy.keyword_weight)


def _has_evidence(one: Labelled) -> bool:
    return bool(one.evidence or one.keys or one.episodes)


def _keys(one: Labelled, owner: Owner) -> RecallKeys:
    return {**owner.asks(one), "top_k": TOP}


def _seen(answers: Sequence[tuple[Labelled, tuple[Hit, ...]]], kind: str) -> list[Seen]:
    return [seen for one, hits in answers for seen in seen_of(one, [h for h in hits if h.kind == kind])]
