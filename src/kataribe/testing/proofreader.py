"""What every proofreader must keep."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from kataribe.domain.story.proof import PairVerdict, SentencePair
from kataribe.domain.terms import Language
from kataribe.ports import Proofreader

PAIRS = (
    SentencePair("エルザは流行り病で死んだ。", 2, "エルザは窓辺で編み物をしていた。", 4),
    SentencePair("Crane was long dead.", 1, "Crane picked up the receiver.", 3),
    SentencePair("The harbour was empty.", 1, "It rained for a week.", 1),
)


def judged(
    proofreader: Proofreader, pairs: Sequence[SentencePair], language: Language = "en"
) -> tuple[PairVerdict, ...]:
    """Ask a proofreader and wait."""
    return asyncio.run(proofreader.judge(pairs, language=language))


class ProofreaderContract:
    """Subclass with a fixture `proofreader`."""

    def test_it_names_itself(self, proofreader: Proofreader) -> None:
        """Its id is not empty and stays the same."""
        assert proofreader.proofreader_id
        assert proofreader.proofreader_id == proofreader.proofreader_id.strip()

    def test_every_pair_gets_a_verdict(self, proofreader: Proofreader) -> None:
        """As many verdicts as pairs, in either language, and none for no pairs."""
        for language in ("ja", "en"):
            found = judged(proofreader, PAIRS, language)
            assert len(found) == len(PAIRS)
            assert all(isinstance(one, PairVerdict) for one in found)
        assert judged(proofreader, ()) == ()
