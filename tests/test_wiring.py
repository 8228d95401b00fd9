"""Which part a name gives, and that none of them is loaded before it is used."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kataribe.adapters.pydantic_ai import on_use
from kataribe.engine import Services
from kataribe.errors import InputError, MissingExtraError
from kataribe.settings import Settings
from kataribe.testing.answerer import answered
from kataribe.testing.extractor import ENGLISH, extracted, source_of
from kataribe.testing.judge import PASSAGES, kept
from kataribe.testing.planner import planned
from kataribe.testing.reranker import scored
from kataribe.wiring import default_services

MODEL = "openai:gpt-x"
ASK: dict[str, Callable[[Services], object]] = {
    "extractor": lambda services: extracted(services.extractor(MODEL), source_of(ENGLISH, "en")),
    "planner": lambda services: planned(services.planner(MODEL), "灯台の鍵は？", "ja"),
    "reranker": lambda services: scored(services.reranker(MODEL), "鍵は？", ["a"]),
    "judge": lambda services: kept(services.judge(MODEL), "鍵は？", PASSAGES),
    "answerer": lambda services: answered(services.answerer(MODEL), "鍵は？"),
}


@pytest.fixture
def services() -> Services:
    return default_services(settings=Settings())


def test_names_give_parts_with_ids_that_are_known_before_they_are_used(services: Services) -> None:
    assert services.extractor("rules").extractor_id == "rules-3"
    assert services.planner("rules").planner_id == "rules-1"
    assert services.extractor(MODEL).extractor_id == "openai/gpt-x+facts-2"
    assert services.planner(MODEL).planner_id == "openai/gpt-x+plan-1"
    assert services.reranker(MODEL).reranker_id == "openai/gpt-x+rerank-1"
    assert services.judge(MODEL).judge_id == "openai/gpt-x+judge-1"
    assert services.answerer("ollama:qwen3:8b").answerer_id == "ollama/qwen3/8b+answer-1"


@pytest.mark.parametrize("part", ASK)
def test_each_part_is_made_once(services: Services, part: str) -> None:
    get = getattr(services, part)
    assert get(MODEL) is get(MODEL)
    assert get(MODEL) is not get("openai:other")


@pytest.mark.parametrize("part", ASK)
@pytest.mark.parametrize(
    "name", ["", "nobody", "openai:", "openai: x", "nobody:x", ":x", "Rules", "cross_encoder"]
)
def test_a_name_that_is_none_is_refused(services: Services, part: str, name: str) -> None:
    with pytest.raises(InputError, match=r"is no model; choose .*openai:NAME"):
        getattr(services, part)(name)


@pytest.mark.parametrize(
    ("part", "offered"),
    [
        ("extractor", "rules, or"),
        ("planner", "rules, or"),
        ("reranker", "cross-encoder, or"),
        ("judge", "a model"),
    ],
)
def test_a_refusal_names_what_may_be_chosen(services: Services, part: str, offered: str) -> None:
    with pytest.raises(InputError, match=f"choose {offered}"):
        getattr(services, part)("nobody")


def test_rules_neither_guard_nor_answer_nor_rerank(services: Services) -> None:
    for get in (services.judge, services.answerer, services.reranker):
        with pytest.raises(InputError, match="'rules' is no model"):
            get("rules")


@pytest.mark.parametrize("part", ASK)
def test_a_missing_package_is_said_when_a_model_is_asked(
    services: Services, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(on_use, "find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r"type: pip install 'kataribe\[model\]'"):
        ASK[part](services)


def test_a_planner_falls_back_on_rules_without_a_key(services: Services) -> None:
    made = planned(services.planner(MODEL), "灯台の鍵は？", "ja")
    assert (made.made_by, made.keywords) == ("rules-1", ("灯台",))
    assert made.note is not None
    assert "OPENAI_API_KEY" in made.note


def test_opening_a_store_loads_nothing_that_asks_a_model(tmp_path: Path) -> None:
    code = (
        "import sys, kataribe\n"
        "from kataribe.wiring import default_services\n"
        "parts = default_services()\n"
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
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kataribe.adapters.cross_encoder.reranker.find_spec", lambda _: None)
    for name in ("cross-encoder", "cross-encoder:some/model"):
        with pytest.raises(MissingExtraError, match=r"type: pip install 'kataribe\[torch\]'"):
            services.reranker(name)


def test_a_cross_encoder_takes_a_model_by_name(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kataribe.adapters.cross_encoder.reranker.find_spec", lambda _: object())
    assert "mmarco" in services.reranker("cross-encoder").reranker_id
    assert "+own/model+" in services.reranker("cross-encoder:own/model").reranker_id
    assert asyncio.run(services.reranker("cross-encoder").rerank("?", ())) == ()
