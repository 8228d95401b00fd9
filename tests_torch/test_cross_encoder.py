"""The real cross-encoder, loaded from a folder by sentence-transformers."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from kataribe.adapters.cross_encoder import CrossEncoderReranker
from kataribe.errors import ModelError
from kataribe.ports import Reranker
from kataribe.settings import Settings
from kataribe.testing.reranker import QUESTION, TEXTS, RerankerContract, scored
from kataribe.wiring import default_services

MANY = [f"灯台の鍵 {'abcdefghij'[n % 10] * (1 + n % 40)}" for n in range(50)]


@pytest.fixture
def reranker(tiny: Path) -> CrossEncoderReranker:
    return CrossEncoderReranker(str(tiny))


class TestCrossEncoder(RerankerContract):
    @pytest.fixture
    def reranker(self, tiny: Path) -> Reranker:
        return CrossEncoderReranker(str(tiny))


def test_different_texts_get_different_scores(reranker: CrossEncoderReranker) -> None:
    found = scored(reranker, QUESTION, TEXTS)
    assert len(set(found)) > len(TEXTS) // 2
    assert all(0 <= score <= 1 for score in found)


def test_the_scores_are_the_models_own(reranker: CrossEncoderReranker, tiny: Path) -> None:
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(tiny)
    model = AutoModelForSequenceClassification.from_pretrained(tiny).eval()
    wanted = []
    with torch.no_grad():
        for text in TEXTS:
            given = tokenizer(QUESTION, text, return_tensors="pt", truncation=True)
            wanted.append(float(torch.sigmoid(model(**given).logits)))
    assert scored(reranker, QUESTION, TEXTS) == pytest.approx(wanted, abs=1e-5)


def test_a_batch_changes_no_score_and_no_order(reranker: CrossEncoderReranker, tiny: Path) -> None:
    together = scored(reranker, QUESTION, MANY)
    alone = [scored(reranker, QUESTION, [text])[0] for text in MANY]
    assert together == pytest.approx(alone, abs=1e-5)
    small = scored(CrossEncoderReranker(str(tiny), batch=3), QUESTION, MANY)
    assert small == pytest.approx(together, abs=1e-5)


def test_another_process_gives_the_same_scores(reranker: CrossEncoderReranker, tiny: Path) -> None:
    code = (
        "import asyncio, sys\n"
        "from kataribe.adapters.cross_encoder import CrossEncoderReranker\n"
        f"texts = {TEXTS[:3]!r}\n"
        f"print(asyncio.run(CrossEncoderReranker(sys.argv[1]).rerank({QUESTION!r}, texts)))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, str(tiny)], capture_output=True, text=True, encoding="utf-8", check=True
    )
    assert ran.stdout.strip().splitlines()[-1] == str(scored(reranker, QUESTION, TEXTS[:3]))


def test_a_model_of_classes_is_refused(of_classes: Path) -> None:
    with pytest.raises(ModelError, match="numbers for a pair where a reranker gives one"):
        scored(CrossEncoderReranker(str(of_classes)), QUESTION, TEXTS)


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be loaded"):
        scored(CrossEncoderReranker(str(tmp_path)), QUESTION, TEXTS)


def test_it_is_found_by_name(tiny: Path) -> None:
    made = default_services(settings=Settings()).reranker(f"cross-encoder:{tiny}")
    assert scored(made, QUESTION, TEXTS) == scored(CrossEncoderReranker(str(tiny)), QUESTION, TEXTS)


def test_the_loop_goes_on_while_it_computes(reranker: CrossEncoderReranker) -> None:
    async def beside() -> int:
        beats = 0
        work = asyncio.create_task(reranker.rerank(QUESTION, MANY))
        while not work.done():
            await asyncio.sleep(0.001)
            beats += 1
        await work
        return beats

    assert asyncio.run(beside()) > 3
