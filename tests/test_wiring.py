"""Which part a name gives, and that none of them is loaded before it is used."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kataribe.adapters.pydantic_ai import on_use
from kataribe.engine import Engines
from kataribe.errors import InputError, MissingExtraError
from kataribe.settings import Settings
from kataribe.testing.answerer import answered
from kataribe.testing.extractor import ENGLISH, extracted, source_of
from kataribe.testing.judge import PASSAGES, kept
from kataribe.testing.planner import planned
from kataribe.testing.reranker import scored
from kataribe.wiring import default_engines

MODEL = "openai:gpt-x"
ASK: dict[str, Callable[[Engines], object]] = {
    "extractor": lambda engines: extracted(engines.extractor(MODEL), source_of(ENGLISH, "en")),
    "planner": lambda engines: planned(engines.planner(MODEL), "灯台の鍵は？", "ja"),
    "reranker": lambda engines: scored(engines.reranker(MODEL), "鍵は？", ["a"]),
    "judge": lambda engines: kept(engines.judge(MODEL), "鍵は？", PASSAGES),
    "answerer": lambda engines: answered(engines.answerer(MODEL), "鍵は？"),
}


@pytest.fixture
def engines() -> Engines:
    return default_engines(settings=Settings())


def test_names_give_parts_with_ids_that_are_known_before_they_are_used(engines: Engines) -> None:
    assert engines.extractor("rules").extractor_id == "rules-3"
    assert engines.planner("rules").planner_id == "rules-1"
    assert engines.extractor(MODEL).extractor_id == "openai/gpt-x+facts-1"
    assert engines.planner(MODEL).planner_id == "openai/gpt-x+plan-1"
    assert engines.reranker(MODEL).reranker_id == "openai/gpt-x+rerank-1"
    assert engines.judge(MODEL).judge_id == "openai/gpt-x+judge-1"
    assert engines.answerer("ollama:qwen3:8b").answerer_id == "ollama/qwen3/8b+answer-1"


@pytest.mark.parametrize("part", ASK)
def test_each_part_is_made_once(engines: Engines, part: str) -> None:
    get = getattr(engines, part)
    assert get(MODEL) is get(MODEL)
    assert get(MODEL) is not get("openai:other")


@pytest.mark.parametrize("part", ASK)
@pytest.mark.parametrize(
    "name", ["", "nobody", "openai:", "openai: x", "nobody:x", ":x", "Rules", "cross_encoder"]
)
def test_a_name_that_is_none_is_refused(engines: Engines, part: str, name: str) -> None:
    with pytest.raises(InputError, match=r"is no model; choose .*openai:NAME"):
        getattr(engines, part)(name)


@pytest.mark.parametrize(
    ("part", "offered"),
    [
        ("extractor", "rules, or"),
        ("planner", "rules, or"),
        ("reranker", "cross-encoder, or"),
        ("judge", "a model"),
    ],
)
def test_a_refusal_names_what_may_be_chosen(engines: Engines, part: str, offered: str) -> None:
    with pytest.raises(InputError, match=f"choose {offered}"):
        getattr(engines, part)("nobody")


def test_rules_neither_guard_nor_answer_nor_rerank(engines: Engines) -> None:
    for get in (engines.judge, engines.answerer, engines.reranker):
        with pytest.raises(InputError, match="'rules' is no model"):
            get("rules")


@pytest.mark.parametrize("part", ASK)
def test_a_missing_package_is_said_when_a_model_is_asked(
    engines: Engines, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(on_use, "find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r"type: pip install 'kataribe\[model\]'"):
        ASK[part](engines)


def test_a_planner_falls_back_on_rules_without_a_key(engines: Engines) -> None:
    made = planned(engines.planner(MODEL), "灯台の鍵は？", "ja")
    assert (made.made_by, made.keywords) == ("rules-1", ("灯台",))
    assert made.note is not None
    assert "OPENAI_API_KEY" in made.note


def test_opening_a_store_loads_nothing_that_asks_a_model(tmp_path: Path) -> None:
    code = (
        "import sys, kataribe\n"
        "from kataribe.wiring import default_engines\n"
        "parts = default_engines()\n"
        "for part in ('extractor', 'planner', 'reranker', 'judge', 'answerer'):\n"
        f"    getattr(parts, part)({MODEL!r})\n"
        "kataribe.open(sys.argv[1]).close()\n"
        "print([name for name in ('pydantic_ai', 'pydantic', 'torch', 'sentence_transformers') "
        "if name in sys.modules])\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "k.db")], capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == "[]"


def test_a_cross_encoder_that_is_not_installed_is_said_at_once(
    engines: Engines, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kataribe.adapters.cross_encoder.reranker.find_spec", lambda _: None)
    for name in ("cross-encoder", "cross-encoder:some/model"):
        with pytest.raises(MissingExtraError, match=r"type: pip install 'kataribe\[torch\]'"):
            engines.reranker(name)


def test_a_cross_encoder_takes_a_model_by_name(engines: Engines, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kataribe.adapters.cross_encoder.reranker.find_spec", lambda _: object())
    assert "mmarco" in engines.reranker("cross-encoder").reranker_id
    assert "+own/model+" in engines.reranker("cross-encoder:own/model").reranker_id
    assert asyncio.run(engines.reranker("cross-encoder").rerank("?", ())) == ()
