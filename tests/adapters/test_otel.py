"""Recall as spans: what they carry, what they never carry, and that nobody watching costs nothing."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

import kataribe
from kataribe.adapters.otel import OtelTelemetry
from kataribe.face.sync.kataribe import Kataribe
from kataribe.ports.telemetry import UNWATCHED, step, watching
from kataribe.wiring import TracingOnUse
from support.stores import empty_store, services

QUESTION = "灯守とは誰のこと？"
VIEWER = {"story": "yoimachi", "persona": "澪", "at": 9}


@pytest.fixture
def spans() -> Iterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    yield exporter
    exporter.shutdown()


def provider(spans: InMemorySpanExporter) -> TracerProvider:
    made = TracerProvider()
    made.add_span_processor(SimpleSpanProcessor(spans))
    return made


def opened(path: Path, bundled: Path, telemetry: OtelTelemetry) -> Kataribe:
    store = kataribe.open(str(empty_store(path / "k.db")), services=replace(services(), telemetry=telemetry))
    store.story("yoimachi").import_folder(bundled / "yoimachi", embedder="hash")
    store.story("yoimachi").sync()
    return store


def everything(found: tuple[ReadableSpan, ...]) -> str:
    return "\n".join(
        f"{one.name} {dict(one.attributes or {})} {[(e.name, dict(e.attributes or {})) for e in one.events]} "
        f"{one.status.description}"
        for one in found
    )


def test_a_recall_is_a_span_with_a_child_for_each_step(
    tmp_path: Path, bundled: Path, spans: InMemorySpanExporter
) -> None:
    with opened(tmp_path, bundled, OtelTelemetry(provider=provider(spans))) as store:
        synced = {one.name for one in spans.get_finished_spans()}
        assert "kataribe.sync" in synced
        spans.clear()
        found = store.recall(QUESTION, **VIEWER)  # type: ignore[arg-type]
    by_name = {one.name: one for one in spans.get_finished_spans()}
    root = by_name["kataribe.recall"]
    told = dict(root.attributes or {})
    assert told["kataribe.hits"] == len(found.hits) > 0
    assert told["kataribe.hit_ids"] == tuple(hit.id for hit in found.hits)
    assert told["kataribe.embedder"] == "hash-1"
    assert told["kataribe.reranker"] == "none"
    assert (told["kataribe.character"], told["kataribe.at"]) == ("澪", 9)
    for name in ("gate", "plan", "candidates", "score", "guard"):
        child = by_name[f"kataribe.{name}"]
        assert child.parent is not None
        assert root.context is not None
        assert child.parent.span_id == root.context.span_id, "a step lies below its verb"
        assert child.start_time is not None
        assert child.end_time is not None
        assert child.end_time >= child.start_time
    assert dict(by_name["kataribe.gate"].attributes or {})["kataribe.slices"] == 2


@pytest.mark.parametrize("tells", [False, True])
def test_texts_are_told_only_when_the_settings_say_so(
    tmp_path: Path, bundled: Path, spans: InMemorySpanExporter, tells: bool
) -> None:
    telemetry = OtelTelemetry(provider=provider(spans), tells_texts=tells)
    with opened(tmp_path, bundled, telemetry) as store:
        hits = store.recall(QUESTION, **VIEWER).hits  # type: ignore[arg-type]
        store.known(**VIEWER)  # type: ignore[arg-type]
        told = everything(spans.get_finished_spans())
    assert (QUESTION in told) is tells
    assert any(hit.text in told for hit in hits) is tells
    assert "灯守" in told or not tells


def test_an_error_is_told_by_its_type_and_not_by_its_words(
    tmp_path: Path, bundled: Path, spans: InMemorySpanExporter
) -> None:
    with opened(tmp_path, bundled, OtelTelemetry(provider=provider(spans))) as store:
        spans.clear()
        with pytest.raises(kataribe.FilterError):
            store.recall("secret words", where={"a": {"$regex": "hidden words"}}, **VIEWER)  # type: ignore[arg-type]
    (root,) = (one for one in spans.get_finished_spans() if one.name == "kataribe.recall")
    assert root.status.status_code is trace.StatusCode.ERROR
    assert dict(root.attributes or {})["error.type"] == "FilterError"
    assert "words" not in everything((root,))


def test_a_user_is_not_named(tmp_path: Path, spans: InMemorySpanExporter) -> None:
    parts = replace(services(), telemetry=OtelTelemetry(provider=provider(spans)))
    with kataribe.open(str(empty_store(tmp_path / "k.db")), services=parts) as store:
        store.user("taro-yamada").create(language="ja", embedder="hash")
        turn = kataribe.Turn(
            turn_id="t1",
            session="s",
            speaker="太郎",
            text="犬を飼った。",
            time=datetime(2024, 5, 1, tzinfo=UTC),
        )
        store.user("taro-yamada").put_turns([turn])
        store.user("taro-yamada").sync()
        assert store.recall("犬", user="taro-yamada").hits
    names = [one.name for one in spans.get_finished_spans()]
    assert names.count("kataribe.recall") == 1
    told = everything(spans.get_finished_spans())
    assert "taro" not in told
    assert "犬" not in told


def test_what_comes_back_is_the_same_watched_or_not(
    tmp_path: Path, bundled: Path, spans: InMemorySpanExporter
) -> None:
    with opened(tmp_path, bundled, OtelTelemetry(provider=provider(spans))) as store:
        watched = store.recall(QUESTION, explain=True, **VIEWER)  # type: ignore[arg-type]
    with kataribe.open(str(tmp_path / "k.db"), services=replace(services(), telemetry=UNWATCHED)) as store:
        assert store.recall(QUESTION, explain=True, **VIEWER) == watched  # type: ignore[arg-type]


def test_nobody_watches_until_a_provider_is_set_up(spans: InMemorySpanExporter) -> None:
    assert not OtelTelemetry(provider=trace.NoOpTracerProvider()).is_on
    assert not OtelTelemetry(provider=trace.ProxyTracerProvider()).is_on
    assert OtelTelemetry(provider=provider(spans)).is_on
    assert not TracingOnUse(tells_texts=False).is_on, "this process has set up none"


def test_a_step_outside_a_watched_verb_is_just_called(spans: InMemorySpanExporter) -> None:
    telemetry = OtelTelemetry(provider=provider(spans))

    @step("double", lambda value: {"value": value})
    def double(value: int) -> int:
        return 2 * value

    @step("later")
    async def later(value: int) -> int:
        return double(value)

    assert (double(2), asyncio.run(later(3))) == (4, 6)
    assert not spans.get_finished_spans()
    with watching(telemetry, "verb"):
        assert (double(2), asyncio.run(later(3))) == (4, 6)
    assert double(5) == 10
    assert [one.name for one in spans.get_finished_spans()] == [
        "kataribe.double",
        "kataribe.double",
        "kataribe.later",
        "kataribe.verb",
    ]


def test_a_step_that_nobody_watches_is_one_call_more() -> None:
    def plain() -> None:
        return None

    watched = step("nothing")(plain)
    calls: list[str] = []

    def noted(_: object, event: str, __: object) -> None:
        if event.endswith("call"):
            calls.append(event)

    sys.setprofile(noted)
    try:
        watched()
    finally:
        sys.setprofile(None)
    # Its own, the look whether it is watched, the function's, and the end of the profile.
    assert calls == ["call", "c_call", "call", "c_call"]
