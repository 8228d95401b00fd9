"""The cross-encoder beside a stand-in for its packages; `tests_torch` has the real ones."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from kataribe.adapters.cross_encoder import CrossEncoderReranker, reranker
from kataribe.adapters.cross_encoder.reranker import ENGLISH, MULTILINGUAL
from kataribe.errors import MissingExtraError, ModelError
from kataribe.ports import Reranker
from kataribe.testing.reranker import RerankerContract, scored


class StandIn:
    """Scores a pair by the signs both sides share; `made` keeps what was loaded, and how."""

    made: list[tuple[str, dict[str, Any]]] = []  # noqa: RUF012 - emptied by the fixture
    threads: list[int] = []  # noqa: RUF012

    def __init__(self, name: str, **how: Any) -> None:
        if name == "missing":
            raise OSError("missing is not a local folder\nand not a model of the hub")
        self.made.append((name, how))

    def predict(
        self, pairs: Sequence[tuple[str, str]], *, batch_size: int, show_progress_bar: bool
    ) -> npt.NDArray[np.float32]:
        assert 0 < batch_size < 100
        assert not show_progress_bar
        self.threads.append(threading.get_ident())
        if any(text == "boom" for _, text in pairs):
            raise RuntimeError("out of memory")
        found = [len(set(a) & set(b)) / (1 + len(set(a) | set(b))) for a, b in pairs]
        if any(text == "wide" for _, text in pairs):
            return np.zeros((len(pairs), 3), dtype=np.float32)
        return np.array(found, dtype=np.float32)


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    packages: Any = ModuleType("sentence_transformers")
    packages.CrossEncoder = StandIn
    torch: Any = ModuleType("torch")
    torch.nn = ModuleType("torch.nn")
    torch.nn.Sigmoid = type("Sigmoid", (), {})
    for name, module in (
        ("sentence_transformers", packages),
        ("torch", torch),
        ("torch.nn", torch.nn),
    ):
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(reranker, "find_spec", lambda _: object())
    StandIn.made.clear()
    StandIn.threads.clear()


@pytest.mark.usefixtures("installed")
class TestCrossEncoderReranker(RerankerContract):
    @pytest.fixture
    def reranker(self) -> Reranker:
        return CrossEncoderReranker()


@pytest.mark.usefixtures("installed")
def test_a_model_is_loaded_once_and_on_use() -> None:
    made = CrossEncoderReranker()
    assert StandIn.made == []
    assert scored(made, "鍵", ()) == ()
    assert StandIn.made == [], "no texts, no model"
    scored(made, "鍵", ["鍵", "灯台"])
    scored(made, "鍵", ["灯台"])
    ((name, how),) = StandIn.made
    assert name == MULTILINGUAL
    assert how["device"] == "cpu"
    assert type(how["activation_fn"]).__name__ == "Sigmoid"


@pytest.mark.usefixtures("installed")
def test_it_computes_off_the_loop() -> None:
    async def here() -> int:
        await CrossEncoderReranker(ENGLISH).rerank("a", ["b"])
        return threading.get_ident()

    assert asyncio.run(here()) not in StandIn.threads
    assert len(StandIn.threads) == 1


@pytest.mark.usefixtures("installed")
def test_scores_have_six_decimals() -> None:
    for score in scored(CrossEncoderReranker(), "abcdefg", ["abc", "gfx", "zzz"]):
        assert score == round(score, 6)


@pytest.mark.usefixtures("installed")
def test_a_model_that_is_not_there_is_an_error() -> None:
    with pytest.raises(ModelError, match="'missing' cannot be loaded: missing is not a local folder and not"):
        scored(CrossEncoderReranker("missing"), "a", ["b"])


@pytest.mark.usefixtures("installed")
def test_a_model_that_fails_is_an_error() -> None:
    with pytest.raises(ModelError, match="failed: out of memory; choose another, or none"):
        scored(CrossEncoderReranker(), "a", ["boom"])


@pytest.mark.usefixtures("installed")
def test_a_model_of_classes_is_no_reranker() -> None:
    with pytest.raises(ModelError, match=r"gives \(3,\) numbers for a pair"):
        scored(CrossEncoderReranker(), "a", ["wide"])


def test_a_missing_package_is_said_with_the_line_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reranker, "find_spec", lambda _: None)
    assert CrossEncoderReranker.available() == "pip install 'kataribe[torch]'"
    with pytest.raises(MissingExtraError, match=r"type: pip install 'kataribe\[torch\]'"):
        scored(CrossEncoderReranker(), "a", ["b"])


def test_half_a_package_is_missing_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reranker, "find_spec", lambda _: object())
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtraError, match="not installed whole"):
        scored(CrossEncoderReranker(), "a", ["b"])


def test_an_id_tells_the_model_and_no_place_of_this_machine() -> None:
    assert CrossEncoderReranker().reranker_id.startswith(f"cross-encoder+{MULTILINGUAL}+st-")
    assert CrossEncoderReranker("/somewhere/of mine/ja:model").reranker_id.startswith(
        "cross-encoder+ja-model+"
    )
